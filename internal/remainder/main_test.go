package remainder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// repository is one whose streams and commits a test makes.
type repository struct {
	*testrepo.Repository
	states []*session.State
	base   gitexec.Head // the first commit, on which the streams are
	who    gitexec.Ident
}

// newRepository has one commit with these files, each a name and its content.
func newRepository(t *testing.T, files ...string) *repository {
	t.Helper()
	r := &repository{Repository: testrepo.New(t), who: gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(2000, 0)}}
	r.Commit("First", files...)
	r.base = r.Repo.Head
	return r
}

// write writes files of the worktree, each a name and its content; it deletes one without content.
func (r *repository) write(files ...string) {
	r.Helper()
	for pair := range slices.Chunk(files, 2) {
		if pair[1] == "" {
			r.Must(os.Remove(filepath.Join(r.Dir, pair[0])))
		} else {
			r.Write(pair...)
		}
	}
}

func (r *repository) state(id string) *session.State {
	at := slices.IndexFunc(r.states, func(s *session.State) bool { return s.SessionID == id })
	if at < 0 {
		at, r.states = len(r.states), append(r.states, &session.State{SessionID: id, LastPrompt: "Last of " + id,
			Place: session.Place{BaseCommit: r.base.ID}})
	}
	return r.states[at]
}

// stream writes a stream on the first commit, of turns of a session, and leaves their files in the
// worktree. A turn is files and their contents, as in write.
func (r *repository) stream(suffix int, session string, turns ...[]string) {
	r.Helper()
	r.state(session).ShadowBranchSuffix = suffix
	tree := r.base.Tree
	var steps []shadow.Step
	for i, files := range turns {
		r.write(files...)
		edits := gitexec.Edits{}
		for k := 0; k < len(files); k += 2 {
			edits[gitexec.Path(files[k])] = r.blob(files[k+1])
		}
		tree = r.EditTree(tree, edits)
		steps = append(steps, shadow.Step{Session: session, Turn: fmt.Sprintf("%012x", i+1), Part: shadow.Agent, Subject: fmt.Sprintf("Turn %d of %s", i+1, session),
			Tree: tree, Overlay: gitexec.Tree{"prompt.txt": r.blob("Do " + session)}})
	}
	commits, err := shadow.Commits(r.DB, r.base.Tree, r.base.ID, shadow.Checkpoint{}, r.who, steps)
	r.Must(err)
	ids, err := r.DB.CommitTree(commits...)
	r.Must(err)
	r.Git("update-ref", shadow.NewName(r.base.ID, "", suffix).Ref(), string(ids[len(ids)-1]))
}

// blob is a file with a content; the zero value without.
func (r *repository) blob(text string) gitexec.Entry {
	r.Helper()
	if text == "" {
		return gitexec.Entry{}
	}
	return r.Blob(text)
}

// carry carries the remainder of all streams on the first commit to HEAD.
func (r *repository) carry(change func(*Request)) Carried {
	r.Helper()
	r.Open()
	listing, err := shadow.List(r.Context(), r.Repo)
	r.Must(err)
	all, troubles, err := works.OnStreams(r.DB, []gitexec.OID{r.base.ID}, r.states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return listing.Streams(r.DB, base, "")
	})
	r.Must(errors.Join(append(troubles, err)...))
	head, err := r.DB.Commit(r.Repo.Head.ID)
	r.Must(err)
	q := Request{Head: head, Listing: listing, Author: r.who, States: r.states, Works: all,
		KeptOn: func(*session.State) []gitexec.OID { return nil }}
	if change != nil {
		change(&q)
	}
	carried, err := CarryForward(r.Context(), r.Repo, r.DB, q)
	r.Must(err)
	return carried
}

// describe is what is carried, a line for each stream: its suffix and its checkpoints, with whose
// part they are and the files that they change. Below are the streams that are dropped, those that
// are kept, and what the sessions' states call dismissed.
func (r *repository) describe(c Carried) string {
	r.Helper()
	ids, err := r.DB.CommitTree(c.Commits...)
	r.Must(err)
	lines, at := []string{}, 0
	for _, chain := range c.Chains {
		line := fmt.Sprintf("%d:", chain.Name.Suffix)
		for _, id := range ids[at : at+chain.Length] {
			k, ours, err := shadow.ReadCheckpoint(r.DB, id)
			if r.Must(err); !ours || k.Base != r.Repo.Head.ID {
				r.Fatalf("%s is no checkpoint on HEAD", id)
			}
			commit, err := r.DB.Commit(k.Parent)
			r.Must(err)
			changes, err := r.DB.DiffTrees(commit.Tree, k.Tree)
			r.Must(err)
			line += fmt.Sprintf(" %s(%s)", k.Session, k.Part)
			for _, change := range changes {
				if !strings.HasPrefix(string(change.Path), ".entire/") {
					line += fmt.Sprintf(" %s=%q", change.Path, r.Text(change.New))
				}
			}
		}
		lines, at = append(lines, line), at+chain.Length
	}
	for _, s := range c.Drop {
		lines = append(lines, fmt.Sprintf("drop %d", s.Suffix))
	}
	for _, s := range c.Keep {
		lines = append(lines, fmt.Sprintf("keep %d", s.Suffix))
	}
	for _, s := range r.states {
		for _, d := range s.Dismissed {
			lines = append(lines, fmt.Sprintf("%s dismissed %s=%q", s.SessionID, d.Path, r.Text(d.Entry)))
		}
	}
	return strings.Join(lines, "\n")
}
