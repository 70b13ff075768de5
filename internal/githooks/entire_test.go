package githooks

import (
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What version 0.4 of the entire CLI writes.
const (
	theirPrepare = "#!/bin/sh\n# Entire CLI hooks\nentire hooks git prepare-commit-msg \"$1\" \"$2\" 2>/dev/null || true\n"
	theirPush    = "#!/bin/sh\n# Entire CLI hooks\n# Pre-push hook: push session logs\nentire hooks git pre-push \"$1\" || true\n"
	theirChain   = "# Chain: run pre-existing hook\n_entire_hook_dir=\"$(dirname \"$0\")\"\n" +
		"if [ -x \"$_entire_hook_dir/pre-push.pre-entire\" ]; then\n    \"$_entire_hook_dir/pre-push.pre-entire\" \"$@\"\nfi\n"
)

func TestOfEntire(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{theirPrepare, true},
		{theirPush + theirChain, true},
		{strings.ReplaceAll(theirPrepare, "\n", "\r\n"), true},
		{strings.Replace(theirPrepare, "entire hooks", "/usr/local/bin/entire hooks", 1), false},
		{strings.Replace(theirPrepare, "entire hooks", `"./x/entire" hooks`, 1), false},
		{theirPrepare + "my-linter\n", false},
		{theirPrepare + "entire hooks git commit-msg \"$1\"; my-linter\n", false},
		{strings.Replace(theirPrepare, "entire hooks", "$(my-tool)entire hooks", 1), false},
		{strings.Replace(theirPrepare, "entire hooks", "entire-plumb hooks", 1), false},
		{strings.Replace(theirPrepare, entireMarker, "# mine", 1), false},
		{"#!/bin/sh\n", false},
		{"", false},
	} {
		if got := OfEntire(c.body); got != c.want {
			t.Errorf("OfEntire(%q) = %t", c.body, got)
		}
	}
}

// Whatever the entire CLI and we did before, in whichever order, TakeOver, Install and Remove give
// its hooks back as they were, without a stub of ours.
func TestTakeOverHooks(t *testing.T) {
	plain := func(t *testing.T, dir string) { put(t, filepath.Join(dir, "pre-push"), theirPush, 0o755) }
	chained := func(t *testing.T, dir string) {
		put(t, filepath.Join(dir, "pre-push"), theirPush+theirChain, 0o755)
		put(t, filepath.Join(dir, "pre-push.pre-entire"), "#!/bin/sh\nmine\n", 0o755)
	}
	for name, c := range map[string]struct {
		setup, want func(t *testing.T, dir string)
	}{
		"alone":          {plain, plain},
		"with a backup":  {chained, chained},
		"killed between": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "pre-push.by-entire"), theirPush, 0o755) }, plain},
		"on top of our stub": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "pre-push"), theirPush+theirChain, 0o755)
			put(t, filepath.Join(dir, "pre-push.pre-entire"), stub("pre-push", exe, false), 0o755)
		}, func(t *testing.T, dir string) { put(t, filepath.Join(dir, "pre-push"), theirPush+theirChain, 0o755) }},
		"below our stub": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "pre-push"), stub("pre-push", exe, true), 0o755)
			put(t, filepath.Join(dir, "pre-push.pre-entire"), theirPush, 0o755)
		}, plain},
		"once more": {func(t *testing.T, dir string) {
			chained(t, dir)
			put(t, filepath.Join(dir, "pre-push.by-entire"), theirPrepare, 0o755)
		}, chained},
	} {
		t.Run(name, func(t *testing.T) {
			dir, want := t.TempDir(), t.TempDir()
			c.setup(t, dir)
			c.want(t, want)
			if _, err := TakeOver(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Install(dir, exe); err != nil {
				t.Fatal(err)
			}
			hooks, err := State(dir, exe)
			testdir.Must(t, err)
			for _, h := range hooks {
				if h.State != Current && h.State != Chained {
					t.Errorf("%s is %s", h.Name, h.State)
				}
			}
			if _, err := Remove(dir); err != nil {
				t.Fatal(err)
			}
			if got, want := listing(t, dir), listing(t, want); got != want {
				t.Errorf("left:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "pre-push"), theirPush, 0o755)
	before := listing(t, dir)
	if _, err := Install(dir, exe); err == nil || listing(t, dir) != before {
		t.Errorf("Install beside theirs: %v, %s", err, listing(t, dir))
	}
	put(t, filepath.Join(dir, "pre-push"), theirPush+theirChain, 0o755)
	put(t, filepath.Join(dir, "pre-push.pre-entire"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n", 0o755)
	before = listing(t, dir)
	if _, err := TakeOver(dir); err == nil || listing(t, dir) != before {
		t.Errorf("TakeOver of husky's behind it: %v, %s", err, listing(t, dir))
	}
}
