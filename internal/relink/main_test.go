package relink

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
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
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// The checkpoints of the tests.
const first, second = "aa0000000001", "ab0000000002"

// repository is one whose checkpoints were fetched from "origin", and whose commits were made
// without hooks.
type repository struct {
	*testing.T
	dir      string
	repo     *gitexec.Repo
	db       *gitexec.ODB
	now      int64           // the time of the last commit, in seconds
	written  gitexec.Edits   // what the branch has
	decided  map[string]bool // the subjects of commits that hooks have decided about
	most     int             // see Search
	over     []string
	compared int // commits, by the last search
}

// newRepository has one commit.
func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{T: t, dir: t.TempDir(), now: 1_700_000_000, written: gitexec.Edits{}, decided: map[string]bool{}}
	r.git("init", "-q", "-b", "main")
	r.commit("First", "f", "the human wrote zero\n")
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

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
	when := fmt.Sprintf("%d +0000", r.now)
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+when, "GIT_AUTHOR_DATE="+when)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits a file a minute after the last commit.
func (r *repository) commit(message, file, text string) gitexec.OID {
	r.Helper()
	r.now += 60
	r.must(os.WriteFile(filepath.Join(r.dir, file), []byte(text), 0o600))
	r.git("add", file)
	r.git("commit", "-qm", message)
	r.open()
	return r.repo.Head.ID
}

// linking is a message that links a checkpoint.
func linking(subject, id string) string { return subject + "\n\n" + message.LinkKey + ": " + id }

// checkpoint adds one to the branch, that was made now, with the agent's lines of a file; change
// may say more.
func (r *repository) checkpoint(id, file, lines string, change func(*checkpoints.OwnedLines)) {
	r.Helper()
	owned := checkpoints.OwnedLines{Version: 1, Turns: []string{"t"}, Prompts: []string{"p"}, Files: []checkpoints.OwnedFile{{
		Path: gitexec.Path(file), Blob: r.blob(lines).ID, Lines: strings.Count(lines, "\n"), Ranges: [][3]int{{1, strings.Count(lines, "\n"), 0}}}}}
	var hashes, words []byte
	for line := range strings.Lines(lines) {
		marks := ledger.MarkWords(line)
		hashes, words = binary.BigEndian.AppendUint32(hashes, uint32(lineage.HashLine(line))), append(append(words, byte(len(marks))), marks...)
	}
	owned.Files[0].Hashes, owned.Files[0].Words = base64.RawStdEncoding.EncodeToString(hashes), base64.RawStdEncoding.EncodeToString(words)
	if change != nil {
		change(&owned)
	}
	dir := gitexec.Path(checkpoints.Dir(id)) + "/0/"
	r.written[dir+"lines.json"] = r.json(owned)
	r.written[dir+"metadata.json"] = r.json(checkpoints.SessionMetadata{CheckpointID: id, SessionID: "s", CreatedAt: time.Unix(r.now, 0),
		FilesTouched: []gitexec.Path{gitexec.Path(file)}})
	r.written[gitexec.Path(checkpoints.Dir(id))+"/metadata.json"] = r.json(map[string]any{"checkpoint_id": id, "sessions": []checkpoints.SessionPaths{{}}})
}

// sideLink adds a link beside a commit to the branch.
func (r *repository) sideLink(l checkpoints.SideLink) {
	r.Helper()
	r.must(checkpoints.WriteSideLink(r.db, checkpoints.Branch{}, l, r.written))
}

func (r *repository) blob(text string) gitexec.Entry {
	r.Helper()
	id, err := r.db.WriteBlob([]byte(text))
	r.must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

func (r *repository) json(of any) gitexec.Entry {
	r.Helper()
	data, err := json.Marshal(of)
	r.must(err)
	return r.blob(string(data))
}

// fetch has the branch be as it was fetched, with what was written.
func (r *repository) fetch() {
	r.Helper()
	tree, err := r.db.EditTree("", r.written)
	r.must(err)
	r.git("update-ref", "refs/remotes/origin/entire/checkpoints/v1", r.git("commit-tree", "-m", "Checkpoints", string(tree)))
	r.open()
}

// stateDir holds what is kept from one search to the next.
func (r *repository) stateDir() string { return r.repo.SharedDir() }

// search opens a search as it is now.
func (r *repository) search() *Search {
	r.Helper()
	r.open()
	branch, err := checkpoints.ReadWithOrigin(r.db, "")
	r.must(err)
	return &Search{Repo: r.repo, DB: r.db, Branch: branch, Dir: r.stateDir(), Head: r.repo.Head.ID, Most: r.most,
		Decided: func() (func(gitexec.OID) bool, error) {
			return func(id gitexec.OID) bool { return r.decided[r.subject(id)] }, nil
		},
		Progress: func(done, _ int) { r.compared = done },
		Over:     func(ids []string) { r.over = append(r.over, ids...) },
	}
}

// find searches, and returns the links that it finds, each as SUBJECT=CHECKPOINTS; "-" where a
// search is not needed.
func (r *repository) find() string {
	r.Helper()
	r.compared = 0
	s := r.search()
	if !s.Needed() {
		return "-"
	}
	err := s.Begin(r.Context())
	if errors.Is(err, ErrTooMany) {
		return "too many"
	}
	r.must(err)
	var all []string
	for more := true; more; {
		var links []checkpoints.SideLink
		var done func() error
		links, done, more, err = s.Next(r.Context())
		r.must(err)
		for _, l := range links {
			if l.How != checkpoints.Content || l.Reason != Reason || len(l.Parts) != len(l.Checkpoints) {
				r.Errorf("a link is %+v", l)
			}
			all = append(all, r.subject(l.Commit)+"="+strings.Join(l.Checkpoints, "+"))
		}
		r.must(done())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (r *repository) subject(id gitexec.OID) string {
	return r.git("log", "-1", "--format=%s", string(id))
}
