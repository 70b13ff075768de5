package history

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		q    Purge
		text string
		want [][2]int
	}{
		{Purge{Text: "aa"}, "aaaaa", [][2]int{{0, 2}, {2, 4}}},
		{Purge{Text: "a.b"}, "axb a.b", [][2]int{{4, 7}}},
		{Purge{Regex: regexp.MustCompile("a.b")}, "axb a.b", [][2]int{{0, 3}, {4, 7}}},
		{Purge{Text: "none"}, "text", nil},
	} {
		got := c.q.places(c.text)
		same := slices.EqualFunc(got, c.want, func(a []int, b [2]int) bool { return a[0] == b[0] && a[1] == b[1] })
		if !same {
			t.Errorf("%q: %v", c.text, got)
		}
		if c.q.expression().MatchString(c.text) != (len(c.want) > 0) {
			t.Errorf("%q: the expression %s", c.text, c.q.expression())
		}
	}
}

// TestWithout: a text goes wherever it stands, and JSON stays JSON; of a checkpoint no text goes.
func TestWithout(t *testing.T) {
	q := Purge{Text: `pass"word`}
	for text, keeps := range map[string]bool{"say pass\"word\n": false, `{"a":"pass\"word"}` + "\n": false, "other\n": true} {
		got := string(q.without([]byte(text)))
		if strings.Contains(got, `pass"word`) || strings.Contains(got, `pass\"word`) || (got == text) != keeps || strings.HasPrefix(text, "{") && !strings.HasPrefix(got, `{"a":"`) {
			t.Errorf("%s became %s", text, got)
		}
	}
	over := Purge{Regex: regexp.MustCompile(`word","b":"pass`)}
	got := string(over.without([]byte(`{"a":"word","b":"pass"}` + "\n" + `{"c":"kept"}` + "\n")))
	if !strings.Contains(got, `{"c":"kept"}`) || !strings.HasPrefix(got, `{"a"`) {
		t.Errorf("a match beyond a string became %s", got)
	}
	if got := (Purge{Checkpoints: []string{"k"}, Text: "word"}).without([]byte("word")); string(got) != "word" {
		t.Errorf("of a checkpoint: %s", got)
	}
}

