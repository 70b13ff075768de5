package githooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"entire-plumb/internal/testdir"
)

func enabledDir(t *testing.T) (shared, dir string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	shared, dir = filepath.Join(top, ".git", "entire-plumb"), filepath.Join(top, ".git", "hooks")
	if _, err := Enable(context.Background(), shared, dir, exe); err != nil {
		t.Fatal(err)
	}
	return shared, dir
}

func mustRestore(t *testing.T, shared, dir string) Repair {
	t.Helper()
	done, err := Restore(context.Background(), shared, dir, filepath.Dir(filepath.Dir(dir)))
	testdir.Must(t, err)
	return done
}

// Events at once put a hook back once, and lose nothing of the one that took its place.
func TestRestoreAtOnce(t *testing.T) {
	const own = "#!/bin/sh\nexit 0\n"
	for range 20 {
		shared, dir := enabledDir(t)
		put(t, filepath.Join(dir, "post-commit"), own, 0o755)
		os.Remove(filepath.Join(dir, "pre-push"))
		var group sync.WaitGroup
		var mu sync.Mutex
		var hooks []string
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				done, err := Restore(context.Background(), shared, dir, filepath.Dir(filepath.Dir(dir)))
				mu.Lock()
				defer mu.Unlock()
				if hooks = append(hooks, done.Hooks...); err != nil {
					t.Error(err)
				}
			}()
		}
		group.Wait()
		equal(t, "put back", strings.Join(hooks, " "), "post-commit pre-push")
		equal(t, "the chain", chain(t, dir, "post-commit"), " ours mine")
		if kept, err := os.ReadFile(filepath.Join(dir, "post-commit"+keptSuffix)); err != nil || string(kept) != own {
			t.Errorf("%q, %v", kept, err)
		}
	}
}

// What a kill between two renames left is chained again: the hook behind ours stands alone.
func TestRestoreAfterKill(t *testing.T) {
	shared, dir := enabledDir(t)
	put(t, filepath.Join(dir, "commit-msg"+keptSuffix), "#!/bin/sh\n", 0o755)
	os.Remove(filepath.Join(dir, "commit-msg"))
	equal(t, "put back", strings.Join(mustRestore(t, shared, dir).Hooks, " "), "commit-msg")
	equal(t, "the chain", chain(t, dir, "commit-msg"), " ours mine")
}

// Without a record, in another directory, and through a link that enable has not seen, nothing is
// written.
func TestRestoreOnlyWhereEnabled(t *testing.T) {
	shared, dir := enabledDir(t)
	other := filepath.Join(filepath.Dir(dir), "other")
	testdir.Must(t, os.Mkdir(other, 0o755))
	done := mustRestore(t, shared, other)
	equal(t, "elsewhere", fmt.Sprint(done.Elsewhere), "true")
	equal(t, "its files", listing(t, other), "")
	equal(t, "elsewhere again", fmt.Sprint(mustRestore(t, shared, other).Elsewhere), "false")

	testdir.Must(t, os.RemoveAll(dir))
	testdir.Must(t, os.Symlink(other, dir))
	mustRestore(t, shared, dir)
	equal(t, "files by a link", listing(t, other), "")
	os.Remove(dir)
	testdir.Must(t, os.Symlink(filepath.Join(other, "missing"), dir))
	mustRestore(t, shared, dir)
	equal(t, "files by a dangling link", listing(t, other), "")

	os.Remove(dir)
	if _, err := Disable(context.Background(), shared, dir); err != nil {
		t.Fatal(err)
	}
	if done := mustRestore(t, shared, dir); len(done.Hooks) > 0 || exists(dir) {
		t.Errorf("put back after disable: %v", done)
	}
}

// A record that is no record of ours puts nothing back, and enable replaces it.
func TestDamagedRecord(t *testing.T) {
	for _, text := range []string{"", "null", "{", `{"exe": "relative"}`, `{"exe": 1}`, strings.Repeat("x", mostRecord+1)} {
		shared, dir := enabledDir(t)
		file := filepath.Join(shared, recordFile)
		put(t, file, text, 0o600)
		os.Remove(filepath.Join(dir, "pre-push"))
		if done, _ := Restore(context.Background(), shared, dir, filepath.Dir(filepath.Dir(dir))); len(done.Hooks) > 0 {
			t.Errorf("%.20q: put back %v", text, done)
		}
		if _, err := Enable(context.Background(), shared, dir, exe); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
		os.Remove(filepath.Join(dir, "pre-push"))
		equal(t, text[:min(len(text), 20)], strings.Join(mustRestore(t, shared, dir).Hooks, " "), "pre-push")
	}
}

func BenchmarkRestoreNothing(b *testing.B) {
	top := b.TempDir()
	shared, dir := filepath.Join(top, "entire-plumb"), filepath.Join(top, "hooks")
	if _, err := Enable(context.Background(), shared, dir, exe); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Restore(context.Background(), shared, dir, filepath.Dir(filepath.Dir(dir))); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSilent: which hooks don't run this program is said where Enable has installed some, and
// nowhere where the entire CLI's stand; there what is recorded is not ours.
func TestSilent(t *testing.T) {
	const entires = "#!/bin/sh\n# Entire CLI hooks\nentire hooks git post-commit 2>/dev/null || true\n"
	other := t.TempDir()
	for fact, c := range map[string]struct {
		change func(shared, dir string) (now string)
		want   string // the beginning
		ours   bool
	}{
		"as installed":        {func(_, dir string) string { return dir }, "", true},
		"one deleted":         {func(_, dir string) string { os.Remove(filepath.Join(dir, "post-commit")); return dir }, "some of git's hooks don't call entire-plumb: post-commit", true},
		"another directory":   {func(string, string) string { return other }, "git takes its hooks from " + other + " (core.hooksPath), and none", true},
		"never enabled":       {func(shared, _ string) string { os.Remove(filepath.Join(shared, recordFile)); return other }, "", false},
		"the entire CLI's":    {func(_, dir string) string { put(t, filepath.Join(dir, "post-commit"), entires, 0o755); return dir }, "", true},
		"theirs, elsewhere":   {func(_, dir string) string { put(t, filepath.Join(dir, "post-commit"), entires, 0o755); return other }, "", false},
		"no directory at all": {func(string, string) string { return os.DevNull }, "git takes its hooks from " + os.DevNull, true},
	} {
		shared, dir := enabledDir(t)
		now := c.change(shared, dir)
		if got := Silent(shared, now).Problem(now); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", fact, got)
		}
		if got := Ours(shared, now); got != c.ours {
			t.Errorf("%s: ours %v", fact, got)
		}
	}
}
