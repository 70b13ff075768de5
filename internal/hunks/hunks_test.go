package hunks

import (
	"fmt"
	"math/rand/v2"
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

// TestRandom: applied to the old text, the hunks give the new one, with any context; lines of
// context are the same on both sides, numbers follow each other, and hunks don't overlap.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		old, now, changes := randomly(rng)
		around := rng.IntN(4)
		var got []string
		at := 0
		for _, h := range Of(changes, old, now, around) {
			begin := h.Old.Start - 1
			if h.Old.Lines == 0 {
				begin++
			}
			if begin < at {
				t.Fatalf("%s begins before line %d", h.Head, at)
			}
			got = append(got, old[at:begin]...)
			at = begin
			counts := map[Sign]int{}
			for _, l := range h.Lines {
				counts[l.Sign]++
				switch l.Sign {
				case Context:
					if old[l.Old-1] != now[l.New-1] || l.Old != at+1 {
						t.Fatalf("%+v after line %d", l, at)
					}
					got, at = append(got, l.Text+"\n"), at+1
				case Added:
					got = append(got, l.Text+"\n")
				case Removed:
					at++
				}
			}
			if counts[Context]+counts[Removed] != h.Old.Lines || counts[Context]+counts[Added] != h.New.Lines {
				t.Fatalf("%s has %v", h.Head, counts)
			}
		}
		if got = append(got, old[at:]...); !slices.Equal(got, now) {
			t.Fatalf("%q with %+v: %q, want %q", old, changes, got, now)
		}
	}
}

// randomly makes a text, another one, and the changes between them.
func randomly(rng *rand.Rand) (old, now []string, changes []gitexec.Hunk) {
	for range rng.IntN(6) {
		for range rng.IntN(5) {
			line := fmt.Sprintf("same %d\n", len(old))
			old, now = append(old, line), append(now, line)
		}
		h := gitexec.Hunk{OldStart: len(old) + 1, OldLines: rng.IntN(3), NewStart: len(now) + 1, NewLines: 1 + rng.IntN(3)}
		if h.OldLines == 0 {
			h.OldStart--
		}
		for range h.OldLines {
			old = append(old, fmt.Sprintf("old %d\n", len(old)))
		}
		for range h.NewLines {
			now = append(now, fmt.Sprintf("new %d\n", len(now)))
		}
		changes = append(changes, h)
	}
	return old, now, changes
}

// TestSide: a side's numbers, as git prints them.
func TestSide(t *testing.T) {
	for want, s := range map[string]Side{"3": {3, 1}, "3,2": {3, 2}, "0,0": {0, 0}, "4,0": {4, 0}} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}

// TestNear: changes are together where their lines of context overlap or touch.
func TestNear(t *testing.T) {
	changes := []gitexec.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1}, {OldStart: 4, OldLines: 0, NewStart: 5, NewLines: 1},
		{OldStart: 12, OldLines: 2, NewStart: 14, NewLines: 0}}
	for around, want := range [][]int{{1, 1, 1}, {1, 1, 1}, {2, 1}, {2, 1}, {3}} {
		var got []int
		for _, together := range Near(changes, around) {
			got = append(got, len(together))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lines: %v, want %v", around, got, want)
		}
	}
	if Near(nil, 3) != nil {
		t.Error("no change is in a group")
	}
}

// TestJoin: changes that are far from each other are one hunk, too, if that is wanted.
func TestJoin(t *testing.T) {
	far := []gitexec.Hunk{{OldStart: 1, OldLines: 1, NewStart: 0, NewLines: 0}, {OldStart: 9, OldLines: 0, NewStart: 9, NewLines: 1}}
	h := Join(far, Split(strings.Repeat("x\n", 9)), Split(strings.Repeat("x\n", 8)+"y\n"), 1)
	if h.Old != (Side{1, 9}) || h.New != (Side{1, 9}) || len(h.Lines) != 10 {
		t.Errorf("%s with %d lines", h.Head, len(h.Lines))
	}
}
