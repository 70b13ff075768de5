package share

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
)

// TestBelongs: what decides whether an entry leaves.
func TestBelongs(t *testing.T) {
	const id, checkpoint = "aaaaaaaaaaaa", gitexec.Path("aa/aaaaaaaaaa")
	commit := gitexec.OID("ab" + strings.Repeat("c", 38))
	link := gitexec.Path("links/ab/" + strings.Repeat("c", 38) + ".json")
	file := gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	added := func(entry gitexec.Path) gitexec.Change { return gitexec.Change{Path: entry, New: file} }
	for name, c := range map[string]struct {
		facts
		gitexec.Change
		want bool
	}{
		"nothing is known":               {facts{}, added(checkpoint), false},
		"a commit there links it":        {facts{links: map[string]bool{id: true}}, added(checkpoint), true},
		"another one is linked":          {facts{links: map[string]bool{"bbbbbbbbbbbb": true}}, added(checkpoint), false},
		"an inbox has it":                {facts{there: map[gitexec.Path]bool{checkpoint: true}}, added(checkpoint), true},
		"the branch there has it":        {facts{}, gitexec.Change{Path: checkpoint, Old: gitexec.Entry{Mode: gitexec.ModeFile, ID: "0"}, New: file}, true},
		"it is taken out":                {facts{}, gitexec.Change{Path: checkpoint, Old: file}, true},
		"the user lets all leave":        {facts{all: true}, added(checkpoint), true},
		"a link of a commit not there":   {facts{links: map[string]bool{id: true}}, added(link), false},
		"a link of a commit there":       {facts{public: map[gitexec.OID]bool{commit: true}}, added(link), true},
		"the list of purges":             {facts{}, added("purged/aa/aaaaaaaaaa"), true},
		"what another program has added": {facts{}, added("README"), true},
	} {
		if got := c.belongs(c.Change); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	goes := facts{links: map[string]bool{id: true}}.goes([]gitexec.Change{added(checkpoint), added(link)})
	if !goes[checkpoint] || goes[link] || len(goes) != 2 {
		t.Errorf("%v", goes)
	}
	all, stay := leavingOf([]gitexec.Change{added(checkpoint), added(link), added("README"), {Path: "bb/bbbbbbbbbb", Old: file}}, goes)
	if len(all) != 1 || all[0].Checkpoint != id || len(stay) != 1 || stay[0].Commit != commit {
		t.Errorf("%+v, %+v", all, stay)
	}
}

// TestSent: the links and the commits of a push, of many commits some.
func TestSent(t *testing.T) {
	var s Sent
	for i := range mostSent + 10 {
		s.Add(gitexec.OID(fmt.Sprint(i)), []byte(fmt.Sprintf("Work\n\nEntire-Checkpoint: %012x\n", i)))
	}
	if len(s.Links) != mostSent+10 || len(s.Commits) != mostSent || !s.Commits["0"] {
		t.Errorf("%d links, %d commits", len(s.Links), len(s.Commits))
	}
}

// TestHeld: what is remembered is limited, checked, and never needed.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	testdir.Git(t, dir, "init", "-q")
	repo, ok := gitexec.Near(dir)
	if !ok {
		t.Fatal("no repository")
	}
	testdir.Must(t, os.MkdirAll(repo.SharedDir(), 0o700))
	v := &View{w: &workspace.Workspace{Repo: repo}, Target: Target{Election: Election{Elected: "origin"}, Remote: "origin"}}
	id := func(i int) gitexec.OID { return gitexec.OID(fmt.Sprintf("%040x", i+1)) }
	if h := v.readHeld(); len(h.Stays)+len(h.Pushed)+len(h.Examined) != 0 {
		t.Errorf("%+v", h)
	}
	v.writeHeld(held{Examined: []gitexec.OID{id(1)}, Stays: []gitexec.Path{"aa/aaaaaaaaaa"}})
	for i := range mostOwed + 5 {
		v.Owe(Sent{Tips: []gitexec.OID{id(i), id(i)}})
	}
	v.Owe(Sent{})
	h := v.readHeld()
	if len(h.Pushed) != mostOwed || h.Pushed[mostOwed-1] != id(mostOwed+4) || len(h.Stays) != 1 || h.Examined[0] != id(1) {
		t.Errorf("%+v", h)
	}
	moved := View{w: v.w, Target: v.Target}
	if moved.Target.At = "elsewhere"; len(moved.readHeld().Pushed) > 0 {
		t.Error("owed at the wrong address")
	}
	moved.writeHeld(held{Pushed: []gitexec.OID{id(7)}})
	v.paid()
	if h := v.readHeld(); len(h.Pushed) != 0 || len(h.Stays) != 1 {
		t.Errorf("%+v", h)
	}
	if len(moved.readHeld().Pushed) != 1 {
		t.Error("paid at the wrong address")
	}
	for _, text := range []string{"", "{", `[]`, `{"stays": 1}`, `{"origin " : {"stays": 1}}`,
		fmt.Sprintf(`{%q: {"examined": ["x", "-1"], "pushed": ["../y"]}}`, v.place())} {
		testdir.Must(t, os.WriteFile(heldFile(repo.SharedDir()), []byte(text), 0o600))
		if h := v.readHeld(); len(h.Stays)+len(h.Pushed)+len(h.Examined) != 0 {
			t.Errorf("%s: %+v", text, h)
		}
	}
	many := slices.Repeat([]gitexec.OID{id(1)}, mostExamined+1)
	v.writeHeld(held{Stays: []gitexec.Path{"aa/aaaaaaaaaa"}, Examined: many, Uncounted: many})
	if h := v.readHeld(); len(h.Examined) != mostExamined || len(h.Uncounted) != mostExamined || len(h.Stays) != 1 {
		t.Errorf("%d, %d, %d", len(h.Examined), len(h.Uncounted), len(h.Stays))
	}
	moved.writeHeld(held{Stays: slices.Repeat([]gitexec.Path{"aa/aaaaaaaaaa"}, mostStays+1), Examined: many, Uncounted: many, Lacks: many})
	if len(moved.readHeld().Stays) != mostStays || len(v.readHeld().Stays) != 0 {
		t.Error("of too much the last target's stays")
	}
	moved.writeHeld(held{})
	v.writeHeld(held{Examined: []gitexec.OID{id(1)}})
	if _, err := os.Stat(heldFile(repo.SharedDir())); err == nil {
		t.Error("a file without content")
	}
	v.Target.Why = "off"
	if v.Owe(Sent{Tips: []gitexec.OID{id(1)}}); len(v.readHeld().Pushed) != 0 {
		t.Error("owed to nobody")
	}
}

