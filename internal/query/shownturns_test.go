package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// counted is a commit whose file f has lines of turns of session s1, each "turn prompt lines".
func counted(all ...string) attribution.Counted {
	f := attribution.CountedFile{Path: "f", Turns: map[attribution.Turn][][2]int{}}
	for i, text := range all {
		w := strings.SplitN(text, " ", 3)
		lines := 0
		fmt.Sscan(w[2], &lines)
		line := checkpoints.Line{Session: "s1", Turn: strings.Trim(w[0], "-"), Prompt: strings.ReplaceAll(w[1], "_", " ")}
		f.Turns[attribution.Turn{Checkpoint: "k", Line: line}] = [][2]int{{1 + 100*i, lines}}
	}
	return attribution.Counted{Files: []attribution.CountedFile{f}}
}

// TestTurnsOf: each prompt has the lines that are recorded under its description.
func TestTurnsOf(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		name    string
		n       attribution.Counted
		prompts []string
		start   int
		want    string
	}{
		{"one", counted("t1 Do 3"), []string{"Do"}, 0, "1 t1 3"},
		{"a question has none", counted("t1 Do 3"), []string{"Do", "Why?"}, 0, "1 t1 3, 2 - 0"},
		{"earlier ones are left out", counted("t2 Again 1"), []string{"Do", "Again"}, 1, "2 t2 1"},
		{"by a description that is cut", counted("t1 " + shadow.Describe(long) + " 2"), []string{long}, 0, "1 t1 2"},
		{"entered during the turn", counted("t1 Do;_and_that 2"), []string{"Do", "and that", "Why?"}, 0, "1 t1 2, 2 t1 2, 3 - 0"},
		{"a line under other words: what has none is not known", counted("t1 Do 3", "t2 Other 1"), []string{"Do", "Why?"}, 0, "1 t1 3, 2 - ?"},
		{"without turns nothing is known", counted("- Do 3"), []string{"Do", "Why?"}, 0, "1 - ?, 2 - ?"},
		{"not counted", attribution.Counted{NotCounted: "x"}, []string{"Do"}, 0, "1 - ?"},
		{"no prompts", counted(), nil, 0, ""},
	} {
		by, known := byDescription(c.n, attribution.Part{Checkpoint: "k", Session: "s1"})
		var got []string
		for _, turn := range turnsOf(c.prompts, c.start, by, known) {
			id, lines := turn.ID, "?"
			if id == "" {
				id = "-"
			}
			if turn.Lines != nil {
				lines = fmt.Sprint(*turn.Lines)
			}
			if (len(turn.Files) > 0) != (turn.Lines != nil && *turn.Lines > 0) {
				t.Errorf("%s: files %v", c.name, turn.Files)
			}
			got = append(got, fmt.Sprintf("%d %s %s", turn.Number, id, lines))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
	for _, part := range []attribution.Part{{Checkpoint: "k", Session: "s2"}, {Checkpoint: "l", Session: "s1"}} {
		if by, _ := byDescription(counted("t1 Do 3"), part); len(by) > 0 {
			t.Errorf("%v has another's: %v", part, by)
		}
	}
}

// TestTurnsOfSquashedCheckpoints: what another checkpoint's turns have in the commit says nothing of
// the part's own, but where the words are the same.
func TestTurnsOfSquashedCheckpoints(t *testing.T) {
	n := counted("t1 Do 3", "t3 Again 2")
	p := ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: "s1"}, Prompts: []string{"No", "Do"}}
	p.setTurns(n, checkpoints.Recorded{ID: "later", Found: true})
	if !p.Turns[0].Nothing() || p.Turns[1].Lines != nil {
		t.Errorf("%+v", p.Turns)
	}
}

// TestOnly: a part shows one turn with its lines, and counts the others as other sessions' are.
func TestOnly(t *testing.T) {
	n := counted("t1 Do 3", "t2 Again 2")
	n.Parts = map[attribution.Part]int{{Checkpoint: "k", Session: "s1"}: 5}
	n.Lines, n.Files[0].Lines = attribution.Sum{Agent: 5, Human: 8}, attribution.Sum{Agent: 5, Human: 1} // and 7 in a file without lines of it
	p := ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: "s1", TurnID: "t3"}, Prompts: []string{"Do", "Again", "Why?"}}
	p.setTurns(n, checkpoints.Recorded{ID: "k", Found: true})
	p.InitialAttribution = n.Of("k", checkpoints.RecordedSession{SessionID: "s1"})
	second := p
	second.Turns = slices.Clone(p.Turns)
	if !second.only("t2", n) || len(second.Turns) != 1 || second.Turns[0].Prompt != "Again" || !slices.Equal(second.Prompts, []string{"Do", "Again"}) ||
		!slices.Equal(second.FilesTouched, []gitexec.Path{"f"}) {
		t.Errorf("%+v", second)
	}
	if a := second.InitialAttribution; a.AgentLines != 2 || a.OtherSessions != 3 || a.HumanAdded != 1 || a.TotalCommitted != 3 {
		t.Errorf("%+v", a)
	}
	if second.own(); !slices.Equal(second.Prompts, []string{"Again"}) || second.Earlier != 1 {
		t.Errorf("%d, %q", second.Earlier, second.Prompts)
	}
	last := p
	last.Turns = slices.Clone(p.Turns)
	if !last.only("t3", n) || last.Turns[0].Prompt != "Why?" || !last.Turns[0].Nothing() || len(last.FilesTouched) > 0 {
		t.Errorf("the last one, without a line: %+v", last.Turns)
	}
	if p.only("t9", n) {
		t.Error("an unknown turn")
	}
}

// TestOnlyOfACount: the other lines of a turn's files are counted, and are of no part.
func TestOnlyOfACount(t *testing.T) {
	n := counted("t1 Do 3", "t2 Again 2")
	n.Lines, n.Files[0].Lines = attribution.Sum{Agent: 5, Human: 8}, attribution.Sum{Agent: 5, Human: 1}
	got := n.Only("t2")
	if got.Lines != n.Files[0].Lines || len(got.Parts) != 1 || got.Parts[attribution.Part{Checkpoint: "k", Session: "s1"}] != 2 || len(got.Files) != 1 {
		t.Errorf("%+v", got)
	}
	if got = n.Only("t9"); len(got.Parts) != 0 || len(got.Files) != 0 {
		t.Errorf("%+v", got)
	}
}
