package turns

import (
	"testing"

	"entire-plumb/internal/session"
)

func TestWhatIsKeptOfATask(t *testing.T) {
	const checkpoint, unchanged, state = "checkpoint", "checkpoint of no change", "state"
	for _, test := range []struct {
		fact             string
		note             taskNote
		changed, commits bool
		want             string
	}{
		{"a step with changes", taskNote{subject: "s"}, true, false, checkpoint},
		{"a step without changes", taskNote{subject: "s"}, false, false, state},
		{"an end with changes", taskNote{subject: "s", ends: true}, true, false, checkpoint},
		{"an end without any", taskNote{subject: "s", ends: true}, false, false, state},
		{"an end without changes since its last step", taskNote{subject: "s", ends: true, worked: true}, false, false, unchanged},
		{"in a worktree of its own", taskNote{ends: true, worked: true}, true, false, state},
		{"a step, where its end makes a commit", taskNote{subject: "s"}, true, true, state},
		{"an end that makes a commit", taskNote{subject: "s", ends: true}, true, true, checkpoint},
		{"an end that would make an empty commit", taskNote{subject: "s", ends: true, worked: true}, false, true, state},
	} {
		got := state
		switch more, without := test.note.kept(test.changed, test.commits); {
		case more && without:
			got = unchanged
		case more:
			got = checkpoint
		case without:
			t.Errorf("%s: nothing is written, of no change", test.fact)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.fact, got, test.want)
		}
	}
}

func TestCheckToolUse(t *testing.T) {
	for id, ok := range map[string]bool{"toolu_01": true, "": false, "a/b": false, "..": false} {
		if err := checkToolUse(id); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestHowADepartureEnds(t *testing.T) {
	for how, want := range map[ending]session.Event{continues: session.TurnEnd, interrupted: session.TurnEnd, withSession: session.SessionStop} {
		if got := how.event(); got != want {
			t.Errorf("%d: %s, want %s", how, got, want)
		}
	}
}
