package moves

import (
	"fmt"
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

// TestMadeSince: what was made before HEAD was first recorded is not looked at; a move that the
// reflog lacks stands for all that may have come in between.
func TestMadeSince(t *testing.T) {
	reflog := []gitexec.HeadMove{
		{From: "b", To: "d", Why: "commit: d"}, {From: "c", To: "b", Why: "commit: b again"}, {From: "b", To: "c", Why: "commit: c"},
		{From: "a", To: "b", Why: "commit: b"}, {From: "", To: "a", Why: "commit (initial): a"},
	}
	for _, test := range []struct {
		name              string
		reflog            []gitexec.HeadMove
		first, seen, head gitexec.OID
		want              string
	}{
		{"all since the first one", reflog, "a", "a", "d", "d b c b"},
		{"of two times at a commit the last one counts", reflog, "b", "b", "d", "d b c"},
		{"nothing since the first one", reflog, "d", "d", "d", ""},
		{"the first one is not in the reflog", reflog, "elsewhere", "a", "d", "d b c b a"},
		{"HEAD moved without a word in the reflog", reflog, "d", "d", "e", "e<d?"},
		{"the reflog is off", nil, "a", "a", "e", "e<a?"},
	} {
		got := ""
		for _, m := range MadeSince(test.reflog, test.first, test.seen, test.head) {
			if got += " " + string(m.Commit); !m.Known {
				got += "<" + string(m.From) + "?"
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestInHistory: a commit that the reflog names is one; of a move that it doesn't call a commit all
// commits on the way may be. What was there when HEAD was seen is none, nor what is on no path.
func TestInHistory(t *testing.T) {
	history := func(ids ...gitexec.OID) (line []gitexec.Commit) { // newest first; the last is a root unless it is "…"
		for i, id := range ids {
			if id == "…" {
				break
			}
			c := gitexec.Commit{ID: id}
			if i+1 < len(ids) {
				c.Parents = []gitexec.OID{ids[i+1]}
			}
			line = append(line, c)
		}
		return line
	}
	zero := gitexec.OID("0000000000000000000000000000000000000000")
	known := func(from, to gitexec.OID) Made { return Made{Commit: to, From: from, Known: true} }
	amend := func(from, to gitexec.OID) Made { return Made{Commit: to, From: from, Known: true, Amends: true} }
	unknown := func(from, to gitexec.OID) Made { return Made{Commit: to, From: from} }
	for _, test := range []struct {
		name string
		line []gitexec.Commit
		made []Made
		seen gitexec.OID
		want []string // index, "=" known or "?" not, and what it amends
	}{
		{"commits since HEAD was seen, oldest first", history("d", "c", "b", "a"), []Made{known("c", "d"), known("b", "c")}, "b",
			[]string{"1=", "0="}},
		{"one that was there already", history("c", "b", "a"), []Made{known("b", "c"), known("a", "b")}, "b", []string{"0="}},
		{"one that HEAD has left again", history("c", "a"), []Made{known("a", "b"), known("a", "c")}, "a", []string{"0="}},
		{"all between the ends of an unknown move", history("d", "c", "b", "a"), []Made{unknown("a", "d")}, "a", []string{"2?", "1?", "0?"}},
		{"a known one among them", history("c", "b", "a"), []Made{unknown("a", "c"), known("a", "b")}, "a", []string{"1=", "0?"}},
		{"a known one among them that comes first", history("c", "b", "a"), []Made{known("a", "b"), unknown("a", "c")}, "a", []string{"1=", "0?"}},
		{"an unknown move over what was seen", history("d", "c", "b", "a"), []Made{unknown("a", "d")}, "b", []string{"1?", "0?"}},
		{"an unknown move from elsewhere", history("c", "b", "a"), []Made{unknown("x", "c")}, "a", nil},
		{"an unknown move backwards", history("c", "b", "a"), []Made{unknown("c", "a")}, "", nil},
		{"the first commits of all", history("b", "a"), []Made{unknown(zero, "b")}, zero, []string{"1?", "0?"}},
		{"the first commits, of a history that was not read whole", history("c", "b", "…"), []Made{unknown(zero, "c")}, zero, nil},
		{"a commit that is in no history", history("b", "a"), []Made{known("a", "x")}, "a", nil},
		{"so, and HEAD was seen elsewhere", history("b", "a"), []Made{known("a", "x")}, "y", nil},
		{"HEAD was seen on another branch", history("c", "b", "a"), []Made{known("b", "c"), known("a", "b")}, "x", []string{"1=", "0="}},
		{"an amend", history("c", "a"), []Made{amend("b", "c"), known("a", "b")}, "b", []string{"0=b"}},
		{"an amend of an amend", history("d", "a"), []Made{amend("c", "d"), amend("b", "c"), known("a", "b")}, "b", []string{"0=b"}},
		{"no history", nil, []Made{known("a", "b")}, "a", nil},
	} {
		var got []string
		for _, u := range InHistory(test.made, test.line, test.seen) {
			mark := "?"
			if u.Known {
				mark = "="
			}
			got = append(got, fmt.Sprint(u.At, mark, u.Amends))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestUnseenOrder: work that began on a commit, or on a later one, is not in it; it is after those
// below it.
func TestUnseenOrder(t *testing.T) {
	u := Unseen{Line: []gitexec.Commit{{ID: "d"}, {ID: "c"}, {ID: "b"}, {ID: "a"}}, At: 2}
	for id, want := range map[gitexec.OID][2]bool{"d": {true, false}, "c": {true, false}, "b": {true, false}, "a": {false, true}, "x": {false, false}} {
		if got := [2]bool{u.NotYet(id), u.IsAfter(id)}; got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	if found := ReplaysIn(u.Line, []gitexec.OID{"x", "a", "c"}); len(found) != 2 || found[0].At != 1 || found[1].At != 3 || !found[0].Replay {
		t.Errorf("%+v", found)
	}
	if (Unseen{}).NotYet("a") || (Unseen{}).IsAfter("a") || u.Commit().ID != "b" {
		t.Error(u.Commit())
	}
}
