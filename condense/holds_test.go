package condense

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

var update = flag.Bool("update", false, "write the cases into docs/cases.md")

// lines are file versions whose object IDs are their content, lines parted by "/".
type lines struct{}

func (lines) Lines(e gitexec.Entry) ([]string, bool, error) {
	return strings.Split(string(e.ID), "/"), e.Exists(), nil
}

func file(content string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(content)}
}

func newSession(id string, started int) *session.State {
	at := time.Unix(int64(started), 0)
	return &session.State{SessionID: id, StartedAt: at, LastInteractionTime: &at}
}

func on(s *session.State, n int, changes ...suffix.Change) Work {
	return Work{Session: s, Stream: &shadow.Stream{Name: shadow.Name{Base: "abc1234", Suffix: n}}, Changes: changes}
}

// discarded is work that was, and of which a commit has another version.
func discarded(s *session.State, changes ...suffix.Change) Work {
	return Work{Session: s, Discarded: true, Origins: []gitexec.OID{"tip"}, Changes: changes}
}

// elsewhere is work on a stream of another base than the commit's parent and the session's.
func elsewhere(s *session.State, changes ...suffix.Change) []Work {
	works := []Work{on(s, 1, changes...)}
	MarkElsewhere(works, "def5678", func(gitexec.OID) bool { return false })
	return works
}

// since is work on a stream of an earlier base, whose files had these versions there.
func since(s *session.State, changes []gitexec.Change, base gitexec.Entry, own ...suffix.Change) []Work {
	works := []Work{on(s, 1, own...)}
	_ = MarkSince(works, "def5678000", changes, func(_ *shadow.Stream, paths []gitexec.Path) (versions []gitexec.Entry, err error) {
		for range paths {
			versions = append(versions, base)
		}
		return versions, nil
	})
	return works
}

