package setup

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/share"
	"entire-plumb/shadow"
)

// TestDescribeStub: a line for each change of a hook.
func TestDescribeStub(t *testing.T) {
	const path = "/r/.git/hooks/post-commit"
	for name, c := range map[string]struct {
		change githooks.Change
		want   string
	}{
		"installed":                 {githooks.Change{Action: githooks.Installed}, "installed the post-commit hook"},
		"as pre-commit runs it":     {githooks.Change{Action: githooks.Installed, Path: path + ".legacy"}, "installed the post-commit hook, as post-commit.legacy, which pre-commit runs"},
		"the existing one kept":     {githooks.Change{Action: githooks.KeptAside, Kept: path + ".kept"}, "chained the post-commit hook, which still runs the existing one, now post-commit.kept"},
		"updated, one kept":         {githooks.Change{Action: githooks.Updated, Kept: path + ".kept"}, "updated the post-commit hook"},
		"given back":                {githooks.Change{Action: githooks.GivenBack}, "gave the entire CLI's post-commit hook its place back"},
		"left, edited":              {githooks.Change{Action: githooks.Left, Before: githooks.Edited}, "left the post-commit hook alone: it is edited (" + path + ")"},
		"left, another's":           {githooks.Change{Action: githooks.Left, Path: path, Before: githooks.Foreign}, "left the post-commit hook alone: it is not entire-plumb's (" + path + ")"},
		"left, by hand":             {githooks.Change{Action: githooks.Left, Line: "call"}, "left the post-commit hook alone: " + path + " calls entire-plumb by itself, in the line\n  call"},
		"left, by a manager's file": {githooks.Change{Action: githooks.Left, Line: "call", File: "/r/.husky/x"}, "left the post-commit hook alone: /r/.husky/x calls entire-plumb by itself, in the line\n  call"},
		"left elsewhere":            {githooks.Change{Action: githooks.Left, Path: path + ".old", Before: githooks.Edited}, "left the post-commit hook alone: it is edited (" + path + ".old)"},
		"a copy dropped":            {githooks.Change{Action: githooks.Dropped, Path: path + ".2"}, "removed post-commit.2, a copy of our hook"},
		"a copy in a directory":     {githooks.Change{Action: githooks.Dropped, Path: "/r/kept/post-commit"}, "removed kept/post-commit, a copy of our hook"},
		"others'":                   {githooks.Change{Action: githooks.Others, Path: "/o/hooks"}, "left the hooks in /o/hooks alone: they are another repository's"},
		"needed": {githooks.Change{Action: githooks.Needed, File: "/r/run"},
			"left post-commit, a stub of ours that does nothing now: run runs it, or may"},
	} {
		if c.change.Name = "post-commit"; c.change.Path == "" {
			c.change.Path = path
		}
		if got := describeStub(c.change); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	lines := describeStubs([]githooks.Change{{Name: "a", Path: "a", Action: githooks.Installed}, {Name: "b", Path: "b", Action: githooks.Unchanged}}, githooks.Unchanged)
	if !slices.Equal(lines, []string{"installed the a hook"}) {
		t.Errorf("%q", lines)
	}
}

// TestWantedLines: what the user adds to the files of each hook manager, and only where a line is
// wanted.
func TestWantedLines(t *testing.T) {
	repo := &gitexec.Repo{Top: "/r"}
	wanted := func(manager string, action githooks.Action) githooks.Change {
		return githooks.Change{Name: "commit-msg", Action: action, Manager: manager, File: "/r/file", Line: "it's"}
	}
	t.Setenv("PATH", "")
	for name, c := range map[string]struct {
		change githooks.Change
		want   []string // the beginnings
	}{
		"none":       {wanted(githooks.Husky, githooks.Installed), nil},
		"overcommit": {wanted(githooks.Overcommit, githooks.Wanted), []string{"overcommit runs git's hooks", "CommitMsg:\n  EntirePlumb:", "hint: overcommit --sign"}},
		"its own":    {wanted("", githooks.Wanted), []string{"the commit-msg hook reads its own name"}},
		"husky":      {wanted(githooks.Husky, githooks.Wanted), []string{"husky runs git's hooks", "the lines search for entire-plumb on PATH"}},
	} {
		got := wantedLines(repo, []githooks.Change{c.change})
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q", name, got)
		}
		if name == "husky" && !strings.HasSuffix(got[0], "\n  printf '\\n%s\\n' 'it'\\''s' >>'/r/file'") {
			t.Errorf("%q", got[0])
		}
	}
}

