package transcript

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestCopied(t *testing.T) {
	user := func(text string) string { return `{"type":"user","message":{"content":"` + text + `"}}` + "\n" }
	said := func(id string) string {
		return `{"type":"assistant","message":{"id":"` + id + `","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"output_tokens":2}}}` + "\n"
	}
	const other = `{"type":"system"}` + "\n"
	const side = `{"type":"user","isSidechain":true,"message":{"content":"a subagent's"}}` + "\n"
	parent := user("one") + said("a") + said("b") + other
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"the same session's":                  {user("one") + said("x"), 0},
		"a fork":                              {parent + user("two") + said("c"), 3},
		"a fork, in mid-turn":                 {user("one") + said("a") + user("two") + said("c"), 2},
		"nothing of its own yet":              {parent + user("two"), 3},
		"one prompt, as in a resumed session": {parent, 0},
		"one prompt and a subagent's":         {parent + side, 0},
		"a subagent's after it":               {parent + side + user("two") + said("c"), 5},
		"other messages":                      {user("one") + said("x") + user("two") + said("b"), 0},
		"its own head, then a copy":           {other + parent + user("two") + said("c"), 4},
		"no message":                          {user("one") + user("two"), 0},
		"empty":                               {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "fork.jsonl")
			put(t, filepath.Join(dir, "parent.jsonl"), parent+user("three")+said("d"))
			put(t, filepath.Join(dir, "stranger.jsonl"), user("zero")+said("z"))
			testdir.Must(t, os.Symlink("fork.jsonl", filepath.Join(dir, "link.jsonl")))
			put(t, path, test.text)
			got, err := Copied(t.Context(), path, []string{filepath.Join(dir, "missing")})
			if err != nil || got != test.want {
				t.Fatalf("%d, %v, not %d", got, err, test.want)
			}
			part, err := Read(t.Context(), path, Position{Copied: got}, func([]byte, bool) error { return nil })
			if own := strings.Count(strings.Join(strings.SplitAfter(test.text, "\n")[got:], ""), "assistant"); err != nil || part.Usage.APICallCount != own {
				t.Errorf("%+v, %v, not %d messages", part.Usage, err, own)
			}
			if part.Position.Copied != got {
				t.Errorf("%+v", part.Position)
			}
			wrote, err := WrittenEver(t.Context(), path, got)
			if err != nil || strings.Contains(wrote.Prompt, "one") && got > 0 {
				t.Errorf("%+v, %v", wrote, err)
			}
		})
	}
	// The parent is elsewhere.
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "parent.jsonl")
	put(t, elsewhere, parent)
	put(t, filepath.Join(dir, "fork.jsonl"), parent+user("two")+said("c"))
	if got, err := Copied(t.Context(), filepath.Join(dir, "fork.jsonl"), []string{elsewhere}); err != nil || got != 3 {
		t.Errorf("%d, %v", got, err)
	}
	if got, err := Copied(t.Context(), filepath.Join(dir, "none.jsonl"), nil); err == nil || got != 0 {
		t.Errorf("%d, %v", got, err)
	}
}

// TestLinesIn: the lines at the beginning that two transcripts have, and their tokens.
func TestLinesIn(t *testing.T) {
	user := func(text string) string { return `{"type":"user","message":{"content":"` + text + `"}}` + "\n" }
	said := func(id string) string {
		return `{"type":"assistant","message":{"id":"` + id + `","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"output_tokens":2}}}` + "\n"
	}
	before := user("one") + said("a") + user("two") + said("b")
	for name, test := range map[string]struct {
		mine, other  string
		after        int
		lines, calls int
	}{
		"it goes on":                    {before + user("three") + said("c"), before, 0, 4, 2},
		"its beginning counted already": {before + user("three") + said("c"), before, 2, 4, 1},
		"all of it counted already":     {before + user("three") + said("c"), before, 6, 4, 0},
		"both go on":                    {before + user("three") + said("c"), before + user("four") + said("d"), 0, 4, 2},
		"the other goes on":             {before, before + user("four") + said("d"), 0, 4, 2},
		"without the last newline":      {before, strings.TrimSuffix(before, "\n"), 0, 4, 2},
		"other conversations":           {before, user("zero") + before, 0, 0, 0},
		"an empty one":                  {before, "", 0, 0, 0},
	} {
		var own Lines
		testdir.Must(t, own.Add(storedText(test.mine)))
		lines, err := own.In(storedText(test.other))
		testdir.Must(t, err)
		used, err := UsedIn(storedText(test.mine), test.after, lines)
		if err != nil || lines != test.lines || used.APICallCount != test.calls || used.OutputTokens != 2*test.calls {
			t.Errorf("%s: %d lines, %+v, %v; not %d lines, %d calls", name, lines, used, err, test.lines, test.calls)
		}
	}
}

// endless is a transcript of short lines that ends when nothing reads it any more.
type endless struct{ written int }

func (e *endless) WriteTranscript(w io.Writer) error {
	for e.written < 64<<20 {
		n, err := io.WriteString(w, strings.Repeat("a\n", 1<<10))
		if e.written += n; err != nil {
			return err
		}
	}
	return nil
}

// TestLinesInEnds: another transcript is read no further than it is the same.
func TestLinesInEnds(t *testing.T) {
	var own Lines
	testdir.Must(t, own.Add(storedText("a\na\na\n")))
	other := &endless{}
	if n, _ := own.In(other); n != 3 || other.written > 1<<20 {
		t.Errorf("%d lines of %d bytes", n, other.written)
	}
}