func TestMatch(t *testing.T) {
	var none gitexec.Entry
	const mine, other, human = "a line by the agent", "another line by the agent", "a line by the human"
	a, b := newSession("a", 1), newSession("b", 2)
	modified := suffix.Change{Path: "f", Before: file("base"), After: file("base/" + mine)}
	created := suffix.Change{Path: "new", Before: none, After: file(mine + "/" + other)}
	type got struct {
		ID      string
		Streams int
		Files   []gitexec.Path
		Reason  Reason
	}
	files := func(p ...gitexec.Path) []gitexec.Path { return p }
	edited := []gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}}
	deleted := []gitexec.Change{{Path: "f", Old: file("base")}}
	held := []gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + mine)}}
	cases := map[string]struct {
		changes []gitexec.Change
		works   []Work
		want    []got
	}{
		"nothing staged":                       {nil, []Work{on(a, 1, modified)}, nil},
		"no work":                              {[]gitexec.Change{{Path: "f", New: file("x")}}, nil, nil},
		"a file that the agent did not change": {[]gitexec.Change{{Path: "g", Old: file("x"), New: file("y")}}, []Work{on(a, 1, modified)}, nil},
		"the agent's lines":                    {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + mine)}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), ContentMatches}}},
		"the human's lines instead":            {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), FileModified}}},
		"the human's lines instead, after commits of other files": {edited, since(a, edited, file("base"), modified), []got{{"a", 1, files("f"), FileModified}}},
		"the human's lines instead, after commits of this file":   {edited, since(a, edited, file("older"), modified), nil},
		"deleted by the human, after commits of this file":        {deleted, since(a, deleted, file("older"), modified), nil},
		"the agent's lines, after commits of this file":           {held, since(a, held, file("older"), modified), []got{{"a", 1, files("f"), ContentMatches}}},
		"the human's lines instead, on another base":              {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}}, elsewhere(a, modified), nil},
		"the agent's lines, on another base":                      {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + mine)}}, elsewhere(a, modified), []got{{"a", 1, files("f"), ContentMatches}}},
		"a new file, whole":                                       {[]gitexec.Change{{Path: "new", New: created.After}}, []Work{on(a, 1, created)}, []got{{"a", 1, files("new"), ContentMatches}}},
		"a new file, in part":                                     {[]gitexec.Change{{Path: "new", New: file(other)}}, []Work{on(a, 1, created)}, []got{{"a", 1, files("new"), ContentMatches}}},
		"a new file with other lines":                             {[]gitexec.Change{{Path: "new", New: file(human)}}, []Work{on(a, 1, created)}, nil},
		"deleted by the agent":                                    {[]gitexec.Change{{Path: "f", Old: file("base")}}, []Work{on(a, 1, suffix.Change{Path: "f", Before: file("base")})}, []got{{"a", 1, files("f"), ContentMatches}}},
		"deleted by the human":                                    {[]gitexec.Change{{Path: "f", Old: file("base")}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), FileModified}}},
		"a new file, and the human's lines instead in another": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}, {Path: "new", New: file(mine)}},
			[]Work{on(a, 1, modified, created)}, []got{{"a", 1, files("f", "new"), ContentMatches}}},
		"the lines of b in a file that both changed": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + other)}},
			[]Work{on(a, 1, modified), on(b, 2, suffix.Change{Path: "f", Before: file("base"), After: file("base/" + other)})},
			[]got{{"b", 1, files("f"), ContentMatches}}},
		"the human's lines instead, in a file that both changed, b later": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}},
			[]Work{on(a, 1, modified), on(b, 2, suffix.Change{Path: "f", Before: file("base"), After: file("base/" + other)})},
			[]got{{"b", 1, files("f"), FileModified}}},
		"the lines of a in one file, of b in another": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: modified.After}, {Path: "new", New: created.After}},
			[]Work{on(b, 1, created), on(a, 1, modified)},
			[]got{{"a", 1, files("f"), ContentMatches}, {"b", 1, files("new"), ContentMatches}}},
		"the lines of a from two streams": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: modified.After}, {Path: "new", New: created.After}},
			[]Work{on(a, 1, modified), on(a, 2, created)}, []got{{"a", 2, files("f", "new"), ContentMatches}}},
		"the human's lines instead, in a file that a alone changed": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}},
			[]Work{on(a, 1, modified), on(b, 2, created)}, []got{{"a", 1, files("f"), FileModified}}},
		"the human's lines, where the agent's change is undone": {
			[]gitexec.Change{{Path: "f", Old: file("base/old line"), New: file("base/old line/" + human)}},
			[]Work{on(a, 1, suffix.Change{Path: "f", Before: file("base/old line"), After: file("base/" + mine)})}, nil},
		"a new file, not another of the agent's": {
			[]gitexec.Change{{Path: "new", New: created.After}},
			[]Work{on(a, 1, modified, created)}, []got{{"a", 1, files("new"), ContentMatches}}},
		"a new file that was dismissed": {
			[]gitexec.Change{{Path: "new", New: created.After}},
			[]Work{{Session: a, Changes: []suffix.Change{created}}}, []got{{"a", 0, files("new"), ContentRestored}}},
		"half of what was discarded, and the human's line": {
			[]gitexec.Change{{Path: "old", Old: file("base"), New: file("base/a line by the agent/a line by hand")}},
			[]Work{discarded(a, suffix.Change{Path: "old", Before: file("base"), After: file("base/a line by the agent/the second by it")})},
			[]got{{"a", 0, files("old"), ContentRestored}}},
		"less than half of what was discarded": {
			[]gitexec.Change{{Path: "old", Old: file("base"), New: file("base/a line by the agent/a line by hand")}},
			[]Work{discarded(a, suffix.Change{Path: "old", Before: file("base"), After: file("base/a line by the agent/the second by it/the third by it")})}, nil},
		"what was discarded, and written again": {
			[]gitexec.Change{{Path: "old", Old: file("base"), New: file("base/a line by the agent/the second by it")}},
			[]Work{discarded(a, suffix.Change{Path: "old", Before: file("base"), After: file("base/a line by the agent/the second by it")}),
				on(b, 1, suffix.Change{Path: "old", Before: file("base"), After: file("base/a line by the agent/the second by it")})},
			[]got{{"b", 1, files("old"), ContentMatches}}},
		"a new file that was reset": {
			[]gitexec.Change{{Path: "new", New: created.After}},
			[]Work{reset(a, "c", false, created)}, []got{{"a", 0, files("new"), ResetBefore}}},
		"what was reset, and the human removes the same line": {
			[]gitexec.Change{{Path: "f", Old: file("base/old line"), New: file("base/" + human)}},
			[]Work{reset(a, "c", false, suffix.Change{Path: "f", Before: file("base/old line"), After: file("base")}, created)}, nil},
		"a new file that was reset, and the same line removed in another": {
			[]gitexec.Change{{Path: "f", Old: file("base/old line"), New: file("base/" + human)}, {Path: "new", New: created.After}},
			[]Work{reset(a, "c", false, suffix.Change{Path: "f", Before: file("base/old line"), After: file("base")}, created)},
			[]got{{"a", 0, files("f", "new"), ResetBefore}}},
		"the human's lines in place of the same line, on another base": {
			[]gitexec.Change{{Path: "f", Old: file("base/old line"), New: file("base/" + human)}},
			elsewhere(a, suffix.Change{Path: "f", Before: file("base/old line"), After: file("base/" + mine)}), nil},
		"a new file that was reset, and the human's lines in another": {
			[]gitexec.Change{{Path: "f", Old: file("base/" + mine), New: file("base/" + mine + "/" + human)}, {Path: "new", New: created.After}},
			[]Work{reset(a, "c", false, modified, created)}, []got{{"a", 0, files("new"), ResetBefore}}},
		"a turn in progress; the human commits": {
			[]gitexec.Change{{Path: "new", New: created.After}},
			[]Work{{Session: a, InTurn: true, Changes: []suffix.Change{created}}}, []got{{"a", 0, files("new"), TurnInProgress}}},
		"a turn in progress; the agent commits work of a stream": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: modified.After}},
			[]Work{{Session: a, Committing: true}, on(a, 1, modified)}, []got{{"a", 1, files("f"), AgentCommits}}},
		"a turn in progress; the agent commits": {
			[]gitexec.Change{{Path: "new", New: file("x")}},
			[]Work{{Session: a, Committing: true, Changes: []suffix.Change{{Path: "new", After: file("x")}}}}, []got{{"a", 0, files("new"), AgentCommits}}},
	}
	page := "| case | links |\n|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		matches, _, err := Match(c.changes, c.works, lines{}, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		links := []string{}
		for _, w := range c.want {
			links = append(links, w.ID+": "+string(w.Reason))
		}
		page += fmt.Sprintf("| %s | %s |\n", name, cmp.Or(strings.Join(links, "; "), "none"))
		var have []got
		for _, m := range matches {
			have = append(have, got{m.Session.SessionID, len(m.Streams), m.Files, m.Reason})
		}
		if !reflect.DeepEqual(have, c.want) {
			t.Errorf("%s: %+v, want %+v", name, have, c.want)
		}
	}
	testdir.Written(t, "../docs/cases.md", "go test ./condense -run TestMatch -args -update", page, *update)
}

