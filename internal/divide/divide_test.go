package divide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/transcript"
)

// TestBefore divides the new lines of a file. Lines are separated by blanks here, and "" is no file.
func TestBefore(t *testing.T) {
	for _, c := range []struct {
		name        string
		was, now    string
		own, others string // parts
		whole       string // and whole contents
		othersWhole string
		sources     []string
		before      string // "-": all is the turn's
		from        []int
		staged      string
		named       bool // by a tool
		explained   bool // no source need be looked for
	}{
		{name: "all its own", was: "alpha_one", now: "alpha_one beta_two", own: "beta_two", before: "-", explained: true},
		{name: "nobody's text has it", was: "alpha_one", now: "alpha_one beta_two", before: "-"},
		{name: "another turn's line", was: "alpha_one", now: "alpha_one beta_two gamma_three", own: "beta_two", others: "gamma_three",
			before: "alpha_one gamma_three", explained: true},
		{name: "two places", was: "alpha_one omega_nine", now: "beta_two alpha_one gamma_three omega_nine", own: "beta_two", others: "gamma_three",
			before: "alpha_one gamma_three omega_nine", explained: true},
		{name: "an own line in the place of an old one", was: "alpha_one omega_nine kappa_ten", now: "beta_two omega_nine gamma_three",
			own: "beta_two", others: "gamma_three", before: "alpha_one omega_nine gamma_three", explained: true},
		{name: "the last line is gone", was: "alpha_one omega_nine", now: "gamma_three alpha_one", others: "gamma_three",
			before: "gamma_three alpha_one omega_nine", explained: true},
		{name: "both have it", was: "", now: "beta_two", own: "beta_two", others: "beta_two", before: "-", explained: true},
		{name: "a common line goes with those beside it", was: "alpha_one", now: "alpha_one beta_two } gamma_three }", own: "beta_two }", others: "gamma_three }",
			before: "alpha_one gamma_three }", explained: true},
		{name: "common lines at the end of a block, too", was: "", now: "gamma_three ) } beta_two ) }", own: "beta_two ) }", others: "gamma_three ) }",
			before: "gamma_three ) }", explained: true},
		{name: "a line with words tells more than a common one", was: "alpha_one", now: "alpha_one gamma_three beta_two beta_if ) } ; delta_four ) } ;",
			own: "gamma_three beta_two beta_if ) } ;", others: "gamma_three delta_four ) }", before: "alpha_one delta_four ) }", explained: true},
		{name: "in another form", was: "", now: "\tbeta_two gamma_three", own: "beta_two", others: "  gamma_three", before: "gamma_three", explained: true},
		{name: "all another's", was: "alpha_one", now: "alpha_one gamma_three", others: "gamma_three", before: "alpha_one gamma_three", explained: true},
		{name: "brought by git", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four", sources: []string{"omega_nine", "beta_two gamma_three delta_four"},
			before: "alpha_one beta_two gamma_three delta_four", from: []int{1}},
		{name: "brought by git, with a common line", was: "alpha_one", now: "alpha_one beta_two gamma_three } delta_four }", own: "delta_four }",
			sources: []string{"alpha_one beta_two gamma_three }"}, before: "alpha_one beta_two gamma_three }", from: []int{0}},
		{name: "written again between lines that git brought", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four", own: "gamma_three",
			sources: []string{"alpha_one beta_two gamma_three delta_four"}, before: "alpha_one beta_two delta_four", from: []int{0}},
		{name: "too little to be from there", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four", sources: []string{"beta_two"}, before: "-"},
		{name: "brought, and continued", was: "", now: "beta_two gamma_three delta_four epsilon_five", own: "epsilon_five",
			sources: []string{"beta_two gamma_three delta_four"}, before: "beta_two gamma_three delta_four", from: []int{0}},
		{name: "from two sources", was: "", now: "beta_two gamma_three delta_four epsilon_five zeta_sixth eta_seventh",
			sources: []string{"beta_two gamma_three delta_four", "gamma_three delta_four", "epsilon_five zeta_sixth eta_seventh"},
			before:  "beta_two gamma_three delta_four epsilon_five zeta_sixth eta_seventh", from: []int{0, 2}},
		{name: "written by tools, though a source has it, too", was: "", now: "beta_two gamma_three delta_four", own: "beta_two gamma_three delta_four",
			sources: []string{"beta_two gamma_three delta_four"}, before: "-", explained: true},
		{name: "the rest of what a tool wrote", was: "", now: "beta_two gamma_three", own: "gamma_three", sources: []string{"beta_two"},
			before: "beta_two", from: []int{0}},
		{name: "a whole content that repeats another turn's line", was: "alpha_one", now: "alpha_one beta_two gamma_three",
			whole: "alpha_one beta_two gamma_three", others: "beta_two", before: "alpha_one beta_two"},
		{name: "whole contents of both", was: "alpha_one", now: "alpha_one beta_two", whole: "alpha_one beta_two", othersWhole: "beta_two", before: "-"},
		{name: "another's whole content", was: "alpha_one", now: "alpha_one beta_two", othersWhole: "alpha_one beta_two", before: "alpha_one beta_two",
			explained: true},
		{name: "a whole content that repeats a source", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four epsilon_five",
			whole:   "alpha_one beta_two gamma_three delta_four epsilon_five",
			sources: []string{"beta_two gamma_three delta_four"}, before: "alpha_one beta_two gamma_three delta_four", from: []int{0}},
		{name: "a whole content that has too little of a source", was: "alpha_one", now: "alpha_one beta_two gamma_three",
			whole: "alpha_one beta_two gamma_three", sources: []string{"beta_two"}, before: "-"},
		{name: "lines that are gone", was: "alpha_one beta_two", now: "alpha_one", own: "alpha_one", before: "-"},
		{name: "as it was before", was: "alpha_one beta_two", now: "alpha_one", sources: []string{"alpha_one gamma_three", "alpha_one"},
			before: "alpha_one", from: []int{1}},
		{name: "as it was before, by a tool", was: "alpha_one beta_two", now: "alpha_one", named: true, before: "-", explained: true},
		{name: "from a source that has two lines of it", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four", sources: []string{"beta_two gamma_three"},
			before: "alpha_one beta_two gamma_three", from: []int{0}},
		{name: "a line and a short one are less than two", was: "alpha_one", now: "alpha_one beta_two abcde delta_four", sources: []string{"beta_two abcde"},
			before: "-"},
		{name: "all the rest, which is too short", was: "", now: "beta_two abcde", own: "beta_two", sources: []string{"abcde"}, before: "-"},
		{name: "all the rest, just long enough", was: "", now: "beta_two abcdef", own: "beta_two", sources: []string{"abcdef"}, before: "abcdef", from: []int{0}},
		{name: "another turn's line, which was there and is moved", was: "beta_two alpha_one gamma_three", now: "alpha_one gamma_three beta_two delta_four",
			others: "beta_two", before: "-"},
		{name: "another turn's line, which was there and is there twice", was: "beta_two alpha_one", now: "beta_two alpha_one beta_two",
			others: "beta_two", before: "beta_two alpha_one beta_two", explained: true},
		{name: "a line of a source, which alone is staged", was: "alpha_one", now: "alpha_one beta_two delta_four", sources: []string{"beta_two omega_nine"},
			staged: "alpha_one beta_two", before: "alpha_one beta_two", from: []int{0}},
		{name: "a line of a source, staged beside another one", was: "alpha_one", now: "alpha_one beta_two delta_four", sources: []string{"beta_two omega_nine"},
			staged: "alpha_one beta_two delta_four", before: "-"},
		{name: "a line of a source, where no new line is staged", was: "alpha_one", now: "alpha_one beta_two delta_four", sources: []string{"beta_two omega_nine"},
			staged: "alpha_one", before: "-"},
		{name: "a short line of a source, which alone is staged", was: "alpha_one", now: "alpha_one abcde delta_four", sources: []string{"abcde omega_nine"},
			staged: "alpha_one abcde", before: "-"},
		{name: "emptied", was: "alpha_one", now: "", sources: []string{"alpha_one"}, before: "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := File{Was: []byte(text(c.was)), Now: []byte(text(c.now)), Staged: []byte(text(c.staged)), Named: c.named, Own: transcript.Texts{Parts: []string{text(c.own)}, Wholes: []string{text(c.whole)}},
				Others: transcript.Texts{Parts: []string{text(c.others)}, Wholes: []string{text(c.othersWhole)}}}
			var sources [][]byte
			for _, s := range c.sources {
				sources = append(sources, []byte(text(s)))
			}
			f.Sources = slices.All(sources)
			if f.Unexplained() == c.explained {
				t.Errorf("unexplained: %t", !c.explained)
			}
			before, from, ok := f.Before()
			if !ok {
				if c.before != "-" {
					t.Errorf("all is the turn's, want %q before", c.before)
				}
				return
			}
			if c.before == "-" || strings.ReplaceAll(string(before), "\t", "") != text(c.before) || !slices.Equal(sourcesOf(from), c.from) {
				t.Errorf("%q of %v before, want %q of %v", before, from, text(c.before), c.from)
			}
		})
	}
}

