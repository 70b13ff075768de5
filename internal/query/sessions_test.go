package query

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

// TestSessions: a session is what its state here and its checkpoints say together, the last active
// one first; of equal times they are in the order of their IDs.
func TestSessions(t *testing.T) {
	r := newRepository(t)
	one, two := part("aaaaaaaaaaaa", "s1", 50, "f"), part("bbbbbbbbbbbb", "s1", 90, "g")
	one.Title = "Named"
	r.checkpoints([]checkpoints.SessionMetadata{two}, []checkpoints.SessionMetadata{one, part("aaaaaaaaaaaa", "s3", 90, "f")},
		[]checkpoints.SessionMetadata{part("cccccccccccc", "s0", 90, "f")})
	r.Commit("Linked\n\nEntire-Checkpoint: aaaaaaaaaaaa\nEntire-Checkpoint: bbbbbbbbbbbb\nEntire-Checkpoint: cccccccccccc\n", "f", "linked")
	last := time.Unix(95, 0).UTC()
	r.state(&session.State{SessionID: "s3", AgentType: "Codex", LastInteractionTime: &last, StartedAt: time.Unix(40, 0), FirstPrompt: "First",
		Place:  session.Place{Phase: session.Idle, WorktreePath: "/here", FilesTouched: []gitexec.Path{"h"}},
		Others: []session.Place{{WorktreeID: "side", WorktreePath: "/side", Phase: session.Active, FilesTouched: []gitexec.Path{"i"}}}})
	prompted := time.Unix(45, 0).UTC() // and its turn goes on after a checkpoint
	r.state(&session.State{SessionID: "s0", LastInteractionTime: &prompted, StartedAt: time.Unix(40, 0), Place: session.Place{Phase: session.Active}})
	all, damaged, err := r.source.Sessions(t.Context())
	r.Must(err)
	var order []string
	for _, s := range all {
		order = append(order, s.ID)
	}
	if strings.Join(order, " ") != "s3 s0 s1" || len(damaged) > 0 {
		t.Errorf("%q, damaged %v", order, damaged)
	}
	s1 := all[2]
	if !slices.Equal(s1.Checkpoints, []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb"}) || s1.Title != "Named" || !slices.Equal(s1.Files, []gitexec.Path{"f", "g"}) ||
		!s1.Started.Equal(time.Unix(50, 0)) || !s1.Last.Equal(time.Unix(90, 0)) || s1.Phase != session.None || s1.LastPrompt != "Do s1" {
		t.Errorf("of checkpoints alone: %+v", s1)
	}
	s3 := all[0]
	if s3.Agent != "Codex" || s3.Phase != session.Active || s3.Worktree != "/side" || s3.FirstPrompt != "First" || s3.Removed ||
		!slices.Equal(s3.Files, []gitexec.Path{"f", "h", "i"}) || !slices.Equal(s3.Uncommitted, []gitexec.Path{"h", "i"}) {
		t.Errorf("with a state: %+v", s3)
	}
	if s, _, err := r.source.Session(t.Context(), "s1"); err != nil || s.ID != "s1" {
		t.Errorf("by its ID: %+v, %v", s, err)
	}
	if _, _, err := r.source.Session(t.Context(), "s"); !errors.As(err, new(*checkpoints.AmbiguousError)) {
		t.Errorf("by a prefix of several: %v", err)
	}
	if _, _, err := r.source.Session(t.Context(), "t"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("by none: %v", err)
	}
}

// TestTokensSoFar: what the transcript has since it was recorded is added to what was recorded, if
// the file has grown and can be read.
func TestTokensSoFar(t *testing.T) {
	const line = `{"type":"assistant","message":{"id":"m1","role":"assistant","usage":{"input_tokens":3,"output_tokens":5}}}` + "\n"
	file := filepath.Join(t.TempDir(), "s.jsonl")
	testdir.Must(t, os.WriteFile(file, []byte(line), 0o600))
	info, err := os.Stat(file)
	testdir.Must(t, err)
	written := info.ModTime()
	recorded, committed := &transcript.Usage{OutputTokens: 100}, &transcript.Usage{OutputTokens: 7}
	for name, c := range map[string]struct {
		state session.State
		known *transcript.Usage
		want  int // output tokens; -1: not known
	}{
		"nothing":                    {session.State{}, nil, -1},
		"committed":                  {session.State{}, committed, 7},
		"recorded since":             {session.State{TokenUsage: recorded}, committed, 100},
		"a transcript":               {session.State{TranscriptPath: file}, nil, 5},
		"a transcript and committed": {session.State{TranscriptPath: file}, committed, 12},
		"a missing transcript":       {session.State{TranscriptPath: file + "x"}, committed, 7},
		"it has not grown":           {session.State{TranscriptPath: file, RecordedTime: &written, Recorded: transcript.Position{Bytes: int64(len(line)), Lines: 1}}, committed, 7},
	} {
		got := -1
		if sum := tokensSoFar(context.Background(), &c.state, c.known); sum != nil {
			got = sum.OutputTokens
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if committed.OutputTokens != 7 {
		t.Error("the committed sum was changed")
	}
}
