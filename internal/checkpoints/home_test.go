package checkpoints

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestBelowHome(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	testdir.Must(t, os.Mkdir(real, 0o700))
	testdir.Must(t, os.Symlink(real, link))
	for _, c := range []struct{ home, file, want string }{
		{"/home/ada", "/home/ada/.claude/projects/p/s.jsonl", ".claude/projects/p/s.jsonl"},
		{"/home/ada/", "/home/ada/s.jsonl", "s.jsonl"},
		{"/home/ada", "/home/adam/s.jsonl", ""},
		{"/home/ada", "/home/ada/../bob/s.jsonl", ""},
		{"/home/ada", "/tmp/s.jsonl", ""},
		{"/home/ada", "/home/ada", ""},
		{"/home/ada", "s.jsonl", ""},
		{"/home/ada", "", ""},
		{"", "/home/ada/s.jsonl", ""},
		{".", "/home/ada/s.jsonl", ""},
		{link, filepath.Join(real, "s.jsonl"), "s.jsonl"},
		{link, filepath.Join(link, "s.jsonl"), "s.jsonl"},
	} {
		if got := belowHome(c.home, c.file); got != c.want {
			t.Errorf("belowHome(%q, %q) = %q, want %q", c.home, c.file, got, c.want)
		}
	}
}
