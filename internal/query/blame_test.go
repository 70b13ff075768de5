package query

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
)

// TestBlameError: git's message is one line with a hint; its usage is an unreadable range.
func TestBlameError(t *testing.T) {
	for _, c := range []struct {
		stderr string
		ranges []string
		want   string
	}{
		{"usage: git blame\nmore", []string{"x", "1,2"}, "-L x -L 1,2 is not a range of lines\nhint: give START"},
		{"fatal: no such path 'f' in HEAD", nil, "f: no such path 'f' in HEAD\nhint: git ls-files"},
		{"fatal: file f has only 3 lines", []string{"9,10"}, "f: file f has only 3 lines\nhint: -L 1,9"},
		{"fatal: file f has only 3 lines", []string{"9,9"}, "f: file f has only 3 lines\nhint: entire-plumb blame shows them"},
		{"fatal: file f has only 3 lines", nil, "f: file f has only 3 lines\nhint: git ls-files"},
		{"fatal: could not open object name list: x", nil, "could not open object name list: x\nhint: name commits"},
		{"fatal: cannot find revision x to ignore", nil, "cannot find revision x to ignore\nhint: name commits"},
	} {
		if got := blameError(&gitexec.Error{Stderr: c.stderr}, "f", c.ranges); !strings.HasPrefix(got.Error(), c.want) {
			t.Errorf("%q: %v", c.stderr, got)
		}
	}
	other := errors.New("other")
	if got := blameError(other, "f", nil); got != other {
		t.Error(got)
	}
}

// TestBlame: lines are the human's where no commit is linked, and in the worktree; of a linked
// commit whose checkpoint is not here the author is unknown.
func TestBlame(t *testing.T) {
	r := newRepository(t)
	r.Commit("Second", "f", "1\nhuman\n")
	r.Commit("Third\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "1\nhuman\nunknown\n")
	r.open()
	r.Must(os.WriteFile(filepath.Join(r.Dir, "f"), []byte("1\nhuman\nunknown\nnew\n"), 0o600))
	for rev, want := range map[string]string{"": "human human unknown human", "HEAD~1": "human human"} {
		lines, err := r.source.Blame(t.Context(), BlameRequest{Rev: rev, File: "f"})
		r.Must(err)
		var kinds []string
		for _, l := range lines {
			kinds = append(kinds, string(l.Owner.Kind))
			if l.Committed() == (l.Content == "new") {
				t.Errorf("line %d: %v", l.Line, l.Owner)
			}
		}
		if strings.Join(kinds, " ") != want {
			t.Errorf("%s: %q", rev, kinds)
		}
	}
	if _, err := r.source.Blame(t.Context(), BlameRequest{Rev: "nothing", File: "f"}); err == nil || !strings.Contains(err.Error(), "hint: name a commit") {
		t.Errorf("of no commit: %v", err)
	}
}

// TestBlameNamesDamage: damaged checkpoints are named once, with all lines.
func TestBlameNamesDamage(t *testing.T) {
	r := newRepository(t)
	r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "one\ntwo\n")
	r.open()
	edits := gitexec.Edits{gitexec.Path(checkpoints.Dir("aaaaaaaaaaaa") + "/0/metadata.json"): r.Blob("no JSON")}
	tree, err := r.Reader.DB.EditTree("", edits)
	r.Must(err)
	r.Must(r.Reader.DB.Flush())
	r.Git("update-ref", "refs/heads/entire/checkpoints/v1", r.Git("commit-tree", "-m", "x", string(tree)))
	lines, err := r.source.Blame(t.Context(), BlameRequest{File: "f"})
	var damage *DamageError
	if !errors.As(err, &damage) || len(lines) != 2 || strings.Count(damage.Error(), "\n") > 0 || lines[0].Owner.Kind != attribution.Unknown {
		t.Errorf("%+v, %v", lines, err)
	}
}
