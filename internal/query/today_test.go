package query

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
)

// TestTodayTurns: a turn counts when it began, or when its checkpoint was made.
func TestTodayTurns(t *testing.T) {
	since := time.Unix(1000, 0)
	began := map[int]time.Time{1: time.Unix(999, 0), 2: time.Unix(1000, 0)}
	turns := []ShownTurn{{Number: 1}, {Number: 2}, {Number: 3}}
	for made, want := range map[int64]string{1: "2", 2000: "2 3"} {
		var got []string
		for _, turn := range todayTurns(turns, began, time.Unix(made, 0), since) {
			got = append(got, fmt.Sprint(turn.Number))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %q", made, got)
		}
	}
}

// TestAddTurns: a turn is listed once, with the lines that it has somewhere.
func TestAddTurns(t *testing.T) {
	none, some := 0, 5
	var s TodaySession
	s.add([]TodayTurn{{ShownTurn: ShownTurn{Number: 2, Lines: &none}}})
	s.add([]TodayTurn{{ShownTurn: ShownTurn{Number: 2, Lines: &some}}, {ShownTurn: ShownTurn{Number: 1, Lines: &none}}})
	s.add([]TodayTurn{{ShownTurn: ShownTurn{Number: 2, Work: "dismissed"}}})
	if len(s.Turns) != 2 || s.Turns[0].Number != 1 || *s.Turns[1].Lines != 5 {
		t.Errorf("%+v", s.Turns)
	}
	for _, commit := range []gitexec.OID{"c", "c", "d"} { // two checkpoints of a squash, and another commit
		turn := TodayTurn{ShownTurn: ShownTurn{Number: 3, Lines: &some}}
		turn.in(commit)
		s.add([]TodayTurn{turn})
	}
	if got := s.Turns[2]; *got.Lines != 15 || !slices.Equal(got.Commits, []gitexec.OID{"c", "d"}) || got.Commit != "d" {
		t.Errorf("%+v", got)
	}
}

// TestToday: the sessions, turns and commits since a time.
func TestToday(t *testing.T) {
	r := newRepository(t)
	r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.open()
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5000, "f")}, []checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s2", 10, "g")})
	got, err := r.source.Today(t.Context(), time.Unix(1000, 0))
	r.Must(err)
	if len(got.Sessions) != 1 || got.Sessions[0].ID != "s1" || len(got.Sessions[0].Turns) != 1 || got.Sessions[0].Turns[0].Prompt != "Do s1" ||
		got.Sessions[0].Turns[0].Commit == "" || len(got.Commits) != 2 {
		t.Errorf("%+v", got)
	}
	if got, err = r.source.Today(t.Context(), time.Now().Add(time.Hour)); err != nil || len(got.Sessions)+len(got.Commits) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTodayOfManySessions: the sessions cost no git process each, also where all of them were active
// since then.
func TestTodayOfManySessions(t *testing.T) {
	r := newRepository(t)
	started := func() int {
		t.Helper()
		r.source.Tracer = gitexec.NewTracer("", io.Discard)
		_, err := r.source.Today(t.Context(), time.Unix(1000, 0))
		r.Must(err)
		return r.source.Tracer.Count()
	}
	add := func(id string) {
		when := time.Unix(2000, 0)
		r.state(&session.State{SessionID: id, StartedAt: when, LastInteractionTime: &when})
	}
	add("one")
	few := started()
	for i := range 20 {
		add(fmt.Sprintf("more-%d", i))
	}
	if many := started(); many > few || few == 0 {
		t.Errorf("git processes for 1 session: %d, for 21: %d", few, many)
	}
}
