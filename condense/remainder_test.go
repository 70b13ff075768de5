package condense

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// based puts work on another base than the one of on.
func based(w Work, base string) Work {
	w.Stream.Base = base
	return w
}

// TestConcerned: a commit says something about the sessions on its parent, those that it links, and
// those that share a stream with them.
func TestConcerned(t *testing.T) {
	const here, elsewhere = "abc1234000", "def5678000"
	at := func(id, base string) *session.State {
		s := newSession(id, 1)
		s.BaseCommit = gitexec.OID(base)
		return s
	}
	for name, c := range map[string]struct {
		parent  gitexec.OID
		sorts   func() ([]*session.State, []Work, []Matched)
		want    string // sessions
		streams int
	}{
		"on the parent": {here, func() ([]*session.State, []Work, []Matched) {
			a, b := at("a", here), at("b", elsewhere)
			return []*session.State{a, b}, []Work{on(a, 1), based(on(b, 1), "def5678")}, nil
		}, "a", 1},
		"linked from another base": {here, func() ([]*session.State, []Work, []Matched) {
			a, b := at("a", here), at("b", elsewhere)
			return []*session.State{a, b}, []Work{on(a, 1), based(on(b, 1), "def5678")}, []Matched{{Session: b}}
		}, "a b", 2},
		"moved to another base, with a stream here": {here, func() ([]*session.State, []Work, []Matched) {
			a := at("a", elsewhere)
			return []*session.State{a}, []Work{on(a, 1)}, nil
		}, "a", 1},
		"beside one that is linked": {here, func() ([]*session.State, []Work, []Matched) {
			a, b, c := at("a", elsewhere), at("b", elsewhere), at("c", elsewhere)
			return []*session.State{a, b, c}, []Work{based(on(a, 1), "def5678"), based(on(b, 1), "def5678"), based(on(b, 2), "def5678"), based(on(c, 2), "def5678")}, []Matched{{Session: a}}
		}, "a b c", 4},
		"linked from one of its bases": {"", func() ([]*session.State, []Work, []Matched) {
			a := at("a", here)
			matched := based(on(a, 1), "def5678")
			return []*session.State{a}, []Work{on(a, 1), matched, based(on(a, 1), "fff0000")}, []Matched{{Session: a, Streams: []shadow.Stream{*matched.Stream}}}
		}, "a", 2},
		"on the parent, and elsewhere": {here, func() ([]*session.State, []Work, []Matched) {
			a, b := at("a", here), at("b", elsewhere)
			return []*session.State{a, b}, []Work{on(a, 1), based(on(a, 1), "def5678"), based(on(b, 1), "def5678")}, nil
		}, "a", 1},
		"a first commit": {"", func() ([]*session.State, []Work, []Matched) {
			a, b := at("a", ""), at("b", here)
			return []*session.State{a, b}, []Work{on(b, 1)}, nil
		}, "", 0},
	} {
		states, works, matches := c.sorts()
		states, works = Concerned(c.parent, states, works, matches)
		var names []string
		for _, s := range states {
			names = append(names, s.SessionID)
		}
		if got := strings.Join(names, " "); got != c.want || len(works) != c.streams {
			t.Errorf("%s: %q with %d works, want %q with %d", name, got, len(works), c.want, c.streams)
		}
	}
}

