// Package settings reads and writes what a repository's user chose: .entire/settings.json, which is shared, and
// .entire/settings.local.json beside it, which overrides it key by key.
package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/redact"
	"entire-plumb/suffix"
)

// Dir is the directory of the settings, in the worktree's top level.
const Dir = ".entire"

// Files in Dir.
const (
	shared    = "settings.json"
	local     = "settings.local.json"
	gitignore = ".gitignore"
)

// DefaultMaxUntracked is the size in bytes above which untracked files are left out of snapshots.
const DefaultMaxUntracked = 10 << 20

// Settings are the settings in force.
type Settings struct {
	Enabled           bool    `json:"enabled"`
	Strategy          string  `json:"strategy,omitempty"`            // ManualCommit or AutoCommit
	MaxUntrackedBytes int64   `json:"max_untracked_bytes,omitempty"` // 0: the default
	AllowShadowPush   bool    `json:"allow_shadow_push,omitempty"`   // let shadow branches leave the machine
	StrategyOptions   Options `json:"strategy_options"`

	Redaction redact.Options `json:"redaction"` // beside the rules that everybody has
}

// Options are the options of the strategy.
type Options struct {
	Suffix struct {
		Match      suffix.Match `json:"match,omitempty"`       // exact, the default, or fuzzy
		MaxStreams int          `json:"max_streams,omitempty"` // of one base and worktree; 0: no cap
	} `json:"suffix"`
	MultiSessionWarning bool `json:"multi_session_warning,omitempty"`
	AttributionTrailer  bool `json:"attribution_trailer,omitempty"` // beside the link
}

// Match is how lines are compared.
func (s Settings) Match() suffix.Match { return cmp.Or(s.StrategyOptions.Suffix.Match, suffix.Exact) }

// The strategies (seed 003, Strategy Role): checkpoints are committed with the user's commits, or each turn's end makes a commit.
const (
	ManualCommit = "manual-commit"
	AutoCommit   = "auto-commit"
)

// ErrNotEnabled says that nobody enabled this program in the repository; ErrDisabled that somebody disabled it.
var (
	ErrNotEnabled = errors.New("entire-plumb is not enabled here")
	ErrDisabled   = errors.New("entire-plumb is disabled here")
)

// Load reads the settings of the worktree top. Without any it gives ErrNotEnabled, and the defaults.
func Load(top string) (Settings, error) {
	s := Settings{Strategy: ManualCommit, MaxUntrackedBytes: DefaultMaxUntracked}
	merged := map[string]any{}
	found := false
	for _, name := range []string{shared, local} {
		file := filepath.Join(top, Dir, name)
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return s, err
		}
		found = true
		one, err := check(data)
		if err != nil {
			return s, fmt.Errorf("%s: %w\nhint: mend the file, or remove it and run `entire-plumb enable`", file, err)
		}
		override(merged, one)
	}
	if !found {
		return s, fmt.Errorf("%w\nhint: entire-plumb enable --agent claude-code", ErrNotEnabled)
	}
	data, err := json.Marshal(merged)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if s.MaxUntrackedBytes <= 0 {
		s.MaxUntrackedBytes = DefaultMaxUntracked
	}
	if !s.Enabled {
		return s, fmt.Errorf("%w\nhint: entire-plumb enable", ErrDisabled)
	}
	return s, nil
}

// override puts the keys of over into base, and those of objects in them one by one.
func override(base, over map[string]any) {
	for key, value := range over {
		inner, isObject := value.(map[string]any)
		if below, ok := base[key].(map[string]any); ok && isObject {
			override(below, inner)
			continue
		}
		base[key] = value
	}
}

// check reads a settings file's keys, and says what is wrong with them.
func check(data []byte) (map[string]any, error) {
	var s Settings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, jsonfault.Explain(err)
	}
	if m := s.Match(); m != suffix.Exact && m != suffix.Fuzzy {
		return nil, fmt.Errorf(`"strategy_options.suffix.match" is %q, neither "exact" nor "fuzzy"`, m)
	}
	if s.Strategy != "" && s.Strategy != ManualCommit && s.Strategy != AutoCommit {
		return nil, fmt.Errorf(`"strategy" is %q, neither %q nor %q`, s.Strategy, ManualCommit, AutoCommit)
	}
	if _, err := redact.New(s.Redaction); err != nil {
		return nil, fmt.Errorf(`"redaction": %w`, err)
	}
	var keys map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // as floating point the largest whole numbers would come out larger than they are
	if err := dec.Decode(&keys); err != nil {
		return nil, err
	}
	if keys == nil {
		return nil, errNull
	}
	return keys, nil
}

// ignored is what .entire/.gitignore holds.
var ignored = []string{"tmp/", "settings.local.json", "metadata/", "logs/"}

// fresh is the settings file that Enable makes where there is none.
const fresh = "{\n  \"enabled\": true,\n  \"strategy\": \"manual-commit\"\n}\n"

// edit is a file of Dir that is to be written, or removed where text is nil.
type edit struct {
	name string
	text []byte
	done string // what that does, for people
}

// Check says why Enable could not do its work, if so, before anything is changed.
func Check(top string) error {
	_, err := enabling(filepath.Join(top, Dir))
	return err
}

