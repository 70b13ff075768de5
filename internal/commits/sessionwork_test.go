package commits

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/suffix"
)

// TestWorkQueryFrom: sessions with one of the sources are asked, too, and the sources count as
// reset.
func TestWorkQueryFrom(t *testing.T) {
	known := linked("a", "1 c")
	for name, c := range map[string]struct {
		sources string
		all     []*session.State
		states  string
		reset   string
	}{
		"no source":                     {"", []*session.State{linked("b", "2 c")}, "a", "r"},
		"a session with it":             {"c", []*session.State{linked("b", "2 c")}, "a b", "r c"},
		"one without":                   {"c", []*session.State{linked("b", "2 d"), linked("e")}, "a", "r c"},
		"a known one, as it was stored": {"c", []*session.State{linked("a", "1 c")}, "a", "r c"},
		"of several":                    {"d c", []*session.State{linked("e", "3 x", "4 d"), linked("f", "5 y")}, "a e", "r d c"},
	} {
		q := workQuery{states: []*session.State{known}, head: headRecord{Reset: append(make([]gitexec.OID, 0, 8), "r")}}
		got := q.from(oids(c.sources), c.all)
		if idsOf(got.states) != c.states || got.states[0] != known || !reflect.DeepEqual(got.head.Reset, oids(c.reset)) {
			t.Errorf("%s: sessions %q, reset %v", name, idsOf(got.states), got.head.Reset)
		}
		if idsOf(q.states) != "a" || len(q.head.Reset) != 1 {
			t.Errorf("%s: the question has changed: %+v", name, q)
		}
	}
}

// TestWithSources: a source that a turn names is compared, without a question to git.
func TestWithSources(t *testing.T) {
	took := active("a")
	took.Sources = oids("c")
	for name, c := range map[string]struct {
		states []*session.State
		turns  string // sources of turns in progress
		want   string
		asked  string
	}{
		"none":                    {[]*session.State{active("a")}, "", "", "a"},
		"a turn in progress":      {[]*session.State{active("a")}, "c", "c", "a b"},
		"an earlier turn":         {[]*session.State{took}, "", "c", "a b"},
		"nothing is linked there": {[]*session.State{active("a")}, "x", "x", "a"},
	} {
		run := fakeRun(t, nil)
		save(t, run, linked("b", "2 c"))
		q, sources, err := withSources(run.Workspace, workQuery{states: c.states, replays: true}, sessionWork{sources: oids(c.turns)})
		if err != nil || !slices.Equal(sources, oids(c.want)) || idsOf(q.states) != c.asked || !slices.Equal(q.head.Reset, oids(c.want)) {
			t.Errorf("%s: %v, sessions %q, reset %v, %v", name, sources, idsOf(q.states), q.head.Reset, err)
		}
	}
}

