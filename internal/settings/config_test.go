package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestKeys: every setting has a key, each once, and is in docs/settings.md.
func TestKeys(t *testing.T) {
	page, err := os.ReadFile("../../docs/settings.md")
	testdir.Must(t, err)
	keys := Keys()
	if len(keys) < 15 {
		t.Errorf("only %q", keys)
	}
	for _, key := range keys {
		if key == "strategy_options.suffix.match" { // without an effect
			continue
		}
		if !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("docs/settings.md doesn't name %s", key)
		}
	}
	for key := range defaults() {
		if Known(key) != nil {
			t.Errorf("%s has a default, and means nothing", key)
		}
	}
}

func TestList(t *testing.T) {
	top := worktree(t, `{"enabled": true, "link": "both", "strategy": "auto-commit", "max_untracked_bytes": 5}`, `{"link": "side", "strategy_options": {"suffix": {"max_streams": 3}}}`)
	testdir.Git(t, top, "init", "-q")
	testdir.Git(t, top, "config", "entire-plumb.pushSessions", "no")
	testdir.Git(t, top, "config", "entire-plumb.enabled", "true")
	repo := repository(t, top)
	all, err := List(t.Context(), repo)
	testdir.Must(t, err)
	by := map[string]Value{}
	for _, v := range all {
		by[v.Key] = v
	}
	for key, want := range map[string]string{
		"link": `"side" "trailer" .entire/settings.local.json`, "max_untracked_bytes": "5 10485760 .entire/settings.json", "restore_hooks": "true true default",
		"enabled": "true true git config entire-plumb.enabled", "strategy": `"manual-commit" "manual-commit" default`, "redaction.allow": "[] [] default",
		"strategy_options.push_sessions": "false true git config entire-plumb.pushSessions", "strategy_options.suffix.max_streams": "3 0 .entire/settings.local.json",
		"strategy_options.checkpoint_remote": "null null default", "strategy_options.push_timeout_seconds": "5 5 default",
	} {
		v := by[key]
		if got := string(v.Value) + " " + string(v.Default) + " " + v.Source; got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if i := by["strategy"].Ignored; len(i) != 1 || i[0].File != ".entire/settings.json" || string(i[0].Value) != `"auto-commit"` {
		t.Errorf("%+v", i)
	}
}

// TestSpellings: a key counts in any spelling; of several in one file the last one does, and of two
// files the local one.
func TestSpellings(t *testing.T) {
	top := worktree(t, `{"enabled": true, "link": "side"}`, `{"strategy": "auto-commit", "Strategy": "manual-commit", "Link": "both",
		"strategy_options": {"suffix": {"Max_Streams": 9007199254740993, "max_streams": 2}}, "Strategy_Options": {"Suffix": {"MAX_STREAMS": 4, "match": "exact"}}}`)
	testdir.Git(t, top, "init", "-q")
	repo := repository(t, top)
	for range 8 {
		all, err := List(t.Context(), repo)
		testdir.Must(t, err)
		inForce, err := load(t, top)
		testdir.Must(t, err)
		by := map[string]string{}
		for _, v := range all {
			by[v.Key] = string(v.Value)
		}
		got := by["strategy"] + by["link"] + by["strategy_options.suffix.max_streams"] + by["strategy_options.suffix.match"]
		if got != `"manual-commit""both"4"exact"` {
			t.Errorf("listed: %s", got)
		}
		if s := inForce.StrategyOptions.Suffix; inForce.Strategy != ManualCommit || inForce.Link != Both || s.MaxStreams != 4 || s.Match != "exact" {
			t.Errorf("in force: %+v", inForce)
		}
	}
}

// TestDeepSettings: an object within thousands of others is not read once for each.
func TestDeepSettings(t *testing.T) {
	const deep, most = 2000, 200 // the most bytes for each of the text
	text := []byte(`{"Redaction": ` + strings.Repeat(`{"a": `, deep) + `"x"` + strings.Repeat("}", deep) + "}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := check(text)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > uint64(most*len(text)) {
		t.Errorf("%v, and %d bytes for %d", err, used, len(text))
	}
}

func TestSetAndUnset(t *testing.T) {
	top := worktree(t, fresh, "")
	repo := repository(t, top)
	set := func(key, value string, project bool) {
		t.Helper()
		_, err := Set(repo, key, value, project)
		testdir.Must(t, err)
	}
	set("strategy_options.suffix.max_streams", "3", false)
	set("redaction.optional", "email, phone", false)
	set("allow_shadow_push", "yes", false)
	set("link", "both", true)
	want := "{\n  \"strategy_options\": {\n    \"suffix\": {\n      \"max_streams\": 3\n    }\n  },\n  \"redaction\": {\n    \"optional\": [\n      \"email\",\n      \"phone\"\n    ]\n  },\n  \"allow_shadow_push\": true\n}\n"
	if got := content(t, top, local); got != want {
		t.Errorf("%s", got)
	}
	if got := content(t, top, shared); got != strings.Replace(fresh, "\"\n}", "\",\n  \"link\": \"both\"\n}", 1) {
		t.Errorf("%s", got)
	}
	for key, want := range map[string]bool{"link": false, "allow_shadow_push": true} {
		if _, had, err := Unset(repo, key, false); had != want || err != nil {
			t.Errorf("%s: %v, %v", key, had, err)
		}
	}
	if got := content(t, top, local); strings.Contains(got, "shadow") {
		t.Error(got)
	}
}

// TestSetKeepsLines: a file with lines of its own keeps them.
func TestSetKeepsLines(t *testing.T) {
	top := worktree(t, "{ \"enabled\": true,\n\n \"link\":\"side\" }\n", "")
	_, err := Set(repository(t, top), "link", "both", true)
	testdir.Must(t, err)
	if got := content(t, top, shared); got != "{ \"enabled\": true,\n\n \"link\":\"both\" }\n" {
		t.Errorf("%q", got)
	}
}

func TestSetRefuses(t *testing.T) {
	top := worktree(t, fresh, "")
	repo := repository(t, top)
	for _, c := range []struct{ key, value, want string }{
		{"stratgy", "x", "there is no such setting: \"stratgy\"\nhint: did you mean strategy?"},
		{"strategy_options", "x", "hint: entire-plumb config lists them"},
		{"strategy", "none", "neither \"manual-commit\" nor \"auto-commit\""},
		{"enabled", "maybe", "enabled is true or false, not \"maybe\""},
		{"enabled", "", "enabled is true or false"},
		{"max_untracked_bytes", "big", "max_untracked_bytes is a number, not \"big\""},
		{"max_untracked_bytes", "1.5", "is a number"},
		{"max_untracked_bytes", "null", "is a number"},
		{"redaction.optional", "nonsense", "redaction"},
		{"redaction.rules", "[1", "is no JSON"},
		{"encrypt_to", "nobody", "encrypt_to"},
	} {
		if _, err := Set(repo, c.key, c.value, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.key, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(top, Dir, local)); err == nil {
		t.Error("a file was written")
	}
	if _, _, err := Unset(repo, "nothing", false); !errors.Is(err, ErrNoSetting) {
		t.Error(err)
	}
	broken := repository(t, worktree(t, "{", ""))
	if _, err := Set(broken, "link", "both", true); err == nil || !strings.Contains(err.Error(), ".entire/settings.json: ") {
		t.Error(err)
	}
	if _, err := List(t.Context(), broken); err == nil {
		t.Error("a broken file is listed")
	}
}
