package query

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// repository is one whose commits, checkpoints and streams a test makes.
type repository struct {
	*testrepo.Repository
	*Reader
	source   Source
	warnings bytes.Buffer
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{Repository: testrepo.New(t)}
	r.Commit("First\n", "f", "1")
	r.source = Source{Env: workspace.Env{Dir: r.Dir, Stderr: &r.warnings, Getenv: func(string) string { return "" }, Now: time.Now},
		CatchUp: func(context.Context, workspace.Env, *gitexec.Repo) bool { return false },
		Relink:  func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false },
		Foresee: foreseeUnlinked}
	return r.open()
}

// foreseeUnlinked foresees a commit without a link.
func foreseeUnlinked(ctx context.Context, e workspace.Env, repo *gitexec.Repo) (*checkpoints.Foreseen, error) {
	w, _, done, err := e.OpenAside(ctx, repo)
	if err != nil {
		return nil, err
	}
	f := &checkpoints.Foreseen{Repo: w.Repo, DB: w.DB, Head: repo.Head, Close: done}
	snap, err := w.Snapshot(ctx)
	if err != nil || snap.Tree == repo.Head.Tree {
		return f, err
	}
	id, err := w.DB.WriteCommits(gitexec.NewCommit{Tree: snap.Tree, Parents: []gitexec.OID{repo.Head.ID}, Author: w.Author(nil), Committer: w.Author(nil), Message: "Foreseen\n"})
	if err == nil {
		f.Commit, err = w.DB.Commit(id)
	}
	return f, err
}

// open opens it again.
func (r *repository) open() *repository {
	r.Helper()
	r.Open()
	opened, err := r.source.Open(r.Context())
	r.Must(err)
	r.Cleanup(opened.Close)
	r.Reader = opened
	return r
}

// part is a session's part in a committed checkpoint, with a prompt and a transcript.
func part(id, session string, when int64, files ...gitexec.Path) checkpoints.SessionMetadata {
	return checkpoints.SessionMetadata{CheckpointID: id, SessionID: session, CreatedAt: time.Unix(when, 0).UTC(), FilesTouched: files,
		TurnID: fmt.Sprintf("%012x", when), Agent: "Claude Code", Strategy: "manual-commit"}
}

// checkpoints writes the branch with a checkpoint for each list of parts, and opens it.
func (r *repository) checkpoints(all ...[]checkpoints.SessionMetadata) {
	r.Helper()
	edits := gitexec.Edits{}
	for _, parts := range all {
		dir := checkpoints.Dir(parts[0].CheckpointID) + "/"
		summary := map[string]any{"checkpoint_id": parts[0].CheckpointID, "strategy": "manual-commit", "branch": "main"}
		var paths []checkpoints.SessionPaths
		for i, m := range parts {
			at := fmt.Sprintf("%s%d/", dir, i)
			edits[gitexec.Path(at+"metadata.json")] = r.JSON(m)
			edits[gitexec.Path(at+"prompt.txt")] = r.Blob("Do " + m.SessionID)
			edits[gitexec.Path(at+"full.jsonl")] = r.Blob(`{"type":"user"}`)
			paths = append(paths, checkpoints.SessionPaths{Metadata: "/" + at + "metadata.json", Prompt: "/" + at + "prompt.txt",
				Transcript: "/" + at + "full.jsonl"})
		}
		summary["sessions"], summary["files_touched"] = paths, parts[0].FilesTouched
		edits[gitexec.Path(dir+"metadata.json")] = r.JSON(summary)
	}
	r.Git("update-ref", shadow.Checkpoints, r.Git("commit-tree", "-m", "Checkpoint: "+all[0][0].CheckpointID, string(r.EditTree("", edits))))
	r.open()
}

// stream writes a stream on HEAD whose checkpoints have the file f with these texts, each by the
// session's turn of that number.
func (r *repository) stream(suffix int, id string, texts ...string) []gitexec.OID {
	r.Helper()
	var steps []shadow.Step
	for i, text := range texts {
		steps = append(steps, shadow.Step{Session: id, Turn: fmt.Sprintf("%02xbbbbbbbbbb", i), Part: shadow.Agent, Subject: "Turn " + text,
			Tree: r.Edit(r.Reader.Repo.Head.Tree, "f", text), Overlay: gitexec.Tree{"prompt.txt": r.Blob("Do it\n\n---\n\nAgain"),
				"full.jsonl": r.Blob(`{"type":"user"}`), "context.md": r.Blob("Agent: Claude Code (opus)\n")}})
	}
	who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1000+int64(suffix), 0)}
	commits, err := shadow.Commits(r.Reader.DB, r.Reader.Repo.Head.Tree, r.Reader.Repo.Head.ID, shadow.Checkpoint{}, who, steps)
	r.Must(err)
	ids, err := r.Reader.DB.CommitTree(commits...)
	r.Must(err)
	r.Must(r.Reader.DB.Flush())
	r.Git("update-ref", shadow.NewName(r.Reader.Repo.Head.ID, "", suffix).Ref(), string(ids[len(ids)-1]))
	return ids
}

// state stores a session's state.
func (r *repository) state(s *session.State) {
	r.Helper()
	store := session.Store{Dir: workspace.StateDir(r.Reader.Repo)}
	r.Must(store.Save(s))
}

// id is an object ID of one digit.
func id(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }
