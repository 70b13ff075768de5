package turns

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

func TestEvidenceAtStop(t *testing.T) {
	for _, test := range []struct {
		fact                        string
		open, startKnown, continues bool
		event                       session.Event
		want                        []evidence
	}{
		{"a turn with a start, and one stop", false, true, false, session.TurnEnd, []evidence{unlessItWas}},
		{"another hook had it continue", false, true, true, session.TurnEnd, []evidence{unlessItWas}},
		{"no start event came", false, false, false, session.TurnEnd, []evidence{fromTranscript}},
		{"after a stop, and another hook has it continue", false, false, true, session.TurnEnd, nil},
		{"tasks went on in the background", true, true, false, session.TurnEnd, []evidence{sinceStop}},
		{"tasks went on, and the start is not known", true, false, false, session.TurnEnd, []evidence{sinceStop, fromTranscript}},
		{"tasks went on, and another hook has it continue", true, false, true, session.TurnEnd, []evidence{sinceStop}},
		{"tasks went on until the session's end", true, true, false, session.SessionStop, []evidence{besideTasks}},
	} {
		if got := evidenceAtStop(test.open, test.startKnown, test.continues, test.event); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.fact, got, test.want)
		}
	}
}

func TestEvidenceOnDeparture(t *testing.T) {
	for _, test := range []struct {
		fact                          string
		open, interrupted, startKnown bool
		want                          []evidence
	}{
		{"all that changed is the turn's", false, false, true, nil},
		{"nothing tells how it began", false, false, false, []evidence{fromTranscript}},
		{"no event ended it", false, true, true, []evidence{untilInterruption}},
		{"no event ended it, and nothing tells how it began", false, true, false, []evidence{untilInterruption}},
		{"tasks went on in the background", true, false, true, []evidence{sinceStop}},
		{"tasks went on, and no event ended it", true, true, false, []evidence{besideTasks}},
	} {
		if got := evidenceOnDeparture(test.open, test.interrupted, test.startKnown); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.fact, got, test.want)
		}
	}
}

func TestFilesOfTools(t *testing.T) {
	touched := []gitexec.Path{"a", "b", "c"}
	for _, test := range []struct {
		byTools, named, unnamed []gitexec.Path
	}{
		{nil, nil, touched},
		{[]gitexec.Path{"b", "x"}, []gitexec.Path{"b"}, []gitexec.Path{"a", "c"}},
		{[]gitexec.Path{"c", "b", "a"}, touched, nil},
	} {
		if got := namedFiles(touched, test.byTools); !slices.Equal(got, test.named) {
			t.Errorf("named by %q: %q", test.byTools, got)
		}
		if got := unnamedFiles(touched, test.byTools); !slices.Equal(got, test.unnamed) {
			t.Errorf("not named by %q: %q", test.byTools, got)
		}
	}
	if !slices.Equal(touched, []gitexec.Path{"a", "b", "c"}) {
		t.Errorf("the turn's own list is changed: %q", touched)
	}
}

func TestFilesBeforeAnInterruption(t *testing.T) {
	touched := []gitexec.Path{"named", "named-late", "early", "late"}
	byTools := []gitexec.Path{"named", "named-late"}
	late := func(path gitexec.Path) bool { return path == "late" || path == "named-late" }
	for _, test := range []struct {
		fact string
		all  bool
		want []gitexec.Path
	}{
		{"a shell may have written what no tool names", false, []gitexec.Path{"named", "named-late", "early"}},
		{"the tools name all", true, []gitexec.Path{"named", "named-late"}},
	} {
		if got := filesBefore(touched, byTools, test.all, late); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.fact, got, test.want)
		}
	}
}
