package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What is no JSON of that type, too large or a symbolic link is an error, and nothing of it is
// returned.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if _, err := ReadPrivate[int](file, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := errors.Join(WritePrivate(file, []string{"a", "b"}), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadPrivate[[]string](file, 100); err != nil || len(got) != 2 || got[1] != "b" {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for what, read := range map[string]func() ([]string, error){
		"a large file":    func() ([]string, error) { return ReadPrivate[[]string](file, 3) },
		"a symbolic link": func() ([]string, error) { return ReadPrivate[[]string](link, 100) },
		"another type": func() ([]string, error) {
			if err := os.WriteFile(file, []byte(`["a", 1]`), 0o600); err != nil {
				return nil, nil
			}
			return ReadPrivate[[]string](file, 100)
		},
	} {
		if got, err := read(); err == nil || got != nil {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	if err := WritePrivate(file, make(chan int)); err == nil {
		t.Error("what is no JSON was written")
	}
}
