package rewind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// TestLastOf: the last checkpoint on a stream comes before the last committed one.
func TestLastOf(t *testing.T) {
	if got := lastOfTurn(&query.Turn{OnStreams: []gitexec.OID{"1", "2"}, Checkpoints: []string{"k"}}); got.Commit != "2" || got.Checkpoint != "" {
		t.Errorf("%+v", got)
	}
	if got := lastOfTurn(&query.Turn{Checkpoints: []string{"k", "l"}}); got.Commit != "" || got.Checkpoint != "l" {
		t.Errorf("%+v", got)
	}
	if got, err := lastOfSession("s", []query.Shown{{Checkpoint: "k"}, {Stream: "1"}}); err != nil || got.Commit != "1" || got.Checkpoint != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := lastOfSession("s", []query.Shown{{Stream: "1"}, {Checkpoint: "k"}}); err != nil || got.Commit != "" || got.Checkpoint != "k" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := lastOfSession("s", nil); err == nil || !strings.Contains(err.Error(), "session s has no checkpoint") {
		t.Error(err)
	}
}

func TestNotHere(t *testing.T) {
	for day, want := range map[string]string{"": "checkpoint k is not here\nhint: if it was pushed, entire-plumb fetch", "2026-01-02": "checkpoint k was purged on 2026-01-02"} {
		if got := notHere("k", day).Error(); got != want {
			t.Errorf("%q: %s", day, got)
		}
	}
}

// TestRewind: files of a checkpoint are restored and newer ones deleted, ignored ones stay; an undo
// restores what was there, and so does the undo of that.
func TestRewind(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n", "new", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	w.Write("f", "3\n", "newer", "3\n", "ignored", "x\n")
	w.Must(os.Remove(filepath.Join(w.Dir, "new")))
	const now, then = "dir/g=1 f=3 ignored=x newer=3", "dir/g=1 f=2 ignored=x new=2"
	for _, step := range []struct {
		q    Request
		want string
	}{
		{Request{To: string(k), Preview: true}, now},
		{Request{To: string(k)}, then},
		{Request{Undo: true, Preview: true}, then},
		{Request{Undo: true}, now},
		{Request{Undo: true}, then},
		{Request{Undo: true}, now},
		{Request{To: "s1"}, then},
		{Request{Undo: true}, now},
		{Request{To: "aaaaaaaa"}, then},
		{Request{Undo: true}, now},
		{Request{Last: true}, then},
	} {
		r, err := w.rewind(step.q)
		if got := w.files(); err != nil || got != step.want || r.Done == step.q.Preview {
			t.Fatalf("%+v: %s, %+v, %v", step.q, got, r, err)
		}
	}
}

// TestRewindDiff: a preview may have the diff, from what is there to what would be.
func TestRewindDiff(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	w.Write("f", "3\n")
	r, err := w.rewind(Request{To: string(k), Preview: true, Diff: 1000})
	if err != nil || !strings.Contains(string(r.Diff), "\n-3\n+2\n") {
		t.Errorf("%s, %v", r.Diff, err)
	}
	if r, err = w.rewind(Request{To: string(k), Preview: true}); err != nil || r.Diff != nil {
		t.Errorf("%s, %v", r.Diff, err)
	}
}

// TestRewindPaths: with files, all others stay, and an undo restores these alone.
func TestRewindPaths(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n", "dir/g", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	w.Write("f", "3\n", "dir/g", "3\n")
	if r, err := w.rewind(Request{To: string(k), Files: []string{"dir"}}); err != nil || len(r.Restored) != 1 || w.files() != "dir/g=2 f=3" {
		t.Fatalf("%+v, %v: %s", r, err, w.files())
	}
	w.Write("f", "4\n")
	if _, err := w.rewind(Request{Undo: true}); err != nil || w.files() != "dir/g=3 f=4" {
		t.Errorf("%v: %s", err, w.files())
	}
	if _, err := w.rewind(Request{To: string(k), Files: []string{"none"}}); !errors.Is(err, ErrNoSuchFile) {
		t.Errorf("a file that is nowhere: %v", err)
	}
	if _, err := w.rewind(Request{To: string(k), Files: []string{"../f"}}); !errors.Is(err, ErrNoSuchFile) {
		t.Errorf("a file outside: %v", err)
	}
}

