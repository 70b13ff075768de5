package checkpoints

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// TestShare: lines of unknown authors are in no share, and are named beside it.
func TestShare(t *testing.T) {
	const agent = ledger.FirstTurn
	for name, c := range map[string]struct {
		lines   ledger.Lines
		text    string
		percent float64
		total   int
	}{
		"nothing":     {nil, "", 0, 0},
		"old lines":   {ledger.Lines{{Owner: ledger.Base, Count: 9}}, "", 0, 0},
		"all unknown": {ledger.Lines{{Owner: ledger.Unknown, Count: 9}}, "", 0, 0},
		"all known":   {ledger.Lines{{Owner: agent, Count: 3}, {Owner: ledger.Human, Count: 1}}, "75% agent (3/4 lines)", 75, 4},
		"some unknown": {ledger.Lines{{Owner: agent, Count: 3}, {Owner: ledger.Unknown, Count: 5}, {Owner: ledger.Human, Count: 1}},
			"75% agent (3/4 lines), 5 unknown", 75, 4},
		"no agent's, some unknown": {ledger.Lines{{Owner: ledger.Human, Count: 2}, {Owner: ledger.Unknown, Count: 5}},
			"0% agent (0/2 lines), 5 unknown", 0, 2},
	} {
		a := Attribution{Files: []AttributedFile{{Lines: c.lines}}, turns: []Turn{{Session: "s", Link: "l"}}}
		of := a.Of("s", "l", time.Unix(0, 0))
		if got := a.Share(); got != c.text || of.AgentPercentage != c.percent || of.TotalCommitted != c.total {
			t.Errorf("%s: %q, %g %% of %d; want %q, %g %% of %d", name, got, of.AgentPercentage, of.TotalCommitted, c.text, c.percent, c.total)
		}
	}
}

// TestOwnedByAlso: lines of a session without a part of its own stand in the first session's list,
// under its name.
func TestOwnedByAlso(t *testing.T) {
	lines := ledger.Lines{{Owner: ledger.FirstTurn, Count: 2}, {Owner: ledger.FirstTurn + 1, Count: 1}, {Owner: ledger.Human, Count: 1}}
	a := Attribution{Files: []AttributedFile{{Path: "f", Blob: "b", Lines: lines}}, turns: []Turn{{Session: "s", Turn: "t1"}, {Session: "other", Turn: "t2"}}}
	alone, both := a.OwnedBy("s", "", nobody), a.OwnedBy("s", "", func(id string) bool { return id == "other" })
	if len(alone.Turns) != 1 || alone.Sessions != nil || len(alone.others()) != 0 {
		t.Errorf("alone: %+v", alone)
	}
	if got := both.others(); len(both.Turns) != 2 || len(got) != 1 || got[0] != "other" {
		t.Errorf("both: %+v, others %q", both, got)
	}
	owners := Owners{}
	owners.add(both, "s", "Claude Code")
	found, _ := owners["f"].Spread(4)
	if found[1].Session != "s" || found[1].Agent != "Claude Code" || found[3].Session != "other" || found[3].Agent != "" || found[4] != nil {
		t.Errorf("%+v %+v %+v", found[1], found[3], found[4])
	}
	both.Sessions = []string{"", "../x"}
	if got := both.session(1, "s"); got != "s" || len(both.others()) != 0 {
		t.Errorf("no session's ID: %q", got)
	}
}

