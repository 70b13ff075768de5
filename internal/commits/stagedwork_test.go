package commits

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
)

// TestWithStates: a state is there once, and the given list stays as it was.
func TestWithStates(t *testing.T) {
	a, b, c := active("a"), active("b"), active("c")
	states := append(make([]*session.State, 0, 4), a, b)
	for name, x := range map[string]struct {
		more []*session.State
		want string
	}{
		"none":          {nil, "a b"},
		"a new one":     {[]*session.State{c}, "a b c"},
		"a known one":   {[]*session.State{b}, "a b"},
		"both":          {[]*session.State{c, a, c}, "a b c"},
		"another's ID":  {[]*session.State{active("a")}, "a b a"},
		"of the others": {[]*session.State{active("d"), b}, "a b d"},
	} {
		if got := idsOf(sets.Union(states, x.more)); got != x.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if first := sets.Union(states, []*session.State{c}); idsOf(sets.Union(states, []*session.State{active("d")})) != "a b d" || idsOf(first) != "a b c" {
		t.Error("two lists share their memory")
	}
}

// TestAddedBy: what an amend takes back is not in the new commit.
func TestAddedBy(t *testing.T) {
	for name, c := range map[string]struct {
		amend, commit []gitexec.Change
		want          []gitexec.Change
	}{
		"a new file":     {changes("g - 1"), changes("f 1 2", "g - 1"), changes("g - 1")},
		"more of a file": {changes("f 2 3"), changes("f 1 3"), changes("f 2 3")},
		"one reverted":   {changes("f 2 1", "g - 1"), changes("g - 1"), changes("g - 1")},
		"all reverted":   {changes("f 2 1"), nil, nil},
		"nothing new":    {nil, changes("f 1 2"), nil},
	} {
		before := slices.Clone(c.amend)
		if got := addedBy(c.amend, c.commit); !slices.Equal(got, c.want) || !slices.Equal(c.amend, before) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestOnlyPaths: git gives a partial commit an index of its own.
func TestOnlyPaths(t *testing.T) {
	for file, want := range map[string]bool{
		"/r/.git/index": false, "/r/.git/next-index-123.lock": true, "/next-index-r/.git/index": false, "/r/.git/index.lock": false, "": false,
	} {
		if got := onlyPaths(&gitexec.Repo{IndexFile: file}); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

// TestStagedWorkAmend: of an amend of a commit that git replayed only what it adds is compared.
func TestStagedWorkAmend(t *testing.T) {
	p := newPlayground(t)
	base := p.commit("Base", nil)
	p.commit("Own", map[string]string{"f": "1\n"})
	p.git("checkout", "-q", "-b", "side", string(base))
	p.commit("Side", nil)
	p.git("cherry-pick", "main")
	picked := p.run()
	for name, c := range map[string]struct {
		found stagedWork
		amend bool
		want  stagedWork
	}{
		"no amend":           {stagedWork{}, false, stagedWork{}},
		"of a picked one":    {stagedWork{}, true, stagedWork{amends: picked.Head.Tree, since: picked.Head.Tree}},
		"it is said already": {stagedWork{since: "t"}, true, stagedWork{amends: picked.Head.Tree, since: "t"}},
	} {
		err := c.found.amend(t.Context(), picked, draft{amend: c.amend})
		if err != nil || c.found.amends != c.want.amends || c.found.since != c.want.since {
			t.Errorf("%s: %+v, %v", name, c.found, err)
		}
	}
	p.git("checkout", "-q", "main")
	p.git("commit", "-q", "--amend", "-m", "Own work")
	run := p.run()
	found := stagedWork{}
	if err := found.amend(t.Context(), run, draft{amend: true}); err != nil || found.since != "" || found.amends != run.Head.Tree {
		t.Errorf("of the user's own: %+v, %v", found, err)
	}
}

// TestStagedWorkJudge: what a side has is not compared, nor what was in an amended commit.
func TestStagedWorkJudge(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", map[string]string{"f": "the first line\n", "g": "a line of another file\n", "d": "a line that is deleted\n"})
	base := p.run().Head.Tree
	p.commit("Work", map[string]string{"f": "the second line\n"})
	files(p.T, p.dir, map[string]string{"g": "it has been replaced\n"})
	p.git("rm", "-q", "d")
	p.git("add", "-A")
	run := p.run()
	index := gitexec.OID(p.git("write-tree"))
	for name, c := range map[string]struct {
		found stagedWork
		want  string
	}{
		"all":             {stagedWork{}, "d f g"},
		"since the amend": {stagedWork{since: run.Head.Tree}, "d g"},
		"beside a side":   {stagedWork{sides: []gitexec.OID{run.Head.Tree}}, "g"},
		"of no change":    {stagedWork{since: base, sides: []gitexec.OID{index}}, ""},
	} {
		var err error
		if c.found.changes, err = run.Repo.DiffStaged(t.Context(), run.Repo.IndexFile, base); err != nil {
			t.Fatal(err)
		}
		judged, err := c.found.judge(t.Context(), run)
		if got := changedPaths(judged); got != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestChooseLinkOfNothing: where nothing is staged there is no link.
func TestChooseLinkOfNothing(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", map[string]string{"f": "1\n"})
	run := p.run()
	pending, err := chooseLink(t.Context(), run, []*session.State{active("s")}, []string{"s"}, &stagedWork{base: run.Head.Tree})
	if err != nil || pending.ID != "" || pending.Head != run.Head.ID || strings.Join(pending.Agents, " ") != "s" || pending.Partial {
		t.Errorf("%+v, %v", pending, err)
	}
}

// TestResetStaged: git reset --soft, then git commit --amend, is a squash by hand: the commit that
// was reset is replaced, too, if it is staged.
func TestResetStaged(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", map[string]string{"session/metadata.json": `{"session_id": "s", "files_touched": ["g"]}`})
	tree := gitexec.OID(p.git("rev-parse", "HEAD:session"))
	p.commit("One", map[string]string{"f": "one line of the agent's\n"})
	two := p.commit("Two", map[string]string{"g": "another line of the agent's\n"})
	states := []*session.State{linked("s", "000000000002 "+string(two))}
	states[0].Linked[0].Tree = tree
	p.git("reset", "-q", "--soft", "HEAD~1")
	found, err := resetStaged(t.Context(), p.run(), states, nil)
	if err != nil || len(found) != 1 || found[0].Commit != two || found[0].By != lineage.Reset || strings.Join(found[0].Links, " ") != "000000000002" {
		t.Errorf("%+v, %v", found, err)
	}
	p.git("reset", "-q", "--hard")
	if found, err = resetStaged(t.Context(), p.run(), states, nil); err != nil || len(found) != 0 {
		t.Errorf("nothing is staged: %+v, %v", found, err)
	}
}