// TestMatched: what is noted of a session from all of its works.
func TestMatched(t *testing.T) {
	a := newSession("a", 1)
	one, two := suffix.Change{Path: "f", After: file("a line by the agent")}, suffix.Change{Path: "g", After: file("another line by the agent")}
	changes := []gitexec.Change{{Path: "f", New: one.After}, {Path: "g", New: two.After}}
	x, again := reset(a, "x", true, one), reset(a, "x2", true, two)
	again.Link.ID = x.Link.ID
	matches, _, err := Match(changes, []Work{x, again}, lines{}, nil, nil)
	if err != nil || len(matches) != 1 || len(matches[0].Reset) != 2 || !slices.Equal(matches[0].Links, []string{"link-x"}) || matches[0].Unlinked != nil {
		t.Errorf("two commits with one link: %+v, %v", matches, err)
	}
	matches, _, err = Match(changes, []Work{{Session: a, Committing: true, Changes: []suffix.Change{one}}, on(a, 1, two)}, lines{}, nil, nil)
	if err != nil || len(matches) != 1 || !matches[0].Commits || matches[0].InTurn != nil || !slices.Equal(matches[0].Unlinked, []gitexec.Path{"g"}) {
		t.Errorf("the agent commits: %+v, %v", matches, err)
	}
	matches, _, err = Match(changes, []Work{{Session: a, InTurn: true, Changes: []suffix.Change{one}}, on(a, 1, two)}, lines{}, nil, nil)
	if err != nil || len(matches) != 1 || matches[0].Commits || !slices.Equal(matches[0].InTurn, []gitexec.Path{"f"}) {
		t.Errorf("the human commits in the turn: %+v, %v", matches, err)
	}
}

