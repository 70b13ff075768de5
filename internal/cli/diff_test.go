package cli

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/hunks"
	"entire-plumb/internal/query"
)

// TestFileHead: what is above a file's hunks, as git prints it.
func TestFileHead(t *testing.T) {
	text := gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	tool := gitexec.Entry{Mode: gitexec.ModeExec, ID: "1"}
	some := []gitexec.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1}}
	for want, f := range map[string]query.DiffFile{
		"diff --git a/f b/f|--- a/f|+++ b/f":                                            {Path: "f", Status: "modified", Old: text, New: text, Changes: some},
		"diff --git a/f b/f|new file mode 100644|--- /dev/null|+++ b/f":                 {Path: "f", Status: "added", New: text, Changes: some},
		"diff --git a/f b/f|new file mode 100644":                                       {Path: "f", Status: "added", New: text},
		"diff --git a/f b/f|deleted file mode 100755|--- a/f|+++ /dev/null":             {Path: "f", Status: "deleted", Old: tool, Changes: some},
		"diff --git a/f b/f|old mode 100644|new mode 100755":                            {Path: "f", Status: "modified", Old: text, New: tool},
		"diff --git a/f b/g|rename from f|rename to g":                                  {Path: "g", Was: "f", Status: "renamed", Old: text, New: text},
		"diff --git a/f b/f|Binary files a/f and b/f differ":                            {Path: "f", Status: "modified", Binary: true, Old: text, New: text},
		`diff --git "a/x\ny" "b/x\ny"|--- "a/x\ny"|+++ "b/x\ny"`:                        {Path: "x\ny", Status: "modified", Old: text, New: text, Changes: some},
		"diff --git a/f b/f|new file mode 100644|Binary files /dev/null and b/f differ": {Path: "f", Status: "added", Binary: true, New: text},
	} {
		if got := strings.Join(fileHead(&f), "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhoIs: the legend.
func TestWhoIs(t *testing.T) {
	for want, o := range map[string]query.DiffOwner{
		"Claude Code s1 0123456: Do it": {Kind: attribution.Agent, Session: "s1", Agent: "Claude Code", Turn: "0123456789ab", Prompt: "Do it"},
		"agent s1":                      {Kind: attribution.Agent, Session: "s1"},
		"Ada, human":                    {Kind: attribution.Human, Author: "Ada"},
		"human, not committed yet":      {Kind: attribution.Human},
		"unknown: a\ufffd[31m reason":   {Kind: attribution.Unknown, Reason: "a\x1b[31m reason"},
	} {
		if got := whoIs(&o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPrintOwned: a line behind the mark of its owner, with colours where they are wanted, and
// without what controls a terminal.
func TestPrintOwned(t *testing.T) {
	a := &query.DiffOwner{Mark: "A1", Kind: attribution.Agent, Session: "s1"}
	for want, l := range map[string]query.OwnedLine{
		"A1   +new\n":       {Line: hunks.Line{Sign: hunks.Added, Text: "new"}, Owner: a},
		"     -old^M\n":     {Line: hunks.Line{Sign: hunks.Removed, Text: "old\r"}},
		"      \ufffd[2J\n": {Line: hunks.Line{Sign: hunks.Context, Text: "\x1b[2J"}},
	} {
		prints(t, want, want, func(w io.Writer) {
			p := diffPrinter{colourPrinter: colourPrinter{w: w}, margin: 3}
			p.owned(l)
		})
	}
	prints(t, "coloured", colourOf("s1")+"A1   "+reset+green+"+new"+reset+"\n", func(w io.Writer) {
		p := diffPrinter{colourPrinter: colourPrinter{w: w, screen: screen{colour: true}}, margin: 3}
		p.owned(query.OwnedLine{Line: hunks.Line{Sign: hunks.Added, Text: "new"}, Owner: a})
	})
}

// TestStatName: what became of a file is said where no line says it.
func TestStatName(t *testing.T) {
	for want, f := range map[string]query.DiffFile{
		"f": {Path: "f", Status: "modified"}, "f → g": {Path: "g", Was: "f", Status: "renamed"}, "f (deleted)": {Path: "f", Status: "deleted"},
		"f (binary)": {Path: "f", Status: "added", Binary: true}, `"x\ny" (added)`: {Path: "x\ny", Status: "added"},
	} {
		if got := statName(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := lineCounts(query.DiffLines{Agent: 1, Human: 2, Unknown: 3, Removed: 4, Older: 5}); got != "agent 1, human 2, unknown 3, removed 4, older 5" {
		t.Error(got)
	}
}

// TestHunksJSON: lines have their numbers, and the marks of their owners.
func TestHunksJSON(t *testing.T) {
	owner := &query.DiffOwner{Mark: "A1", Kind: attribution.Agent}
	one := query.OwnedHunk{Hunk: hunks.Hunk{Old: hunks.Side{Start: 1, Lines: 2}, New: hunks.Side{Start: 1, Lines: 2}}, Lines: []query.OwnedLine{
		{Line: hunks.Line{Sign: hunks.Context, Old: 1, New: 1, Text: "same"}},
		{Line: hunks.Line{Sign: hunks.Removed, Old: 2, Text: "old"}},
		{Line: hunks.Line{Sign: hunks.Added, New: 2, Text: "new"}, Owner: owner},
		{Line: hunks.Line{Sign: hunks.NoNewline, Text: " No newline at end of file"}}}}
	want := `[{"old_start":1,"old_lines":2,"new_start":1,"new_lines":2,"lines":[` +
		`{"sign":" ","old_line":1,"new_line":1,"text":"same"},{"sign":"-","old_line":2,"text":"old"},` +
		`{"sign":"+","new_line":2,"text":"new","owner":"A1"},{"sign":"\\","text":" No newline at end of file"}]}]`
	if got, err := json.Marshal(hunksJSON([]query.OwnedHunk{one})); err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got := hunksJSON(nil); len(got) != 0 {
		t.Errorf("no hunks: %+v", got)
	}
}

// TestHeading: a turn is named with its session, where it is, and its prompt; what is no turn has no
// heading.
func TestHeading(t *testing.T) {
	for want, part := range map[string]query.DiffPart{
		"": {Commit: "0123456789"},
		"turn 0123456 of session s1, not committed: Do it\n":       {Session: "s1", Turn: "0123456789ab", Prompt: "Do it"},
		"turn 0123456 of session s1, commit abcdef0: Do\ufffdit\n": {Session: "s1", Turn: "0123456789ab", Prompt: "Do\nit", Commit: "abcdef0123"},
	} {
		prints(t, want, want, func(w io.Writer) {
			p := diffPrinter{colourPrinter: colourPrinter{w: w}}
			p.heading(&part)
		})
	}
}

// TestPrintStat: files are counted by author, in a table; older lines have a column where there are
// any.
func TestPrintStat(t *testing.T) {
	lines := query.DiffLines{Agent: 2, Human: 1, Removed: 3}
	part := &query.DiffPart{Files: []*query.DiffFile{{Path: "f", Status: "modified", DiffLines: lines}}, DiffLines: lines}
	d := &query.OwnedDiff{Parts: []*query.DiffPart{part}, DiffLines: lines}
	want := "FILE  AGENT  HUMAN  UNKNOWN  REMOVED\nf         2      1        0        3\n1 file: agent 2, human 1, unknown 0, removed 3\n"
	stat := func(w io.Writer) {
		p := diffPrinter{colourPrinter: colourPrinter{w: w}, OwnedDiff: d}
		p.stat()
	}
	prints(t, "without older lines", want, stat)
	d.Older, part.Files[0].Older = 4, 4
	prints(t, "with older lines", "FILE  AGENT  HUMAN  UNKNOWN  REMOVED  OLDER\nf         2      1        0        3      4\n"+
		"1 file: agent 2, human 1, unknown 0, removed 3, older 4\n", stat)
	d.Parts = nil
	prints(t, "nothing", "", stat)
}
