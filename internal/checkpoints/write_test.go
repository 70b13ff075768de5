package checkpoints

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// TestHolder: which checkpoint has the lines of a replaced commit's one.
func TestHolder(t *testing.T) {
	r := Request{ID: "new", Lineage: lineage.Plan{Move: []lineage.Move{{Link: "moved"}, {Link: "also"}}}}
	for link, want := range map[string]string{"moved": "moved", "also": "also", "other": "new"} {
		if got := r.holder(link); got != want {
			t.Errorf("%s: %s, want %s", link, got, want)
		}
	}
}

// TestCondensedFor: the sessions of a commit's checkpoint, without work whose links are taken.
func TestCondensedFor(t *testing.T) {
	s := func(id string) *session.State { return &session.State{SessionID: id} }
	files := []gitexec.Path{"f", "g"}
	plain := condense.Matched{Session: s("plain"), Files: files}
	linked := condense.Matched{Session: s("linked"), Files: files, Links: []string{"old"}}
	both := condense.Matched{Session: s("both"), Files: files, Links: []string{"old"}, Unlinked: []gitexec.Path{"g"}}
	for name, c := range map[string]struct {
		id      string
		matches []condense.Matched
		want    string
	}{
		"no links":                       {"new", []condense.Matched{plain}, "plain f g"},
		"all its work has a link":        {"new", []condense.Matched{plain, linked}, "plain f g"},
		"a part of its work has":         {"new", []condense.Matched{plain, both}, "plain f g, both g"},
		"all work of all has":            {"new", []condense.Matched{linked}, "linked f g"},
		"it is the checkpoint of a link": {"old", []condense.Matched{plain, both}, "plain f g, both f g"},
	} {
		var got []string
		for _, m := range CondensedFor(c.id, c.matches) {
			text := m.Session.SessionID
			for _, path := range m.Files {
				text += " " + string(path)
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if len(both.Files) != 2 {
		t.Error("the match itself is changed")
	}
}

// TestCommittingSession: of several agents that make a commit, the one with the latest event.
func TestCommittingSession(t *testing.T) {
	one := func(id string, commits bool, tree gitexec.OID, when *time.Time) condense.Matched {
		return condense.Matched{Session: &session.State{SessionID: id, Place: session.Place{TurnStartTree: tree}, LastInteractionTime: when}, Commits: commits}
	}
	early, late := at(1), at(2)
	for name, c := range map[string]struct {
		matches []condense.Matched
		want    string
	}{
		"none":                   {nil, ""},
		"the human commits":      {[]condense.Matched{one("a", false, "t", &early)}, ""},
		"no turn is in progress": {[]condense.Matched{one("a", true, "", &early)}, ""},
		"one":                    {[]condense.Matched{one("a", true, "t", &early), one("b", false, "t", &late)}, "a"},
		"the later one":          {[]condense.Matched{one("a", true, "t", &early), one("b", true, "t", &late)}, "b"},
		"the later one, first":   {[]condense.Matched{one("a", true, "t", &late), one("b", true, "t", &early)}, "a"},
		"one without a time":     {[]condense.Matched{one("a", true, "t", nil), one("b", true, "t", &early)}, "b"},
		"the second without one": {[]condense.Matched{one("a", true, "t", &early), one("b", true, "t", nil)}, "a"},
	} {
		got := ""
		if m := committingSession(Request{Matches: c.matches}); m != nil {
			got = m.Session.SessionID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMessages: what the branch's commits say.
func TestMessages(t *testing.T) {
	match := func(id, agent string, streams ...shadow.Stream) condense.Matched {
		return condense.Matched{Session: &session.State{SessionID: id, AgentType: agent}, Streams: streams}
	}
	stream := shadow.Stream{Name: shadow.Name{Base: "abc1234", Suffix: 2}}
	r := Request{ID: "a3b2c4d5e6f7", Matches: []condense.Matched{match("s1", "Claude Code", stream), match("s2", "Claude Code"), match("s3", ""), match("s4", "Codex")}}
	want := []string{"Checkpoint: a3b2c4d5e6f7", "", "Entire-Session: s1", "Entire-Session: s2", "Entire-Session: s3", "Entire-Session: s4",
		"Entire-Strategy: manual-commit", "Entire-Agent: Claude Code", "Entire-Agent: Codex", "Ephemeral-branch: " + stream.Name.String(), ""}
	if got := strings.Split(Message(r), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Strategy = "auto-commit"
	if got := Message(r); !strings.Contains(got, "\nEntire-Strategy: auto-commit\n") {
		t.Errorf("%q", got)
	}
	got := FinalizeMessage(&session.State{SessionID: "s1"}, []string{"a3b2c4d5e6f7", "b3b2c4d5e6f7"})
	if want := "Finalize transcript for Checkpoint: a3b2c4d5e6f7, b3b2c4d5e6f7\n\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMerged: a commit that is amended with more of a session's work still lists what its first
// version held.
func TestMerged(t *testing.T) {
	c := &checkpoint{sessions: []sessionDir{{meta: SessionMetadata{SessionID: "s", FilesTouched: []gitexec.Path{"f", "g"}, CheckpointsCount: 2,
		CheckpointTranscriptStart: 5, CheckpointPromptStart: 3, CheckpointTokenUsage: &transcript.Usage{OutputTokens: 10}, AttributedCommit: "c",
		EarlierAttributions: []EarlierAttribution{{Commit: "b"}}}}}}
	now := SessionMetadata{SessionID: "s", FilesTouched: []gitexec.Path{"h", "f"}, CheckpointsCount: 1, CheckpointTranscriptStart: 9,
		CheckpointPromptStart: 4, CheckpointTokenUsage: &transcript.Usage{OutputTokens: 7}, Model: "m"}
	m := c.merged(now)
	if !slices.Equal(m.FilesTouched, []gitexec.Path{"f", "g", "h"}) || m.CheckpointsCount != 3 || m.CheckpointTranscriptStart != 5 || m.CheckpointPromptStart != 3 ||
		m.CheckpointTokenUsage.OutputTokens != 17 || m.AttributedCommit != "c" || len(m.EarlierAttributions) != 1 || m.Model != "m" {
		t.Errorf("%+v", m)
	}
	now.CheckpointTranscriptStart = 2
	if m := c.merged(now); m.CheckpointTranscriptStart != 2 {
		t.Errorf("it starts at %d", m.CheckpointTranscriptStart)
	}
	if now.SessionID = "other"; c.merged(now).CheckpointsCount != 1 {
		t.Error("another session's part is merged")
	}
}

// TestSummary: the numbers and files of all sessions.
func TestSummary(t *testing.T) {
	s := Summary{CheckpointID: "a3b2c4d5e6f7"}
	some := gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	s.add(0, sessionDir{meta: SessionMetadata{CheckpointsCount: 2, FilesTouched: []gitexec.Path{"g"}, TokenUsage: &transcript.Usage{InputTokens: 1}},
		files: gitexec.Tree{"prompt.txt": some, linesFile: some, "full.jsonl": some, "content_hash.txt": some, "context.md": some}})
	s.add(1, sessionDir{meta: SessionMetadata{CheckpointsCount: 1, FilesTouched: []gitexec.Path{"f", "g"}, Branch: "main"}})
	if s.CheckpointsCount != 3 || !slices.Equal(s.FilesTouched, []gitexec.Path{"f", "g"}) || s.TokenUsage.InputTokens != 1 || s.Branch != "main" {
		t.Errorf("%+v", s)
	}
	at := "/a3/b2c4d5e6f7/0/"
	want := SessionPaths{at + "metadata.json", at + "full.jsonl", at + "context.md", at + "content_hash.txt", at + "prompt.txt", at + "lines.json"}
	if s.Sessions[0] != want || s.Sessions[1] != (SessionPaths{Metadata: "/a3/b2c4d5e6f7/1/metadata.json"}) {
		t.Errorf("%+v", s.Sessions)
	}
	dir := "a3/b2c4d5e6f7/0"
	for name, c := range map[string]struct {
		files gitexec.Tree
		want  int
	}{
		"all are there": {gitexec.Tree{"prompt.txt": some, "context.md": some, "content_hash.txt": some, linesFile: some}, 0},
		"one is not":    {gitexec.Tree{"prompt.txt": some, "content_hash.txt": some, linesFile: some}, 1},
		"none is":       {nil, 4},
	} {
		if got := s.missing(dir, c.files); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := s.missing("a3/b2c4d5e6f7/1", nil); len(got) > 0 {
		t.Errorf("what is not named is missing: %v", got)
	}
	other := Summary{Sessions: []SessionPaths{{ContentHash: "/0/content_hash.txt", Prompt: "/0/prompt.txt"}}}
	if other.names(dir, "content_hash.txt") || !other.names(dir, "prompt.txt") {
		t.Error("the entire CLI's names")
	}
	for name, c := range map[string]struct {
		s    Summary
		want bool
	}{"of something else": {Summary{}, true}, "with an ID": {Summary{CheckpointID: "x"}, false}, "with sessions": {other, false}} {
		if c.s.foreign() != c.want {
			t.Errorf("%s: foreign %v", name, !c.want)
		}
	}
}
