package commits

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// place is a session's place in another worktree.
func place(worktree string, base gitexec.OID, suffix int, others ...gitexec.OID) session.Place {
	return session.Place{WorktreeID: worktree, BaseCommit: base, ShadowBranchSuffix: suffix, OtherBases: others}
}

// TestStreamsOfPlace: the latest stream of a base comes first; on earlier bases the first few.
func TestStreamsOfPlace(t *testing.T) {
	for name, c := range map[string]struct {
		place session.Place
		want  string
	}{
		"one":              {place("", "aaaaaaa", 1), "entire/aaaaaaa-1"},
		"three":            {place("", "aaaaaaa", 3), "entire/aaaaaaa-3 entire/aaaaaaa-2 entire/aaaaaaa-1"},
		"on another base":  {place("", "aaaaaaa", 1, "bbbbbbb"), "entire/bbbbbbb-4 entire/bbbbbbb-3 entire/bbbbbbb-2 entire/bbbbbbb-1 entire/aaaaaaa-1"},
		"no base is known": {place("", "", 1), ""},
	} {
		var names []string
		for _, n := range streamsOfPlace(c.place) {
			names = append(names, n.String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := len(streamsOfPlace(place("", "aaaaaaa", mostOnBase+1))); got != mostOnBase {
		t.Errorf("%d streams of one base", got)
	}
	if linked := streamsOfPlace(place("tree", "aaaaaaa", 1))[0]; linked != shadow.NewName("aaaaaaa", "tree", 1) {
		t.Errorf("of a linked worktree: %s", linked)
	}
}

// TestLeave: sessions forget what they have on streams whose work is committed, and nothing else.
func TestLeave(t *testing.T) {
	work := func(worktree string, base gitexec.OID, suffix int) session.Place {
		p := place(worktree, base, suffix)
		p.CheckpointCount, p.FilesTouched = 3, pathList("f")
		return p
	}
	for name, c := range map[string]struct {
		stream shadow.Name
		left   bool
	}{
		"its stream":       {shadow.NewName("aaaaaaa", "w", 2), true},
		"an earlier one":   {shadow.NewName("aaaaaaa", "w", 1), false},
		"another base":     {shadow.NewName("bbbbbbb", "w", 2), false},
		"another worktree": {shadow.NewName("aaaaaaa", "v", 2), false},
		"the main one's":   {shadow.NewName("aaaaaaa", "", 2), false},
	} {
		s := &session.State{SessionID: "s", Place: work("", "aaaaaaa", 2), Others: []session.Place{work("u", "ccccccc", 2), work("w", "aaaaaaa", 2)}}
		leave([]*session.State{s}, []shadow.Stream{{Name: c.stream}})
		for i, p := range s.Places() {
			forgot := p.ShadowBranchSuffix == 0 && p.CheckpointCount == 0 && p.FilesTouched == nil
			kept := p.ShadowBranchSuffix == 2 && p.CheckpointCount == 3 && len(p.FilesTouched) == 1
			if want := c.left && i == 2; forgot != want || kept == want {
				t.Errorf("%s: place %d: %+v", name, i, p)
			}
		}
	}
}

// TestMayComeHere: sessions with work on a stream of another worktree, also if that was removed.
func TestMayComeHere(t *testing.T) {
	run := fakeRun(t, nil)
	save(t, run, &session.State{SessionID: "elsewhere", Place: place("w", id("a"), 1)},
		&session.State{SessionID: "both", Place: place("", id("a"), 1), Others: []session.Place{place("w", id("a"), 1)}},
		&session.State{SessionID: "here", Place: place("", id("a"), 1)}, &session.State{SessionID: "none", Place: place("w", id("a"), 0)})
	states, err := mayComeHere(run.Repo, run.Store)
	if got, want := idsOf(states), "both elsewhere"; got != want || err != nil { // of the same time, by their IDs
		t.Errorf("%q, %v", got, err)
	}
	for _, s := range states {
		if places := placesElsewhere(run.Repo, s); len(places) != 1 || places[0].WorktreeID != "w" {
			t.Errorf("%s: %+v", s.SessionID, places)
		}
	}
}

// TestHasStream: a place may have several streams, of which one is enough.
func TestHasStream(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", map[string]string{"f": "1\n"})
	head := p.run().Head.ID
	p.git("branch", strings.TrimPrefix(shadow.NewName(head, "w", 2).Ref(), "refs/heads/"), "HEAD")
	for _, c := range []struct {
		worktree string
		suffix   int
		want     bool
	}{{"w", 1, false}, {"w", 2, true}, {"w", 3, true}, {"w", 0, false}, {"v", 2, false}} {
		if has, err := HasStream(p.run().DB, place(c.worktree, head, c.suffix)); has != c.want || err != nil {
			t.Errorf("%+v: %t, %v", c, has, err)
		}
	}
}

// TestAllIn: a tree has all of a stream's files as it leaves them, also those that are deleted.
func TestAllIn(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", map[string]string{"f": "1\n", "g": "2\n"})
	run := p.run()
	entries, err := run.DB.Files(run.Head.Tree, "f", "g")
	if err != nil {
		t.Fatal(err)
	}
	f, g := entries[0], entries[1]
	for name, c := range map[string]struct {
		tree gitexec.OID
		last map[gitexec.Path]gitexec.Entry
		want bool
	}{
		"all":              {run.Head.Tree, map[gitexec.Path]gitexec.Entry{"f": f, "g": g}, true},
		"a deleted one":    {run.Head.Tree, map[gitexec.Path]gitexec.Entry{"f": f, "h": {}}, true},
		"one is not":       {run.Head.Tree, map[gitexec.Path]gitexec.Entry{"f": f, "g": {}}, false},
		"another version":  {run.Head.Tree, map[gitexec.Path]gitexec.Entry{"f": f, "g": f}, false},
		"not yet a commit": {"", map[gitexec.Path]gitexec.Entry{"f": f}, false},
		"nothing":          {run.Head.Tree, nil, true},
	} {
		last := map[gitexec.Path]shadow.Change{}
		for path, e := range c.last {
			change := shadow.Change{}
			change.Path, change.New = path, e
			last[path] = change
		}
		if got, err := allIn(run.DB, c.tree, last); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
}

// TestStreamNamed: a branch that is no stream of ours has none of our work.
func TestStreamNamed(t *testing.T) {
	p := newPlayground(t)
	base := p.commit("First", nil)
	name := shadow.NewName(base, "", 1)
	for _, branch := range []bool{false, true} {
		if branch {
			p.git("branch", name.String())
		}
		_, made, err := streamNamed(p.run().DB, name)
		if made != nil || err != nil {
			t.Errorf("a branch %t: %v, %v", branch, made, err)
		}
	}
}