// TestRewindRefuses: what would lose work is refused, and changes nothing.
func TestRewindRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(w *world)
		q       Request
		want    error
	}{
		"another base": {func(w *world) { w.Git("commit", "-qam", "Second") }, Request{To: "s1"}, ErrOtherBase},
		"an ignored file in the place of a new one": {func(w *world) {
			w.Write(".gitignore", "new\n")
		}, Request{To: "s1"}, ErrOverwrite},
		"an ignored file in the place of a directory": {func(w *world) {
			w.Must(os.RemoveAll(filepath.Join(w.Dir, "dir")))
			w.Write(".gitignore", "dir\n", "dir", "file\n")
		}, Request{To: "s1"}, ErrOverwrite},
		"nothing to undo": {func(*world) {}, Request{Undo: true}, ErrNotNow},
		"a conflict": {func(w *world) {
			blob := w.Git("hash-object", "-w", "f")
			file := filepath.Join(w.Dir, ".git", "info", "stages")
			w.Write(".git/info/stages", "0 "+strings.Repeat("0", 40)+"\tf\n100644 "+blob+" 1\tf\n100644 "+blob+" 2\tf\n100644 "+blob+" 3\tf\n")
			w.Git("config", "alias.stages", "!git update-index --index-info <"+file)
			w.Git("stages")
		}, Request{To: "s1"}, ErrNotNow},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Write("f", "2\n", "new", "2\n")
			w.record(1, "aaaaaaaaaaaa")
			w.Write("f", "3\n")
			c.prepare(w)
			before := w.files()
			if r, err := w.rewind(c.q); !errors.Is(err, c.want) || r.Done || w.files() != before && name != "a conflict" {
				t.Errorf("%+v, %v: %s", r, err, w.files())
			}
		})
	}
	w := newWorld(t)
	w.Write("f", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	w.Git("commit", "-qam", "Second")
	w.Write("f", "3\n")
	if _, err := w.rewind(Request{To: string(k), Force: true}); err != nil || w.files() != "dir/g=1 f=2" {
		t.Errorf("forced: %v: %s", err, w.files())
	}
	if _, err := w.rewind(Request{To: "HEAD"}); err == nil || !strings.Contains(err.Error(), "is not a checkpoint and links none") {
		t.Errorf("to a plain commit: %v", err)
	}
}

// TestEmptyRewinds: a rewind that changes nothing is saved where an undo would undo another one.
func TestEmptyRewinds(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	k := string(w.record(1, "aaaaaaaaaaaa"))
	if r, err := w.rewind(Request{To: k}); err != nil || !r.Done || r.Saved != "" {
		t.Errorf("there is no other to undo: %+v, %v", r, err)
	}
	w.Write("f", "3\n")
	if r, err := w.rewind(Request{To: k}); err != nil || !r.Done || r.Saved == "" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.rewind(Request{To: k}); err != nil || !r.Done || r.Saved != "" {
		t.Errorf("a second time: %+v, %v", r, err)
	}
	if only, err := w.rewind(Request{To: k, Files: []string{"f"}}); err != nil || !only.Done || only.Saved == "" {
		t.Errorf("of a file: %+v, %v", only, err)
	}
}

// TestEarlier: a rewind names the worktree that was saved before the previous one, which an undo
// does not reach.
func TestEarlier(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	one := string(w.record(1, "aaaaaaaaaaaa"))
	w.Write("f", "3\n")
	two := string(w.record(2, "bbbbbbbbbbbb"))
	w.Write("f", "4\n")
	first, err := w.rewind(Request{To: one})
	w.Must(err)
	second, err := w.rewind(Request{To: two})
	w.Must(err)
	if first.Earlier != "" || second.Earlier != first.Saved {
		t.Errorf("%s, %s, saved %s", first.Earlier, second.Earlier, first.Saved)
	}
	if _, err := w.rewind(Request{To: string(second.Earlier)}); err != nil || w.files() != "dir/g=1 f=4" {
		t.Errorf("to what was saved: %v: %s", err, w.files())
	}
}

