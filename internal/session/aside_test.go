package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestAside: what is changed in a copy of the store, sessions at rest too, is not changed in it.
func TestAside(t *testing.T) {
	root := t.TempDir()
	store := Store{Dir: filepath.Join(root, "entire-sessions")}
	testdir.Must(t, store.Save(&State{SessionID: "a", TurnID: "1", StartedAt: time.Unix(1, 0)}))
	rest := store.restDir()
	testdir.Must(t, os.MkdirAll(rest, 0o700))
	data, err := os.ReadFile(store.file("a"))
	testdir.Must(t, err)
	testdir.Must(t, os.WriteFile(filepath.Join(rest, "b.json"), data, 0o600))
	long := time.Now().Add(-time.Hour)
	testdir.Must(t, os.Chtimes(rest, long, long))
	aside, err := store.Aside(filepath.Join(root, "aside"))
	testdir.Must(t, err)
	if !aside.Rested(long.Add(-time.Second)) || aside.Rested(long.Add(time.Second)) {
		t.Error("the copy has another time of rest")
	}
	s, err := aside.Load("a")
	testdir.Must(t, err)
	s.TurnID = "2"
	testdir.Must(t, aside.Save(s))
	testdir.Must(t, aside.Delete("b"))
	if s, err := store.Load("a"); err != nil || s.TurnID != "1" || !store.Has("b") {
		t.Error(s, err)
	}
	if s, err := aside.Load("a"); err != nil || s.TurnID != "2" {
		t.Error(s, err)
	}
	none, err := Store{Dir: filepath.Join(root, "nowhere")}.Aside(filepath.Join(root, "other"))
	testdir.Must(t, err)
	if _, err := none.Load("a"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
