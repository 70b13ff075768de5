package divide

import (
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
		{name: "both have it", was: "", now: "beta_two", own: "beta_two", others: "beta_two", before: "-", explained: true},
		{name: "in another form", was: "", now: "\tbeta_two gamma_three", own: "beta_two", others: "  gamma_three", before: "gamma_three", explained: true},
		{name: "all another's", was: "alpha_one", now: "alpha_one gamma_three", others: "gamma_three", before: "alpha_one gamma_three", explained: true},
		{name: "brought by git", was: "alpha_one", now: "alpha_one beta_two gamma_three delta_four", sources: []string{"omega_nine", "beta_two gamma_three delta_four"},
			before: "alpha_one beta_two gamma_three delta_four", from: []int{1}},
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
		{name: "emptied", was: "alpha_one", now: "", sources: []string{"alpha_one"}, before: "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := File{Was: []byte(text(c.was)), Now: []byte(text(c.now)), Own: transcript.Texts{Parts: []string{text(c.own)}, Wholes: []string{text(c.whole)}},
				Others: transcript.Texts{Parts: []string{text(c.others)}, Wholes: []string{text(c.othersWhole)}}}
			for _, s := range c.sources {
				f.Sources = append(f.Sources, []byte(text(s)))
			}
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