// Enable writes the settings, and .entire/.gitignore, keeping what a user has in them. It says what it did, a line each.
func Enable(top string) ([]string, error) {
	dir := filepath.Join(top, Dir)
	edits, err := enabling(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return apply(dir, edits)
}

// Disable takes out what Enable put in, as far as it is still as Enable left it, and turns off what the user has made
// their own. It says what it did, a line each.
func Disable(top string) ([]string, error) {
	dir := filepath.Join(top, Dir)
	edits, err := disabling(dir)
	if err != nil {
		return nil, err
	}
	done, err := apply(dir, edits)
	os.Remove(dir) // only if nothing is left in it
	return done, err
}

func enabling(dir string) ([]edit, error) {
	var edits []edit
	data, err := read(dir, shared)
	if err != nil {
		return nil, err
	}
	if data == nil {
		edits = append(edits, edit{shared, []byte(fresh), "wrote " + Dir + "/" + shared})
	} else if edits, err = turn(edits, dir, shared, data, true); err != nil {
		return nil, err
	}
	// A local "enabled": false would override what was just asked for.
	if edits, err = turnLocal(edits, dir, true); err != nil {
		return nil, err
	}
	lines, err := read(dir, gitignore)
	if err != nil {
		return nil, err
	}
	if text := ignore(lines); !bytes.Equal(text, lines) {
		edits = append(edits, edit{gitignore, text, "wrote " + Dir + "/" + gitignore})
	}
	return edits, nil
}

func disabling(dir string) ([]edit, error) {
	var edits []edit
	data, err := read(dir, shared)
	switch {
	case err != nil:
		return nil, err
	case data == nil:
	case string(data) == fresh:
		edits = append(edits, edit{shared, nil, "took out " + Dir + "/" + shared})
	default:
		if edits, err = turn(edits, dir, shared, data, false); err != nil {
			return nil, err
		}
	}
	if edits, err = turnLocal(edits, dir, false); err != nil {
		return nil, err
	}
	lines, err := read(dir, gitignore)
	if err == nil && lines != nil && bytes.Equal(lines, ignore(nil)) {
		edits = append(edits, edit{gitignore, nil, "took out " + Dir + "/" + gitignore})
	}
	return edits, err
}

// turnLocal turns the local settings on or off where they have a say in it.
func turnLocal(edits []edit, dir string, on bool) ([]edit, error) {
	data, err := read(dir, local)
	if err != nil || data == nil {
		return edits, err
	}
	if _, said, err := enabledIn(data); err == nil && !said {
		return edits, nil
	}
	return turn(edits, dir, local, data, on)
}

// turn sets one settings file's "enabled", if it has another value.
func turn(edits []edit, dir, name string, data []byte, on bool) ([]edit, error) {
	text, err := setEnabled(data, on)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\nhint: mend the file, or remove it", filepath.Join(dir, name), err)
	}
	if bytes.Equal(text, data) {
		return edits, nil
	}
	return append(edits, edit{name, text, fmt.Sprintf("set \"enabled\" to %t in %s/%s", on, Dir, name)}), nil
}

// read gives a file's content, nil if there is none.
func read(dir, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return append([]byte{}, data...), err
}

func apply(dir string, edits []edit) ([]string, error) {
	var done []string
	for _, e := range edits {
		file := filepath.Join(dir, e.name)
		var err error
		if e.text == nil {
			err = os.Remove(file)
		} else {
			err = write(file, e.text)
		}
		if err != nil {
			return done, err
		}
		done = append(done, e.done)
	}
	return done, nil
}

// write writes a file whole or not at all: a full disk must not cost the user's settings. A symlink stays one.
func write(file string, text []byte) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	beside := file + ".entire-plumb-new"
	err := os.WriteFile(beside, text, mode)
	if err == nil {
		err = os.Rename(beside, file)
	}
	if err != nil {
		os.Remove(beside)
	}
	return err
}

// setEnabled gives a settings file with "enabled" set: where it has the key, the value alone is replaced, so that all else
// stays byte for byte.
func setEnabled(data []byte, on bool) ([]byte, error) {
	at, said, err := enabledIn(data)
	if err != nil {
		return nil, err
	}
	value := fmt.Sprint(on)
	if !said {
		if bytes.HasPrefix(bytes.TrimSpace(data[at.from:]), []byte("}")) {
			return splice(data, at, fmt.Sprintf("\n  \"enabled\": %s\n", value)), nil
		}
		return splice(data, at, fmt.Sprintf("\n  \"enabled\": %s,", value)), nil
	}
	if string(data[at.from:at.to]) == value {
		return data, nil
	}
	return splice(data, at, value), nil
}

// span is a part of a file's bytes.
type span struct{ from, to int64 }

func splice(data []byte, at span, text string) []byte {
	return slices.Concat(data[:at.from], []byte(text), data[at.to:])
}

// enabledIn finds the value of "enabled", the last one, since that is the one that counts; or else, with said false, the
// place after the opening brace where the key can be put.
func enabledIn(data []byte) (at span, said bool, err error) {
	var object map[string]json.RawMessage // as its writer left it: wrong types elsewhere don't matter here
	if err := json.Unmarshal(data, &object); err != nil {
		return at, false, jsonfault.Explain(err)
	}
	if object == nil {
		return at, false, errNull
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return at, false, err
	}
	at = span{dec.InputOffset(), dec.InputOffset()}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return at, false, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return at, false, err
		}
		if key == "enabled" {
			end := dec.InputOffset()
			at, said = span{end - int64(len(value)), end}, true
		}
	}
	return at, said, nil
}

// errNull says that a settings file holds nothing but null, which encoding/json takes for an object.
var errNull = errors.New("the top level is null, not an object")

// ignore gives a .gitignore with the lines that it lacks.
func ignore(data []byte) []byte {
	has := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		has[strings.TrimSpace(line)] = true
	}
	text := string(data)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	whole := true
	for _, line := range ignored {
		if !has[line] {
			text += line + "\n"
			whole = false
		}
	}
	if whole {
		return data
	}
	return []byte(text)
}
