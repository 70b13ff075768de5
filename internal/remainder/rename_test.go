package remainder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// TestOtherFiles: which files of the worktree a missing file is compared with: those that HEAD has
// not, and those that it has otherwise, without large ones, symbolic links and what is deleted.
func TestOtherFiles(t *testing.T) {
	r := newRepository(t, "same", "1\n", "changed", "1\n", "deleted", "1\n", "moved", "a line that moves\n", "dir/f", "1\n", ".gitignore", "ignored\n")
	r.write("changed", "2\n", "deleted", "", "new", "1\n", "staged", "1\n", "ignored", "1\n", "dir/new", "1\n",
		"large", strings.Repeat("x", largestNew+1), "largest", strings.Repeat("y", largestNew))
	r.Git("add", "staged")
	r.Git("mv", "moved", "later")
	r.Must(os.Symlink("same", filepath.Join(r.Dir, "link")))
	added, modified, err := otherFiles(t.Context(), r.Repo)
	if r.Must(err); joined(condense.Union(nil, added)) != "dir/new largest later new staged" || joined(modified) != "changed" {
		t.Errorf("added %q, modified %q", joined(condense.Union(nil, added)), joined(modified))
	}

	r.Git("add", ".")
	r.Git("commit", "-qm", "Second")
	r.write("a", "1\n", "changed", "3\n")
	for i := range mostNew {
		r.write(fmt.Sprintf("new%d", i), "1\n")
	}
	if added, modified, err = otherFiles(t.Context(), r.Repo); err != nil || len(added) > 0 || joined(modified) != "changed" {
		t.Errorf("of too many new files: %d added, %q modified, %v", len(added), joined(modified), err)
	}
	r.write("a", "")
	if added, _, err = otherFiles(t.Context(), r.Repo); err != nil || len(added) != mostNew {
		t.Errorf("of as many as there may be: %d, %v", len(added), err)
	}
}

// TestUnderStashedNames: a file that was renamed is looked for under its old name, too, where a
// stash entry has the work there.
func TestUnderStashedNames(t *testing.T) {
	for name, c := range map[string]struct {
		was     gitexec.Path
		head    string // HEAD's version of f
		stashed string // the stash entry's
		want    string
	}{
		"it has the work":      {"f", human, human + one, "g f"},
		"and more":             {"f", human, human + one + three, "g f"},
		"it has other work":    {"f", human, human + three, "g"},
		"HEAD has the work":    {"f", human + one, human + one, "g"},
		"of a file that stays": {"", human, human + one, "g"},
		"of another old name":  {"e", human, human + one, "g"},
	} {
		r := newRepository(t, "f", c.head, "other", "1\n")
		r.write("f", c.stashed, "other", "2\n")
		r.Git("stash")
		r.Open()
		stashes, err := shadow.Stashes(t.Context(), r.Repo, r.DB)
		r.Must(err)
		change := suffix.Change{Path: "g", Was: c.was, Before: r.blob(human), After: r.blob(human + one)}
		q := Request{Works: []condense.Work{{Session: &session.State{}, Changes: []suffix.Change{change}}}}
		works, err := q.underStashedNames(&shadow.Texts{DB: r.DB}, stashes)
		r.Must(err)
		var got []gitexec.Path
		for _, change := range works[0].Changes {
			got = append(got, change.Path)
		}
		if joined(got) != c.want || len(q.Works[0].Changes) != 1 {
			t.Errorf("%s: %q, want %q; the request's: %v", name, joined(got), c.want, q.Works[0].Changes)
		}
	}
}