// TestKeptOn: the bases that a session keeps are those of work that a commit doesn't move.
func TestKeptOn(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	const here, there, third = "abc1234000", "def5678000", "fff0000000"
	moved, stays := on(a, 1), based(on(a, 1), "def5678")
	for name, c := range map[string]struct {
		bases      []gitexec.OID
		all, moved []Work
		want       []gitexec.OID
	}{
		"all of it is moved":           {[]gitexec.OID{here}, []Work{moved}, []Work{moved}, nil},
		"none of it is":                {[]gitexec.OID{here, there}, []Work{moved, stays}, nil, []gitexec.OID{here, there}},
		"that on one base":             {[]gitexec.OID{here, there}, []Work{moved, stays}, []Work{moved}, []gitexec.OID{there}},
		"one of two streams":           {[]gitexec.OID{here}, []Work{moved, on(a, 2)}, []Work{moved}, []gitexec.OID{here}},
		"another session's stays":      {[]gitexec.OID{here, there}, []Work{moved, based(on(b, 1), "def5678")}, []Work{moved}, nil},
		"a base without work":          {[]gitexec.OID{third}, []Work{stays}, nil, nil},
		"work on a base not its own":   {[]gitexec.OID{here}, []Work{stays}, nil, nil},
		"moved with another session's": {[]gitexec.OID{here}, []Work{moved, on(b, 1)}, []Work{on(b, 1)}, nil},
	} {
		if got := KeptOn(a, c.bases, c.all, c.moved); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOldFile: of a file that work renamed, the removal of the old one is kept with it, if the work
// did nothing else to that.
func TestOldFile(t *testing.T) {
	old, renamed := file("a line of the human's/another of the human's"), file("a line of the human's/another of the human's/a line by the agent")
	gone, came := suffix.Change{Path: "old", Before: old}, suffix.Change{Path: "new", After: renamed}
	for name, c := range map[string]struct {
		path    gitexec.Path
		changes []suffix.Change
		want    gitexec.Path
	}{
		"renamed":                       {"new", []suffix.Change{gone, came}, "old"},
		"the new file first":            {"new", []suffix.Change{came, gone}, "old"},
		"of another file":               {"other", []suffix.Change{gone, came, {Path: "other", After: file("something else")}}, ""},
		"a file with the same versions": {"new", []suffix.Change{{Path: "kept", Before: old, After: file("x")}, gone, came}, "old"},
		"changed, and then renamed":     {"new", []suffix.Change{{Path: "old", Before: file("x"), After: old}, gone, came}, ""},
		"a new file alone":              {"new", []suffix.Change{came}, ""},
	} {
		var own []suffix.Change
		for _, change := range c.changes {
			if change.Path == c.path {
				own = append(own, change)
			}
		}
		got, err := Remainder{Work: on(newSession("a", 1), 1, c.changes...), Changes: own}.oldFile(lines{})
		if err != nil || got.Path != c.want || c.want != "" && got.Before != old {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, c.want)
		}
	}
	work := on(newSession("a", 1), 1, gone, came)
	if _, err := (Remainder{Work: work, Changes: work.Changes[1:]}).oldFile(unreadable(renamed.ID)); err == nil {
		t.Error("a version cannot be read, and there is no error")
	}
	_, _, err := Remainder{Work: work, Changes: work.Changes[1:]}.Parts(Versions{Committed: renamed, Unreadable: true}, unreadable(old.ID))
	if err == nil {
		t.Error("the old file cannot be read, and there is no error")
	}
}

// TestStepsOfRenamedFile: before a file that is kept under its new name stands the old one, which
// the step removes; where the new file was there before, it is no rename.
func TestStepsOfRenamedFile(t *testing.T) {
	old, now := suffix.Change{Path: "old", Before: file("v0")}, suffix.Change{Path: "new", After: file("v1")}
	on1 := on(newSession("a", 1), 1, old, now)
	for name, c := range map[string]struct {
		turn suffix.Change
		old  suffix.Change
		want []string
	}{
		"renamed":    {now, old, []string{"a human old=v0, all new", "a agent new=v1 old=, all new"}},
		"added":      {now, suffix.Change{}, []string{"a agent new=v1, all new"}},
		"changed":    {suffix.Change{Path: "new", Before: file("v0"), After: file("v1")}, suffix.Change{}, []string{"a human new=v0, all new", "a agent new=v1, all new"}},
		"overwrites": {suffix.Change{Path: "new", Before: file("v0"), After: file("v1")}, old, []string{"a human new=v0, all new", "a agent new=v1, all new"}},
	} {
		var got []string
		kept := Remainder{Work: on1, Changes: []suffix.Change{c.turn}, Kept: true, turns: []suffix.Change{c.turn}, old: c.old}
		for _, step := range Steps([]Remainder{kept}, nil) {
			got = append(got, inWords(step))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestRemainderCandidates: a file that a commit holds as the agent wrote it is done, unless an
// earlier version may be somewhere.
func TestRemainderCandidates(t *testing.T) {
	s := newSession("a", 1)
	f := suffix.Change{Path: "f", Before: file("base"), After: file("base/one")}
	g := suffix.Change{Path: "g", After: file("two")}
	works := []Work{on(s, 1, f, g, suffix.Change{Path: "f", Before: f.After, After: file("base/one/more")})}
	whole := map[gitexec.Path]gitexec.Entry{"f": file("base/one/more"), "g": file("two")}
	for name, c := range map[string]struct {
		committed, staged map[gitexec.Path]gitexec.Entry
		stash             bool
		want              string
	}{
		"all committed":                 {whole, nil, false, ""},
		"an uncommitted file":           {map[gitexec.Path]gitexec.Entry{"f": file("base/one/more")}, nil, false, "g"},
		"an earlier turn's":             {map[gitexec.Path]gitexec.Entry{"f": f.After, "g": g.After}, nil, false, "f"},
		"all committed, and a stash":    {whole, nil, true, "f g"},
		"all committed, and one staged": {whole, map[gitexec.Path]gitexec.Entry{"f": file("x")}, false, "f"},
	} {
		var got []string
		for _, r := range RemainderCandidates(works, c.committed, c.staged, c.stash) {
			got = append(got, string(r.Path()))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if r := RemainderCandidates(works, nil, nil, false); len(r) != 2 || len(r[0].Changes) != 2 {
		t.Errorf("a file's turns are not together: %+v", r)
	}
}

// TestRemains: what is carried as it is, kept as it was, or dismissed.
func TestRemains(t *testing.T) {
	var none gitexec.Entry
	base, wrote, more := file("base"), file("base/a line by the agent"), file("base/a line by the agent/another line by the agent")
	one := []suffix.Change{{Path: "f", Before: base, After: wrote}}
	two := append(slices.Clone(one), suffix.Change{Path: "f", Before: wrote, After: more})
	back := append(slices.Clone(one), suffix.Change{Path: "f", Before: wrote, After: base})
	took := []suffix.Change{{Path: "f", Before: base, After: file("another line by the agent")}}
	for name, c := range map[string]struct {
		changes   []suffix.Change
		versions  Versions
		want      string // carried, as a turn in progress began, kept
		dismissed gitexec.Entry
	}{
		"in the worktree":      {one, Versions{Committed: base, Worktree: wrote}, "carried", none},
		"in a stash entry":     {one, Versions{Committed: base, Worktree: base, Others: []gitexec.Entry{wrote}}, "kept", none},
		"in both, differently": {two, Versions{Committed: base, Worktree: more, Others: []gitexec.Entry{wrote}}, "kept carried", none},
		"in both, alike":       {one, Versions{Committed: base, Worktree: wrote, Others: []gitexec.Entry{wrote}}, "carried", none},
		"in a stash entry, and its place is another's": {[]suffix.Change{{Path: "f", Before: base, After: file("a line by the agent")}},
			Versions{Committed: base, Worktree: file("a line by the human"), Others: []gitexec.Entry{file("a line by the agent")}}, "kept", none},
		"a turn goes on from it":                 {one, Versions{Committed: base, Worktree: more, Starts: []gitexec.Entry{wrote}}, "as it began", none},
		"it came after a turn began":             {two, Versions{Committed: base, Worktree: more, Starts: []gitexec.Entry{base}}, "carried", none},
		"the second turn began with it":          {one, Versions{Committed: base, Worktree: more, Starts: []gitexec.Entry{base, wrote}}, "as it began", none},
		"dismissed":                              {one, Versions{Committed: base, Worktree: base}, "", wrote},
		"dismissed, and the commit has some":     {two, Versions{Committed: wrote, Worktree: wrote}, "", more},
		"the commit has all, and more":           {one, Versions{Committed: more, Worktree: more}, "", none},
		"the commit has what it removed":         {took, Versions{Committed: more, Worktree: more}, "", file("another line by the agent")},
		"undone by the agent":                    {back, Versions{Committed: base, Worktree: base}, "", none},
		"a deletion that was undone":             {[]suffix.Change{{Path: "f", Before: base}}, Versions{Committed: base, Worktree: base}, "", none},
		"it cannot be read":                      {one, Versions{Committed: base, Unreadable: true}, "kept", none},
		"it cannot be read, nor is it dismissed": {one, Versions{Committed: base, Worktree: wrote, Unreadable: true}, "kept", none},
	} {
		parts, dismissed, err := Remainder{Work: on(newSession("a", 1), 1), Changes: c.changes}.Parts(c.versions, lines{})
		var got []string
		for _, r := range parts {
			switch {
			case r.Kept:
				got = append(got, "kept")
			case r.Now == c.versions.Worktree:
				got = append(got, "carried")
			case slices.Contains(c.versions.Starts, r.Now):
				got = append(got, "as it began")
			}
		}
		if strings.Join(got, " ") != c.want || dismissed != c.dismissed || err != nil {
			t.Errorf("%s: %q, %v dismissed, %v; want %q and %v", name, got, dismissed, err, c.want, c.dismissed)
		}
	}
}

// remainder is a remainder of a file, of a stream's first checkpoints.
func remainder(w Work, path gitexec.Path, kept bool, changes ...suffix.Change) Remainder {
	for i := range changes {
		changes[i].Path = path
		changes[i].Nth = max(changes[i].Nth, i)
	}
	r := Remainder{Work: w, Changes: changes, Kept: kept}
	if !kept {
		r.Now = file("now")
	}
	return r
}

// TestGroups: what is in the worktree together is one stream, before what each old one keeps.
func TestGroups(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	change := suffix.Change{After: file("x")}
	groups := Groups([]Remainder{remainder(on(b, 2), "k", true, change), remainder(on(a, 1), "f", false, change), remainder(on(a, 1), "l", true, change), remainder(on(b, 2), "g", false, change), remainder(on(b, 1), "m", true, change)})
	var got []string
	for _, group := range groups {
		var paths []string
		for _, r := range group {
			paths = append(paths, string(r.Path()))
		}
		got = append(got, strings.Join(paths, " "))
	}
	if want := []string{"f g", "l m", "k"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if Groups(nil) != nil {
		t.Error("nothing makes a group")
	}
}

// TestSteps: the checkpoints that a group is carried as, in words.
func TestSteps(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	v := func(n int) gitexec.Entry { return file(fmt.Sprint("v", n)) }
	turn := func(from, to int) suffix.Change { return suffix.Change{Before: v(from), After: v(to)} }
	nth := func(n int, c suffix.Change) suffix.Change {
		c.Nth = n
		return c
	}
	carried := turn(0, 1)
	carried.Of = []suffix.Change{turn(0, 1)}
	committed := map[gitexec.Path]gitexec.Entry{"f": v(0), "g": v(0)}
	for name, c := range map[string]struct {
		group []Remainder
		want  []string
	}{
		"in the worktree, at once":            {[]Remainder{remainder(on(a, 1), "f", false, turn(0, 1), turn(1, 2)), remainder(on(a, 1), "g", false, turn(0, 1))}, []string{"a agent f=now g=now, all f g, from 1, done on 1"}},
		"kept, turn by turn":                  {[]Remainder{remainder(on(a, 1), "f", true, turn(0, 1), turn(1, 2)), remainder(on(a, 1), "g", true, turn(0, 1))}, []string{"a agent f=v1 g=v1, all f g", "a agent f=v2, all f g"}},
		"the human's part between":            {[]Remainder{remainder(on(a, 1), "f", true, turn(0, 1), turn(2, 3))}, []string{"a agent f=v1, all f", "a human f=v2, all f", "a agent f=v3, all f"}},
		"kept, begun on a human's version":    {[]Remainder{remainder(on(a, 1), "f", true, turn(1, 2))}, []string{"a human f=v1, all f", "a agent f=v2, all f"}},
		"kept, but for a committed turn":      {[]Remainder{remainder(on(a, 1), "f", true, turn(1, 0), turn(0, 3))}, []string{"a agent f=v3, all f"}},
		"kept, and a later turn is committed": {[]Remainder{remainder(on(a, 1), "f", true, turn(1, 2), turn(2, 0))}, []string{"a human f=v1, all f", "a agent f=v2, all f"}},
		"kept, and another turn is committed": {[]Remainder{remainder(on(a, 1), "f", true, turn(1, 2), turn(3, 0))}, []string{"a human f=v1, all f", "a agent f=v2, all f"}},
		"kept, and carried forward before":    {[]Remainder{remainder(on(a, 1), "f", true, carried)}, []string{"a agent f=v1, all f, from 1, done on 1"}},
		"of several streams":                  {[]Remainder{remainder(on(a, 1), "f", false, turn(0, 1)), remainder(on(a, 2), "g", false, turn(0, 1)), remainder(on(a, 1), "h", false, turn(0, 1))}, []string{"a agent f=now g=now h=now, all f g h, from 1 2, done on 1 2"}},
		"two sessions":                        {[]Remainder{remainder(on(a, 1), "f", false, turn(0, 1)), remainder(on(b, 2), "g", false, turn(0, 1))}, []string{"a agent f=now, all f, from 1, done on 1", "b agent g=now, all g, from 2, done on 2"}},
		"two sessions in a file":              {[]Remainder{remainder(on(a, 1), "f", false, turn(0, 1)), remainder(on(b, 2), "f", false, turn(1, 2))}, []string{"a agent f=now, all f, from 1 2, done on 1", "b human f=v0, all f", "b agent f=now, all f, from 1 2, done on 2"}},
		"two sessions in a file that is kept": {[]Remainder{remainder(on(a, 1), "f", true, turn(0, 1)), remainder(on(b, 1), "f", true, nth(1, turn(1, 2)))}, []string{"a agent f=v1, all f", "b agent f=v2, all f"}},
		"the later of two sessions began before, and the human wrote between": {
			[]Remainder{remainder(on(a, 1), "f", true, nth(2, turn(2, 3))), remainder(on(b, 1), "f", true, nth(1, turn(0, 1)))},
			[]string{"b agent f=v1, all f", "a human f=v2, all f", "a agent f=v3, all f"}},
		"two sessions in turn": {[]Remainder{remainder(on(a, 1), "f", true, turn(0, 1)), remainder(on(a, 1), "g", true, nth(2, turn(1, 2))), remainder(on(b, 1), "f", true, nth(1, turn(1, 2))), remainder(on(b, 1), "g", true, nth(1, turn(0, 1)))},
			[]string{"a agent f=v1, all f g", "b agent f=v2 g=v1, all f g", "a agent g=v2, all f g"}},
		"and carried forward before": {[]Remainder{remainder(on(a, 1), "f", true, carried), remainder(on(b, 1), "f", true, nth(1, carried))},
			[]string{"a agent f=v1, all f, from 1, done on 1", "b human f=v0, all f", "b agent f=v1, all f, from 1, done on 1"}},
		"nothing": {nil, nil},
	} {
		var got []string
		for i, r := range c.group {
			c.group[i].turns = uncommitted(r.Changes, committed[r.Path()])
		}
		for _, k := range Steps(c.group, committed) {
			got = append(got, inWords(k))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func inWords(k Step) string {
	var edits []string
	for path, e := range k.Edits {
		edits = append(edits, fmt.Sprintf("%s=%s", path, e.ID))
	}
	slices.Sort(edits)
	text := fmt.Sprintf("%s %s %s, all", k.Work.Session.SessionID, k.Part, strings.Join(edits, " "))
	for _, path := range k.Files {
		text += " " + string(path)
	}
	list := func(what string, streams []*shadow.Stream) {
		for i, s := range streams {
			if i == 0 {
				text += ", " + what
			}
			text += fmt.Sprint(" ", s.Suffix)
		}
	}
	list("from", k.From)
	list("done on", k.WorkOn)
	return text
}
