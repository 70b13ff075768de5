package condense

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

func TestBases(t *testing.T) {
	at := func(bases ...gitexec.OID) (states []*session.State) {
		for _, base := range bases {
			states = append(states, &session.State{Place: session.Place{BaseCommit: base}})
		}
		return states
	}
	for name, c := range map[string]struct {
		head   gitexec.OID
		states []*session.State
		want   []gitexec.OID
	}{
		"no session":          {"h", nil, []gitexec.OID{"h"}},
		"HEAD last":           {"h", at("a", "h", "b"), []gitexec.OID{"a", "b", "h"}},
		"each once":           {"h", at("a", "b", "a"), []gitexec.OID{"a", "b", "h"}},
		"no base":             {"h", at(""), []gitexec.OID{"h"}},
		"before a first HEAD": {"", at("a"), []gitexec.OID{"a"}},
	} {
		if got := Bases(c.head, c.states); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOfStream: a stream's changes are their sessions', in order, and omitted where the session
// isn't known.
func TestOfStream(t *testing.T) {
	did := func(session, path string) shadow.Change {
		return shadow.Change{Change: gitexec.Change{Path: gitexec.Path(path), New: file(path)}, Session: session}
	}
	on := did("a", "g")
	on.Of = []shadow.Change{did("a", "h")}
	stream := &shadow.Stream{}
	works := OfStream(stream, []shadow.Change{did("b", "f"), did("a", "f"), did("c", "f"), on}, []*session.State{newSession("a", 1), newSession("b", 2)})
	var got []string
	for _, w := range works {
		for _, c := range w.Changes {
			got = append(got, fmt.Sprintf("%s %s %s %d", w.Session.SessionID, c.Path, c.After.ID, len(c.Of)))
		}
		if w.Stream != stream || w.Committing || w.InTurn {
			t.Errorf("%+v", w)
		}
	}
	if want := []string{"b f f 0", "a f f 0", "a g g 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if of := works[1].Changes[1].Of[0]; of.Path != "h" || of.After != file("h") {
		t.Errorf("carried forward: %+v", of)
	}
}

func TestInProgress(t *testing.T) {
	changes := []gitexec.Change{{Path: "f", New: file("1")}, {Path: "g", New: file("2")}, {Path: "h", New: file("3")}}
	then := []gitexec.Entry{file("0"), {}, file("3")} // the third was so before the turn
	for name, c := range map[string]struct {
		committing bool
		named      []gitexec.Path
		want       string // files; "-" for no work
	}{
		"the agent commits":               {true, nil, "f g"},
		"the human does":                  {false, nil, "-"},
		"the human, a file by name":       {false, []gitexec.Path{"g", "x"}, "g"},
		"by name, and it was so before":   {false, []gitexec.Path{"h"}, "-"},
		"the agent commits what it named": {true, []gitexec.Path{"g"}, "f g"},
	} {
		got := "-"
		for _, w := range InProgress(newSession("a", 1), changes, then, c.committing, c.named) {
			if w.Committing != c.committing || w.InTurn == c.committing || w.Stream != nil {
				t.Errorf("%s: %+v", name, w)
			}
			var files []string
			for _, k := range w.Changes {
				files = append(files, string(k.Path))
				if k.Before != then[k.Path[0]-'f'] {
					t.Errorf("%s: %s was %v", name, k.Path, k.Before)
				}
			}
			got = strings.Join(files, " ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if works := InProgress(newSession("a", 1), changes[2:], then[2:], true, nil); len(works) != 0 {
		t.Error("what was so before the turn is the agent's, because it makes the commit")
	}
}

// TestResetWork: the work of reset commits, each by its last commit.
func TestResetWork(t *testing.T) {
	for name, c := range map[string]struct {
		linked string // each link:commit, with ! for one that an amend took work out of
		reset  string
		here   string
		want   string
	}{
		"none":                               {"x:a y:b", "", "a b", ""},
		"one":                                {"x:a y:b", "b", "a", "y:b free"},
		"an amended one, and its later self": {"x:a x:b", "a b", "", "x:b free"},
		"the earlier self alone":             {"x:a x:b", "a", "b", "x:a"},
		"one that an amend took work out of": {"x:a! x:b", "a b", "", "x:a free,x:b free"},
		"its link is in HEAD's history":      {"x:a! x:b", "a", "b", "x:a"},
		"two links":                          {"x:a y:b", "a b", "", "x:a free,y:b free"},
	} {
		s := newSession("a", 1)
		for _, text := range strings.Fields(c.linked) {
			id, commit, _ := strings.Cut(text, ":")
			commit, dropped := strings.CutSuffix(commit, "!")
			s.Linked = append(s.Linked, session.Link{ID: id, Commit: gitexec.OID(commit), Dropped: dropped})
		}
		in := func(list string) func(gitexec.OID) bool {
			return func(id gitexec.OID) bool { return slices.Contains(strings.Fields(list), string(id)) }
		}
		var got []string
		for _, w := range ResetWork(s, in(c.reset), in(c.here)) {
			text := w.Link.ID + ":" + string(w.Link.Commit)
			if w.Free {
				text += " free"
			}
			got = append(got, text)
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOwnAndStillIn(t *testing.T) {
	changes := []gitexec.Change{{Path: "f", Old: file("1"), New: file("2")}, {Path: "g", New: file("3")}, {Path: "h", Old: file("4")}}
	if got := InFiles(suffix.ChangesOf(changes), []gitexec.Path{"h", "f", "x"}); !slices.EqualFunc(got, []suffix.Change{{Path: "f", Before: file("1"), After: file("2")}, {Path: "h", Before: file("4")}}, func(a, b suffix.Change) bool {
		return a.Path == b.Path && a.Before == b.Before && a.After == b.After
	}) {
		t.Errorf("%v", got)
	}
	files := []gitexec.Path{"x", "g", "f"}
	if got := ChangedFiles(changes, files); !slices.Equal(got, []gitexec.Path{"g", "f"}) || !slices.Equal(files, []gitexec.Path{"x", "g", "f"}) {
		t.Errorf("%q of %q", got, files)
	}
}

// TestMarkElsewhere: nothing but content tells of work on another base, or of one that HEAD has
// left.
func TestMarkElsewhere(t *testing.T) {
	const base, parent, below = "abc1234000", "def5678000", "0000001000"
	for name, c := range map[string]struct {
		at         gitexec.OID // the session's base
		parent     gitexec.OID
		line, from []gitexec.OID
		want       bool
	}{
		"on the parent":                {base, base, nil, nil, false},
		"the session went on":          {below, parent, nil, nil, true},
		"HEAD moved on":                {base, parent, []gitexec.OID{parent, base, below}, []gitexec.OID{base, below}, false},
		"HEAD was reset":               {base, below, []gitexec.OID{below}, []gitexec.OID{base, below}, true},
		"HEAD is on another branch":    {base, parent, []gitexec.OID{parent, below}, []gitexec.OID{base, below}, true},
		"it is too far to be told":     {base, parent, []gitexec.OID{parent}, []gitexec.OID{base, below}, false},
		"the base is pruned":           {base, parent, []gitexec.OID{parent, below}, nil, false},
		"another history altogether":   {base, parent, []gitexec.OID{parent}, []gitexec.OID{base}, false},
		"on the parent, which it left": {base, base, []gitexec.OID{base}, []gitexec.OID{base}, false},
	} {
		s := newSession("a", 1)
		s.BaseCommit = c.at
		works := []Work{on(s, 1)}
		MarkElsewhere(works, c.parent, func(gitexec.OID) bool { return Left(c.line, c.from) })
		if works[0].Elsewhere != (c.want && c.at != base) || works[0].Left != (c.want && c.at == base) {
			t.Errorf("%s: %+v", name, works[0])
		}
	}
}
