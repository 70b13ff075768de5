package relink

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
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
	"entire-plumb/internal/testrepo"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// The checkpoints of the tests.
const first, second = "aa0000000001", "ab0000000002"

// repository is one whose checkpoints were fetched from "origin", and whose commits were made
// without hooks.
type repository struct {
	*testrepo.Repository
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
	r := &repository{Repository: testrepo.New(t), now: 1_700_000_000, written: gitexec.Edits{}, decided: map[string]bool{}}
	r.commit("First", "f", "the human wrote zero\n")
	return r
}

// date has git commit at r.now.
func (r *repository) date() {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		r.Setenv("GIT_"+who+"_DATE", fmt.Sprintf("%d +0000", r.now))
	}
}

func (r *repository) git(args ...string) string {
	r.Helper()
	r.date()
	return r.Git(args...)
}

// commit commits a file a minute after the last commit.
func (r *repository) commit(message, file, text string) gitexec.OID {
	r.Helper()
	r.now += 60
	r.date()
	return r.Commit(message, file, text)
}

// commits makes n commits that change nothing.
func (r *repository) commits(n int) {
	r.Helper()
	tree, head := gitexec.OID(r.git("rev-parse", "HEAD^{tree}")), gitexec.OID(r.git("rev-parse", "HEAD"))
	who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(r.now, 0)}
	all := make([]gitexec.NewCommit, n)
	for i := range all {
		all[i] = gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{gitexec.Previous}, Author: who, Committer: who, Message: fmt.Sprintln(i)}
	}
	all[0].Parents = []gitexec.OID{head}
	ids, err := r.DB.CommitTree(all...)
	r.Must(err)
	r.Must(r.DB.Flush())
	r.git("update-ref", "HEAD", string(ids[n-1]))
}

// linking is a message that links a checkpoint.
func linking(subject, id string) string { return subject + "\n\n" + message.LinkKey + ": " + id }

// checkpoint adds one to the branch, that was made now, with the agent's lines of a file; change
// may say more.
func (r *repository) checkpoint(id, file, lines string, change func(*checkpoints.OwnedLines)) {
	r.Helper()
	owned := checkpoints.OwnedLines{Version: 1, Turns: []string{"t"}, Prompts: []string{"p"}, Files: []checkpoints.OwnedFile{{
		Path: gitexec.Path(file), Blob: r.Blob(lines).ID, Lines: strings.Count(lines, "\n"), Ranges: [][3]int{{1, strings.Count(lines, "\n"), 0}}}}}
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
	r.written[dir+"lines.json"] = r.JSON(owned)
	r.written[dir+"metadata.json"] = r.JSON(checkpoints.SessionMetadata{CheckpointID: id, SessionID: "s", CreatedAt: time.Unix(r.now, 0),
		FilesTouched: []gitexec.Path{gitexec.Path(file)}})
	r.written[gitexec.Path(checkpoints.Dir(id))+"/metadata.json"] = r.JSON(map[string]any{"checkpoint_id": id, "sessions": []checkpoints.SessionPaths{{}}})
}

// sideLink adds a link beside a commit to the branch.
func (r *repository) sideLink(l checkpoints.SideLink) {
	r.Helper()
	r.Must(checkpoints.WriteSideLink(r.DB, checkpoints.Branch{}, l, r.written))
}

// fetch has the branch be as it was fetched, with what was written.
func (r *repository) fetch() {
	r.Helper()
	r.git("update-ref", "refs/remotes/origin/entire/checkpoints/v1", r.git("commit-tree", "-m", "Checkpoints", string(r.EditTree("", r.written))))
	r.Open()
}

// stateDir holds what is kept from one search to the next.
func (r *repository) stateDir() string { return r.Repo.SharedDir() }

// search opens a search as it is now.
func (r *repository) search() *Search {
	r.Helper()
	r.Open()
	branch, err := checkpoints.ReadWithOrigin(r.DB, "")
	r.Must(err)
	return &Search{Repo: r.Repo, DB: r.DB, Branch: branch, Dir: r.stateDir(), Head: r.Repo.Head.ID, Most: r.most,
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
	if errors.Is(err, ErrTooMuch) {
		return "too much"
	}
	r.Must(err)
	var all []string
	for more := true; more; {
		var links []checkpoints.SideLink
		var done func() error
		links, done, more, err = s.Next(r.Context())
		r.Must(err)
		for _, l := range links {
			if l.How != checkpoints.Content || l.Reason != Reason || len(l.Parts) != len(l.Checkpoints) {
				r.Errorf("a link is %+v", l)
			}
			all = append(all, r.subject(l.Commit)+"="+strings.Join(l.Checkpoints, "+"))
		}
		r.Must(done())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (r *repository) subject(id gitexec.OID) string {
	return r.git("log", "-1", "--format=%s", string(id))
}
