package remainder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// repository is one whose streams and commits a test makes.
type repository struct {
	*testing.T
	dir    string
	repo   *gitexec.Repo
	db     *gitexec.ODB
	states []*session.State
	base   gitexec.Head // the first commit, on which the streams are
	who    gitexec.Ident
}

// newRepository has one commit with these files, each a name and its content.
func newRepository(t *testing.T, files ...string) *repository {
	t.Helper()
	r := &repository{T: t, dir: t.TempDir(), who: gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(2000, 0)}}
	r.git("init", "-q", "-b", "main")
	r.write(files...)
	r.git("add", ".")
	r.git("commit", "-qm", "First")
	r.open()
	r.base = r.repo.Head
	return r
}

// open finds the repository as it is now.
func (r *repository) open() {
	r.Helper()
	repo, err := gitexec.Discover(r.Context(), r.dir, nil)
	r.must(err)
	r.repo, r.db = repo, repo.ODB(r.Context())
	r.Cleanup(func() { r.db.Close() })
}

func (r *repository) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *repository) git(args ...string) {
	r.Helper()
	out, err := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// write writes files of the worktree, each a name and its content; it deletes one without content.
func (r *repository) write(files ...string) {
	r.Helper()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(r.dir, files[i])
		if files[i+1] == "" {
			r.must(os.Remove(file))
			continue
		}
		r.must(errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(files[i+1]), 0o600)))
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
		var err error
		tree, err = r.db.EditTree(tree, edits)
		r.must(err)
		steps = append(steps, shadow.Step{Session: session, Turn: fmt.Sprintf("%012x", i+1), Part: shadow.Agent, Subject: fmt.Sprintf("Turn %d of %s", i+1, session),
			Tree: tree, Overlay: gitexec.Tree{"prompt.txt": r.blob("Do " + session)}})
	}
	commits, err := shadow.Commits(r.db, r.base.Tree, r.base.ID, shadow.Checkpoint{}, r.who, steps)
	r.must(err)
	ids, err := r.db.CommitTree(commits...)
	r.must(err)
	r.git("update-ref", shadow.NewName(r.base.ID, "", suffix).Ref(), string(ids[len(ids)-1]))
}

// blob is a file with a content; the zero value without.
func (r *repository) blob(text string) gitexec.Entry {
	r.Helper()
	if text == "" {
		return gitexec.Entry{}
	}
	id, err := r.db.WriteBlob([]byte(text))
	r.must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

// carry carries the remainder of all streams on the first commit to HEAD.
func (r *repository) carry(change func(*Request)) Carried {
	r.Helper()
	r.open()
	listing, err := shadow.List(r.Context(), r.repo)
	r.must(err)
	all, troubles, err := works.OnStreams(r.db, []gitexec.OID{r.base.ID}, r.states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return listing.Streams(r.db, base, "")
	})
	r.must(errors.Join(append(troubles, err)...))
	heads, err := r.db.Commits(r.repo.Head.ID)
	r.must(err)
	q := Request{Head: heads[0], Listing: listing, Author: r.who, States: r.states, Works: all,
		KeptOn: func(*session.State) []gitexec.OID { return nil }}
	if change != nil {
		change(&q)
	}
	carried, err := CarryForward(r.Context(), r.repo, r.db, q)
	r.must(err)
	return carried
}

// describe is what is carried, a line for each stream: its suffix and its checkpoints, with whose
// part they are and the files that they change. Below are the streams that are dropped, those that
// are kept, and what the sessions' states call dismissed.
func (r *repository) describe(c Carried) string {
	r.Helper()
	ids, err := r.db.CommitTree(c.Commits...)
	r.must(err)
	lines, at := []string{}, 0
	for _, chain := range c.Chains {
		line := fmt.Sprintf("%d:", chain.Name.Suffix)
		for _, id := range ids[at : at+chain.Length] {
			k, ours, err := shadow.ReadCheckpoint(r.db, id)
			if r.must(err); !ours || k.Base != r.repo.Head.ID {
				r.Fatalf("%s is no checkpoint on HEAD", id)
			}
			commits, err := r.db.Commits(k.Parent)
			r.must(err)
			changes, err := r.db.DiffTrees(commits[0].Tree, k.Tree)
			r.must(err)
			line += fmt.Sprintf(" %s(%s)", k.Session, k.Part)
			for _, change := range changes {
				if !strings.HasPrefix(string(change.Path), ".entire/") {
					line += fmt.Sprintf(" %s=%q", change.Path, r.text(change.New))
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
			lines = append(lines, fmt.Sprintf("%s dismissed %s=%q", s.SessionID, d.Path, r.text(d.Entry)))
		}
	}
	return strings.Join(lines, "\n")
}

func (r *repository) text(e gitexec.Entry) string {
	r.Helper()
	if !e.Exists() {
		return ""
	}
	found, err := r.db.Any(e.ID)
	r.must(err)
	return string(found[0].Data)
}
