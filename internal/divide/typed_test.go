package divide

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/transcript"
)

// TestTyped: new lines that the turn's tools didn't make are others', where all is known that they
// were given. Lines are separated by blanks here, words by dots.
func TestTyped(t *testing.T) {
	edit := func(old, text string) transcript.Edit {
		return transcript.Edit{Old: strings.ReplaceAll(old, ".", " "), New: lines(text), Located: true}
	}
	for name, c := range map[string]struct {
		was, now string
		edits    []transcript.Edit
		before   string // "-": all is the turn's
	}{
		"nothing typed":                 {"alpha_one", "alpha_one beta_two", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "-"},
		"a line":                        {"alpha_one", "alpha_one beta_two gamma_three", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "alpha_one gamma_three"},
		"two, with a brace between":     {"alpha_one", "alpha_one beta_two gamma_three } delta_four", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "alpha_one gamma_three } delta_four"},
		"too few letters":               {"alpha_one", "alpha_one beta_two gamma", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "-"},
		"a part of a line":              {"let.a.=.alpha", "let.a.=.omega", []transcript.Edit{edit("alpha", "omega")}, "-"},
		"a short part, in each place":   {"x.alpha_one x.beta_two", "y.alpha_one y.beta_two gamma_three", []transcript.Edit{{Old: "x", New: "y", Located: true, Every: true}}, "gamma_three"},
		"an old line is another":        {"alpha_one omega_nine", "alpha_one beta_two gamma_three", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "alpha_one gamma_three"},
		"a whole content":               {"", "alpha_one gamma_three beta_two", []transcript.Edit{{New: "alpha_one\nbeta_two\n", Whole: true}}, "gamma_three"},
		"in a whole content":            {"alpha_one", "alpha_one gamma_three beta_two", []transcript.Edit{{New: "alpha_one\ngamma_three\nbeta_two\n", Whole: true}}, "-"},
		"an edit of what was typed":     {"alpha_one", "alpha_one gamma_three beta_two", []transcript.Edit{edit("gamma_three", "gamma_three beta_two")}, "alpha_one gamma_three"},
		"wrapped":                       {"alpha_one", "alpha_one call.( beta_two, gamma_three )", []transcript.Edit{edit("alpha_one", "alpha_one call.(beta_two,.gamma_three)")}, "-"},
		"old lines are wrapped":         {"call.(beta_two,.gamma_three)", "call.( beta_two, gamma_three ) delta_four", []transcript.Edit{edit("", "delta_four")}, "-"},
		"words are changed by a linter": {"alpha_one", "alpha_one const.beta.=.two.three", []transcript.Edit{edit("alpha_one", "alpha_one let.beta.=.two.three")}, "-"},
		"another line in its place":     {"alpha_one", "alpha_one gamma.three.four", []transcript.Edit{edit("alpha_one", "alpha_one let.beta.=.two.three")}, "alpha_one gamma.three.four"},
		"a line is removed":             {"alpha_one beta_two", "alpha_one gamma_three", []transcript.Edit{edit("beta_two\n", "")}, "alpha_one gamma_three"},
		"all is typed, at two places":   {"alpha_one omega_nine", "gamma_three alpha_one beta_two omega_nine delta_four", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "gamma_three alpha_one omega_nine delta_four"},
		"moved by a sort":               {"beta_two alpha_one", "alpha_one beta_two gamma_three", []transcript.Edit{edit("alpha_one", "alpha_one gamma_three")}, "-"},
		"an old line is taken out":      {"alpha_one beta_two", "alpha_one gamma_three", []transcript.Edit{edit("beta_two", "beta_two gamma_three")}, "alpha_one"},
		"one stands in place of two":    {"alpha_one beta_two omega_nine", "alpha_one delta_four gamma_three", []transcript.Edit{edit("omega_nine", "omega_nine gamma_three")}, "alpha_one delta_four"},
		"an old line is joined":         {"alpha_one beta_two", "alpha_one,.beta_two gamma_three", []transcript.Edit{edit("beta_two", "beta_two gamma_three")}, "-"},
		"line ends":                     {"alpha_one\r", "alpha_one\r beta_two\r", []transcript.Edit{edit("alpha_one", "alpha_one beta_two")}, "-"},
	} {
		f := File{Was: []byte(lines(c.was)), Now: []byte(lines(c.now)), Own: transcript.Texts{Edits: c.edits}, Told: true}
		for _, e := range c.edits {
			if e.Whole {
				f.Own.Wholes = append(f.Own.Wholes, e.New)
			} else {
				f.Own.Parts = append(f.Own.Parts, strings.TrimPrefix(e.New, e.Old+"\n"))
			}
		}
		before, _, ok := f.Before()
		if !ok {
			before = []byte("-")
		}
		if want := strings.TrimSuffix(lines(c.before), "\n"); strings.TrimSuffix(string(before), "\n") != want {
			t.Errorf("%s: %q before, want %q", name, before, want)
		}
		if f.Told = false; ok {
			if before, _, ok := f.Before(); ok {
				t.Errorf("%s: %q is typed, though a shell may have written it", name, before)
			}
		}
	}
}

