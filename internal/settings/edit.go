package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/safefile"
)

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

// Files are those that Enable and Disable write, below the worktree's top level.
var Files = []string{Dir + "/" + shared, Dir + "/" + local, Dir + "/" + gitignore}

// Check says why Enable could not do its work, if so, before anything is changed.
func Check(ctx context.Context, repo *gitexec.Repo) error {
	_, err := turning(ctx, repo, true, false)
	return err
}

// Enable writes the settings, and .entire/.gitignore, keeping what a user has in them. It says what
// it did, a line each. The caller has seen to it that no link of somebody else's is in the way: see
// [safefile.Inside]. beside says that the entire CLI obeys the same files: then "enabled" stays as
// it is in them, and a key of git's configuration enables us alone. See Switch.
func Enable(ctx context.Context, repo *gitexec.Repo, beside bool) ([]string, error) {
	edits, err := turning(ctx, repo, true, beside)
	if err != nil {
		return nil, err
	}
	return apply(repo.Top, edits)
}

// Disable takes out what Enable put in, as far as it is still as Enable left it, and turns off what
// the user has made their own. It says what it did, a line each. beside is as for Enable.
func Disable(ctx context.Context, repo *gitexec.Repo, beside bool) ([]string, error) {
	edits, err := turning(ctx, repo, false, beside)
	if err != nil {
		return nil, err
	}
	done, err := apply(repo.Top, edits)
	safefile.RemoveEmpty(repo.Top, Dir)
	return done, err
}

// turning are the edits that turn recording on, or off.
func turning(ctx context.Context, repo *gitexec.Repo, on, beside bool) ([]edit, error) {
	data, err := readText(repo.Top, shared)
	if err != nil {
		return nil, err
	}
	if edits, found, err := turnLeftOut(ctx, repo, data, on); found || err != nil {
		return edits, err
	}
	edits, more, err := turnShared(repo.Top, data, on, beside)
	if err != nil || !more {
		return nil, err
	}
	if !beside { // a local "enabled": false would override what was just asked for
		if edits, err = turnLocal(edits, repo.Top, on); err != nil {
			return nil, err
		}
	}
	lines, err := readText(repo.Top, gitignore)
	if err != nil {
		return edits, err
	}
	return append(edits, turnIgnore(lines, on)...), nil
}

// turnShared are the edits of the shared file, of which data is the text, nil for none. more is
// false if all files stay as they are, since they are the entire CLI's.
func turnShared(top string, data []byte, on, beside bool) (edits []edit, more bool, err error) {
	switch {
	case on && data == nil:
		return []edit{{shared, []byte(fresh), "wrote " + Dir + "/" + shared}}, true, nil
	case !on && string(data) == fresh:
		return []edit{{shared, nil, "removed " + Dir + "/" + shared}}, true, nil
	case data == nil || beside:
		return nil, data == nil || on, nil
	}
	edits, err = turn(nil, top, shared, data, on)
	return edits, true, err
}

// turnIgnore are the edits of .gitignore, of which lines is the text, nil for none.
func turnIgnore(lines []byte, on bool) []edit {
	switch text := ignore(lines); {
	case on && !bytes.Equal(text, lines):
		return []edit{{gitignore, text, "wrote " + Dir + "/" + gitignore}}
	case !on && lines != nil && bytes.Equal(lines, ignore(nil)):
		return []edit{{gitignore, nil, "removed " + Dir + "/" + gitignore}}
	}
	return nil
}

// turnLeftOut turns recording on or off by the local file where a sparse checkout leaves out the
// shared one, which stays out of the worktree; found is false where it doesn't.
func turnLeftOut(ctx context.Context, repo *gitexec.Repo, data []byte, on bool) (edits []edit, found bool, err error) {
	if data != nil {
		return nil, false, nil
	}
	text, err := leftOut(ctx, repo)
	if text == nil || err != nil {
		return nil, false, err
	}
	now, err := enabledText(text)
	own, err2 := readText(repo.Top, local)
	if err = errors.Join(err, err2); err != nil {
		return nil, true, fmt.Errorf("%s/%s in the index: %w", Dir, shared, err)
	}
	if own == nil {
		own = []byte("{}\n")
	}
	if said, _ := enabledText(own); said != "" { // a fault in it is turn's to explain
		now = said
	}
	if now != fmt.Sprint(on) {
		edits, err = turn(nil, repo.Top, local, own, on)
	}
	return edits, true, err
}

// enabledText is the value of "enabled" as it is written; empty without the key.
func enabledText(data []byte) (string, error) {
	at, said, err := enabledIn(data)
	if !said || err != nil {
		return "", err
	}
	return string(data[at.from:at.to]), nil
}

// turnLocal turns the local settings on or off where they have a say in it.
func turnLocal(edits []edit, top string, on bool) ([]edit, error) {
	data, err := readText(top, local)
	if err != nil || data == nil {
		return edits, err
	}
	if _, said, err := enabledIn(data); err == nil && !said {
		return edits, nil
	}
	return turn(edits, top, local, data, on)
}

// turn sets one settings file's "enabled", if it has another value.
func turn(edits []edit, top, name string, data []byte, on bool) ([]edit, error) {
	text, err := setEnabled(data, on)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\nhint: correct the file, or remove it", filepath.Join(top, Dir, name), err)
	}
	if bytes.Equal(text, data) {
		return edits, nil
	}
	return append(edits, edit{name, text, fmt.Sprintf("set \"enabled\" to %t in %s/%s", on, Dir, name)}), nil
}

// readText returns a file's content, nil if there is none.
func readText(top, name string) ([]byte, error) {
	data, err := safefile.ReadInside(top, Dir+"/"+name, mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return append([]byte{}, data...), err
}

func apply(top string, edits []edit) ([]string, error) {
	var done []string
	for _, e := range edits {
		var err error
		if e.text == nil {
			err = safefile.RemoveInside(top, Dir+"/"+e.name)
		} else {
			err = safefile.RewriteInside(top, Dir+"/"+e.name, e.text)
		}
		if err != nil {
			return done, err
		}
		done = append(done, e.done)
	}
	return done, nil
}

// setEnabled returns a settings file with "enabled" set: where it has the key, the value alone is
// replaced, so that all else stays byte for byte.
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

// enabledIn finds the value of "enabled", the last one, since that is the one that counts; or else,
// with said false, the place after the opening brace where the key can be put.
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

// ignore returns a .gitignore with the lines that it lacks.
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
