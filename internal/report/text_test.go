package report

import (
	"strings"
	"testing"

	"entire-plumb/internal/attribution"
)

// TestQuote: in Markdown, words of others are code that nothing in them ends.
func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "`plain`", "two\nlines": "`two lines`", "a `b` c": "`` a `b` c ``", "``": "``` `` ```",
		"@everyone #1 <b>": "`@everyone #1 <b>`",
	} {
		if got := (text{markdown: true}).quote(s); got != want {
			t.Errorf("%q: %q, not %q", s, got, want)
		}
	}
	if got := (text{}).quote("a\n`b`"); got != "a `b`" {
		t.Errorf("%q", got)
	}
	if got := quoted(strings.Repeat("ä", mostQuoted)); len(got) > mostQuoted+len(" …") || !strings.HasSuffix(got, "ä …") {
		t.Errorf("%q", got)
	}
}

// TestWriteText: generated files are counted apart, and the files that only agents touched come first.
func TestWriteText(t *testing.T) {
	here := []string{"c"}
	p := Page{Title: "2 commits", Lines: Lines{Agent: 5, Other: 1, Human: 2, Unknown: 1, Removed: 4},
		Sessions: []Session{{ID: "s", Agent: "Codex", Model: "m", Turns: []Turn{{ID: "s1-t1", Number: 1, Prompt: "Do it", Of: here, Lines: 3},
			{Number: 2, Prompt: "Not so", Of: here, Gone: true}, {Number: 3, Prompt: "Before"}, {Number: 4, Prompt: "Away", Of: here, Dismissed: "x"}}}},
		Chapters: []Chapter{{Commit: &Commit{ID: "0123456789", Subject: "S"}, Lines: Lines{Agent: 1, Human: 1}, Checkpoints: []string{"k1", "k2"}},
			{Commit: &Commit{ID: "1123456789", Subject: "T"}}, {}},
		Summary: &Summary{Sessions: []SessionSum{{ID: "s", Turns: 2, Commits: 1, Files: 2, Lines: 6, Cost: Cost{USD: 1.5}}}, Cost: Cost{USD: 1.5, Unpriced: 10, Day: "2026-01-02"},
			Files: []FileSum{{Path: "a", Lines: Lines{Agent: 1}, Only: true}, {Path: "b", Lines: Lines{Human: 2}}, {Path: "go.sum", Lines: Lines{Agent: 4, Removed: 3}, Only: true, Generated: true}}},
		Notes: []string{"A note."}}
	if got := p.Share(); got != (attribution.Sum{Agent: 2, Human: 2, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	var out strings.Builder
	if err := WriteText(&out, p, false); err != nil {
		t.Fatal(err)
	}
	want := `2 commits

Agents wrote 2 of 5 lines: 50 %, 1 unknown. Human 2, unknown 1, removed 1.
Generated and vendored files, apart: 4 lines.
Cost by list prices of 2026-01-02: $1.50, without 10 tokens whose price is not known.

What was asked
  1. Do it (A1, 3 lines)
  2. Not so (A2, dismissed)
  3. Away (A4, dismissed)

Sessions
  A: Codex (m), session s: 2 turns in 1 commit, 6 lines in 2 files, 0 tokens, $1.50

Files that only an agent touched
  a: agent 1, human 0, unknown 0, removed 0

Other files
  b: agent 0, human 2, unknown 0, removed 0

Generated and vendored files
  go.sum: agent 4, human 0, unknown 0, removed 3

Commits
  0123456 S (50 %; k1, k2)
  1123456 T (-; no link)

A note.
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	if all := CommitsOf(p); len(all) != 2 || all[0].ID != "0123456789" || len(all[0].Checkpoints) != 2 {
		t.Errorf("%+v", all)
	}
}
