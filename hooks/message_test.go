package hooks

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceFileKeepsTheMode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || string(data) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v, %v", data, info, err, err2)
	}
	if err := replaceFile(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a file below a file was replaced")
	}
}

// What is pending is read back; what cannot be read is nothing.
func TestPending(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "entire-plumb")
	if p := readPending(dir); p.ID != "" {
		t.Errorf("of nothing: %+v", p)
	}
	if err := writePending(dir, pending{ID: "0123456789ab", Head: "abc", Sessions: []string{"s1"}, Agents: []string{"s1"}}); err != nil {
		t.Fatal(err)
	}
	if p := readPending(dir); p.ID != "0123456789ab" || p.Head != "abc" || len(p.Sessions) != 1 || len(p.Agents) != 1 {
		t.Errorf("read back: %+v", p)
	}
	for _, text := range []string{"", "{", "[]", `{"id": 5}`} {
		if err := os.WriteFile(pendingFile(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := readPending(dir); p.ID != "" || p.Sessions != nil {
			t.Errorf("of %q: %+v", text, p)
		}
	}
	removePending(dir)
	if _, err := os.Stat(pendingFile(dir)); err == nil {
		t.Error("it is still there")
	}
}