// TestGoesTo: where the checkpoints go.
func TestGoesTo(t *testing.T) {
	elected := share.Election{Elected: "o", Ground: share.ByOnly}
	for name, c := range map[string]struct {
		target share.Target
		pushes bool
		want   string // the beginning; empty: nothing is said
	}{
		"nowhere, and not asked for":        {share.Target{Why: "x", Asks: true}, true, "checkpoints go to no remote: x"},
		"nowhere yet":                       {share.Target{Why: "there is no remote"}, true, "a push to a remote will take"},
		"nowhere, as asked for":             {share.Target{Why: "x"}, false, ""},
		"a repository of their own":         {share.Target{Election: elected, Remote: "https://h/c", Own: true}, true, "checkpoints go to https://h/c with pushes to o: o is the only remote\nhint: git config"},
		"one of their own, but not allowed": {share.Target{Election: elected, Own: true, Why: "x"}, true, ""},
		"the remote":                        {share.Target{Election: elected}, true, "checkpoints go with pushes to o: o is the only remote\nhint: git config"},
		"the remote, but not allowed":       {share.Target{Election: elected, Asks: true, Why: "x"}, true, ""},
	} {
		got := strings.Join(goesTo(c.target, c.pushes), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestFirstFrom: the branch begins with that of the elected remote, or of the only one.
func TestFirstFrom(t *testing.T) {
	ref := func(remote, kind string) gitexec.Ref {
		return gitexec.Ref{Name: "refs/remotes/" + remote + "/entire/checkpoints/v1", Type: kind, ID: gitexec.OID(remote)}
	}
	for name, c := range map[string]struct {
		refs    []gitexec.Ref
		elected string
		want    string
	}{
		"none":                     {nil, "a", ""},
		"the elected one":          {[]gitexec.Ref{ref("b", "commit"), ref("a", "commit")}, "a", "a"},
		"the only one":             {[]gitexec.Ref{ref("a/b", "commit")}, "c", "a/b"},
		"two, and none is elected": {[]gitexec.Ref{ref("a", "commit"), ref("b", "commit")}, "c", ""},
		"no commit":                {[]gitexec.Ref{ref("a", "tag")}, "a", ""},
		"the branch exists":        {[]gitexec.Ref{{Name: shadow.Checkpoints, Type: "commit"}, ref("a", "commit")}, "a", ""},
		"of a clone of one branch": {[]gitexec.Ref{{Name: share.FetchedRef("a"), Type: "commit", ID: "a"}, {Name: share.FetchedRef("b"), Type: "commit"}}, "a", "a"},
		"another branch of ours":   {[]gitexec.Ref{{Name: "refs/heads/entire/x", Type: "commit"}, ref("a", "commit")}, "a", "a"},
	} {
		if got, remote := firstFrom(c.refs, c.elected); remote != c.want || got.ID != gitexec.OID(c.want) {
			t.Errorf("%s: %q, %+v", name, remote, got)
		}
	}
}

// TestSplitRefs: what was fetched is not deleted, and of the checkpoints' it is said.
func TestSplitRefs(t *testing.T) {
	here, elsewhere := splitRefs([]gitexec.Ref{{Name: shadow.Checkpoints}, {Name: "refs/remotes/o/main"},
		{Name: "refs/remotes/o/entire/checkpoints/v1"}, {Name: shadow.Private + "x"}})
	if len(here) != 2 || here[1].Name != shadow.Private+"x" || !slices.Equal(elsewhere, []string{"refs/remotes/o/entire/checkpoints/v1"}) {
		t.Errorf("%v %v", here, elsewhere)
	}
}

// TestCompared: a setting that saves little is not advised.
func TestCompared(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, c := range []struct {
		now, cached int
		hint        bool
	}{{100, 50, true}, {100, 79, true}, {100, 80, false}, {100, 120, false}, {10, 5, false}, {10, 4, true}} {
		got := compared(ms(c.now), ms(c.cached))
		if (got.Hint != "") != c.hint || !strings.HasPrefix(got.What, "git status: ") {
			t.Errorf("%d to %d ms: %+v", c.now, c.cached, got)
		}
	}
}

// TestInOrder: steps after one that fails are not taken, and what it did is listed.
func TestInOrder(t *testing.T) {
	failed := errors.New("failed")
	step := func(line string, err error) func() ([]string, error) {
		return func() ([]string, error) { return []string{line}, err }
	}
	if done, err := inOrder(step("a", nil), step("b", failed), step("c", nil)); err != failed || !slices.Equal(done, []string{"a", "b"}) {
		t.Errorf("%v, %v", done, err)
	}
	if done, err := inOrder(step("a", nil), step("b", nil)); err != nil || len(done) != 2 {
		t.Errorf("%v, %v", done, err)
	}
}

// TestSharedHooks: hooks that other repositories run, too, are outside of this one.
func TestSharedHooks(t *testing.T) {
	for hooks, want := range map[string]bool{
		"/r/.git/hooks": false, "/r/tools/hooks": false, "/g/worktrees/w/hooks": false, "/g/hooks": false,
		"/home/ada/hooks": true, "/r-other/hooks": true,
	} {
		repo := &gitexec.Repo{Top: "/r", GitDir: "/g/worktrees/w", CommonDir: "/g", HooksDir: hooks}
		if got := sharedHooks(repo); got != want {
			t.Errorf("%s: %v", hooks, got)
		}
	}
}

// TestCheckBranch: git can't create entire/… beside a branch entire.
func TestCheckBranch(t *testing.T) {
	if err := checkBranch([]gitexec.Ref{{Name: "refs/heads/entirely"}, {Name: shadow.Checkpoints}}); err != nil {
		t.Error(err)
	}
	if err := checkBranch([]gitexec.Ref{{Name: "refs/heads/entire"}}); !errors.Is(err, checkpoints.ErrBranchInTheWay) {
		t.Error(err)
	}
}