func TestUnion(t *testing.T) {
	got := Union([]gitexec.Path{"b", "a", "b"}, []gitexec.Path{"c", "a"})
	if want := []gitexec.Path{"a", "b", "c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Union gave %q, want %q", got, want)
	}
	if Union(nil, nil) != nil {
		t.Error("the union of nothing is something")
	}
}

// TestMatchBesideStash: what a stash entry has is no evidence where the commit has none of it.
func TestMatchBesideStash(t *testing.T) {
	const mine, other, human = "a line by the agent", "a line before", "a line by the human"
	a := newSession("a", 1)
	modified := suffix.Change{Path: "f", Before: file("base/" + other), After: file("base/" + mine)}
	removed := suffix.Change{Path: "f", Before: file("base/" + other), After: file("base")}
	added := suffix.Change{Path: "f", Before: file("base"), After: file("base/" + mine)}
	yes := func([]suffix.Change, gitexec.Entry) (bool, error) { return true, nil }
	no := func([]suffix.Change, gitexec.Entry) (bool, error) { return false, nil }
	for name, c := range map[string]struct {
		work          suffix.Change
		now           string
		with, without int // matches if a stash entry has the work, or has it not
	}{
		"edited by the human":                    {modified, "base/" + other + "/" + human, 0, 0}, // undone
		"the line that the agent replaced, gone": {modified, "base/" + human, 0, 1},
		"the line that the agent removed, gone":  {removed, "base/" + human, 0, 1},
		"edited by the human, and no more":       {added, "base/" + human, 0, 1},
		"the agent's content":                    {modified, "base/" + mine, 1, 1},
		"a part of it":                           {modified, "base/" + mine + "/" + human, 1, 1},
	} {
		for want, stashed := range map[int]func([]suffix.Change, gitexec.Entry) (bool, error){c.with: yes, c.without + 10: no} {
			changes := []gitexec.Change{{Path: "f", Old: c.work.Before, New: file(c.now)}}
			matches, _, err := Match(changes, []Work{on(a, 1, c.work)}, lines{}, stashed, nil)
			if err != nil || len(matches) != want%10 {
				t.Errorf("%s: %d matches, %v; want %d", name, len(matches), err, want%10)
			}
		}
	}
}

// TestMatchMostOfNewFile: of a file that the commit adds, half of an agent's lines are evidence
// where the worktree went on from them, however short they are.
func TestMatchMostOfNewFile(t *testing.T) {
	wrote := suffix.Change{Path: "f", Before: file("old"), After: file("old/c7w/c8s/c9m")}
	for now, want := range map[string]int{"old/c7w/c9m": 1, "old/c7w": 0} {
		matches, _, err := Match([]gitexec.Change{{Path: "f", New: file(now)}}, []Work{on(newSession("a", 1), 1, wrote)}, lines{}, nil, nil)
		if err != nil || len(matches) != want {
			t.Errorf("%s: %+v, %v", now, matches, err)
		}
	}
}

