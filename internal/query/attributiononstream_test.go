package query

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/shadow"
)

// TestCountedOnStream: the lines of a turn that is on a stream are its session's, other sessions'
// and others', as those of a commit.
func TestCountedOnStream(t *testing.T) {
	own, other := &DiffOwner{Kind: attribution.Agent, Session: "s", Agent: "Claude Code"}, &DiffOwner{Kind: attribution.Agent, Session: "o"}
	human, unknown := &DiffOwner{Kind: attribution.Human}, &DiffOwner{Kind: attribution.Unknown, Reason: "why"}
	one, two := changed([]*DiffOwner{own, own, human}, []*DiffOwner{other, own, unknown}), changed([]*DiffOwner{human})
	part := &DiffPart{Session: "s", Prompt: "Do", Files: []*DiffFile{one, two}, last: shadow.Checkpoint{ID: "1"}}
	for _, f := range part.Files {
		f.count()
		part.Add(f.DiffLines)
	}
	got := part.counted()
	a := got.Checkpoints[0].Sessions[0]
	if got.Commit != "1" || !got.OnStream || got.Subject != "Do" || *got.Lines != (attribution.Sum{Agent: 4, Human: 2, Unknown: 1}) || !slices.Equal(got.Unknown, []string{"why"}) {
		t.Errorf("%+v", got)
	}
	if a.Agent != "Claude Code" || a.Attribution.AgentLines != 3 || a.Attribution.OtherSessions != 1 || a.Attribution.TotalCommitted != 5 || a.Attribution.Unknown != 1 {
		t.Errorf("%+v %+v", a, a.Attribution)
	}
	first := one.Changes[0].NewStart
	want := [][2]int{{first, 2}, {one.Changes[1].NewStart + 1, 1}}
	if len(a.Files) != 2 || !slices.Equal(a.Files[0].Ranges, want) || a.Files[0].Agent != 3 || a.Files[1].Agent != 0 || a.Files[1].Ranges == nil {
		t.Errorf("%+v, want %v", a.Files, want)
	}
	if empty := (&DiffPart{Files: []*DiffFile{{Binary: true, New: gitexec.Entry{Mode: gitexec.ModeFile}}}}).counted(); empty.Lines.All() != 0 {
		t.Errorf("%+v", empty)
	}
}