// TestTypedUntilTheLastTool: where it is known what the last tool found, and nothing but that tool
// or a program after it saved the file since, the user typed only what it found, and took out only
// what it didn't find.
func TestTypedUntilTheLastTool(t *testing.T) {
	for name, c := range map[string]struct{ found, now, before string }{
		"found":             {"alpha_one gamma_three", "alpha_one beta_two gamma_three", "alpha_one gamma_three"},
		"in another form":   {"alpha_one \tgamma_three", "alpha_one beta_two gamma_three", "alpha_one gamma_three"},
		"came after":        {"alpha_one", "alpha_one beta_two gamma_three", "-"},
		"one of each":       {"alpha_one gamma_three", "alpha_one beta_two gamma_three delta_four", "alpha_one gamma_three"},
		"there was no file": {"", "alpha_one beta_two gamma_three", "-"},
		"taken out before":  {"", "beta_two", ""},
		"taken out after":   {"alpha_one", "beta_two", "-"},
	} {
		f := File{Was: []byte(lines("alpha_one")), Now: []byte(lines(c.now)), Told: true, Found: func() (string, bool) { return lines(c.found), true },
			Own: transcript.Texts{Parts: []string{"beta_two\n"}, Edits: []transcript.Edit{{Old: "alpha_one", New: "alpha_one\nbeta_two", Located: true}}}}
		before, _, ok := f.Before()
		if !ok {
			before = []byte("-")
		}
		if want := strings.TrimSuffix(lines(c.before), "\n"); strings.TrimSuffix(string(before), "\n") != want {
			t.Errorf("%s: %q before, want %q", name, before, want)
		}
		if taken := f.TakenOut(); (taken != "") != (name == "taken out before") {
			t.Errorf("%s: %q is taken out", name, taken)
		}
	}
}

// TestTypedAfterTheLastTool: what the last tool left is known, though commands ran before: what the
// file has now beyond that, and lacks of it, is the user's.
func TestTypedAfterTheLastTool(t *testing.T) {
	for name, c := range map[string]struct{ left, now, before string }{ // left "-": not known
		"typed":                   {"alpha_one gamma_three beta_two", "alpha_one gamma_three beta_two delta_four", "alpha_one delta_four"},
		"nothing but a command's": {"alpha_one gamma_three beta_two", "alpha_one gamma_three beta_two", "-"},
		"taken out":               {"alpha_one gamma_three beta_two", "gamma_three beta_two", ""},
		"not known":               {"-", "alpha_one gamma_three beta_two delta_four", "-"},
	} {
		f := File{Was: []byte(lines("alpha_one")), Now: []byte(lines(c.now)), Left: func() (string, bool) { return lines(c.left), c.left != "-" },
			Own: transcript.Texts{Parts: []string{"beta_two\n"}, Edits: []transcript.Edit{{Old: "gamma_three", New: "gamma_three\nbeta_two", Located: true}}}}
		before, _, ok := f.Before()
		if !ok {
			before = []byte("-")
		}
		if want := strings.TrimSuffix(lines(c.before), "\n"); strings.TrimSuffix(string(before), "\n") != want {
			t.Errorf("%s: %q before, want %q", name, before, want)
		}
	}
}