// TestSavedCommit: the paths and the branch that was moved are read from the commit that saved the worktree.
func TestSavedCommit(t *testing.T) {
	p := &run{opened: &workspace.Workspace{Repo: &gitexec.Repo{Branch: "refs/heads/topic"}}, Head: gitexec.Head{ID: "2"}}
	for _, c := range []struct {
		message string
		paths   string // "-": nil, "!": damaged
		moved   bool
	}{
		{"Subject\n", "-", false},
		{"Subject\n\nEntire-Paths: [\"a\",\"b\"]\n", "a b", false},
		{"Subject\n\nEntire-Paths: [\"\"]\n", "", false},
		{"Subject\n\nEntire-Paths: {\n", "!", false},
		{"Subject\n\nEntire-Moved: 2 refs/heads/topic\n", "-", true},
		{"Subject\n\nEntire-Moved: 1 refs/heads/topic\n", "-", false},
		{"Subject\n\nEntire-Moved: 2 refs/heads/other\n", "-", false},
	} {
		saved := gitexec.Commit{ID: "3", Message: []byte(c.message)}
		paths, err := pathsIn(saved)
		got := "-"
		if paths != nil {
			var all []string
			for _, path := range paths {
				all = append(all, string(path))
			}
			got = strings.Join(all, " ")
		}
		if err != nil {
			got = "!"
		}
		if got != c.paths || p.moved(saved) != c.moved {
			t.Errorf("%q: %s, moved %v", c.message, got, p.moved(saved))
		}
	}
	p.opened.Repo.Branch = ""
	if p.moved(gitexec.Commit{Message: []byte("Subject\n\nEntire-Moved: 2 \n")}) {
		t.Error("a detached HEAD was moved")
	}
}

// TestMessage: the commit that saves the worktree names the point, and the paths if there are any.
func TestMessage(t *testing.T) {
	p := &run{}
	plain, err := p.message(query.RewindPoint{ID: "k"})
	if err != nil || strings.Contains(plain, keyPaths) || plain != shadow.BeforeRewind("k", "-") {
		t.Errorf("%q, %v", plain, err)
	}
	p.paths = []gitexec.Path{"a"}
	if limited, err := p.message(query.RewindPoint{ID: "k", SessionID: "s"}); err != nil || limited != shadow.BeforeRewind("k", "s")+"Entire-Paths: [\"a\"]\n" {
		t.Errorf("%q, %v", limited, err)
	}
}

// TestActiveTurn: a session whose turn is in progress is named, before its files change.
func TestActiveTurn(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	k := w.record(1, "aaaaaaaaaaaa")
	ws, _, err := w.env.OpenToRead(t.Context(), w.Dir)
	w.Must(err)
	defer ws.DB.Close()
	for id, phase := range map[string]session.Phase{"active": session.Active, "idle": session.Idle} {
		w.Must(ws.Store.Save(&session.State{SessionID: id, Place: session.Place{Phase: phase, BaseCommit: ws.Repo.Head.ID, CheckpointCount: 1, WorktreePath: w.Dir}}))
	}
	if _, err := w.rewind(Request{To: string(k)}); err != nil || strings.Count(w.stderr.String(), "has an active turn") != 1 || !strings.Contains(w.stderr.String(), "session active ") {
		t.Errorf("%v: %s", err, w.stderr.String())
	}
}

// TestPoints: the checkpoint at which the files were as they are is marked.
func TestPoints(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "2\n")
	one := w.record(1, "aaaaaaaaaaaa")
	w.Write("f", "3\n")
	w.record(2, "bbbbbbbbbbbb")
	w.Write("f", "2\n")
	points, err := Points(t.Context(), w.source(), 10)
	if err != nil || len(points) != 2 {
		t.Fatalf("%+v, %v", points, err)
	}
	for _, k := range points {
		if k.Here != (k.ID == string(one)) {
			t.Errorf("%s is marked: %v", k.ID, k.Here)
		}
	}
}