// TestOwn divides a version by the texts of its own alone. Lines are separated by blanks here.
func TestOwn(t *testing.T) {
	for name, c := range map[string]struct {
		was, now    string
		parts       string
		whole       string
		own, others string // "-": too few are its own
	}{
		"its line":                   {"alpha_one", "alpha_one beta_two", "beta_two", "", "alpha_one beta_two", "alpha_one"},
		"and another's":              {"alpha_one", "alpha_one beta_two gamma_three", "beta_two", "", "alpha_one beta_two", "alpha_one gamma_three"},
		"another's before it":        {"alpha_one", "gamma_three alpha_one beta_two", "beta_two", "", "alpha_one beta_two", "gamma_three alpha_one"},
		"in a whole content":         {"alpha_one", "alpha_one beta_two gamma_three", "", "beta_two", "alpha_one beta_two", "alpha_one gamma_three"},
		"another's alone":            {"alpha_one", "alpha_one gamma_three", "beta_two", "", "-", "-"},
		"a line that stood there":    {"alpha_one", "alpha_one gamma_three", "alpha_one", "", "-", "-"},
		"a short line alone":         {"alpha_one", "alpha_one x gamma_three", "x", "", "-", "-"},
		"short lines together":       {"alpha_one", "alpha_one abc gamma_three xyz", "abc xyz", "", "alpha_one abc xyz", "alpha_one gamma_three"},
		"in the place of an old one": {"alpha_one omega_nine", "alpha_one beta_two", "beta_two", "", "alpha_one beta_two", "alpha_one omega_nine"},
		"a new file":                 {"", "beta_two gamma_three", "beta_two", "", "beta_two", "gamma_three"},
		"just enough to be evidence": {"alpha_one", "alpha_one abcdef gamma_three", "abcdef", "", "alpha_one abcdef", "alpha_one gamma_three"},
		"a letter less":              {"alpha_one", "alpha_one abcde gamma_three", "abcde", "", "-", "-"},
		"in a text and in a whole":   {"alpha_one", "alpha_one beta_two gamma_three", "beta_two", "gamma_three", "alpha_one beta_two gamma_three", "alpha_one"},
	} {
		own, others := Own([]byte(text(c.was)), []byte(text(c.now)), transcript.Texts{Parts: []string{text(c.parts)}, Wholes: []string{text(c.whole)}})
		if c.own == "-" {
			if own != nil {
				t.Errorf("%s: %q is its own", name, own)
			}
			continue
		}
		if string(own) != text(c.own) || string(others) != text(c.others) {
			t.Errorf("%s: its own %q, the others' %q", name, own, others)
		}
	}
}

