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
	"reflect"
	"strings"

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
	Strategy          string  `json:"strategy,omitempty"`            // manual-commit
	MaxUntrackedBytes int64   `json:"max_untracked_bytes,omitempty"` // 0: the default
	StrategyOptions   Options `json:"strategy_options"`
}

// Options are the options of the strategy.
type Options struct {
	Suffix struct {
		Match      suffix.Match `json:"match,omitempty"`       // exact, the default, or fuzzy
		MaxStreams int          `json:"max_streams,omitempty"` // of one base and worktree; 0: no cap
	} `json:"suffix"`
	MultiSessionWarning bool `json:"multi_session_warning,omitempty"`
}

// Match is how lines are compared.
func (s Settings) Match() suffix.Match { return cmp.Or(s.StrategyOptions.Suffix.Match, suffix.Exact) }

// ErrNotEnabled says that nobody enabled this program in the repository; ErrDisabled that somebody disabled it.
var (
	ErrNotEnabled = errors.New("entire-plumb is not enabled here")
	ErrDisabled   = errors.New("entire-plumb is disabled here")
)

// Load reads the settings of the worktree top. Without any it gives ErrNotEnabled, and the defaults.
func Load(top string) (Settings, error) {
	s := Settings{Strategy: "manual-commit", MaxUntrackedBytes: DefaultMaxUntracked}
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
		var one map[string]any
		if err := json.Unmarshal(data, &one); err != nil {
			return s, fmt.Errorf("%s: %w\nhint: mend the file, or remove it and run `entire-plumb enable`", file, err)
		}
		override(merged, one)
	}
	if !found {
		return s, fmt.Errorf("%w\nhint: entire-plumb enable", ErrNotEnabled)
	}
	data, err := json.Marshal(merged)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s: %w\nhint: mend the value of that key", filepath.Join(top, Dir, shared), err)
	}
	if s.MaxUntrackedBytes <= 0 {
		s.MaxUntrackedBytes = DefaultMaxUntracked
	}
	if m := s.Match(); m != suffix.Exact && m != suffix.Fuzzy {
		return s, fmt.Errorf("%s: strategy_options.suffix.match is %q\nhint: it is \"exact\" or \"fuzzy\"", filepath.Join(top, Dir, shared), m)
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

// ignored is what .entire/.gitignore holds.
var ignored = []string{"tmp/", "settings.local.json", "metadata/", "logs/"}

// fresh is the settings file that Enable makes where there is none.
const fresh = "{\n  \"enabled\": true,\n  \"strategy\": \"manual-commit\"\n}\n"

// Enable writes the settings, and .entire/.gitignore, keeping what a user has in them. It reports the files changed.
func Enable(top string) ([]string, error) {
	dir := filepath.Join(top, Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var changed []string
	wrote, err := enableIn(filepath.Join(dir, shared), true)
	if err != nil {
		return nil, err
	}
	if wrote {
		changed = append(changed, Dir+"/"+shared)
	}
	// A local "enabled": false would override what was just asked for.
	if wrote, err = enableIn(filepath.Join(dir, local), false); err != nil {
		return changed, err
	}
	if wrote {
		changed = append(changed, Dir+"/"+local)
	}
	if wrote, err = ignore(filepath.Join(dir, gitignore)); err != nil {
		return changed, err
	}
	if wrote {
		changed = append(changed, Dir+"/"+gitignore)
	}
	return changed, nil
}

// Disable takes out what Enable put in, as far as it is still as Enable left it, and turns off what the user has made
// their own. It reports the files changed.
func Disable(top string) ([]string, error) {
	dir := filepath.Join(top, Dir)
	var changed []string
	file := filepath.Join(dir, shared)
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case string(data) == fresh:
		if err := os.Remove(file); err != nil {
			return nil, err
		}
		changed = append(changed, Dir+"/"+shared)
	default:
		wrote, err := setEnabled(file, data, false)
		if err != nil {
			return nil, err
		}
		if wrote {
			changed = append(changed, Dir+"/"+shared)
		}
	}
	ignoreFile := filepath.Join(dir, gitignore)
	if data, err := os.ReadFile(ignoreFile); err == nil && string(data) == strings.Join(ignored, "\n")+"\n" {
		if err := os.Remove(ignoreFile); err != nil {
			return changed, err
		}
		changed = append(changed, Dir+"/"+gitignore)
	}
	os.Remove(dir) // only if nothing is left in it
	return changed, nil
}

// enableIn turns the file's "enabled" on. A file that isn't there is made if create is set.
func enableIn(file string, create bool) (bool, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return false, nil
		}
		return true, os.WriteFile(file, []byte(fresh), 0o644)
	}
	if err != nil {
		return false, err
	}
	if !create && !bytes.Contains(data, []byte(`"enabled"`)) {
		return false, nil
	}
	return setEnabled(file, data, true)
}

// setEnabled rewrites one key of a settings file, if it has another value. The order of the keys stays.
func setEnabled(file string, data []byte, on bool) (bool, error) {
	keys, values, err := ordered(data)
	if err != nil {
		return false, fmt.Errorf("%s: %w\nhint: mend the file, or remove it", file, err)
	}
	value := json.RawMessage(fmt.Sprint(on))
	if reflect.DeepEqual(values["enabled"], value) {
		return false, nil
	}
	if values["enabled"] == nil {
		keys = append([]string{"enabled"}, keys...)
	}
	values["enabled"] = value
	var out bytes.Buffer
	out.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(k)
		fmt.Fprintf(&out, "%s:%s", name, values[k])
	}
	out.WriteByte('}')
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, out.Bytes(), "", "  "); err != nil {
		return false, err
	}
	pretty.WriteByte('\n')
	return true, os.WriteFile(file, pretty.Bytes(), 0o644)
}

// ordered reads a JSON object's keys in their order.
func ordered(data []byte) ([]string, map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var keys []string
	seen := map[string]bool{}
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		if name, ok := key.(string); ok && !seen[name] {
			keys, seen[name] = append(keys, name), true
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return nil, nil, err
		}
	}
	return keys, values, nil
}

// ignore adds the lines that are missing from a .gitignore.
func ignore(file string) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	has := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		has[strings.TrimSpace(line)] = true
	}
	text := string(data)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, line := range ignored {
		if !has[line] {
			text += line + "\n"
		}
	}
	if text == string(data) {
		return false, nil
	}
	return true, os.WriteFile(file, []byte(text), 0o644)
}
