package checkpoints

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testrepo"
)

// TestFormerNames: the names of a file before renames in the history, and what is none.
func TestFormerNames(t *testing.T) {
	r := testrepo.New(t)
	text := func(words string) gitexec.Entry { return r.Blob(strings.ReplaceAll(words, " ", "\n") + "\n") }
	const four = "alpha_one beta_two gamma_three delta_four"
	var head gitexec.OID
	commit := func(files ...string) gitexec.OID {
		edits := gitexec.Edits{}
		for i := 0; i < len(files); i += 2 {
			edits[gitexec.Path(files[i])] = text(files[i+1])
		}
		who := gitexec.Ident{Name: "A", Email: "a@example.com", When: time.Unix(1, 0)}
		c := gitexec.NewCommit{Tree: r.EditTree("", edits), Author: who, Committer: who, Message: "m\n"}
		if head != "" {
			c.Parents = []gitexec.OID{head}
		}
		ids, err := r.DB.CommitTree(c)
		r.Must(err)
		head = ids[0]
		return head
	}
	commit("f", four, "other", "kappa_ten omega_nine")
	first := commit("g", four+" zeta_six", "other", "kappa_ten omega_nine")
	commit("g", four+" zeta_six eta_seven", "other", "kappa_ten omega_nine")
	second := commit("dir/h", four+" eta_seven", "other", "kappa_ten omega_nine")
	unlike := commit("dir/h", four+" eta_seven", "new", "no_line of_it")
	for range mostFormer {
		commit("dir/h", four+" eta_seven", "new", "no_line of_it")
	}
	for name, c := range map[string]struct {
		at   gitexec.OID
		path gitexec.Path
		want []gitexec.Path
	}{
		"renamed once":               {first, "g", []gitexec.Path{"f"}},
		"renamed twice":              {second, "dir/h", []gitexec.Path{"g", "f"}},
		"another commit later":       {unlike, "dir/h", []gitexec.Path{"g", "f"}},
		"unlike what was taken away": {unlike, "new", nil},
		"it was always there":        {second, "other", nil},
		"it is not there":            {second, "f", nil},
		"renamed too long ago":       {head, "dir/h", nil},
		"a commit that is missing":   {gitexec.OID(strings.Repeat("a", len(first))), "f", nil},
		"no commit":                  {"", "f", nil},
		"before the first":           {gitexec.OID(strings.Repeat("0", len(first))), "f", nil},
	} {
		got, err := FormerNames(r.DB, c.at, c.path)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