// TestOwnWithoutLineEnd: the last line of a version may have no end.
func TestOwnWithoutLineEnd(t *testing.T) {
	for name, c := range map[string]struct{ was, now, part, own, others string }{
		"the last line is its own":   {"alpha_one\n", "alpha_one\nbeta_two", "beta_two", "alpha_one\nbeta_two", "alpha_one\n"},
		"the last line is another's": {"alpha_one\n", "beta_two\ngamma_three", "beta_two", "beta_two\n", "gamma_three"},
		"the last line stood there":  {"alpha_one", "beta_two\nalpha_one", "beta_two", "beta_two\nalpha_one", "alpha_one"},
	} {
		own, others := Own([]byte(c.was), []byte(c.now), transcript.Texts{Parts: []string{c.part}})
		if string(own) != c.own || string(others) != c.others {
			t.Errorf("%s: its own %q, the others' %q", name, own, others)
		}
	}
}

// TestOwnAndOthers: each new line is in one of two versions, its own or the others', at its place.
func TestOwnAndOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var was, now, parts, own, others []string
		for i := range 2 + random.IntN(10) {
			line := fmt.Sprintf("line_%d_of_them", i)
			now = append(now, line)
			switch kind := random.IntN(3); {
			case kind == 0:
				was, own, others = append(was, line), append(own, line), append(others, line)
			case kind == 1 || len(parts) == 0: // a turn without lines has no version of its own
				parts, own = append(parts, line), append(own, line)
			default:
				others = append(others, line)
			}
		}
		if len(parts) == 0 {
			continue
		}
		texts := transcript.Texts{Parts: []string{text(strings.Join(parts, " "))}}
		gotOwn, gotOthers := Own([]byte(text(strings.Join(was, " "))), []byte(text(strings.Join(now, " "))), texts)
		if string(gotOwn) != text(strings.Join(own, " ")) || string(gotOthers) != text(strings.Join(others, " ")) {
			t.Fatalf("%q to %q, of which %q is its own: %q and %q", was, now, parts, gotOwn, gotOthers)
		}
	}
}

