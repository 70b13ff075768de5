package hunks

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestOf: hunks as git prints them, with context, at the ends of files, and without a last newline.
func TestOf(t *testing.T) {
	change := func(oldAt, oldLines, newAt, newLines int) gitexec.Hunk {
		return gitexec.Hunk{OldStart: oldAt, OldLines: oldLines, NewStart: newAt, NewLines: newLines}
	}
	for name, c := range map[string]struct {
		old, now string
		changes  []gitexec.Hunk
		around   int
		want     string
	}{
		"none":     {"a\n", "a\n", nil, 3, ""},
		"new file": {"", "a\nb\n", []gitexec.Hunk{change(0, 0, 1, 2)}, 3, "@@ -0,0 +1,2 @@|+a|+b"},
		"deleted":  {"a\n", "", []gitexec.Hunk{change(1, 1, 0, 0)}, 3, "@@ -1 +0,0 @@|-a"},
		"in the middle": {"1\n2\n3\n4\n5\n", "1\n2\nx\n4\n5\n", []gitexec.Hunk{change(3, 1, 3, 1)}, 1,
			"@@ -2,3 +2,3 @@| 2|-3|+x| 4"},
		"no context":    {"1\n2\n3\n", "1\nx\n3\n", []gitexec.Hunk{change(2, 1, 2, 1)}, 0, "@@ -2 +2 @@|-2|+x"},
		"added between": {"1\n2\n", "1\nx\n2\n", []gitexec.Hunk{change(1, 0, 2, 1)}, 0, "@@ -1,0 +2 @@|+x"},
		"two that touch": {"1\n2\n3\n4\n", "x\n2\n3\ny\n", []gitexec.Hunk{change(1, 1, 1, 1), change(4, 1, 4, 1)}, 1,
			"@@ -1,4 +1,4 @@|-1|+x| 2| 3|-4|+y"},
		"two apart": {"1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", []gitexec.Hunk{change(1, 1, 1, 1), change(5, 1, 5, 1)}, 1,
			"@@ -1,2 +1,2 @@|-1|+x| 2|@@ -4,2 +4,2 @@| 4|-5|+y"},
		"no newline": {"1\n2", "1\n2\n", []gitexec.Hunk{change(2, 1, 2, 1)}, 1,
			`@@ -1,2 +1,2 @@| 1|-2|\ No newline at end of file|+2`},
		"a file that changed meanwhile": {"1\n", "", []gitexec.Hunk{change(1, 4, 1, 2)}, 1, "@@ -1 +0,0 @@|-1"},
	} {
		var got []string
		for _, h := range Of(c.changes, Split(c.old), Split(c.now), c.around) {
			got = append(got, h.Head)
			for _, l := range h.Lines {
				got = append(got, string(l.Sign)+l.Text)
			}
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestNumbers: each line has its numbers, and a side that lacks it none.
func TestNumbers(t *testing.T) {
	all := Of([]gitexec.Hunk{{OldStart: 2, OldLines: 1, NewStart: 2, NewLines: 2}}, Split("a\nb\nc\n"), Split("a\nx\ny\nc\n"), 3)
	var got [][2]int
	for _, l := range all[0].Lines {
		got = append(got, [2]int{l.Old, l.New})
	}
	if want := [][2]int{{1, 1}, {2, 0}, {0, 2}, {0, 3}, {3, 4}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSplit: the lines of a text keep their newlines.
func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{"": {}, "a": {"a"}, "a\n": {"a\n"}, "a\n\nb": {"a\n", "\n", "b"}, "a\r\n": {"a\r\n"}} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