// TestOwnerInCommit: whose a line of a commit is, by what is known of it and by the commit's diff.
func TestOwnerInCommit(t *testing.T) {
	const turn = ledger.FirstTurn
	for name, c := range map[string]struct {
		owner                    ledger.Owner
		isNew, replaces, unknown bool
		want                     ledger.Owner
	}{
		"an old line":                       {ledger.Base, false, false, false, ledger.Base},
		"an old line in the diff, a turn's": {turn, false, false, true, ledger.Base},
		"a turn's":                          {turn, true, true, true, turn},
		"of an unknown author":              {ledger.Unknown, true, false, false, ledger.Unknown},
		"the human's":                       {ledger.Human, true, true, true, ledger.Human},
		"new in the diff":                   {ledger.Base, true, false, false, ledger.Human},
		"new in the diff, for another":      {ledger.Base, true, true, false, ledger.Modified},
		"new, and nothing says whose":       {ledger.Base, true, true, true, ledger.Unknown},
	} {
		if got := ownerInCommit(c.owner, c.isNew, c.replaces, c.unknown); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestNewLinesOf: which lines are new by a diff, and which stand in place of others.
func TestNewLinesOf(t *testing.T) {
	hunk := func(was, start, lines int) gitexec.Hunk {
		return gitexec.Hunk{OldLines: was, NewStart: start, NewLines: lines}
	}
	for _, c := range []struct {
		hunks []gitexec.Hunk
		lines int
		want  string // a character a line: + new, ~ in place of another one
	}{
		{nil, 3, "..."},
		{[]gitexec.Hunk{hunk(0, 2, 2)}, 4, ".++."},
		{[]gitexec.Hunk{hunk(1, 1, 2)}, 3, "~+."},
		{[]gitexec.Hunk{hunk(3, 1, 1)}, 1, "~"},
		{[]gitexec.Hunk{hunk(2, 1, 0)}, 2, ".."},
		{[]gitexec.Hunk{hunk(0, 1, 1), hunk(1, 4, 2)}, 0, "+..~+"},
	} {
		isNew, replaces := newLinesOf(c.hunks, c.lines)
		got := ""
		for i := range isNew {
			switch {
			case replaces[i]:
				got += "~"
			case isNew[i]:
				got += "+"
			default:
				got += "."
			}
		}
		if got != c.want || len(replaces) != len(isNew) {
			t.Errorf("%v in %d lines: %q, want %q", c.hunks, c.lines, got, c.want)
		}
	}
}

// attributed is a commit's lines of two sessions, one of which has two links.
func attributed() Attribution {
	const one, linked, other = ledger.FirstTurn, ledger.FirstTurn + 1, ledger.FirstTurn + 2
	return Attribution{
		turns: []Turn{{Session: "s", Turn: "1", Link: "l"}, {Session: "s", Turn: "2", Link: "m"}, {Session: "o", Turn: "3", Link: "l"}},
		Files: []AttributedFile{
			{Path: "g", Blob: "1", Removed: 2, Lines: ledger.Lines{{Owner: one, Count: 3}, {Owner: ledger.Base, Count: 9}, {Owner: ledger.Modified, Count: 1}, {Owner: one, Count: 1}}},
			{Path: "f", Blob: "2", Lines: ledger.Lines{{Owner: linked, Count: 5}, {Owner: ledger.Human, Count: 2}, {Owner: ledger.Unknown, Count: 4}}},
			{Path: "e", Blob: "3", Removed: 1, Lines: ledger.Lines{{Owner: other, Count: 7}, {Owner: one, Count: 1}}},
			{Path: "d", Blob: "4", Lines: ledger.Lines{{Owner: ledger.Base, Count: 3}}},
		},
		prompts: map[Turn]string{{Session: "s", Turn: "1", Link: "l"}: "do it"},
		weight:  map[ledger.Owner]int{one: 10, linked: 20, other: 40},
		began: map[Turn]time.Time{{Session: "s", Turn: "1", Link: "l"}: at(5), {Session: "s", Turn: "2", Link: "m"}: at(3),
			{Session: "o", Turn: "3", Link: "l"}: at(1)},
	}
}

// TestPartOfSession: the numbers, files and weight of one session in one checkpoint.
func TestPartOfSession(t *testing.T) {
	a := attributed()
	for _, c := range []struct {
		session, link string
		agent, others int
		files         string
		weight        int
	}{
		{"s", "l", 5, 12, "e g", 10},
		{"s", "m", 5, 12, "f", 20},
		{"o", "l", 7, 10, "e", 40},
		{"o", "m", 0, 17, "", 0},
	} {
		of := a.Of(c.session, c.link, at(100))
		if of.AgentLines != c.agent || of.OtherSessions != c.others || of.HumanAdded != 2 || of.HumanModified != 1 || of.HumanRemoved != 3 || of.Unknown != 4 ||
			of.TotalCommitted != c.agent+3 {
			t.Errorf("%s in %s: %+v", c.session, c.link, of)
		}
		var files []string
		for _, path := range a.filesOf(c.session, c.link) {
			files = append(files, string(path))
		}
		if got := strings.Join(files, " "); got != c.files {
			t.Errorf("%s in %s: files %q, want %q", c.session, c.link, got, c.files)
		}
		if got := a.weighs(c.session, c.link); got != c.weight {
			t.Errorf("%s in %s: weighs %d, want %d", c.session, c.link, got, c.weight)
		}
	}
}

// TestFirstBegan: when the first of some turns of a session began.
func TestFirstBegan(t *testing.T) {
	a := attributed()
	for _, c := range []struct {
		session string
		turns   []string
		want    time.Time
	}{{"s", nil, at(3)}, {"s", []string{"1"}, at(5)}, {"s", []string{"1", "2"}, at(3)}, {"s", []string{"9"}, time.Time{}}, {"o", nil, at(1)}, {"x", nil, time.Time{}}} {
		if got := a.firstBegan(c.session, c.turns); !got.Equal(c.want) {
			t.Errorf("%s %q: %s", c.session, c.turns, got)
		}
	}
}

// TestOwnedBy: the lines of one session in one checkpoint, as ranges with the numbers of turns.
func TestOwnedBy(t *testing.T) {
	owned := attributed().OwnedBy("s", "l", nobody)
	want := map[gitexec.Path][][3]int{"g": {{1, 3, 0}, {14, 1, 0}}, "f": {}, "e": {{8, 1, 0}}}
	if len(owned.Files) != len(want) || len(owned.Turns) != 1 || owned.Prompts[0] != "do it" || owned.Sessions != nil {
		t.Fatalf("%+v", owned)
	}
	for _, f := range owned.Files {
		if !slices.Equal(f.Ranges, want[f.Path]) || (f.Path == "f") != slices.Equal(f.Unknown, [][2]int{{8, 4}}) {
			t.Errorf("%+v", f)
		}
	}
	if lines := owned.Files[1].Lines; lines != 11 {
		t.Errorf("the commit has %d lines in f", lines)
	}
}

// TestFewer: whether a list has fewer lines of any file than another one.
func TestFewer(t *testing.T) {
	list := func(files map[gitexec.Path]int) (o OwnedLines) {
		for path, lines := range files {
			o.Files = append(o.Files, OwnedFile{Path: path, Ranges: [][3]int{{1, lines, 0}}})
		}
		return o
	}
	some := map[gitexec.Path]int{"f": 2, "g": 3}
	for name, c := range map[string]struct {
		files map[gitexec.Path]int
		want  bool
	}{
		"the same":            {some, false},
		"more":                {map[gitexec.Path]int{"f": 2, "g": 4, "h": 1}, false},
		"fewer of one":        {map[gitexec.Path]int{"f": 9, "g": 2}, true},
		"none of one":         {map[gitexec.Path]int{"f": 9}, true},
		"all in another file": {map[gitexec.Path]int{"h": 9}, true},
	} {
		if got := list(c.files).fewer(list(some)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