// TestEdits: an edit of a part of a line tells whose the line is, where the rest of the line was
// there; and nothing else does.
func TestEdits(t *testing.T) {
	const was = "let a = compute(old)\nbetween\nlet b = compute(old)\nend\n"
	for name, c := range map[string]struct{ own, others, now, before string }{
		"another's edit, which ends later": {"compute(mine)", "compute(theirs)",
			"let a = compute(theirs)\nbetween\nlet b = compute(mine)\nend\n", "let a = compute(theirs)\nbetween\nlet b = compute(old)\nend\n"},
		"another's, over the ends of two lines": {"", "compute(theirs)\nbetween\nlet another_name",
			"let a = compute(theirs)\nbetween\nlet another_name = compute(old)\nend\n", "let a = compute(theirs)\nbetween\nlet another_name = compute(old)\nend\n"},
		"both were given it":                      {"compute(new)", "compute(new)", "let a = compute(new)\nbetween\nlet b = compute(old)\nend\n", ""},
		"the rest of the line was not there":      {"", "compute(theirs)", "return compute(theirs)\nbetween\nlet b = compute(old)\nend\n", ""},
		"too little to be evidence":               {"", "x()", "let a = x()\nbetween\nlet b = compute(old)\nend\n", ""},
		"the line of which it was made stays too": {"", "compute(theirs)", was + "let c = compute(theirs)\n", ""},
		"it stays, and begins alike":              {"", "compute(theirs)", was + "let a = compute(theirs)\n", ""},
		"the line is cut":                         {"", "compute(theirs)", "let a\nbetween\nlet b = compute(old)\nend\n", ""},
		"the line ends otherwise":                 {"", "compute(theirs)", "let a = compute(theirs) + 1\nbetween\nlet b = compute(old)\nend\n", ""},
		"beginning and end have a part in common": {"", "theirs_of)", "let a = compute(theirs_of)compute(old)\nbetween\nlet b = compute(old)\nend\n", ""},
		"nothing of the line is gone": {"", "theirs_of + ", "let a = theirs_of + compute(old)\nbetween\nlet b = compute(old)\nend\n",
			"let a = theirs_of + compute(old)\nbetween\nlet b = compute(old)\nend\n"},
	} {
		parts := func(text string) transcript.Texts {
			if text == "" {
				return transcript.Texts{}
			}
			return transcript.Texts{Parts: []string{text}}
		}
		f := File{Was: []byte(was), Now: []byte(c.now), Own: parts(c.own), Others: parts(c.others)}
		before, _, ok := f.Before()
		if string(before) != c.before || ok != (c.before != "") {
			t.Errorf("%s: before is %q, %t; want %q", name, before, ok, c.before)
		}
	}
}

