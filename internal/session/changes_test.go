package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/transcript"
)

// TestChanges makes each change to a state that says something everywhere, and shows what is
// another then.
func TestChanges(t *testing.T) {
	paths := func(all ...gitexec.Path) []gitexec.Path { return all }
	for name, c := range map[string]struct {
		phase  Phase
		change func(*State)
		want   string
	}{
		"a turn begins":                       {Idle, func(s *State) { s.BeginTurn("t2", &ancestry.Process{ID: 7}, CallerAgent) }, "turn t2 of 7, by agent"},
		"a turn of an unknown agent":          {Idle, func(s *State) { s.BeginTurn("t2", nil, CallerUnknown) }, "turn t2"},
		"a session starts":                    {Idle, func(s *State) { s.HooksOf(&ancestry.Process{ID: 7}) }, "turn t1 of 7, by session-start"},
		"a session starts in a turn":          {Active, func(s *State) { s.HooksOf(&ancestry.Process{ID: 7}) }, ""},
		"a turn of scripts":                   {Active, func(s *State) { s.BeginTurn("t2", &ancestry.Process{ID: 7}, ""); s.HooksOfScripts() }, "turn t2, by script"},
		"a first prompt":                      {Idle, func(s *State) { s.FirstPrompt = ""; s.Prompted("x") }, "first x, last x"},
		"another prompt":                      {Idle, func(s *State) { s.Prompted("y") }, "last y"},
		"another start":                       {Idle, func(s *State) { s.StartsAt("t", "c", "") }, "from t on c"},
		"another base":                        {Active, func(s *State) { s.MoveTo("d") }, "base d, attributed from d, suffix 0, count 0, files []"},
		"another worktree":                    {Active, func(s *State) { s.Enter("w2", "/w2", "d") }, "phase idle, worktree w2 /w2, base d, attributed from d, suffix 0, count 0, files [], from  on "},
		"a checkpoint":                        {Idle, func(s *State) { s.OnStream(4, "d", paths("a", "c")) }, "base d, others [b], suffix 4, count 3, files [a b c]"},
		"a checkpoint, then one where it was": {Idle, func(s *State) { s.OnStream(4, "d", nil); s.OnStream(1, "b", nil) }, "others [d], suffix 1, count 4"},
		"a checkpoint on a fresh base":        {Idle, func(s *State) { s.MoveTo("c"); s.OnStream(1, "d", paths("x")) }, "base d, attributed from c, suffix 1, count 1, files [x]"},
		"another base, work stays":            {Idle, func(s *State) { s.MoveTo("d", "a", "d", "a") }, "base d, others [a], attributed from d, suffix 0, count 0, files []"},
		"work on one of the others":           {Idle, func(s *State) { s.MoveTo("d", "a", "c"); KeepBases(s, func(b gitexec.OID) bool { return b == "c" }) }, "base d, others [c], attributed from d, suffix 0, count 0, files []"},
		"rewritten bases": {Idle, func(s *State) {
			s.MoveTo("d", "a", "c")
			s.Rewritten(map[gitexec.OID]gitexec.OID{"a": "d", "c": "e"})
		}, "base d, others [e], attributed from d, suffix 0, count 0, files []"},
		"a checkpoint of no file":   {Idle, func(s *State) { s.OnStream(3, "b", nil) }, "count 3"},
		"committed after the turn":  {Idle, func(s *State) { s.Committed("new", 5) }, "count 0, prompts from 5, transcript from 9, no tokens, last new"},
		"committed in the turn":     {Active, func(s *State) { s.Committed("new", 5) }, "count 0, prompts from 4, transcript from 9, no tokens, last new, of the turn [old new]"},
		"committed again":           {Active, func(s *State) { s.Committed("old", 5) }, "count 0, prompts from 4, transcript from 9, no tokens, last old"},
		"committed before a prompt": {Active, func(s *State) { s.Committed("new", 0) }, "count 0, transcript from 9, no tokens, last new, of the turn [old new]"},
		"the turn's are finalized":  {Idle, func(s *State) { s.Finalized() }, "transcript from 9, no tokens, of the turn []"},
	} {
		t.Run(name, func(t *testing.T) {
			state := func() *State {
				return &State{SessionID: "s", TurnID: "t1", FirstPrompt: "f", LastPrompt: "l",
					Place: Place{Phase: c.phase, BaseCommit: "b", AttributionBaseCommit: "b", WorktreeID: "w", WorktreePath: "/w", ShadowBranchSuffix: 3,
						CheckpointCount: 2, FilesTouched: paths("a", "b"), TurnStartTree: "tt", TurnStartCommit: "tc"},
					Recorded:             transcript.Position{Lines: 9},
					CheckpointTokenUsage: &transcript.Usage{}, TurnCheckpointIDs: []string{"old"}, LastCheckpointID: "before"}
			}
			s := state()
			c.change(s)
			if got := differences(state(), s); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// differences says what of a state is another.
func differences(was, is *State) (said string) {
	say := func(changed bool, format string, values ...any) {
		if changed {
			if said != "" {
				said += ", "
			}
			said += fmt.Sprintf(format, values...)
		}
	}
	process := ""
	if is.AgentProcess != nil {
		process = fmt.Sprint(" of ", is.AgentProcess.ID)
	}
	if is.Caller != CallerUnknown {
		process += ", by " + string(is.Caller)
	}
	say(was.Phase != is.Phase, "phase %s", is.Phase)
	say(was.TurnID != is.TurnID || was.Caller != is.Caller, "turn %s%s", is.TurnID, process)
	say(was.FirstPrompt != is.FirstPrompt, "first %s", is.FirstPrompt)
	say(was.LastPrompt != is.LastPrompt, "last %s", is.LastPrompt)
	say(was.WorktreeID != is.WorktreeID, "worktree %s %s", is.WorktreeID, is.WorktreePath)
	say(was.BaseCommit != is.BaseCommit, "base %s", is.BaseCommit)
	say(!slices.Equal(was.OtherBases, is.OtherBases), "others %s", is.OtherBases)
	say(was.AttributionBaseCommit != is.AttributionBaseCommit, "attributed from %s", is.AttributionBaseCommit)
	say(was.ShadowBranchSuffix != is.ShadowBranchSuffix, "suffix %d", is.ShadowBranchSuffix)
	say(was.CheckpointCount != is.CheckpointCount, "count %d", is.CheckpointCount)
	say(fmt.Sprint(was.FilesTouched) != fmt.Sprint(is.FilesTouched), "files %v", is.FilesTouched)
	say(was.TurnStartTree != is.TurnStartTree, "from %s on %s", is.TurnStartTree, is.TurnStartCommit)
	say(was.CheckpointPromptStart != is.CheckpointPromptStart, "prompts from %d", is.CheckpointPromptStart)
	say(was.CheckpointTranscriptStart != is.CheckpointTranscriptStart, "transcript from %d", is.CheckpointTranscriptStart)
	say(is.CheckpointTokenUsage == nil, "no tokens")
	say(was.LastCheckpointID != is.LastCheckpointID, "last %s", is.LastCheckpointID)
	say(fmt.Sprint(was.TurnCheckpointIDs) != fmt.Sprint(is.TurnCheckpointIDs), "of the turn %v", is.TurnCheckpointIDs)
	return said
}

// TestStreamRenamed: only a session on the stream follows it.
func TestStreamRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		base gitexec.OID
		from int
		want int
	}{"its stream": {"b", 2, 5}, "another suffix": {"b", 1, 2}, "another base": {"c", 2, 2}} {
		s := State{Place: Place{BaseCommit: "b", ShadowBranchSuffix: 2}}
		if moved := s.StreamRenamed(c.base, c.from, 5); s.ShadowBranchSuffix != c.want || moved != (c.want == 5) {
			t.Errorf("%s: %v, suffix %d", name, moved, s.ShadowBranchSuffix)
		}
	}
}

// TestLinkedCommits: links are kept for a time; what an amend left out is listed apart, too.
func TestLinkedCommits(t *testing.T) {
	now := time.Unix(0, 0).Add(KeptFor)
	s := &State{Linked: []Link{{Commit: "a", When: now}, {Commit: "old", When: time.Unix(-1, 0)}, {Commit: "b", When: now, Dropped: true}, {Commit: "c", When: now, Rewritten: true}}}
	linked, dropped := LinkedCommits([]*State{s, {}}, now)
	if !slices.Equal(linked, []gitexec.OID{"a", "b", "c"}) || !slices.Equal(dropped, []gitexec.OID{"b"}) {
		t.Errorf("linked %v, dropped %v", linked, dropped)
	}
}
