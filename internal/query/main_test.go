package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// repository is one whose commits, checkpoints and streams a test makes.
type repository struct {
	*testing.T
	dir string
	*Reader
	source   Source
	warnings bytes.Buffer
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{T: t, dir: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.commit("First\n", "f", "1")
	r.source = Source{Env: workspace.Env{Dir: r.dir, Stderr: &r.warnings, Getenv: func(string) string { return "" }, Now: time.Now},
		CatchUp: func(context.Context, workspace.Env, *gitexec.Repo) bool { return false },
		Relink:  func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false }}
	return r.open()
}

// open opens it again.
func (r *repository) open() *repository {
	r.Helper()
	opened, err := r.source.Open(r.Context())
	r.must(err)
	r.Cleanup(opened.Close)
	r.Reader = opened
	return r
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
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits a file in the worktree.
func (r *repository) commit(message, file, text string) gitexec.OID {
	r.Helper()
	r.must(os.WriteFile(r.dir+"/"+file, []byte(text), 0o600))
	r.git("add", file)
	r.git("commit", "-qm", message)
	return gitexec.OID(r.git("rev-parse", "HEAD"))
}

func (r *repository) blob(text string) gitexec.Entry {
	r.Helper()
	id, err := r.DB.WriteBlob([]byte(text))
	r.must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

func (r *repository) json(of any) gitexec.Entry {
	r.Helper()
	data, err := json.Marshal(of)
	r.must(err)
	return r.blob(string(data))
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
			edits[gitexec.Path(at+"metadata.json")] = r.json(m)
			edits[gitexec.Path(at+"prompt.txt")] = r.blob("Do " + m.SessionID)
			edits[gitexec.Path(at+"full.jsonl")] = r.blob(`{"type":"user"}`)
			paths = append(paths, checkpoints.SessionPaths{Metadata: "/" + at + "metadata.json", Prompt: "/" + at + "prompt.txt",
				Transcript: "/" + at + "full.jsonl"})
		}
		summary["sessions"], summary["files_touched"] = paths, parts[0].FilesTouched
		edits[gitexec.Path(dir+"metadata.json")] = r.json(summary)
	}
	tree, err := r.DB.EditTree("", edits)
	r.must(err)
	r.git("update-ref", shadow.Checkpoints, r.git("commit-tree", "-m", "Checkpoint: "+all[0][0].CheckpointID, string(tree)))
	r.open()
}

// stream writes a stream on HEAD whose checkpoints have the file f with these texts, each by the
// session's turn of that number.
func (r *repository) stream(suffix int, id string, texts ...string) []gitexec.OID {
	r.Helper()
	var steps []shadow.Step
	for i, text := range texts {
		tree, err := r.DB.EditTree(r.Repo.Head.Tree, gitexec.Edits{"f": r.blob(text)})
		r.must(err)
		steps = append(steps, shadow.Step{Session: id, Turn: fmt.Sprintf("%02xbbbbbbbbbb", i), Part: shadow.Agent, Subject: "Turn " + text, Tree: tree,
			Overlay: gitexec.Tree{"prompt.txt": r.blob("Do it\n\n---\n\nAgain"), "full.jsonl": r.blob(`{"type":"user"}`),
				"context.md": r.blob("Agent: Claude Code (opus)\n")}})
	}
	who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1000+int64(suffix), 0)}
	commits, err := shadow.Commits(r.DB, r.Repo.Head.Tree, r.Repo.Head.ID, shadow.Checkpoint{}, who, steps)
	r.must(err)
	ids, err := r.DB.CommitTree(commits...)
	r.must(err)
	r.git("update-ref", shadow.NewName(r.Repo.Head.ID, "", suffix).Ref(), string(ids[len(ids)-1]))
	return ids
}

// state stores a session's state.
func (r *repository) state(s *session.State) {
	r.Helper()
	store := session.Store{Dir: workspace.StateDir(r.Repo)}
	r.must(store.Save(s))
}

// id is an object ID of one digit.
func id(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }
