package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is a clone before enable, with an agent's home.
type world struct {
	*testrepo.Repository
	home   string
	from   query.Source
	edits  gitexec.Edits
	stderr bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Repository: testrepo.New(t), home: t.TempDir(), edits: gitexec.Edits{}}
	w.from = query.Source{Env: workspace.Env{Dir: w.Dir, Stderr: &w.stderr, Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"HOME": w.home, "CLAUDE_CONFIG_DIR": filepath.Join(w.home, ".claude")}[name]
	}}, CatchUp: func(context.Context, workspace.Env, *gitexec.Repo) bool { return false }, Relink: func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false }}
	w.commit("First")
	return w
}

// commit commits a change, with links.
func (w *world) commit(subject string, links ...string) {
	w.Helper()
	message := subject + "\n"
	for _, link := range links {
		message += "\nEntire-Checkpoint: " + link
	}
	w.Commit(message, "f", subject)
}

// checkpoint writes a checkpoint of a session, made on a branch at a second.
func (w *world) checkpoint(id, session, branch string, when int64) {
	w.Helper()
	dir, made := checkpoints.Dir(id), time.Unix(when, 0).UTC().Format(time.RFC3339)
	for name, text := range map[string]string{
		"metadata.json": fmt.Sprintf(`{"checkpoint_id":%q,"branch":%q,"sessions":[{"metadata":"/%s/0/metadata.json"}]}`, id, branch, dir),
		"0/metadata.json": fmt.Sprintf(`{"checkpoint_id":%q,"session_id":%q,"branch":%q,"created_at":%q,"agent":"Claude Code"}`, id, session,
			branch, made),
		"0/prompt.txt": "Do " + id, "0/full.jsonl": `{"type":"user","uuid":"` + id + `","timestamp":"` + made + `"}`,
	} {
		w.edits[gitexec.Path(dir+"/"+name)] = w.Blob(text)
	}
	w.Git("update-ref", shadow.Checkpoints, w.Git("commit-tree", "-m", "x", string(w.EditTree("", w.edits))))
}

// resume returns the branch, and each session with its first prompt.
func (w *world) resume(q Request) (branch, sessions string, r Resumed, err error) {
	r, err = Resume(w.Context(), w.from, q)
	var all []string
	for _, s := range r.Sessions {
		all = append(all, s.SessionID+"="+strings.TrimPrefix(s.Prompt, "Do "))
	}
	return r.Branch, strings.Join(all, " "), r, err
}

// TestResume: a name leads to a branch and to the last conversation of each of its sessions.
func TestResume(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "topic", 10)
	w.checkpoint("bbbbbbbbbbbb", "s1", "topic", 20)
	w.checkpoint("cccccccccccc", "s2", "topic", 15)
	w.checkpoint("dddddddddddd", "s3", "main", 5)
	w.checkpoint("eeeeeeeeeeee", "s4", "deleted", 6)
	w.commit("On main", "dddddddddddd")
	w.Git("switch", "-qc", "topic")
	w.commit("One", "aaaaaaaaaaaa")
	w.commit("Two", "bbbbbbbbbbbb", "cccccccccccc")
	w.commit("Three", "ffffffffffff")
	topic := w.Git("rev-parse", "HEAD")
	w.Git("switch", "-q", "main")
	w.Git("branch", "same", "topic")
	for _, c := range []struct{ name, branch, sessions, missing string }{
		{"", "main", "s3=dddddddddddd", ""},
		{"main", "main", "s3=dddddddddddd", ""},
		{"topic", "topic", "s2=cccccccccccc s1=bbbbbbbbbbbb", "ffffffffffff"},
		{"aaaaaaaaaaaa", "topic", "s1=aaaaaaaaaaaa", ""},
		{"s2", "topic", "s2=cccccccccccc", ""},
		{"s1", "topic", "s1=bbbbbbbbbbbb", ""},
		{topic + "~1", "topic", "s2=cccccccccccc s1=bbbbbbbbbbbb", ""},
		{"dddddddddddd", "main", "s3=dddddddddddd", ""},
		{"deleted", "main", "s4=eeeeeeeeeeee", ""},
	} {
		branch, sessions, r, err := w.resume(Request{Name: c.name, Preview: true})
		if err != nil || branch != c.branch || sessions != c.sessions || strings.Join(r.Missing, " ") != c.missing || r.Done || r.Switched {
			t.Errorf("%q: on %s: %s, missing %q, %v", c.name, branch, sessions, r.Missing, err)
		}
	}
	if got := w.Git("branch", "--show-current"); got != "main" {
		t.Fatalf("a preview has switched to %s", got)
	}
	_, _, r, err := w.resume(Request{Name: "topic"})
	if err != nil || !r.Done || !r.Switched || r.From != "main" || w.Git("branch", "--show-current") != "topic" {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, s := range r.Sessions {
		if text, err := os.ReadFile(s.File); err != nil || !strings.Contains(string(text), `"type":"user"`) {
			t.Errorf("%s: %s, %v", s.File, text, err)
		}
	}
	if _, _, r, err := w.resume(Request{}); err != nil || r.Switched || r.From != "" {
		t.Errorf("a second time: %+v, %v", r, err)
	}
	w.Git("checkout", "-q", "--detach")
	if _, _, r, err := w.resume(Request{Name: "main"}); err != nil || r.From != "HEAD" {
		t.Errorf("from a detached HEAD: %+v, %v", r, err)
	}
}

