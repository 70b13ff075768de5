package commits

import (
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// TestSquashed: the commits that git's message names.
func TestSquashed(t *testing.T) {
	run := fakeRun(t, map[string]string{"SQUASH_MSG": "Squashed commit of the following:\n\ncommit " + string(id("b")) + "\n\n    Two\n\ncommit " + string(id("a")) + "\n\n    One\n"})
	if got, want := squashed(run.Repo.Operation()), replaced("squashed "+string(id("b")), "squashed "+string(id("a"))); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := squashed(fakeRun(t, nil).Repo.Operation()); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestSquashedLinks: a squashed commit's link is kept while something of the commit is staged.
func TestSquashedLinks(t *testing.T) {
	const one, two = "000000000001", "000000000002"
	for name, c := range map[string]struct {
		discard []string // git's arguments
		kept    bool
		want    string
	}{
		"all is staged":                    {nil, false, one + " " + two},
		"one was discarded":                {[]string{"reset", "-q", "HEAD", "--", "f"}, false, two},
		"all was":                          {[]string{"reset", "-q", "HEAD", "--", "."}, false, ""},
		"all, though the message was kept": {[]string{"reset", "-q", "HEAD", "--", "."}, true, ""},
		"renamed since":                    {[]string{"mv", "f", "h"}, false, one + " " + two},
	} {
		p := newPlayground(t)
		p.commit("Base", nil)
		p.git("checkout", "-q", "-b", "side")
		p.commit("One\n\nEntire-Checkpoint: "+one, map[string]string{"f": "one line of the agent's\n"})
		p.commit("Two\n\nEntire-Checkpoint: "+two, map[string]string{"g": "another line of the agent's\n"})
		p.git("checkout", "-q", "main")
		p.git("merge", "-q", "--squash", "side")
		if c.discard != nil {
			p.git(c.discard...)
		}
		links, err := squashedLinks(t.Context(), p.run(), c.kept)
		inOrder := strings.Join(links, " ")
		if inOrder == two+" "+one {
			inOrder = one + " " + two
		}
		if inOrder != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, links, err)
		}
	}
}

// TestStagedSquashHolds: a change is staged if its lines are in effect; where the user kept the
// squash's message, that the file is staged is enough; a file that HEAD renamed is followed.
func TestStagedSquashHolds(t *testing.T) {
	p := newPlayground(t)
	text := "a first line of the file\na second line of the file\na third line of the file\n"
	p.commit("Base", map[string]string{"f": text, "other": text})
	p.git("checkout", "-q", "-b", "side")
	p.commit("Work", map[string]string{"f": text + "a line that the agent wrote\n"})
	run := p.run()
	head, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		t.Fatal(err)
	}
	work, err := run.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rename bool
		other  bool // another file is staged
		staged string
		kept   bool
		want   bool
	}{
		"its lines":              {false, false, text + "a line that the agent wrote\n", false, true},
		"others":                 {false, false, text + "a line that the user wrote\n", false, false},
		"others, kept":           {false, false, text + "a line that the user wrote\n", true, true},
		"nothing":                {false, false, text, true, false},
		"renamed":                {true, false, text + "a line that the agent wrote\n", false, true},
		"renamed, others":        {true, false, text + "a line that the user wrote\n", false, false},
		"renamed, others, kept":  {true, false, text + "a line that the user wrote\n", true, false},
		"renamed, nothing of it": {true, false, text, true, false},
		"in another file":        {false, true, text + "a line that the agent wrote\n", true, false},
	} {
		p.git("checkout", "-q", "-f", "-B", "main", "side~1")
		file := "f"
		if c.other {
			file = "other"
		}
		if c.rename {
			p.git("mv", "f", "new")
			p.commit("Rename", nil)
			file = "new"
		}
		files(t, p.dir, map[string]string{file: c.staged})
		p.git("add", "-A")
		here := p.run()
		staged, err := here.Repo.DiffStaged(t.Context(), here.Repo.IndexFile, here.Head.Tree)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&stagedSquash{Run: here, staged: staged, kept: c.kept, texts: &shadow.Texts{DB: here.DB}}).holds(work[0])
		if got != c.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
		p.git("reset", "-q", "--hard")
	}
}

// TestStagedSquashOfPruned: what git has pruned, or what was never fetched, is not staged.
func TestStagedSquashOfPruned(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	run := p.run()
	if found, links, err := (&stagedSquash{Run: run}).has(id("1")); found || links != nil || err != nil {
		t.Errorf("%t, %q, %v", found, links, err)
	}
	if links, err := besideSquashed(run.Repo, run.DB, []gitexec.OID{id("1"), run.Head.ID}); links != nil || err != nil {
		t.Errorf("%q, %v", links, err)
	}
}
