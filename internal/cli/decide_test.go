package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/turns"
	"entire-plumb/suffix"
)

// TestPrintDecision: which stream the next checkpoint goes to, and the evidence for each.
func TestPrintDecision(t *testing.T) {
	prints(t, "an answer", "suffix 2: the next checkpoint starts entire/x\nreason: r\notherwise: o\n", func(w io.Writer) {
		p := colourPrinter{w: w}
		a := turns.Answer{Stream: "entire/x", Otherwise: "o"}
		a.Suffix, a.IsNew, a.Reason = 2, true, "r"
		p.answer(&a)
	})
	file := suffix.File{Path: "f", Present: true, Weak: true, Evidence: suffix.ByOrder, AddedFound: []string{"a"}, RemovedRestored: []string{"b", "c"}}
	file.Before, file.After = gitexec.Entry{}, gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	var out bytes.Buffer
	p := colourPrinter{w: &out, texts: noTexts{}}
	p.file(file)
	for _, line := range []string{"  f: present (weak evidence), by ", "    base     (absent)\n", "    shadow   100644 1\n", "    worktree (absent)\n",
		"    added by the agent, found: 1 line pair\n", "    removed by the agent, present again: 2 line pairs\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
	if strings.Contains(out.String(), "not found") {
		t.Error(out.String())
	}
	file.Present, file.Weak, file.Evidence = false, false, suffix.ByLines
	prints(t, "absent", "  f: absent, by "+string(suffix.ByLines)+"\n    base     (absent)\n    shadow   100644 1\n    worktree (absent)\n"+
		"    added by the agent, found: 1 line\n    removed by the agent, present again: 2 lines\n", func(w io.Writer) {
		p := colourPrinter{w: w, texts: noTexts{}}
		p.file(file)
	})
}

// noTexts has no version of a file.
type noTexts struct{}

func (noTexts) Lines(gitexec.Entry) ([]string, bool, error) { return nil, false, os.ErrNotExist }

// someTexts are the lines of versions, by ID.
type someTexts map[gitexec.OID][]string

func (s someTexts) Lines(e gitexec.Entry) ([]string, bool, error) { return s[e.ID], true, nil }

// TestPrintDiff: the diff from the agent's version to the worktree's, unless it is too long.
func TestPrintDiff(t *testing.T) {
	texts := someTexts{"1": {"same", "old"}, "2": {"same", "new"}, "3": make([]string, longestDiff)}
	file := suffix.File{Path: "f", After: gitexec.Entry{ID: "1"}, Now: gitexec.Entry{ID: "2"}}
	prints(t, "a diff", "    --- shadow/f\n    +++ worktree/f\n    @@ -1,2 +1,2 @@\n     same\n    -old\n    +new\n", func(w io.Writer) {
		p := colourPrinter{w: w, texts: texts}
		p.diff(file)
	})
	file.Now.ID = "3"
	prints(t, "too long", "    too long to show; after git add: git diff 1 3\n", func(w io.Writer) {
		p := colourPrinter{w: w, texts: texts}
		p.diff(file)
	})
}

// failing fails each write.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// TestColours: lines have colours where they are wanted.
func TestColours(t *testing.T) {
	prints(t, "coloured", green+"a"+reset+"\nb\n", func(w io.Writer) {
		p := colourPrinter{w: w, screen: screen{colour: true}}
		p.line(green, "a")
		p.line("", "b")
	})
	prints(t, "plain", "a\n", func(w io.Writer) { p := colourPrinter{w: w}; p.line(green, "a") })
	coloured, plain := colourPrinter{screen: screen{colour: true}}, colourPrinter{}
	if coloured.in(red, "x") != red+"x"+reset || plain.in(red, "x") != "x" {
		t.Error("in colours a text if colours are wanted")
	}
}

// TestTakesColours: a pager of a calling git shows colours, a plain file none.
func TestTakesColours(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"a file": {nil, false}, "git's pager": {map[string]string{"GIT_PAGER_IN_USE": "true"}, true}, "git's pager, 1": {map[string]string{"GIT_PAGER_IN_USE": "1"}, true},
		"another value": {map[string]string{"GIT_PAGER_IN_USE": "no"}, false}, "no colours": {map[string]string{"GIT_PAGER_IN_USE": "true", "NO_COLOR": "1"}, false},
		"a dumb terminal": {map[string]string{"GIT_PAGER_IN_USE": "true", "TERM": "dumb"}, false},
	} {
		for _, name := range []string{"GIT_PAGER_IN_USE", "NO_COLOR", "TERM"} {
			t.Setenv(name, c.env[name])
		}
		if got := (&printer{to: io.Discard}).takesColours(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestEnabledSince: by our oldest hook, or the settings where there is none.
func TestEnabledSince(t *testing.T) {
	top := t.TempDir()
	repo := &gitexec.Repo{Top: top}
	if _, ok := enabledSince(repo, nil); ok {
		t.Error("there is neither")
	}
	at := func(file string, when time.Time) string {
		path := filepath.Join(top, file)
		write(t, path, "x")
		testdir.Must(t, os.Chtimes(path, when, when))
		return path
	}
	at(".entire/settings.json", day)
	if since, ok := enabledSince(repo, []githooks.Hook{{Path: filepath.Join(top, "none")}}); !ok || !since.Equal(day) {
		t.Errorf("%v, %v", since, ok)
	}
	stubs := []githooks.Hook{{Exe: "e", Path: at("a", day.Add(2*time.Hour))}, {Exe: "e", Path: at("b", day.Add(time.Hour))}, {Path: at("c", day.Add(-time.Hour))}}
	if since, ok := enabledSince(repo, stubs); !ok || !since.Equal(day.Add(time.Hour)) {
		t.Errorf("%v, %v", since, ok)
	}
}

// TestEscapedJSON: JSON has no character that controls a terminal.
func TestEscapedJSON(t *testing.T) {
	prints(t, "a map", "{\n  \"version\": 1,\n  \"a\": \"<\\u001b\\u009bü>\"\n}\n", func(w io.Writer) {
		if err := printJSON(w, map[string]string{"a": "<\x1b\u009bü>"}); err != nil {
			t.Error(err)
		}
	})
	if err := printJSON(failing{io.ErrShortWrite}, "\u009b"); err == nil {
		t.Error("a failed write is no error")
	}
}

// TestCountedID: the IDs of tests differ, and are the same in each run.
func TestCountedID(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ids")
	first, second := countedID(file), countedID(file)
	if first != "6b86b273ff34" || second == first || len(second) != 12 {
		t.Error(first, second)
	}
}

// TestSmallTexts: words that several commands print.
func TestSmallTexts(t *testing.T) {
	if amount.Of(1, "line") != "1 line" || amount.Of(0, "line") != "0 lines" || processes(1) != "1 git process" || processes(2) != "2 git processes" {
		t.Error(amount.Of(1, "line"), processes(2))
	}
	if age(time.Time{}, day) != "-" || age(day.Add(-time.Hour), day) != "1 hour ago" {
		t.Error(age(day, day))
	}
	if short("abcdef", 3) != "ab…" || short("abc", 3) != "abc" || pad("ü", 3) != "ü  " || inCell("a\tb") != "a b" || hookWord("post-Commit$") != "post-ommit" {
		t.Error(short("abcdef", 3), pad("ü", 3))
	}
	if indented(" a\nb\x1b\n") != "a\n    b"+printable("\x1b") || lastPrompt("a b\n c") != "a b c" {
		t.Error(indented(" a\nb\n"))
	}
}

// TestSessionName: a session whose metadata cannot be read is unknown, and a directory that is not
// there is no other one.
func TestSessionName(t *testing.T) {
	if sessionName(part("s1")) != "s1" || sessionName(part("")) != "unknown" {
		t.Error(sessionName(part("")))
	}
	for sub, same := range map[string]bool{"x": false, ".": true} {
		if dir := t.TempDir(); sameDir(dir, filepath.Join(dir, sub)) != same {
			t.Errorf("%s: %v", sub, !same)
		}
	}
}