// TestMatchMoved: work whose lines a commit has in another file counts if they were moved there, and
// it is known what is in the worktree.
func TestMatchMoved(t *testing.T) {
	const one, two, three, human = "first line by the agent", "second line by the agent", "third line by the agent", "a line by the human"
	const block = one + "/" + two + "/" + three
	a, b := newSession("a", 1), newSession("b", 2)
	wrote := suffix.Change{Path: "f", Before: file("base/old"), After: file("base/" + block + "/old")}
	moved := []gitexec.Change{{Path: "g", Old: file("x/y"), New: file("x/" + block + "/y")}}
	worktree := func(f string) Worktree {
		return func(path gitexec.Path) ([]string, bool) {
			if path != "f" {
				t.Errorf("%s is read", path)
			}
			return strings.Split(f, "/"), true
		}
	}
	unreadable := func(gitexec.Path) ([]string, bool) { return nil, false }
	type got struct {
		ID     string
		Files  []gitexec.Path
		Reason Reason
	}
	its := []got{{"a", []gitexec.Path{"g"}, ContentMatches}}
	for name, c := range map[string]struct {
		changes  []gitexec.Change
		works    []Work
		worktree Worktree
		want     []got
	}{
		"moved":                         {moved, []Work{on(a, 1, wrote)}, worktree("base/old"), its},
		"moved, and the human's beside": {moved, []Work{on(a, 1, wrote)}, worktree("base/" + human), its},
		"copied":                        {moved, []Work{on(a, 1, wrote)}, worktree("base/" + block + "/old"), nil},
		"the worktree is not known":     {moved, []Work{on(a, 1, wrote)}, nil, nil},
		"its file can't be read":        {moved, []Work{on(a, 1, wrote)}, unreadable, nil},
		"to a new file":                 {[]gitexec.Change{{Path: "g", New: file(block)}}, []Work{on(a, 1, wrote)}, worktree("base/old"), its},
		"to a file that is deleted":     {[]gitexec.Change{{Path: "g", Old: file(block)}}, []Work{on(a, 1, wrote)}, worktree("base/old"), nil},
		"elsewhere":                     {moved, elsewhere(a, wrote), worktree("base/old"), nil},
		"what was reset":                {moved, []Work{reset(a, "c", false, wrote)}, worktree("base/old"), nil},
		"what is on no stream":          {moved, []Work{{Session: a, Changes: []suffix.Change{wrote}}}, worktree("base/old"), nil},
		"to a file that has work, too": {moved, []Work{on(a, 1, wrote, suffix.Change{Path: "g", Before: file("x"), After: file("x/z")})},
			func(gitexec.Path) ([]string, bool) { return []string{"base", "old"}, true },
			[]got{{"a", []gitexec.Path{"g"}, FileModified}}},
		"beside another's work": {append([]gitexec.Change{{Path: "h", New: file("another line of work")}}, moved...),
			[]Work{on(a, 1, wrote), on(b, 2, suffix.Change{Path: "h", After: file("another line of work")})}, worktree("base/old"),
			[]got{its[0], {"b", []gitexec.Path{"h"}, ContentMatches}}},
		"beside its own file, undone": {append([]gitexec.Change{{Path: "f", Old: file("base/old"), New: file("base/old/" + human)}}, moved...),
			[]Work{on(a, 1, wrote)}, worktree("base/old/" + human), its},
	} {
		matches, _, err := Match(c.changes, c.works, lines{}, nil, c.worktree)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var have []got
		for _, m := range matches {
			have = append(have, got{m.Session.SessionID, m.Files, m.Reason})
		}
		if !reflect.DeepEqual(have, c.want) {
			t.Errorf("%s: %+v, want %+v", name, have, c.want)
		}
	}
}
