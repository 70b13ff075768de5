package gitexec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestWorktreeOf: a directory is another worktree only if the repository knows it, too.
func TestWorktreeOf(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		write(t, r.Top, "sub/file", "x")
		git(t, r.Top, "add", "-A")
		git(t, r.Top, "commit", "-qm", "x")
		inside, beside := filepath.Join(r.Top, ".claude/work trees/w\n1"), filepath.Join(filepath.Dir(r.Top), filepath.Base(r.Top)+"-beside")
		git(t, r.Top, "worktree", "add", "-q", "--detach", inside)
		git(t, r.Top, "worktree", "add", "-q", "--detach", beside)
		t.Cleanup(func() { os.RemoveAll(beside) })
		other := t.TempDir()
		git(t, other, "init", "-q")
		git(t, r.Top, "init", "-q", "nested")
		at := func(dir, link string) string {
			write(t, r.Top, dir+"/.git", link)
			return filepath.Join(r.Top, dir)
		}
		link := filepath.Join(t.TempDir(), "link")
		testdir.Must(t, os.Symlink(inside, link))
		for name, c := range map[string]struct{ dir, top, want string }{
			"itself":                       {r.Top, r.Top, r.Top},
			"a directory of it":            {r.Top + "/sub", r.Top, r.Top},
			"a project below the top":      {r.Top + "/sub", r.Top + "/sub", r.Top + "/sub"},
			"one inside":                   {inside, r.Top, inside},
			"a directory of one inside":    {inside + "/sub", r.Top + "/sub", inside},
			"one beside":                   {beside, r.Top, beside},
			"by a symlink":                 {link, r.Top, inside},
			"the main one of a linked one": {r.Top + "/sub", beside, r.Top},
			"one linked one of another":    {inside, beside, inside},
			"another repository":           {other, r.Top, r.Top},
			"a repository inside":          {r.Top + "/nested", r.Top, r.Top},
			"nothing":                      {r.Top + "/nowhere", r.Top, r.Top},
			"the root":                     {"/", r.Top, r.Top},
			"of no repository":             {inside, "/", "/"},
			"a link to the main one":       {at("a", "gitdir: ../.git\n"), r.Top, r.Top},
			"a link to another's":          {at("b", "gitdir: "+r.CommonDir+"/worktrees/"+filepath.Base(beside)+"\n"), r.Top, r.Top},
			"a link to nothing":            {at("c", "gitdir: nowhere\n"), r.Top, r.Top},
			"rubbish":                      {at("d", strings.Repeat("\x00", 9000)), r.Top, r.Top},
		} {
			if got := WorktreeOf(c.dir, c.top); got != c.want {
				t.Errorf("%s: WorktreeOf(%q, %q) = %q, want %q", name, c.dir, c.top, got, c.want)
			}
		}
	})
}

// TestCheckOwn: a variable that has git take one repository's worktree for another's is refused; one
// that names the worktree's own repository, or gives one to a directory without, is not.
func TestCheckOwn(t *testing.T) {
	r, other := repository(t, SHA1), repository(t, SHA1)
	at := func(top, common string) *Repo { return &Repo{Top: top, GitDir: common, CommonDir: common} }
	bare := t.TempDir()
	enabled := repository(t, SHA1)
	testdir.Must(t, os.Mkdir(enabled.SharedDir(), 0o755))
	for _, c := range []struct {
		name  string
		names string // the variable that is set
		r     *Repo
		ok    bool
	}{
		{"nothing is set", "", at(r.Top, other.CommonDir), true},
		{"its own repository", "GIT_DIR", r, true},
		{"another one", "GIT_DIR", at(r.Top, other.CommonDir), false},
		{"another one, as the worktree", "GIT_WORK_TREE", at(r.Top, other.CommonDir), false},
		{"a directory without a repository", "GIT_COMMON_DIR", at(bare, other.CommonDir), false},
		{"one that the user has enabled", "GIT_DIR", at(bare, enabled.CommonDir), true},
		{"enabled, but the worktree has its own", "GIT_DIR", at(r.Top, enabled.CommonDir), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.names != "" {
				t.Setenv(c.names, "x")
			}
			if err := c.r.CheckOwn(); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrOtherRepository) {
				t.Errorf("%v", err)
			}
		})
	}
}
