package rewind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// committed writes a checkpoint of a strategy and commits what links it; the branch of checkpoints
// has no other.
func (w *world) committed(id, strategy string) gitexec.OID {
	w.Helper()
	w.Git("commit", "-qam", "Linked\n\nEntire-Checkpoint: "+id)
	dir := checkpoints.Dir(id)
	meta := fmt.Sprintf(`{"checkpoint_id":%q,"session_id":"s2","strategy":%q,"created_at":"2026-01-02T03:04:05Z","agent":"Claude Code"}`, id, strategy)
	summary := fmt.Sprintf(`{"checkpoint_id":%q,"strategy":%q,"sessions":[{"metadata":"/%s/0/metadata.json"}]}`, id, strategy, dir)
	tree := w.EditTree("", gitexec.Edits{gitexec.Path(dir + "/metadata.json"): w.Blob(summary),
		gitexec.Path(dir + "/0/metadata.json"): w.Blob(meta), gitexec.Path(dir + "/0/prompt.txt"): w.Blob("Do\n\n---\n\nAgain"),
		gitexec.Path(dir + "/0/full.jsonl"): w.Blob(`{"type":"user","timestamp":"2026-01-02T03:04:05Z"}`)})
	w.Git("update-ref", shadow.Checkpoints, w.Git("commit-tree", "-m", "x", string(tree)))
	return gitexec.OID(w.Git("rev-parse", "HEAD"))
}

// TestMoveBack: a turn's commit takes the branch back, on a branch that is not the default one and
// where no change is in the way; everywhere else only the conversation is restored.
func TestMoveBack(t *testing.T) {
	for name, c := range map[string]struct {
		strategy, branch string
		prepare          func(w *world)
		moves            bool
		want             error
	}{
		"a turn's commit":            {settings.AutoCommit, "topic", func(*world) {}, true, nil},
		"the user's commit":          {"manual-commit", "topic", func(*world) {}, false, nil},
		"the default branch":         {settings.AutoCommit, "main", func(*world) {}, false, nil},
		"a detached HEAD":            {settings.AutoCommit, "topic", func(w *world) { w.Git("checkout", "-q", "--detach") }, false, nil},
		"a commit of another branch": {settings.AutoCommit, "topic", func(w *world) { w.Git("checkout", "-q", "-B", "other", "main") }, false, nil},
		"a change in the way":        {settings.AutoCommit, "topic", func(w *world) { w.Write("f", "mine\n") }, false, ErrNotNow},
		"a merge under way":          {settings.AutoCommit, "topic", func(w *world) { w.Write(".git/MERGE_HEAD", w.Git("rev-parse", "HEAD")+"\n") }, false, ErrNotNow},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env.Getenv = func(name string) string {
				return map[string]string{"HOME": w.Dir + "/home", "CLAUDE_CONFIG_DIR": w.Dir + "/home"}[name]
			}
			w.Git("checkout", "-qB", c.branch)
			w.Write("f", "2\n")
			linked := w.committed("aaaaaaaaaaaa", c.strategy)
			w.Write("f", "3\n", "later", "3\n")
			w.Git("add", "later")
			w.Git("commit", "-qam", "Later")
			later := gitexec.OID(w.Git("rev-parse", "HEAD"))
			c.prepare(w)
			head := gitexec.OID(w.Git("rev-parse", "HEAD"))
			preview, err := w.rewind(Request{To: "aaaaaaaaaaaa", Preview: true})
			if !errors.Is(err, c.want) || preview.Done || gitexec.OID(w.Git("rev-parse", "HEAD")) != head {
				t.Fatalf("preview: %+v, %v", preview, err)
			}
			r, err := w.rewind(Request{To: "aaaaaaaaaaaa"})
			if !errors.Is(err, c.want) || (c.want == nil) != r.Done {
				t.Fatalf("%+v, %v", r, err)
			}
			now := gitexec.OID(w.Git("rev-parse", "HEAD"))
			if c.moves != (now == linked && now != head) || c.want == nil && r.Point.IsLogsOnly == c.moves {
				t.Fatalf("HEAD is %s: %+v", now, r)
			}
			if !c.moves {
				return
			}
			if r.Moved != "topic" || r.From != later || r.To != linked || w.Git("status", "--porcelain", "-uno") != "" || w.Git("show", "HEAD:f") != "2" {
				t.Errorf("%+v", r)
			}
			if _, err := w.rewind(Request{Undo: true}); err != nil || gitexec.OID(w.Git("rev-parse", "HEAD")) != later {
				t.Errorf("undone: %v, HEAD is %s", err, w.Git("rev-parse", "HEAD"))
			}
		})
	}
}

// TestLogsAlone: the conversation is restored to where its agent looks for it, also where nothing
// is recorded; nothing else is done there.
func TestLogsAlone(t *testing.T) {
	w := newWorld(t)
	home := t.TempDir()
	w.env.Getenv = func(name string) string {
		return map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": filepath.Join(home, ".claude")}[name]
	}
	w.Write("f", "2\n")
	w.committed("aaaaaaaaaaaa", "manual-commit")
	for _, enabled := range []string{"true", "false"} {
		w.Write(".entire/settings.json", `{"enabled": `+enabled+`}`, "f", "3\n")
		for _, q := range []Request{{To: "aaaaaaaaaaaa", Preview: true}, {To: "aaaaaaaaaaaa"}, {To: "HEAD", Logs: true}, {To: "aaaaaaaaaaaa", Logs: true}} {
			r, err := w.rewind(q)
			if err != nil || len(r.Logs) != 1 || r.Logs[0].SessionID != "s2" || r.Done == q.Preview || !r.Point.IsLogsOnly {
				t.Fatalf("enabled %s, %+v: %+v, %v", enabled, q, r, err)
			}
			if _, err := os.Stat(r.Logs[0].File); (err == nil) != (!q.Preview || enabled == "false") || !strings.HasPrefix(r.Logs[0].File, home) {
				t.Errorf("enabled %s, %+v: %s: %v", enabled, q, r.Logs[0].File, err)
			}
		}
	}
	for _, q := range []Request{{Undo: true}, {To: "HEAD", Files: []string{"f"}}} {
		if r, err := w.rewind(q); !errors.Is(err, settings.ErrDisabled) || r.Done {
			t.Errorf("disabled, %+v: %+v, %v", q, r, err)
		}
	}
	if got := w.files(); !strings.Contains(got, "f=3") {
		t.Errorf("a file was changed: %s", got)
	}
	w.Write(".entire/settings.json", `{"enabled": true}`)
	if r, err := w.rewind(Request{To: "aaaaaaaaaaaa", Files: []string{"f"}}); err != nil || !strings.Contains(w.files(), "f=2") || len(r.Logs) > 0 {
		t.Errorf("a file of a committed one: %+v, %v: %s", r, err, w.files())
	}
}

// TestNestedRepositories: a nested repository stays as it is, and is named.
func TestNestedRepositories(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	w.Git("init", "-q", "nested")
	w.Git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "x")
	r, err := w.rewind(Request{To: string(k)})
	if err != nil || len(r.Deleted) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "nested", ".git", "HEAD")); err != nil {
		t.Error(err)
	}
	if len(r.Left) != 1 || r.Left[0].Path != "nested" {
		t.Errorf("%+v", r.Left)
	}
}