// TestResumeNothing: what has no conversation is an error, and nothing is switched.
func TestResumeNothing(t *testing.T) {
	w := newWorld(t)
	if _, _, _, err := w.resume(Request{}); !errors.As(err, new(*NothingError)) || !strings.Contains(err.Error(), "there are no checkpoints here") {
		t.Errorf("nothing is recorded: %v", err)
	}
	w.checkpoint("aaaaaaaaaaaa", "s1", "", 10)
	w.Git("branch", "plain")
	w.Git("switch", "-qc", "linked")
	w.commit("Linked", "bbbbbbbbbbbb")
	w.Git("switch", "-q", "main")
	for name, want := range map[string]string{"plain": "no commit of plain links a checkpoint", "linked": "the checkpoints of linked are not here: bbbbbbbbbbbb",
		"unknown": `"unknown" is not a branch, commit`, "entire/checkpoints/v1": "no commit of entire/checkpoints/v1 links"} {
		if _, _, r, err := w.resume(Request{Name: name}); err == nil || !strings.HasPrefix(err.Error(), want) || r.Switched || w.Git("branch", "--show-current") != "main" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, _, r, err := w.resume(Request{Name: "aaaaaaaaaaaa"}); err != nil || r.Branch != "main" || !strings.HasPrefix(r.Hint, "no commit on a branch or a tag") {
		t.Errorf("no commit links it: %+v, %v", r, err)
	}
}

// TestResumeRefused: if git refuses to switch, nothing is restored.
func TestResumeRefused(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "topic", 10)
	w.Git("switch", "-qc", "topic")
	w.commit("Linked", "aaaaaaaaaaaa")
	w.Git("switch", "-q", "main")
	w.Must(os.WriteFile(filepath.Join(w.Dir, "f"), []byte("mine"), 0o600))
	for _, preview := range []bool{true, false} {
		_, sessions, r, err := w.resume(Request{Name: "topic", Preview: preview})
		if err == nil || !strings.Contains(err.Error(), "git does not switch to topic") || sessions != "" || r.Done || w.Git("branch", "--show-current") != "main" {
			t.Errorf("preview %v: %+v, %v", preview, r, err)
		}
	}
}

// TestHistory: work that is in the default branch already is what was made on the branch; of any
// other history, it is what the last linked commit has.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "topic", 10)
	w.checkpoint("bbbbbbbbbbbb", "s2", "main", 20)
	w.Git("switch", "-qc", "topic")
	w.commit("One", "aaaaaaaaaaaa")
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--ff-only", "topic")
	w.commit("Two", "bbbbbbbbbbbb")
	w.Git("branch", "fresh")
	for name, want := range map[string]string{"topic": "aaaaaaaaaaaa", "main": "bbbbbbbbbbbb", "fresh": "bbbbbbbbbbbb"} {
		if _, _, r, err := w.resume(Request{Name: name, Preview: true}); err != nil || !slices.Equal(r.Checkpoints, []string{want}) {
			t.Errorf("%s: %q, %v", name, r.Checkpoints, err)
		}
	}
}