// TestNothing: what is found in any place is something; else the reason names what was not
// searched.
func TestNothing(t *testing.T) {
	text, one := Purge{Text: "secret"}, Purge{Checkpoints: []string{"k"}}
	for name, c := range map[string]struct {
		q    Purge
		done Purged
		want string // the end of the error; "-": none
	}{
		"a ref":                    {text, Purged{Refs: []MovedRef{{}}}, "-"},
		"a state":                  {text, Purged{Sessions: []string{"s"}}, "-"},
		"a file":                   {text, Purged{Files: []string{"f"}}, "-"},
		"a path":                   {text, Purged{Names: []string{"p"}}, "-"},
		"the worktree alone":       {text, Purged{Worktree: []string{"f"}}, "hint: commits and stashes of yours are not searched: git log --all --reflog -m -S TEXT"},
		"nothing":                  {text, Purged{}, "-S TEXT"},
		"no match":                 {Purge{Regex: regexp.MustCompile("x")}, Purged{}, "-G REGEX"},
		"no checkpoint":            {one, Purged{}, ErrNothing.Error()},
		"of what is encrypted":     {one, Purged{Encrypted: 2}, "; 2 blobs are encrypted for others, and were not searched"},
		"but a remote has more":    {text, Purged{Copies: []Copy{{}, {More: true}}}, "hint: entire-plumb fetch brings them"},
		"and a remote has no more": {one, Purged{Copies: []Copy{{}}}, ErrNothing.Error()},
	} {
		err := c.q.nothing(c.done)
		if c.want == "-" != (err == nil) || err != nil && (!errors.Is(err, ErrNothing) || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPurgeText: a text goes from streams and checkpoints, with its history, and from private
// files; files of the worktree and paths that hold it are named, and stay.
func TestPurgeText(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "2026-01-01")
	w.checkpoint("bbbbbbbbbbbb", "s2", "2026-02-01")
	w.Write(".git/entire-plumb/journal.jsonl", `{"outcome":"secret"}`+"\n", ".git/entire-sessions/s1.prompts", "tell secret", "mine", "secret")
	before := w.Git("rev-parse", shadow.Checkpoints)
	preview, err := Purge{Text: "secret", Preview: true}.Run(t.Context(), w.env)
	if err != nil || preview.Done || len(preview.Refs) != 1 || w.Git("rev-parse", shadow.Checkpoints) != before {
		t.Fatalf("%+v, %v", preview, err)
	}
	done, err := Purge{Text: "secret"}.Run(t.Context(), w.env)
	if err != nil || !done.Done || len(done.Objects) != 2 || len(done.Refs) != 1 || len(done.Files) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if old := w.Git("log", "--format=%H", shadow.Checkpoints, "-S", "secret"); old != "" || !strings.Contains(w.on(), "aa:0/full.jsonl") {
		t.Errorf("in its history: %s; %s", old, w.on())
	}
	for file, want := range map[string]bool{".git/entire-plumb/journal.jsonl": false, ".git/entire-sessions/s1.prompts": false, "mine": true} {
		if text, err := os.ReadFile(filepath.Join(w.Dir, file)); err != nil || strings.Contains(string(text), "secret") != want {
			t.Errorf("%s: %s, %v", file, text, err)
		}
	}
	if _, err := (Purge{Text: "secret"}).Run(t.Context(), w.env); !errors.Is(err, ErrNothing) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := (Purge{Text: "abc"}).Run(t.Context(), w.env); err == nil || !strings.Contains(err.Error(), "fewer than 4 bytes") {
		t.Errorf("a short text: %v", err)
	}
}

// TestPurgeCheckpoint: a checkpoint goes, the others with the same conversation are named.
func TestPurgeCheckpoint(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "2026-01-01")
	w.checkpoint("bbbbbbbbbbbb", "s1", "2026-02-01")
	w.checkpoint("cccccccccccc", "s2", "2026-02-01")
	done, err := Purge{Checkpoints: []string{"aaaaaaaaaaaa"}}.Run(t.Context(), w.env)
	if err != nil || !done.Done || !slices.Equal(done.AlsoIn, []string{"bbbbbbbbbbbb"}) || len(done.Objects) == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := w.on(); strings.Contains(got, "aa:") || !strings.Contains(got, "bb:0/full.jsonl") || !strings.Contains(got, "pu:") {
		t.Errorf("on the branch: %s", got)
	}
	if _, err := (Purge{Checkpoints: []string{"dddddddddddd"}}).Run(t.Context(), w.env); err == nil {
		t.Error("a checkpoint that is not there was purged")
	}
}

// TestPrivateFiles: each file once, and of each kind of private file the right list.
func TestPrivateFiles(t *testing.T) {
	w := newWorld(t)
	w.Write(".git/entire-plumb/journal.jsonl", "", ".git/entire-plumb/x.lock", "", ".git/entire-plumb/index-1", "", ".git/entire-plumb/purged.json", "",
		".git/entire-plumb/sessions/s2.prompts", "", ".git/entire-sessions/s1.prompts", "", ".git/entire-sessions/s1.json", "", ".git/entire-sessions/s1.damaged", "",
		".git/worktrees/side/entire-plumb/queue", "")
	names := func(files []string) string {
		var all []string
		for _, file := range files {
			all = append(all, filepath.Base(file))
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	if got := names(promptFiles(w.opened)); got != "s1.prompts s2.prompts" {
		t.Errorf("prompts: %s", got)
	}
	if got := names(privateFiles(w.opened)); got != "journal.jsonl queue s1.damaged" {
		t.Errorf("private: %s", got)
	}
}

// TestEditFiles: only texts that change are written, with their mode; a preview writes none.
func TestEditFiles(t *testing.T) {
	dir := t.TempDir()
	text, other, binary := filepath.Join(dir, "text"), filepath.Join(dir, "other"), filepath.Join(dir, "binary")
	for file, content := range map[string]string{text: "a secret", other: "plain", binary: "secret\x00"} {
		testdir.Must(t, os.WriteFile(file, []byte(content), 0o640))
	}
	edit := func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "secret", "*")) }
	for _, preview := range []bool{true, false} {
		got, err := editFiles([]string{text, other, binary, filepath.Join(dir, "missing")}, edit, preview)
		if err != nil || !slices.Equal(got, []string{text}) {
			t.Errorf("%q, %v", got, err)
		}
		data, err := os.ReadFile(text)
		if want := map[bool]string{true: "a secret", false: "a *"}[preview]; err != nil || string(data) != want {
			t.Errorf("preview %v: %s, %v", preview, data, err)
		}
	}
	if info, err := os.Stat(text); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if data, _ := os.ReadFile(binary); string(data) != "secret\x00" {
		t.Errorf("a binary file was changed: %q", data)
	}
}

// TestOpen: without a repository nothing is opened.
func TestOpen(t *testing.T) {
	if _, err := open(t.Context(), workspace.Env{Dir: t.TempDir()}); err == nil {
		t.Error("a directory without a repository was opened")
	}
}
