package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// newRepo is a repository with a commit.
func newRepo(t *testing.T) *gitexec.Repo {
	t.Helper()
	r := testrepo.New(t)
	r.Commit("First")
	return r.Repo
}

func discover(t *testing.T, dir string) *gitexec.Repo {
	t.Helper()
	repo, err := gitexec.Discover(t.Context(), dir, nil)
	testdir.Must(t, err)
	return repo
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	testdir.Must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), mode)))
}

func claude(repo *gitexec.Repo) Request {
	r := request(filepath.Dir(repo.Top), "/opt/entire-plumb")
	r.Agents, r.Named = []agent.Agent{agent.ClaudeCode}, true
	return r
}

func hasPrefix(lines []string, prefix string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
}

// TestEnableTwice: a second run changes nothing, and disable removes all.
func TestEnableTwice(t *testing.T) {
	repo := newRepo(t)
	before := testdir.Git(t, repo.Top, "status", "--porcelain", "--ignored")
	done, err := Enable(t.Context(), repo, claude(repo))
	for _, line := range []string{"installed the post-commit hook", "wrote .claude/settings.json", "wrote .entire/settings.json", "a push to a remote will take"} {
		if !hasPrefix(done, line) {
			t.Errorf("no %q in %q, %v", line, done, err)
		}
	}
	if done, err := Enable(t.Context(), repo, claude(repo)); err != nil || len(done) > 0 {
		t.Errorf("again: %q, %v", done, err)
	}
	if fixed, err := Repair(t.Context(), repo, "/opt/entire-plumb"); err != nil || len(fixed) > 0 {
		t.Errorf("repaired: %q, %v", fixed, err)
	}
	testdir.Must(t, os.Remove(filepath.Join(repo.HooksDir, "post-commit")))
	if fixed, err := Repair(t.Context(), repo, "/opt/entire-plumb"); err != nil || !slices.Equal(fixed, []string{"installed the post-commit hook"}) {
		t.Errorf("repaired: %q, %v", fixed, err)
	}
	if done, err = Disable(t.Context(), repo); err != nil || !hasPrefix(done, "removed the post-commit hook") || !hasPrefix(done, "removed our hooks from") {
		t.Errorf("disabled: %q, %v", done, err)
	}
	if after := testdir.Git(t, repo.Top, "status", "--porcelain", "--ignored"); after != before {
		t.Errorf("left: %s", after)
	}
	if fixed, err := Repair(t.Context(), repo, "/opt/entire-plumb"); err != nil || len(fixed) > 0 {
		t.Errorf("repaired where it is disabled: %q, %v", fixed, err)
	}
}

// TestEnableChecksFirst: where something is in the way, nothing is changed.
func TestEnableChecksFirst(t *testing.T) {
	for name, prepare := range map[string]func(*gitexec.Repo, *Request){
		"a branch entire": func(repo *gitexec.Repo, _ *Request) { testdir.Git(t, repo.Top, "branch", "entire") },
		"settings that are no JSON": func(repo *gitexec.Repo, _ *Request) {
			write(t, filepath.Join(repo.Top, ".entire/settings.json"), "{", 0o644)
		},
		"an agent's that are none": func(repo *gitexec.Repo, _ *Request) {
			write(t, filepath.Join(repo.Top, ".claude/settings.json"), "{", 0o644)
		},
		"a manager's file that cannot be edited": func(repo *gitexec.Repo, r *Request) {
			r.Write = true
			write(t, filepath.Join(repo.Top, "lefthook.yml"), "commit-msg: {commands: {}}\n", 0o644)
		},
		"the entire CLI": func(repo *gitexec.Repo, _ *Request) {
			write(t, filepath.Join(repo.HooksDir, "post-commit"), "#!/bin/sh\n# Entire CLI hooks\nentire hooks git post-commit 2>/dev/null || true\n", 0o755)
		},
	} {
		repo := newRepo(t)
		r := claude(repo)
		prepare(repo, &r)
		repo = discover(t, repo.Top)
		status := testdir.Git(t, repo.Top, "status", "--porcelain", "-uall")
		done, err := Enable(t.Context(), repo, r)
		if err == nil || len(done) > 0 {
			t.Errorf("%s: %q, %v", name, done, err)
		}
		if name == "the entire CLI" && !errors.Is(err, githooks.ErrEntire) {
			t.Errorf("%s: %v", name, err)
		}
		if now := testdir.Git(t, repo.Top, "status", "--porcelain", "-uall"); now != status {
			t.Errorf("%s: changed: %s", name, now)
		}
	}
}

// TestTakeOver: the entire CLI's hooks are put aside, and disable gives them back.
func TestTakeOver(t *testing.T) {
	repo := newRepo(t)
	hook, text := filepath.Join(repo.HooksDir, "post-commit"), "#!/bin/sh\n# Entire CLI hooks\nentire hooks git post-commit 2>/dev/null || true\n"
	write(t, hook, text, 0o755)
	r := claude(repo)
	r.TakeOver = true
	if done, err := Enable(t.Context(), repo, r); err != nil || !hasPrefix(done, "put the entire CLI's hooks aside: post-commit") {
		t.Fatalf("%q, %v", done, err)
	}
	if got := testdir.Git(t, repo.Top, "config", "entire-plumb.enabled"); got != "true" {
		t.Errorf("entire-plumb.enabled is %q", got)
	}
	if done, err := Disable(t.Context(), repo); err != nil || !hasPrefix(done, "gave the entire CLI's post-commit hook its place back") {
		t.Errorf("%q, %v", done, err)
	}
	if data, err := os.ReadFile(hook); err != nil || string(data) != text {
		t.Errorf("%s, %v", data, err)
	}
}

// TestShareWith: enable begins with others' checkpoints.
func TestShareWith(t *testing.T) {
	repo := newRepo(t)
	testdir.Git(t, repo.Top, "remote", "add", "origin", "/srv/r.git")
	testdir.Git(t, repo.Top, "update-ref", "refs/remotes/origin/entire/checkpoints/v1", "HEAD")
	done, err := Enable(t.Context(), repo, claude(repo))
	for _, line := range []string{"created entire/checkpoints/v1 from origin", "checkpoints go with pushes to origin: origin is the only remote"} {
		if !hasPrefix(done, line) {
			t.Errorf("no %q in %q, %v", line, done, err)
		}
	}
}

// TestPurge: a preview says what would be deleted, and deletes nothing.
func TestPurge(t *testing.T) {
	repo := newRepo(t)
	testdir.Git(t, repo.Top, "update-ref", "refs/remotes/o/entire/checkpoints/v1", "HEAD")
	write(t, filepath.Join(repo.SharedDir(), "clone"), "x\n", 0o600)
	if err := settings.Switch(t.Context(), repo, true); err != nil { // as beside the entire CLI
		t.Fatal(err)
	}
	for _, preview := range []bool{true, false} {
		verb := map[bool]string{true: "would delete ", false: "deleted "}[preview]
		done, err := Purge(t.Context(), repo, preview)
		if err != nil || !slices.Contains(done, verb+repo.SharedDir()) || !hasPrefix(done, "refs/remotes/o/entire/checkpoints/v1 stays") {
			t.Errorf("%v: %q, %v", preview, done, err)
		}
		if _, err := os.Stat(repo.SharedDir()); (err == nil) != preview {
			t.Errorf("%v: %v", preview, err)
		}
		if on, err := settings.Switched(t.Context(), repo); on != preview || err != nil {
			t.Errorf("%v: %v, %v", preview, on, err)
		}
	}
}
