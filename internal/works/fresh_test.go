package works

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testrepo"
)

// TestFresh puts versions of a file together. What stays of the result without the lines that no side
// has is the version that the change then goes from.
func TestFresh(t *testing.T) {
	for _, c := range []struct {
		name       string
		head, side string // lines, separated by blanks; "-": there is no such file
		now, from  string // from "-": the change brings nothing
	}{
		{"either side", "alpha_one beta_two", "alpha_one gamma_three", "alpha_one beta_two gamma_three", "-"},
		{"the other side", "alpha_one", "gamma_three", "gamma_three", "-"},
		{"resolved anew", "alpha_one beta_two", "alpha_one gamma_three", "alpha_one delta_four", "alpha_one"},
		{"beside both", "alpha_one beta_two", "alpha_one gamma_three", "alpha_one beta_two delta_four gamma_three", "alpha_one beta_two gamma_three"},
		{"a new file", "-", "-", "delta_four epsilon_five", ""},
		{"a new file of the side, continued", "-", "gamma_three", "gamma_three delta_four", "gamma_three"},
		{"too little to be evidence", "alpha_one beta_two", "alpha_one", "alpha_one }", "-"},
		{"indented", "alpha_one beta_two", "alpha_one gamma_three", "\talpha_one \tgamma_three \tbeta_two", "-"},
		{"deleted", "alpha_one", "alpha_one", "-", "-"},
		{"binary", "alpha_one", "\x00beta_two", "\x00gamma_three", "alpha_one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := small{testrepo.New(t)}
			edits := gitexec.Edits{}
			if e := s.entry(c.side); e.Exists() {
				edits["f"] = e
			}
			change := gitexec.Change{Path: "f", Old: s.entry(c.head), New: s.entry(c.now)}
			fresh, err := Fresh(s.DB, []gitexec.Change{change}, []gitexec.OID{s.EditTree("", edits)})
			s.Must(err)
			if len(fresh) == 0 {
				if c.from != "-" {
					t.Errorf("nothing is new, want a change from %q", c.from)
				}
				return
			}
			got := ""
			if fresh[0].Old.Exists() {
				got = s.Text(fresh[0].Old)
			}
			if c.from == "-" || got != text(c.from) || fresh[0].New != change.New {
				t.Errorf("the change goes from %q, want %q", got, text(c.from))
			}
		})
	}
}

// TestFreshTogether: lines that are no evidence by themselves are with those of other files.
func TestFreshTogether(t *testing.T) {
	s := small{testrepo.New(t)}
	for name, c := range map[string]struct {
		one, two string // what is new in a file and in another one
		want     int    // changes
	}{
		"neither is evidence":   {"ab", "cd", 0},
		"both together are":     {"ab ef", "cd", 2},
		"one alone is":          {"alpha_one", "cd", 2},
		"one, and nothing else": {"alpha_one", "}", 1},
	} {
		changes := []gitexec.Change{{Path: "f", Old: s.entry("human_line"), New: s.entry("human_line " + c.one)},
			{Path: "g", Old: s.entry("human_line"), New: s.entry("human_line " + c.two)}}
		fresh, err := Fresh(s.DB, changes, nil)
		if err != nil || len(fresh) != c.want {
			t.Errorf("%s: %v, %v; want %d", name, fresh, err, c.want)
		}
	}
}

func text(lines string) string {
	if lines == "" {
		return ""
	}
	return strings.ReplaceAll(lines, " ", "\n") + "\n"
}