// TestTakenOut: old lines that the turn's tools left, and that are gone with nothing in their place.
func TestTakenOut(t *testing.T) {
	replace := []transcript.Edit{{Old: "beta_two", New: "gamma_three", Located: true}}
	insert := []transcript.Edit{{Old: "alpha_one", New: "alpha_one\ngamma_three", Located: true}}
	for name, c := range map[string]struct {
		was, now string
		edits    []transcript.Edit
		want     string
	}{
		"none":                      {"alpha_one beta_two", "alpha_one gamma_three beta_two", insert, ""},
		"one":                       {"alpha_one beta_two", "alpha_one gamma_three", insert, "beta_two"},
		"at two places":             {"omega_nine alpha_one beta_two", "alpha_one gamma_three", insert, "omega_nine beta_two"},
		"all, as the file is":       {"alpha_one beta_two", "", insert, "alpha_one beta_two"},
		"by a tool":                 {"alpha_one beta_two", "alpha_one gamma_three", replace, ""},
		"beside what a tool did":    {"alpha_one beta_two", "gamma_three", replace, "alpha_one"},
		"moved within the file":     {"alpha_one beta_two", "beta_two alpha_one gamma_three", insert, ""},
		"another is in its place":   {"alpha_one beta_two", "alpha_one gamma_three delta_four", insert, ""},
		"what the tool made itself": {"alpha_one beta_two", "alpha_one beta_two", insert, ""},
		"below what is replaced":    {"alpha_one beta_two omega_nine zeta_ten", "delta_four gamma_three beta_two zeta_ten", insert, "omega_nine"},
	} {
		f := File{Was: []byte(lines(c.was)), Now: []byte(lines(c.now)), Told: true, Own: transcript.Texts{Edits: c.edits}}
		if got := f.TakenOut(); got != lines(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLost: lines that the turn's tools made and that the file has no more.
func TestLost(t *testing.T) {
	after := func(old, text string) transcript.Edit {
		return transcript.Edit{Old: old, New: strings.TrimSuffix(lines(old+" "+text), "\n"), Located: true}
	}
	for name, c := range map[string]struct {
		was, now string
		edits    []transcript.Edit
		want     string
	}{
		"none":                          {"alpha_one", "alpha_one beta_two", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"a block, with its brace":       {"alpha_one", "alpha_one gamma_three", []transcript.Edit{after("alpha_one", "beta_two } gamma_three")}, "beta_two }"},
		"all of the file":               {"alpha_one", "", []transcript.Edit{after("alpha_one", "beta_two")}, "beta_two"},
		"in another form":               {"alpha_one", "alpha_one \tbeta_two", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"old lines are the human's":     {"alpha_one omega_nine", "beta_two", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"the tools took it out again":   {"alpha_one", "alpha_one", []transcript.Edit{after("alpha_one", "beta_two"), {Old: "beta_two\n", Located: true}}, ""},
		"two blocks":                    {"alpha_one omega_nine", "alpha_one omega_nine", []transcript.Edit{after("alpha_one", "beta_two"), after("omega_nine", "delta_four")}, "beta_two delta_four"},
		"of a whole content":            {"alpha_one", "alpha_one", []transcript.Edit{{New: lines("alpha_one beta_two"), Whole: true}}, "beta_two"},
		"an old line is replaced":       {"alpha_one", "", []transcript.Edit{{Old: "alpha_one", New: "beta_two", Located: true}}, "beta_two"},
		"it stands elsewhere, too":      {"alpha_one beta_two", "alpha_one beta_two", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"it stood there before":         {"alpha_one beta_two", "alpha_one", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"a brace that the file has":     {"alpha_one }", "alpha_one }", []transcript.Edit{after("alpha_one", "beta_two }")}, "beta_two }"},
		"an old brace":                  {"} alpha_one", "alpha_one beta_two", []transcript.Edit{after("alpha_one", "beta_two")}, ""},
		"but for a brace":               {"alpha_one", "alpha_one }", []transcript.Edit{after("alpha_one", "beta_two }")}, "beta_two"},
		"it is made twice, and is once": {"alpha_one", "alpha_one beta_two", []transcript.Edit{after("alpha_one", "beta_two beta_two")}, ""},
	} {
		f := File{Was: []byte(lines(c.was)), Now: []byte(lines(c.now)), Own: transcript.Texts{Edits: c.edits}}
		if got := f.Lost(); got != lines(c.want) {
			t.Errorf("%s: %q is lost, want %q", name, got, c.want)
		}
	}
}

// TestTypedInPart: what the worktree has of what the turn's tools made, the user's lines in a part
// that is staged weren't made of.
func TestTypedInPart(t *testing.T) {
	for there, want := range map[string]string{
		"": "",
		"the.human.wrote.one the.human.wrote.two":    "",
		"the.human.wrote.one   the.agent.wrote.six":  "the.human.wrote.one the.human.wrote.two",
		"\tthe.agent.wrote.six, the.human.wrote.one": "the.human.wrote.one the.human.wrote.two",
	} {
		f := File{Now: []byte(lines("the.human.wrote.one the.human.wrote.two")), Told: true, There: []byte(lines(there)),
			Own: transcript.Texts{Parts: []string{"the agent wrote six"}, Edits: []transcript.Edit{{New: "the agent wrote six", Located: true}}}}
		if before, _, _ := f.Before(); strings.TrimSpace(string(before)) != strings.TrimSpace(lines(want)) {
			t.Errorf("beside %q: %q before, want %q", there, before, want)
		}
	}
}

// TestReplayedIsBounded: what edits make of a file grows no further than can be read in a moment.
func TestReplayedIsBounded(t *testing.T) {
	doubles := slices.Repeat([]transcript.Edit{{Old: "a", New: "aa", Located: true, Every: true}}, 60)
	many := slices.Repeat([]transcript.Edit{{Old: "no such text", New: "b", Located: true}}, 10_000)
	for name, f := range map[string]File{
		"doubled each time":     {Was: []byte("a"), Own: transcript.Texts{Edits: doubles}},
		"many edits, long file": {Was: bytes.Repeat([]byte("a line\n"), 10_000), Own: transcript.Texts{Edits: many}},
	} {
		if made, ok := f.replayed(); ok {
			t.Errorf("%s: replayed to %d bytes", name, len(made))
		}
		if lost := f.Lost(); lost != "" {
			t.Errorf("%s: %d bytes are lost", name, len(lost))
		}
	}
	if made, ok := (&File{Was: []byte("a"), Own: transcript.Texts{Edits: doubles[:10]}}).replayed(); !ok || len(made) != 1024 {
		t.Errorf("ten times doubled: %d bytes, %t", len(made), ok)
	}
}

// lines are a text whose lines are separated by blanks, and words by dots.
func lines(s string) string { return strings.ReplaceAll(text(s), ".", " ") }

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a b", "a b", true},
		{"a b", "b c", true},
		{"b, a", "(c a)", true},
		{"a b c", "c d e", false},
		{"a", "a b c", false},
		{"", "", false},
		{"a a b", "a c d", false},
	} {
		if got := alike(wordsOf([]byte(c.a)), wordsOf([]byte(c.b))); got != c.want {
			t.Errorf("%q, %q: %t", c.a, c.b, got)
		}
	}
}
