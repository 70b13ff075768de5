package commits

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
)

func TestReplaceFileKeepsTheMode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := safefile.Rewrite(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || string(data) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v, %v", data, info, err, err2)
	}
	if err := safefile.Rewrite(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a file below a file was replaced")
	}
}

// What is pending is read in its order; an unreadable file is empty.
func TestPending(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "entire-plumb")
	if queue := ReadPending(dir); queue != nil || Current(queue).ID != "" {
		t.Errorf("of nothing: %+v", queue)
	}
	repo := &gitexec.Repo{GitDir: filepath.Dir(dir), CommonDir: filepath.Dir(dir), Head: gitexec.Head{ID: "a"}}
	run := (&workspace.Workspace{Env: workspace.Env{Now: time.Now}, Repo: repo}).Run()
	add := func(pending PendingLink) {
		t.Helper()
		if err := addPending(t.Context(), run.Repo, run.Head, pending); err != nil {
			t.Fatal(err)
		}
	}
	add(PendingLink{ID: "000000000001", Head: "a"})
	add(PendingLink{ID: "000000000002", Head: "a", Sessions: []string{"s1"}, Agents: []string{"s1"}}) // the first was given up
	queue := ReadPending(dir)
	if len(queue) != 1 || queue[0].ID != "000000000002" || queue[0].Head != "a" || len(queue[0].Sessions) != 1 || len(queue[0].Agents) != 1 {
		t.Errorf("read back: %+v", queue)
	}
	reason := errors.New("no room")
	if err := postpone(t.Context(), run, queue[0], "b", reason); err != reason {
		t.Error(err)
	}
	if late := ReadPending(dir); len(late) != 1 || !late[0].Late || late[0].Commit != "b" || Current(late).ID != "" {
		t.Errorf("postponed: %+v", late)
	}
	run.Head.ID = "b"
	add(PendingLink{ID: "000000000003", Head: "b"})
	if queue = ReadPending(dir); len(queue) != 2 || Current(queue).ID != "000000000003" {
		t.Errorf("two: %+v", queue)
	}
	if err := errors.Join(dropCurrent(t.Context(), run.Repo, run.Head), removePending(t.Context(), run.Repo, queue[0])); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(pendingFile(dir)); err == nil {
		t.Error("it is still there")
	}
	add(PendingLink{ID: "000000000004", Head: "b"})
	run.Head.ID = "c" // its commit may have been made
	add(PendingLink{ID: "000000000005", Head: "c"})
	if queue = ReadPending(dir); len(queue) != 2 || queue[0].ID != "000000000004" || !queue[0].Late {
		t.Errorf("made, perhaps: %+v", queue)
	}
	for text, want := range map[string]int{
		"": 0, "{": 0, "[]": 0, `{"id": 5}`: 0, `[{"head": "a"}]`: 0, `{"id": "000000000001", "head": "a"}`: 1,
	} {
		if err := os.WriteFile(pendingFile(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if queue := ReadPending(dir); len(queue) != want {
			t.Errorf("of %q: %+v", text, queue)
		}
	}
}