// TestOwnWork: works of reset commits stay whole, unless several sessions were in one, or lines are
// brought from it; works of linked commits without changes are none.
func TestOwnWork(t *testing.T) {
	link := func(commit string) *session.Link { return &session.Link{ID: "1", Commit: gitexec.OID(commit)} }
	changed := []suffix.Change{{Path: "f"}}
	for name, c := range map[string]struct {
		kept    []condense.Work
		sources string
		want    string // sessions; one that lines are brought from has a "+"
	}{
		"discarded work":         {[]condense.Work{{Session: active("a")}}, "", "a"},
		"a reset commit":         {[]condense.Work{{Session: active("a"), Link: link("c"), Changes: changed}}, "", "a"},
		"one without changes":    {[]condense.Work{{Session: active("a"), Link: link("c")}}, "", ""},
		"two commits":            {[]condense.Work{{Session: active("a"), Link: link("c"), Changes: changed}, {Session: active("b"), Link: link("d"), Changes: changed}}, "", "a b"},
		"two links, one session": {[]condense.Work{{Session: active("a"), Link: link("c"), Changes: changed}, {Session: active("a"), Link: link("c"), Changes: changed}}, "", "a a"},
		"a source of others":     {[]condense.Work{{Session: active("a"), Link: link("c"), Changes: changed}}, "d", "a"},
	} {
		before := slices.Clone(c.kept)
		got, err := ownWork(nil, c.kept, oids(c.sources), func(gitexec.Path) bool { return true })
		var ids []string
		for _, w := range got {
			id := w.Session.SessionID
			if w.Brought {
				id += "+"
			}
			ids = append(ids, id)
		}
		if text := strings.Join(ids, " "); err != nil || text != c.want || !reflect.DeepEqual(c.kept, before) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestNotInWorktree: what can't be looked at is there.
func TestNotInWorktree(t *testing.T) {
	run := fakeRun(t, map[string]string{"f": "1\n", "dir/g": "2\n"})
	for path, want := range map[gitexec.Path]bool{"f": false, "dir/g": false, "dir": false, "h": true, "none/h": true, "f/below": false} {
		if got := NotInWorktree(run.Repo, path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

// TestLinesInWorktree: a missing file has no lines, and what can't be read is not known.
func TestLinesInWorktree(t *testing.T) {
	run := fakeRun(t, map[string]string{"f": "1\n2\n", "dir/g": "", "large": strings.Repeat("x", largestBack+1)})
	for path, want := range map[gitexec.Path]struct {
		lines []string
		known bool
	}{
		"f":     {[]string{"1", "2", ""}, true},
		"h":     {nil, true},
		"dir/g": {[]string{""}, true},
		"large": {nil, false},
	} {
		lines, known := linesInWorktree(run.Repo, path)
		if known != want.known || known && !slices.Equal(lines, want.lines) {
			t.Errorf("%s: %q, %t", path, lines, known)
		}
	}
}

// TestIsBack: a version is back if the worktree has its bytes, whatever its ends of lines.
func TestIsBack(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", map[string]string{"f": "1\n2\n", "large": strings.Repeat("x", largestBack+1)})
	run := p.run()
	version := func(path gitexec.Path) gitexec.Entry {
		entries, err := run.DB.Files(run.Head.Tree, path)
		if err != nil {
			t.Fatal(err)
		}
		return entries[0]
	}
	f := version("f")
	for text, want := range map[string]bool{"1\n2\n": true, "1\r\n2\r\n": true, "1\n2": false, "": false} {
		files(t, p.dir, map[string]string{"f": text})
		if got := isBack(run.DB, p.dir, "f", f); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	if isBack(run.DB, p.dir, "none", f) {
		t.Error("a file that is not there is back")
	}
	if isBack(run.DB, p.dir, "large", version("large")) {
		t.Error("a large file was read")
	}
}

// TestLineOf: the nearest history of a commit; nothing of one that is missing.
func TestLineOf(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	second := p.commit("Second", nil)
	run := p.run()
	for commit, want := range map[gitexec.OID][]gitexec.OID{
		second: {second, first}, first: {first}, "": nil, gitexec.SHA1.Zero(): nil, gitexec.OID(strings.Repeat("1", 40)): nil,
	} {
		if got := lineOf(run.DB, commit); !slices.Equal(got, want) {
			t.Errorf("%s: %v", commit, got)
		}
	}
}

// TestSessionWorkAll: the works on streams come first, and the lists stay as they were.
func TestSessionWorkAll(t *testing.T) {
	w := sessionWork{onStreams: append(make([]condense.Work, 0, 4), condense.Work{Session: active("a")}), others: []condense.Work{{Session: active("b")}}}
	all := w.all()
	if len(all) != 2 || all[0].Session.SessionID != "a" || all[1].Session.SessionID != "b" {
		t.Errorf("%+v", all)
	}
	if w.onStreams = append(w.onStreams, condense.Work{Session: active("c")}); all[1].Session.SessionID != "b" {
		t.Error("two lists share their memory")
	}
}
