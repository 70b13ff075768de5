package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"entire-plumb/gitexec"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/safefile"
)

// Value is a setting, as it is in force.
type Value struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Default json.RawMessage `json:"default"`
	Source  string          `json:"source"`            // default, a file below the top level, or the name in git's configuration
	Ignored []Ignored       `json:"ignored,omitempty"` // what files say of it that doesn't count
}

// ErrNoSetting says that a key means nothing.
var ErrNoSetting = errors.New("there is no such setting")

// defaults are the values of settings that nothing sets. What isn't listed is false, 0 or empty.
func defaults() map[string]string {
	return map[string]string{"enabled": "true", "strategy": `"` + ManualCommit + `"`, "link": `"` + string(Trailer) + `"`, "restore_hooks": "true",
		"max_untracked_bytes": strconv.Itoa(defaultMaxUntracked), "strategy_options.push_sessions": "true",
		"strategy_options.push_timeout_seconds": fmt.Sprint(defaultPatience.Seconds()), "strategy_options.suffix.match": `"fuzzy"`,
		"strategy_options.checkpoint_remote": "null"}
}

// Keys are the keys of all settings, with dots.
func Keys() (keys []string) {
	all := keysOf(reflect.TypeFor[Settings](), "")
	for _, key := range all {
		section := slices.ContainsFunc(all, func(k string) bool { return strings.HasPrefix(k, key+".") })
		if !section && !strings.HasSuffix(key, ".") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Known is ErrNoSetting for a key that means nothing, with the one that is most like it.
func Known(key string) error {
	if slices.Contains(Keys(), key) {
		return nil
	}
	hint := "entire-plumb config lists them"
	if like := mostLike(key, Keys()); like != "" {
		hint = "did you mean " + like + "?"
	}
	return fmt.Errorf("%w: %q\nhint: %s", ErrNoSetting, key, hint)
}

// layer is what one place says.
type layer struct {
	source        string
	keys          map[string]any
	ignored       []Ignored
	rules, others bool // it has rules of redaction; what it says may be the words of others
}

// layers are what the shared file, git's configuration and the local file say, the one that counts
// most last. texts are those of the files of the worktree at top.
func layers(ctx context.Context, repo *gitexec.Repo, top string, texts map[string][]byte) (all []layer, err error) {
	for _, name := range []string{shared, local} {
		if data, ok := texts[name]; ok {
			l := layer{source: path.Join(Dir, name)}
			if l.keys, err = check(data); err != nil {
				return nil, fmt.Errorf("%s: %w\nhint: correct the file, or remove it and run `entire-plumb enable`",
					filepath.Join(top, Dir, name), err)
			}
			l.rules = hasRules(l.keys)
			l.ignored, l.others = guard(ctx, repo, top, name, data, l.keys)
			all = append(all, l)
		}
		if name == shared {
			own, err := configured(ctx, repo)
			if err != nil {
				return nil, err
			}
			all = append(all, layer{source: "git config", keys: own})
		}
	}
	return all, nil
}

// List lists all settings, as they are in force, and where each is from.
func List(ctx context.Context, repo *gitexec.Repo) (all []Value, err error) {
	top, texts, err := textsInForce(ctx, repo)
	if err != nil {
		return nil, err
	}
	from, err := layers(ctx, repo, top, texts)
	if err != nil {
		return nil, err
	}
	on, said, err := switched(ctx, repo)
	if err != nil {
		return nil, err
	}
	standard := defaults()
	for _, key := range Keys() {
		v := Value{Key: key, Source: "default", Default: json.RawMessage(standard[key])}
		if len(v.Default) == 0 {
			v.Default = zeroOf(key)
		}
		v.Value = v.Default
		for _, l := range from {
			if value, _ := lookUp(l.keys, strings.Split(key, ".")); value != nil {
				v.Source = l.source + configName(l.source, key)
				v.Value, _ = json.Marshal(value) // it was JSON
			}
			for _, i := range l.ignored {
				if i.Key == key {
					v.Ignored = append(v.Ignored, i)
				}
			}
		}
		if key == "enabled" && said {
			v.Source, v.Value = "git config "+keySwitch, json.RawMessage(strconv.FormatBool(on))
		}
		all = append(all, v)
	}
	return all, nil
}

// configName is the name of a key in git's configuration, behind a blank.
func configName(source, key string) string {
	for _, g := range guards {
		if source == "git config" && g.key() == key {
			return " " + gitexec.Section + "." + g.config
		}
	}
	return ""
}

// typeOf is the type of a setting.
func typeOf(key string) reflect.Type {
	t := reflect.TypeFor[Settings]()
	for _, part := range strings.Split(key, ".") {
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == part {
				t = f.Type
				break
			}
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// zeroOf is the value of a setting that nothing says, and that has no default.
func zeroOf(key string) json.RawMessage {
	switch typeOf(key).Kind() {
	case reflect.Bool:
		return json.RawMessage("false")
	case reflect.String:
		return json.RawMessage(`""`)
	case reflect.Slice:
		return json.RawMessage("[]")
	case reflect.Int, reflect.Int64, reflect.Float64:
		return json.RawMessage("0")
	}
	return json.RawMessage("null")
}

// valueOf is the JSON of a setting that a user typed: true and false as git reads them, a list with
// commas between, or JSON.
func valueOf(key, typed string) (json.RawMessage, error) {
	if trimmed := strings.TrimSpace(typed); strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		if err := json.Unmarshal([]byte(trimmed), new(any)); err != nil {
			return nil, fmt.Errorf("%q is no JSON: %w", typed, jsonfault.Explain(err))
		}
		return json.RawMessage(trimmed), nil
	}
	switch t := typeOf(key); t.Kind() {
	case reflect.Bool:
		on, err := boolean(typed)
		if err != nil || typed == "" {
			return nil, fmt.Errorf("%s is true or false, not %q", key, typed)
		}
		return json.RawMessage(fmt.Sprint(on)), nil
	case reflect.Int, reflect.Int64, reflect.Float64:
		if err := json.Unmarshal([]byte(typed), reflect.New(t).Interface()); err != nil || strings.TrimSpace(typed) == "null" {
			return nil, fmt.Errorf("%s is a number, not %q", key, typed)
		}
		return json.RawMessage(typed), nil
	case reflect.Slice:
		list := []string{}
		for one := range strings.SplitSeq(typed, ",") {
			if one = strings.TrimSpace(one); one != "" {
				list = append(list, one)
			}
		}
		return json.Marshal(list)
	}
	return json.Marshal(typed)
}

// ValueError is a value that a setting can't have.
type ValueError struct{ error }

// Set writes a setting into the user's own file, or, for the project, into the one that may be
// committed. It returns the file. All else in it stays as it is.
func Set(repo *gitexec.Repo, key, typed string, project bool) (file string, err error) {
	if err := Known(key); err != nil {
		return "", err
	}
	value, err := valueOf(key, typed)
	if err != nil {
		return "", &ValueError{err}
	}
	return change(repo.Top, project, func(doc *hujson.Value) error {
		at := ""
		parts := strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			at += "/" + part
			if doc.Find(at) == nil {
				if err := doc.Patch([]byte(fmt.Sprintf(`[{"op":"add","path":%q,"value":{}}]`, at))); err != nil {
					return err
				}
			}
		}
		return doc.Patch([]byte(fmt.Sprintf(`[{"op":"add","path":%q,"value":%s}]`, at+"/"+parts[len(parts)-1], value)))
	})
}

// Unset removes a setting from a file. It returns the file, and whether it had the setting.
func Unset(repo *gitexec.Repo, key string, project bool) (file string, had bool, err error) {
	if err := Known(key); err != nil {
		return "", false, err
	}
	at := "/" + strings.ReplaceAll(key, ".", "/")
	file, err = change(repo.Top, project, func(doc *hujson.Value) error {
		if had = doc.Find(at) != nil; !had {
			return nil
		}
		return doc.Patch([]byte(fmt.Sprintf(`[{"op":"remove","path":%q}]`, at)))
	})
	return file, had, err
}

// laidOut is a file's new text with its lines as this program writes them, if they were before.
func laidOut(before, after []byte) []byte {
	if before != nil && !bytes.Equal(indented(before), bytes.TrimSpace(before)) {
		return after
	}
	return append(indented(after), '\n')
}

// indented is JSON with a line for each key; of what is none, nothing.
func indented(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err != nil {
		return nil
	}
	return b.Bytes()
}

// change edits a file of settings, unless the result would mean nothing.
func change(top string, project bool, edit func(*hujson.Value) error) (file string, err error) {
	name := local
	if project {
		name = shared
	}
	file = path.Join(Dir, name)
	before, err := readText(top, name)
	if err != nil {
		return file, err
	}
	text := before
	if text == nil {
		text = []byte("{}\n")
	}
	if _, err := check(text); err != nil {
		return file, fmt.Errorf("%s: %w\nhint: correct the file", file, err)
	}
	doc, err := hujson.Parse(text)
	if err != nil {
		return file, err
	}
	if err := edit(&doc); err != nil {
		return file, fmt.Errorf("%s: %w\nhint: correct the file", file, err)
	}
	after := laidOut(before, doc.Pack())
	if _, err := check(after); err != nil {
		return file, &ValueError{err}
	}
	if before == nil && strings.TrimSpace(string(after)) == "{}" || string(after) == string(before) {
		return file, nil
	}
	return file, safefile.RewriteInside(top, file, after)
}