// TestSince: of entries whose commits are known the earliest, and a day before.
func TestSince(t *testing.T) {
	day := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	a := &ahead{}
	for i, entry := range []gitexec.Path{"a", "b", "a"} {
		a.note(entry, day.AddDate(0, 0, i))
	}
	for text, want := range map[string]time.Time{"a": day.AddDate(0, 0, -1), "b": day, "a b": day.AddDate(0, 0, -1), "a c": {}} {
		var changes []gitexec.Change
		for entry := range strings.FieldsSeq(text) {
			changes = append(changes, gitexec.Change{Path: gitexec.Path(entry)})
		}
		if got := a.since(changes); !got.Equal(want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestStays: a push is quiet only where nothing says that anything of what stays may leave.
func TestStays(t *testing.T) {
	dir := t.TempDir()
	shared, remote := filepath.Join(dir, ".git", "entire-plumb"), filepath.Join(dir, ".git", "refs", "remotes", "origin")
	write := func(text string, file ...string) {
		t.Helper()
		name := filepath.Join(file...)
		testdir.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testdir.Must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	id := func(i int) gitexec.OID { return gitexec.OID(fmt.Sprintf("%040x", i)) }
	link := gitexec.Path("links/00/" + strings.Repeat("0", 36) + "05.json")
	h := held{Examined: []gitexec.OID{id(1)}, Stays: []gitexec.Path{"aa/aaaaaaaaaa", link}}
	p := Place{Top: dir, Shared: shared}
	write("", dir, ".git", "config")
	begin := func() {
		testdir.Must(t, os.RemoveAll(remote))
		write(string(id(1))+"\n", remote, "main")
		write("ref: refs/remotes/origin/main\n", remote, "HEAD")
		write(string(id(9))+"\n", remote, "entire", "checkpoints", "v1")
		testdir.Must(t, os.MkdirAll(shared, 0o700))
		writeHeld(shared, "origin 1", h)
		p.settleStays("origin 1", "origin", "origin", p.Files())
	}
	if begin(); p.Files() == "" {
		t.Skip("no stat data here")
	}
	for name, c := range map[string]struct {
		sent   Sent
		change func()
		want   bool
	}{
		"nothing":                          {Sent{}, func() {}, true},
		"other commits":                    {Sent{Tips: []gitexec.OID{id(2)}, Had: []gitexec.OID{id(1)}, Links: map[string]bool{"bbbbbbbbbbbb": true}}, func() {}, true},
		"its commit":                       {Sent{Links: map[string]bool{"aaaaaaaaaaaa": true}}, func() {}, false},
		"the commit that its link is of":   {Sent{Commits: map[gitexec.OID]bool{id(5): true}}, func() {}, false},
		"the remote had another one":       {Sent{Had: []gitexec.OID{id(3)}}, func() {}, false},
		"a branch there has moved":         {Sent{}, func() { write(string(id(3)), remote, "main") }, false},
		"there is a new one":               {Sent{}, func() { write(string(id(3)), remote, "a", "b") }, false},
		"a branch of ours there has moved": {Sent{}, func() { write(string(id(3)), remote, "entire", "trails", "v1") }, true},
		"a branch cannot be read":          {Sent{}, func() { write("x", remote, "main") }, false},
		"the remote has none":              {Sent{}, func() { testdir.Must(t, os.RemoveAll(remote)) }, true},
		"the configuration has changed":    {Sent{}, func() { write("[a]", dir, ".git", "config") }, false},
		"it is not settled":                {Sent{}, func() { writeHeld(shared, "origin 1", h) }, false},
	} {
		begin()
		c.change()
		if got := p.Stays("origin", c.sent); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	begin()
	if p.Stays("fork", Sent{}) {
		t.Error("another remote")
	}
	if !p.Stays("origin", Sent{Tips: []gitexec.OID{id(2)}}) {
		t.Error("not quiet")
	}
	if write(string(id(2)), remote, "main"); !p.Stays("origin", Sent{}) {
		t.Error("what was pushed is not remembered")
	}
}