// TestEditsAreBounded: an edit tells of a line among many new ones, and not among so many that an
// agent would wait for it.
func TestEditsAreBounded(t *testing.T) {
	for lines, edited := range map[int]bool{mostEdited: true, 20 * mostEdited: false} {
		f := File{Was: []byte(strings.Repeat("let gone = compute(old)\n", mostEdits)), Others: transcript.Texts{Parts: slices.Repeat([]string{"compute(theirs)"}, mostEdits)}}
		f.Now = []byte(strings.Repeat("let a = compute(theirs)\n", lines-1) + "let gone = compute(theirs)\n")
		if d := f.read(); d.news() != lines || d.theirs[lines-1] != edited {
			t.Errorf("of %d new lines the last one is an edit's: %t", d.news(), d.theirs[lines-1])
		}
	}
}

// TestWithoutTexts: of a file that no text is known of nothing is read, unless a source may have
// brought something.
func TestWithoutTexts(t *testing.T) {
	for name, c := range map[string]struct {
		file File
		read bool
	}{
		"no text":              {File{}, false},
		"a tool names it":      {File{Named: true}, true},
		"a text":               {File{Own: transcript.Texts{Parts: []string{"beta_two\n"}}}, true},
		"another turn's":       {File{Others: transcript.Texts{Wholes: []string{"beta_two\n"}}}, true},
		"a source has nothing": {File{Sources: slices.All([][]byte{[]byte("other\n")})}, false},
	} {
		f := c.file
		f.Was, f.Now = []byte(text("alpha_one")), []byte(text("alpha_one gamma_three"))
		if !f.Unexplained() || (f.division != nil) != c.read {
			t.Errorf("%s: it is explained, or read: %v", name, f.division)
		}
		if before, from, ok := f.Before(); ok || before != nil || from != nil {
			t.Errorf("%s: %q, %v", name, before, from)
		}
	}
}

// TestBroughtLines: the lines of a source that git may have brought, as they stand there.
func TestBroughtLines(t *testing.T) {
	now := []byte(text("alpha_one beta_two gamma_three delta_four"))
	for name, c := range map[string]struct {
		source string
		own    string
		want   []int
	}{
		"in the middle of a source":            {"omega_nine beta_two gamma_three", "", []int{2, 3}},
		"the very file":                        {"alpha_one beta_two gamma_three delta_four", "", []int{2, 3, 4}},
		"the very file, but for its own lines": {"alpha_one beta_two gamma_three delta_four", "beta_two", []int{3, 4}},
	} {
		f := File{Was: []byte(text("alpha_one")), Now: now, Own: transcript.Texts{Parts: []string{text(c.own)}}, Sources: slices.All([][]byte{[]byte(text(c.source))})}
		_, from, ok := f.Before()
		if !ok || len(from) != 1 || !slices.Equal(from[0].Lines, c.want) {
			t.Errorf("%s: %v, want %v", name, from, c.want)
		}
	}
}

func text(lines string) string {
	if lines == "" {
		return ""
	}
	return strings.ReplaceAll(lines, " ", "\n") + "\n"
}

func sourcesOf(from []Brought) (sources []int) {
	for _, b := range from {
		sources = append(sources, b.Source)
	}
	return sources
}
