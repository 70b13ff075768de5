package checkpoints

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

func at(second int) time.Time { return time.Unix(int64(second), 0) }

// TestOrderLooks: what is recorded comes first, then what is older.
func TestOrderLooks(t *testing.T) {
	recorded := func(commit gitexec.OID, second int) look {
		return look{commit: commit, when: at(second), known: Owners{}, base: commit}
	}
	seen := func(name gitexec.OID, second int, side bool) look {
		return look{when: at(second), side: side, base: name}
	}
	for name, c := range map[string]struct {
		looks []look
		above map[gitexec.OID]int
		want  string
	}{
		"by time":                        {[]look{seen("b", 2, false), seen("a", 1, false)}, nil, "a b"},
		"recorded, though later":         {[]look{seen("a", 1, false), recorded("b", 2)}, nil, "b a"},
		"recorded ones by time":          {[]look{recorded("b", 2), recorded("a", 1)}, nil, "a b"},
		"in one second, by history":      {[]look{recorded("b", 1), recorded("a", 1)}, map[gitexec.OID]int{"b": 1}, "a b"},
		"time before history":            {[]look{recorded("b", 2), recorded("a", 1)}, map[gitexec.OID]int{"a": 1}, "a b"},
		"in one second, sides last":      {[]look{seen("b", 1, true), seen("a", 1, false)}, nil, "a b"},
		"an older side":                  {[]look{seen("b", 2, false), seen("a", 1, true)}, nil, "a b"},
		"of equals the first stays so":   {[]look{seen("a", 1, false), seen("b", 1, false)}, nil, "a b"},
		"of equal sides the first, too":  {[]look{seen("a", 1, true), seen("b", 1, true)}, nil, "a b"},
		"a recorded one before all else": {[]look{seen("b", 1, false), seen("c", 1, true), recorded("a", 9)}, nil, "a b c"},
	} {
		orderLooks(c.looks, c.above)
		var got []string
		for _, l := range c.looks {
			got = append(got, string(l.base))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMarkDoubtful: the human's part is doubtful where a turn was in progress.
func TestMarkDoubtful(t *testing.T) {
	human := look{by: ledger.Human, when: at(10), session: "a"}
	turn := func(session string, began int) look {
		return look{by: ledger.FirstTurn, when: at(20), session: session, began: at(began)}
	}
	for name, c := range map[string]struct {
		looks  []look
		inTurn bool
		want   bool
	}{
		"alone":                                  {[]look{human}, false, false},
		"a turn that is in progress still":       {[]look{human}, true, true},
		"before its turn begins":                 {[]look{human, turn("a", 11)}, false, false},
		"another session's turn had begun":       {[]look{human, turn("b", 9)}, false, true},
		"its own session's turn had begun":       {[]look{human, turn("a", 9)}, false, true},
		"another session's begins with it":       {[]look{human, turn("b", 10)}, false, true},
		"its session's turn begins with it":      {[]look{human, turn("a", 10)}, false, false},
		"a look of the human's":                  {[]look{human, {by: ledger.Human, when: at(20), session: "b", began: at(9)}}, false, false},
		"a look of a turn":                       {[]look{turn("a", 5), turn("b", 6)}, true, false},
		"the second of two turns had begun":      {[]look{human, turn("b", 11), turn("c", 9)}, false, true},
		"of unknown authors nothing is doubtful": {[]look{{by: ledger.Unknown, when: at(10)}, turn("b", 9)}, true, false},
	} {
		markDoubtful(c.looks, func(look) bool { return c.inTurn })
		if c.looks[0].doubtful != c.want {
			t.Errorf("%s: %v", name, c.looks[0].doubtful)
		}
	}
	looks := []look{turn("b", 9), human}
	if markDoubtful(looks, func(look) bool { return false }); looks[1].doubtful {
		t.Error("a turn that ended before")
	}
}

// TestWithTaken: the sides from which a turn brought lines come before it, each once.
func TestWithTaken(t *testing.T) {
	side := func(name gitexec.OID) look { return look{base: name, side: true} }
	plain := func(name gitexec.OID, taken ...look) look { return look{base: name, taken: taken} }
	for name, c := range map[string]struct {
		looks []look
		want  string
	}{
		"none":                     {[]look{plain("a"), plain("b")}, "a b"},
		"a side":                   {[]look{plain("a"), side("s"), plain("b")}, "a s b"},
		"taken":                    {[]look{plain("a"), plain("b", side("s"))}, "a s b"},
		"taken twice":              {[]look{plain("a", side("s")), plain("b", side("s"))}, "s a b"},
		"taken, and a side before": {[]look{side("s"), plain("a"), plain("b", side("s"))}, "a s b"},
		"taken, and a side after":  {[]look{plain("b", side("s")), side("s")}, "s b"},
		"two sides":                {[]look{plain("b", side("s"), side("t")), side("u")}, "s t b u"},
		"a side twice":             {[]look{side("s"), side("s")}, "s"},
		"looks of one base":        {[]look{plain("a"), plain("a")}, "a a"},
	} {
		var got []string
		for _, l := range withTaken(c.looks) {
			got = append(got, string(l.base))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCountTaken: what a version lacks between the first change and the last.
func TestCountTaken(t *testing.T) {
	for _, c := range []struct{ was, now, taken, added string }{
		{"a b c", "a c", "b", ""},
		{"a b c", "a b c", "", ""},
		{"a b c", "a x c", "b", "x"},
		{"a b c d", "a d", "b c", ""},
		{"a b c d", "a c b d", "", ""}, // moved
		{"a b", "", "a b", ""},
		{"", "a", "", "a"},
		{"a b b c", "a b c", "b", ""},
	} {
		book, taken := ledger.New(), map[ledger.ID]int{}
		text := func(words string) ledger.Text { return book.Text([]byte(strings.ReplaceAll(words, " ", "\n"))) }
		countTaken(taken, text(c.was), text(c.now))
		want := map[ledger.ID]int{}
		for _, id := range text(c.taken) {
			want[id]++
		}
		for _, id := range text(c.added) {
			want[id]--
		}
		for id, n := range taken {
			if n != want[id] {
				t.Errorf("%q to %q: a line is taken %d times, want %d", c.was, c.now, n, want[id])
			}
		}
		for id := range want {
			if taken[id] != want[id] {
				t.Errorf("%q to %q: a line is not taken", c.was, c.now)
			}
		}
	}
}

// TestCharged: who answers for a new line.
func TestCharged(t *testing.T) {
	for name, c := range map[string]struct {
		look     look
		replaces bool
		want     ledger.Owner
		pending  bool
	}{
		"the human's":                       {look{by: ledger.Human}, false, ledger.Human, false},
		"in place of another":               {look{by: ledger.Human}, true, ledger.Modified, false},
		"a turn's":                          {look{by: ledger.FirstTurn}, true, ledger.FirstTurn, false},
		"unknown":                           {look{by: ledger.Unknown}, true, ledger.Unknown, false},
		"the human's, in doubt":             {look{by: ledger.Human, doubtful: true}, false, ledger.Human, true},
		"so, in place of another":           {look{by: ledger.Human, doubtful: true}, true, ledger.Modified, true},
		"a turn's, where others were at it": {look{by: ledger.FirstTurn + 1}, false, ledger.FirstTurn + 1, false},
	} {
		book := ledger.New()
		got := charged(book, c.look, c.replaces)
		if book.Resolve(got) != c.want || (got < 0) != c.pending {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// TestJoinOwners: what two checkpoints record of a file is joined where it is of one version. Of two
// versions the commit's own counts, whichever comes first.
func TestJoinOwners(t *testing.T) {
	file := func(blob gitexec.OID, first, lines int, unknown ...span) FileOwners {
		return FileOwners{Blob: blob, ranges: []ownersRange{{span: span{first, lines}}}, unknown: unknown}
	}
	all := Owners{"same": file("1", 1, 2), "other": file("1", 1, 2), "mine": file("1", 1, 1), "first": file("1", 1, 2), "second": file("1", 1, 2)}
	all.join(Owners{"same": file("1", 5, 1, span{9, 1}), "other": file("2", 7, 1), "theirs": file("3", 1, 1), "first": file("2", 7, 1), "second": file("2", 7, 1)},
		map[gitexec.Path]gitexec.OID{"same": "1", "other": "3", "first": "1", "second": "2"})
	for path, want := range map[gitexec.Path][]int{"same": {1, 5}, "other": {7}, "mine": {1}, "theirs": {1}, "first": {1}, "second": {7}} {
		var got []int
		for _, r := range all[path].ranges {
			got = append(got, r.first)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if !all["same"].HasUnknown() || all["other"].HasUnknown() || all["other"].Blob != "2" {
		t.Errorf("%+v", all)
	}
}

// TestGathered: each turn has one number, and the first time that is known of it.
func TestGathered(t *testing.T) {
	g := &gathering{owners: map[Turn]ledger.Owner{}, began: map[Turn]time.Time{}}
	one, two := Turn{Session: "a", Turn: "1"}, Turn{Session: "a", Turn: "1", Link: "other"}
	if g.owner(one) != ledger.FirstTurn || g.owner(two) != ledger.FirstTurn+1 || g.owner(one) != ledger.FirstTurn {
		t.Errorf("%v", g.owners)
	}
	for _, second := range []int{5, 3, 7} {
		g.turnBegan(one, at(second))
	}
	if !g.began[one].Equal(at(3)) {
		t.Errorf("it began at %s", g.began[one])
	}
	if !g.matters("f") {
		t.Error("no file matters")
	}
	if g.only = map[gitexec.Path]bool{"f": true}; !g.matters("f") || g.matters("g") {
		t.Error("other files matter")
	}
}
