package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

func TestAsked(t *testing.T) {
	kept, left := asked([]transcript.ToolUse{{Name: "Ba\nsh", Command: "a\nb\x1b"}, {Command: strings.Repeat("x", mostAsked)}, {Name: "c"}})
	if left != 2 || len(kept) != 1 || kept[0] != (transcript.ToolUse{Name: "Ba sh", Command: "a\nb␛"}) {
		t.Errorf("%q, %d", kept, left)
	}
	if kept, left = asked(nil); kept == nil || left != 0 {
		t.Error("no list")
	}
	if got := uses(Turn{Uses: make([]transcript.ToolUse, 2), MoreUses: 1}); got != "3 uses of tools, 1 not shown" {
		t.Error(got)
	}
	if got := uses(Turn{Uses: make([]transcript.ToolUse, 1)}); got != "1 use of tools" {
		t.Error(got)
	}
}

// TestNamed: a file has its path in the repository, whatever machine it was on.
func TestNamed(t *testing.T) {
	in := changed{"a.go": "f1", "dir/b.go": "f2"}
	for file, want := range map[string]string{"a.go": "a.go", "./a.go": "a.go", "/repo/new.go": "new.go", "/elsewhere/dir/b.go": "dir/b.go",
		"/home/somebody/.ssh/config": "…/config", "/repository/x": "…/x"} {
		if got := in.named(file, "/repo"); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

func TestTurnsWork(t *testing.T) {
	one := turnOn{Turn: Turn{Of: []string{"c"}, Uses: []transcript.ToolUse{{Name: "Read", File: "/repo/a.go"}, {Name: "Read", File: "/repo/other"},
		{Name: "Write", File: "/repo/left.go"}, {Name: "Bash", Command: "ls"}}}, touched: map[string]int{"b.go": 3}}
	one.work(changed{"a.go": "f1", "b.go": "f2"}, "/repo")
	if want := []TurnFile{{Path: "a.go", Place: "f1"}, {Path: "b.go", Lines: 3, Place: "f2"}, {Path: "left.go"}}; !slices.Equal(one.Files, want) {
		t.Errorf("%+v", one.Files)
	}
	if !one.wrote || one.Uses[1].File != "other" {
		t.Errorf("%+v", one)
	}
}

// TestGone: a turn that wrote files, and has no line in its commit.
func TestGone(t *testing.T) {
	parts := func(session string, prompts ...string) []query.ShownPart {
		return []query.ShownPart{{SessionMetadata: checkpoints.SessionMetadata{SessionID: session, FilesTouched: []gitexec.Path{"a"}}, Prompts: prompts}}
	}
	turn := turnOn{Turn: Turn{Number: 1, Of: []string{"c"}}, wrote: true}
	for name, c := range map[string]struct {
		turn  func(*turnOn)
		draft draft
		want  bool
	}{
		"gone":              {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true}, true},
		"it wrote nothing":  {func(t *turnOn) { t.wrote = false }, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true}, false},
		"it has lines":      {func(t *turnOn) { t.Turn.Lines = 1 }, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true}, false},
		"it may have lines": {func(t *turnOn) { t.touched = map[string]int{"a": 0} }, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true}, false},
		"no commit":         {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c"}, shown: true}, false},
		"unknown lines":     {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}, Lines: Lines{Unknown: 1}}, shown: true}, false},
		"not shown":         {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}}, false},
		"it only deletes":   {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true, parts: parts("s", "one")}, false},
		"a later one":       {func(t *turnOn) { t.Number = 2 }, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true, parts: parts("s", "one")}, true},
		"one of two":        {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true, parts: parts("s", "one", "two")}, true},
		"another session's": {func(*turnOn) {}, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true, parts: parts("s2", "one")}, true},
		"of another part":   {func(t *turnOn) { t.Of = nil }, draft{Chapter: Chapter{Name: "c", Commit: &Commit{}}, shown: true}, false},
	} {
		one := turn
		c.turn(&one)
		if got := (&reporter{chapters: []*draft{&c.draft}}).gone("s", one); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDismissed: turns on a stream that was dismissed are marked, others are not.
func TestDismissed(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	n := 0
	works := map[gitexec.OID]query.OnAStream{}
	on := func(session, subject string, when int, why string) {
		n++
		works[gitexec.OID(rune('0'+n))] = query.OnAStream{Part: shadow.Agent, Session: session, Subject: subject, When: at(when), Dismissed: why}
	}
	on("s", "one", 5, "on entire/1-1")
	on("s", "both", 5, "on entire/1-1")
	on("s", "lines", 9, "on entire/1-1")
	on("s", "again", 25, "deleted")
	on("other", "two", 5, "deleted")
	on("s", "both", 6, "")
	on("s", "stream", 8, "on entire/1-1")
	works["h"] = query.OnAStream{Part: shadow.Human, Session: "s", Subject: "two", When: at(5), Dismissed: "a human's"}
	all := fates(works)
	talk := talk{id: "s", turns: []turnOn{{described: "one", Turn: Turn{Began: at(1)}}, {described: "two", Turn: Turn{Began: at(2)}},
		{described: "both", Turn: Turn{Began: at(3)}}, {described: "lines", committed: true, Turn: Turn{Began: at(4), Lines: 1}},
		{described: "again", Turn: Turn{Began: at(10)}}, {described: "again", Turn: Turn{Began: at(20)}}, {described: "again", Turn: Turn{Began: at(30)}},
		{described: "stream", Turn: Turn{Began: at(7), Lines: 3}}}}
	talk.mark(all)
	var got []string
	for i, turn := range talk.turns {
		if turn.Dismissed != "" {
			got = append(got, turn.described+string(rune('0'+i)))
		}
	}
	if !slices.Equal(got, []string{"one0", "again5", "stream7"}) || talk.turns[0].Dismissed != "on entire/1-1" || talk.turns[5].Dismissed != "deleted" {
		t.Errorf("%q", got)
	}
	for i := range talk.turns {
		talk.turns[i].Began, talk.turns[i].Dismissed = time.Time{}, ""
	}
	if talk.mark(all); talk.turns[0].Dismissed == "" || talk.turns[6].Dismissed != "" {
		t.Error("without times, only the one turn with a prompt is found")
	}
}
