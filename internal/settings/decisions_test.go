package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestWorsens: a value of encrypt_to must not add a reader, nor take out the user.
func TestWorsens(t *testing.T) {
	list := func(names ...any) any { return append([]any{}, names...) }
	for name, c := range map[string]struct {
		before []string
		known  bool
		value  any
		mine   string // the recipient that an identity here opens
		want   bool
	}{
		"no list, and none before":          {nil, true, "a", "a", true},
		"the empty list, and none before":   {nil, true, list(), "", false},
		"the user's, and none before":       {nil, true, list("a", "b"), "b", false},
		"another's, and none before":        {nil, true, list("a"), "b", true},
		"the same":                          {[]string{"a", "b"}, true, list("b", "a"), "c", false},
		"one more":                          {[]string{"a"}, true, list("a", "b"), "a", true},
		"nobody any more":                   {[]string{"a"}, true, list(), "a", true},
		"one fewer, and not the user":       {[]string{"a", "b"}, true, list("a"), "a", false},
		"without the user":                  {[]string{"a", "b"}, true, list("a"), "b", true},
		"one fewer, and never the user's":   {[]string{"a", "b"}, true, list("a"), "c", false},
		"it is unknown who read it":         {nil, false, list("a"), "a", true},
		"unknown, and the empty list":       {nil, false, list(), "", true},
		"what is no name is another reader": {[]string{"a"}, true, list(7.0), "a", true},
	} {
		opens := func(recipients []string) bool { return slices.Contains(recipients, c.mine) }
		if got := worsens(c.before, c.known, c.value, opens); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCheckChoices(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "",
		`{"strategy": "auto-commit", "link": "both", "strategy_options": {"suffix": {"match": "fuzzy"}}}`: "",
		`{"strategy": "auto"}`: `"strategy" is "auto", neither "manual-commit" nor "auto-commit"`,
		`{"link": "none"}`:     `"link" is "none", neither "trailer" nor "side" nor "both"`,
		`{"strategy_options": {"suffix": {"match": "no"}}}`: `"strategy_options.suffix.match" is "no", neither "exact" nor "fuzzy"`,
		`null`: "the top level is null, not an object",
	} {
		keys, err := check([]byte(text))
		if got := fmt.Sprint(err); want == "" && (err != nil || keys == nil) || want != "" && got != want {
			t.Errorf("%s: %v, %v", text, keys, err)
		}
	}
}

// TestConfiguredKeys: of a key the last value counts, of a list all, and alone the empty one is
// the empty list.
func TestConfiguredKeys(t *testing.T) {
	byKey := map[string]guarded{}
	for _, g := range guards {
		byKey[g.key()] = g
	}
	for _, c := range []struct {
		key    string
		values []string
		want   string // in JSON; empty: an error
	}{
		{"strategy", []string{"auto-commit", "manual-commit"}, `{"strategy":"manual-commit"}`},
		{"strategy", []string{"x"}, ""},
		{"allow_shadow_push", []string{"no", "yes"}, `{"allow_shadow_push":true}`},
		{"allow_shadow_push", []string{"yes", ""}, `{"allow_shadow_push":false}`},
		{"allow_shadow_push", []string{"perhaps"}, ""},
		{"strategy_options.push_sessions", []string{"off"}, `{"strategy_options":{"push_sessions":false}}`},
		{"redaction.allow", []string{"a", "", "b"}, `{"redaction":{"allow":["a","b"]}}`},
		{"redaction.allow", []string{""}, `{"redaction":{"allow":[]}}`},
		{"redaction.allow", []string{"("}, ""},
	} {
		keys, err := byKey[c.key].keys(c.values)
		got, _ := json.Marshal(keys)
		if c.want == "" && err == nil || c.want != "" && (err != nil || string(got) != c.want) {
			t.Errorf("%s %q: %s, %v; want %s", c.key, c.values, got, err, c.want)
		}
	}
}

// TestTurnShared: what happens to the shared file, and whether the others change, too.
func TestTurnShared(t *testing.T) {
	own := "{\"enabled\": true}\n"
	for name, c := range map[string]struct {
		data       any // nil: there is no file
		on, beside bool
		text       any // nil: it is removed, or there is no edit
		edits      int
		more       bool
	}{
		"on, without a file":                {nil, true, false, fresh, 1, true},
		"on, without a file, beside":        {nil, true, true, fresh, 1, true},
		"on, as it is":                      {own, true, false, nil, 0, true},
		"on, as it is, beside":              {own, true, true, nil, 0, true},
		"on, off before":                    {"{\"enabled\": false}\n", true, false, own, 1, true},
		"on, off before, beside":            {"{\"enabled\": false}\n", true, true, nil, 0, true},
		"off, without a file":               {nil, false, false, nil, 0, true},
		"off, without a file, beside":       {nil, false, true, nil, 0, true},
		"off, as enable wrote it":           {fresh, false, false, nil, 1, true},
		"off, as enable wrote it, beside":   {fresh, false, true, nil, 1, true},
		"off, the user's own file":          {own, false, false, "{\"enabled\": false}\n", 1, true},
		"off, the file of the CLI's beside": {own, false, true, nil, 0, false},
	} {
		bytes := func(text any) []byte {
			if text == nil {
				return nil
			}
			return []byte(text.(string))
		}
		edits, more, err := turnShared("/r", bytes(c.data), c.on, c.beside)
		if err != nil || len(edits) != c.edits || more != c.more || c.edits == 1 && !reflect.DeepEqual(edits[0].text, bytes(c.text)) {
			t.Errorf("%s: %+v, %v, %v", name, edits, more, err)
		}
	}
}

func TestTurnIgnore(t *testing.T) {
	whole := strings.Join(ignored, "\n") + "\n"
	for name, c := range map[string]struct {
		lines any
		on    bool
		want  string // what is done; empty: nothing
	}{
		"on, without a file":     {nil, true, "wrote .entire/.gitignore"},
		"on, as it is":           {whole, true, ""},
		"on, a line is missing":  {"tmp/\n", true, "wrote .entire/.gitignore"},
		"off, without a file":    {nil, false, ""},
		"off, as enable made it": {whole, false, "removed .entire/.gitignore"},
		"off, with more":         {whole + "mine\n", false, ""},
	} {
		var lines []byte
		if c.lines != nil {
			lines = []byte(c.lines.(string))
		}
		done := ""
		for _, e := range turnIgnore(lines, c.on) {
			done += e.done
		}
		if done != c.want {
			t.Errorf("%s: %q, want %q", name, done, c.want)
		}
	}
}

// TestLimited: rules of others over a limit are taken out and named by what they are over.
func TestLimited(t *testing.T) {
	rule := func(id, regex string) any { return map[string]any{"id": id, "regex": regex} }
	long := strings.Repeat("x", 100_000)
	within, found := limited([]any{rule("a", "secret"), rule("b", long), rule("c", long)})
	if kept, _ := json.Marshal(within); !strings.Contains(string(kept), `"a"`) || strings.Contains(string(kept), long) {
		t.Errorf("kept: %.200s", kept)
	}
	if len(found) != 1 || string(found[0].Value) != `["b","c"]` || found[0].Key != "redaction.rules" || found[0].Why == "" {
		t.Errorf("%+v", found)
	}
	for _, value := range []any{[]any{rule("a", "secret")}, "no list", nil} {
		if within, found := limited(value); !reflect.DeepEqual(within, value) || found != nil {
			t.Errorf("%v: %v, %v", value, within, found)
		}
	}
}

// TestLimitRules: the rules are found under any spelling of their key, and nothing else is limited.
func TestLimitRules(t *testing.T) {
	long := []any{map[string]any{"id": "a", "regex": strings.Repeat("x", 100_000)}}
	for key, want := range map[string]int{"redaction.rules": 1, "Redaction.RULES": 1, "redaction.allow": 0, "other.rules": 0} {
		section, name, _ := strings.Cut(key, ".")
		text, err := json.Marshal(map[string]any{section: map[string]any{name: long}, "strategy": "manual-commit"})
		testdir.Must(t, err)
		keys, err := keysIn(text, keysOf(reflect.TypeFor[Settings](), ""), "")
		testdir.Must(t, err)
		if found := limitRules(keys); len(found) != want {
			t.Errorf("%s: %+v", key, found)
		}
	}
}

// TestIgnoredReaders: why others' encrypt_to doesn't count, and that no identity opens it.
func TestIgnoredReaders(t *testing.T) {
	const other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	got, err := load(t, worktree(t, `{"encrypt_to": ["`+other+`"], "allow_shadow_push": true}`, ""))
	if err != nil || len(got.Ignored) != 2 || got.EncryptTo != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, i := range got.Ignored {
		if strings.HasPrefix(i.Why, "no identity here opens") != (i.Key == encryptTo) || !strings.Contains(i.Why, "others can commit") {
			t.Errorf("%s: %s", i.Key, i.Why)
		}
	}
}

// TestDisableBeside: files that the entire CLI obeys, too, stay as they are.
func TestDisableBeside(t *testing.T) {
	top := worktree(t, "{\"enabled\": true}\n", "{\"enabled\": true}\n")
	repo := repository(t, top)
	for beside, want := range map[bool]int{true: 0, false: 2} {
		edits, err := turning(t.Context(), repo, false, beside)
		if err != nil || len(edits) != want {
			t.Errorf("beside %v: %+v, %v", beside, edits, err)
		}
	}
}
