package share

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// said is a plan as text: how many commits are kept, and what is placed for which commit.
func said(p plan) string {
	text := fmt.Sprint(p.kept)
	for _, part := range [][]placing{p.goes, p.stays} {
		text += " |"
		for _, one := range part {
			text += fmt.Sprintf(" %d:", one.commit)
			for i, entry := range one.entries {
				text += strings.Repeat(",", min(i, 1)) + string(entry)
			}
			if !one.whole {
				text += "…"
			}
		}
	}
	return text
}

// TestOrder: what may leave comes first, each part by commit; what is clean at the beginning stays
// as it is.
func TestOrder(t *testing.T) {
	touches := func(follows bool, entries ...gitexec.Path) past { return past{follows, entries} }
	for name, c := range map[string]struct {
		commits []past
		goes    map[gitexec.Path]bool
		there   gitexec.Path // an entry that does not differ, and that the target has
		want    string
	}{
		"all leaves":           {[]past{touches(true), touches(true, "a"), touches(true, "b")}, map[gitexec.Path]bool{"a": true, "b": true}, "", "3 | |"},
		"all leaves, a merge":  {[]past{touches(true, "a"), touches(false, "b")}, map[gitexec.Path]bool{"a": true, "b": true}, "", "2 | |"},
		"the last one stays":   {[]past{touches(true, "a"), touches(true, "b")}, map[gitexec.Path]bool{"a": true, "b": false}, "", "1 | | 1:b"},
		"the first one stays":  {[]past{touches(true, "a"), touches(true, "b")}, map[gitexec.Path]bool{"a": false, "b": true}, "", "0 | 1:b | 0:a"},
		"one in the middle":    {[]past{touches(true, "a"), touches(true, "b"), touches(true, "c")}, map[gitexec.Path]bool{"a": true, "b": false, "c": true}, "", "1 | 2:c | 1:b"},
		"a commit is split":    {[]past{touches(true, "a", "b")}, map[gitexec.Path]bool{"a": true, "b": false}, "", "0 | 0:a… | 0:b…"},
		"finalized later":      {[]past{touches(true, "a"), touches(true, "b"), touches(true, "a", "b")}, map[gitexec.Path]bool{"a": false, "b": true}, "", "0 | 1:b | 0:a"},
		"a side was united":    {[]past{touches(true, "a"), touches(false, "x")}, map[gitexec.Path]bool{"a": false}, "x", "0 | | 0:a"},
		"added and deleted":    {[]past{touches(true, "a"), touches(true, "x"), touches(true, "x")}, map[gitexec.Path]bool{"a": true}, "", "1 | |"},
		"changed and reverted": {[]past{touches(true, "a"), touches(true, "x"), touches(true, "x")}, map[gitexec.Path]bool{"a": true}, "x", "3 | |"},
		"deleted, then new":    {[]past{touches(true, "x"), touches(true, "x", "a")}, map[gitexec.Path]bool{"a": true}, "", "0 | 1:a |"},
		"kept, then changed":   {[]past{touches(true, "a"), touches(true, "b"), touches(true, "a")}, map[gitexec.Path]bool{"a": true, "b": false}, "", "1 | 2:a | 1:b"},
		"of no commit":         {[]past{touches(true)}, map[gitexec.Path]bool{"a": true, "b": false}, "", "1 | -1:a… | -1:b…"},
		"only its beginning":   {[]past{touches(true), touches(true, "a")}, map[gitexec.Path]bool{"a": false}, "", "0 | | 1:a"},
	} {
		got := order(c.commits, c.goes, func(entry gitexec.Path) bool { return entry == c.there })
		if said(got) != c.want {
			t.Errorf("%s: %s, want %s", name, said(got), c.want)
		}
	}
}

// TestOrderIsBounded: of many commits the oldest go by directories, and stay together; nothing is
// placed twice or lost.
func TestOrderIsBounded(t *testing.T) {
	var commits []past
	goes := map[gitexec.Path]bool{}
	for i := range 3000 {
		entry := gitexec.Path(fmt.Sprintf("%02x/%010x", i%7, i))
		commits = append(commits, past{true, []gitexec.Path{entry}})
		goes[entry] = i%3 != 0
	}
	p := order(commits, goes, func(gitexec.Path) bool { return false })
	if len(p.goes) != mostGoing+7 || len(p.stays) != mostStaying {
		t.Errorf("%d go, %d stay", len(p.goes), len(p.stays))
	}
	placed := map[gitexec.Path]int{}
	for i, part := range [][]placing{p.goes, p.stays} {
		for _, one := range part {
			for _, entry := range one.entries {
				if placed[entry]++; goes[entry] != (i == 0) {
					t.Errorf("%s is in the wrong part", entry)
				}
			}
		}
	}
	if len(placed) != len(goes) || slices.ContainsFunc(p.goes[7:], func(one placing) bool { return len(one.entries) != 1 || placed[one.entries[0]] != 1 }) {
		t.Errorf("%d of %d entries are placed", len(placed), len(goes))
	}
}

// TestPlacingMessage: a message goes on only with what it names.
func TestPlacingMessage(t *testing.T) {
	const a, b = "aa/aaaaaaaaaa", "bb/bbbbbbbbbb"
	link := gitexec.Path("links/ab/" + strings.Repeat("c", 38) + ".json")
	for name, c := range map[string]struct {
		placing
		was, want string
	}{
		"as it is":         {placing{0, []gitexec.Path{a}, true}, "Checkpoint: aaaaaaaaaaaa\n\nEntire-Session: s\n", "Checkpoint: aaaaaaaaaaaa\n\nEntire-Session: s\n"},
		"its part":         {placing{0, []gitexec.Path{a}, false}, "Checkpoint: aaaaaaaaaaaa\n", "Checkpoint: aaaaaaaaaaaa\n"},
		"another's":        {placing{0, []gitexec.Path{b}, false}, "Checkpoint: aaaaaaaaaaaa\n\nEntire-Session: s\n", "Checkpoint: bbbbbbbbbbbb\n"},
		"one of two":       {placing{0, []gitexec.Path{a}, false}, "Finalize transcript for Checkpoint: aaaaaaaaaaaa, bbbbbbbbbbbb\n", "Checkpoint: aaaaaaaaaaaa\n"},
		"both":             {placing{0, []gitexec.Path{a, b}, true}, "Finalize transcript for Checkpoint: aaaaaaaaaaaa, bbbbbbbbbbbb\n", "Finalize transcript for Checkpoint: aaaaaaaaaaaa, bbbbbbbbbbbb\n"},
		"it names none":    {placing{0, []gitexec.Path{a, link}, true}, "Links\n", "Links\n"},
		"a part of such":   {placing{0, []gitexec.Path{link}, false}, "Links\n", "1 link beside commits\n"},
		"several":          {placing{0, []gitexec.Path{a, b, link}, false}, "Links\n", "2 checkpoints\n"},
		"of another kind":  {placing{0, []gitexec.Path{"README"}, false}, "Readme\n", "Update metadata\n"},
		"of no commit":     {placing{-1, []gitexec.Path{a}, false}, "", "Checkpoint: aaaaaaaaaaaa\n"},
		"of no commit, it": {placing{-1, []gitexec.Path{link}, true}, "", "1 link beside commits\n"},
	} {
		if got := c.message(c.was); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
