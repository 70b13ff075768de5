package query

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// TestNote: each fault is named once, and a long list ends.
func TestNote(t *testing.T) {
	var s Shown
	if s.Note(nil); s.Damaged || s.Error != "" {
		t.Errorf("no fault: %+v", s)
	}
	for _, text := range []string{"one", "two\nlines", "one"} {
		s.Note(errors.New(text))
	}
	if !s.Damaged || s.Error != "one; two; lines" {
		t.Errorf("%+v", s)
	}
	s.Note(errors.New(strings.Repeat("x", mostFaults)))
	before := len(s.Error)
	s.Note(errors.New("three"))
	s.Note(errors.New("four"))
	if len(s.Error) != before+len("; and more") || !strings.HasSuffix(s.Error, "; and more") {
		t.Errorf("%d bytes more, at the end %q", len(s.Error)-before, s.Error[before:])
	}
}

// TestLinesIn: what cannot be counted has a reason instead of numbers.
func TestLinesIn(t *testing.T) {
	n := attribution.Counted{Lines: attribution.Sum{Agent: 2}, Reasons: []string{"r"}}
	if lines, why := linesIn(n); lines == nil || lines.Agent != 2 || !slices.Equal(why, []string{"r"}) {
		t.Errorf("%v, %q", lines, why)
	}
	n.NotCounted = "too large"
	if lines, why := linesIn(n); lines != nil || !slices.Equal(why, []string{"too large"}) {
		t.Errorf("%v, %q", lines, why)
	}
}

// TestSetLines: a session has the commit's own numbers; those that the checkpoint claims are kept
// beside them only where the lines are not all known.
func TestSetLines(t *testing.T) {
	claimed := &checkpoints.InitialAttribution{AgentLines: 9}
	link := checkpoints.Recorded{ID: "k", Sessions: []checkpoints.RecordedSession{{SessionID: "s1", Claimed: claimed}}}
	for name, c := range map[string]struct {
		n       attribution.Counted
		agent   int // -1: not counted
		claimed bool
	}{
		"all known":   {attribution.Counted{Lines: attribution.Sum{Agent: 3}, Parts: map[attribution.Part]int{{Checkpoint: "k", Session: "s1"}: 2}}, 2, false},
		"one unknown": {attribution.Counted{Lines: attribution.Sum{Agent: 3, Unknown: 1}, Parts: map[attribution.Part]int{{Checkpoint: "k", Session: "s1"}: 2}}, 2, true},
		"not counted": {attribution.Counted{NotCounted: "x"}, -1, true},
	} {
		s := Shown{Sessions: []ShownPart{{SessionMetadata: part("k", "s1", 1)}, {SessionMetadata: part("k", "s2", 1)}}}
		s.Sessions[1].InitialAttribution = claimed
		s.setLines(c.n, link)
		own := s.Sessions[0]
		if c.agent < 0 && (own.InitialAttribution != nil || s.Lines != nil) || c.agent >= 0 && (s.Lines == nil || own.InitialAttribution.AgentLines != c.agent) {
			t.Errorf("%s: %+v", name, own.InitialAttribution)
		}
		if (own.Claimed != nil) != c.claimed || s.Sessions[1].InitialAttribution != nil {
			t.Errorf("%s: claimed %v; of a session without a part %v", name, own.Claimed, s.Sessions[1].InitialAttribution)
		}
	}
}

// TestAbsent: a checkpoint that is not here says so, or when it was purged.
func TestAbsent(t *testing.T) {
	c := gitexec.Commit{ID: id("1"), Message: []byte("Subject\n\nBody"), Author: "A <a@b>"}
	for purged, want := range map[string]string{"": "the checkpoint is not here", "2026-01-02": "the checkpoint was purged on 2026-01-02"} {
		got := absent("k", purged, ShownCommitOf(c))
		if got.Error != want || got.Purged != purged || got.Checkpoint != "k" || len(got.Commits) != 1 || got.Commits[0].Subject != "Subject" || got.Damaged {
			t.Errorf("%+v", got)
		}
	}
}

// TestShow: a name shows the checkpoints of what it means.
func TestShow(t *testing.T) {
	r := newRepository(t)
	linked := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa\nEntire-Checkpoint: dddddddddddd", "f", "2")
	r.open()
	on := r.stream(1, "s1", "a", "b")
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f"), part("aaaaaaaaaaaa", "s2", 6, "f")},
		[]checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s2", 7, "g")})
	r.Git("tag", "elsewhere", r.Git("commit-tree", "HEAD^{tree}", "-m", "Linked", "-m", "Entire-Checkpoint: bbbbbbbbbbbb"))
	for name, want := range map[string]string{
		string(linked):  "aaaaaaaaaaaa dddddddddddd: the checkpoint is not here",
		"aaaaaaaaaaaa":  "aaaaaaaaaaaa",
		"s1":            "aaaaaaaaaaaa " + string(on[1]),
		"s2":            "aaaaaaaaaaaa bbbbbbbbbbbb",
		"000000000007":  "bbbbbbbbbbbb",
		"01bbbbbbbbbb":  string(on[1]),
		string(on[0]):   string(on[0]),
		linked.Short():  "aaaaaaaaaaaa dddddddddddd: the checkpoint is not here",
		"HEAD~1":        "", // it links none
		"no such thing": "error",
	} {
		all, done, err := r.source.Show(t.Context(), ShowRequest{Selection: Selection{Names: []string{name}}})
		var got []string
		for _, one := range all {
			text := one.Checkpoint + one.Stream
			if one.Error != "" {
				text += ": " + one.Error
			}
			got = append(got, text)
		}
		if err != nil {
			got = []string{"error"}
		} else {
			done()
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	all, done, err := r.source.Show(t.Context(), ShowRequest{Selection: Selection{Names: []string{"aaaaaaaaaaaa"}}})
	r.Must(err)
	defer done()
	if one := all[0]; len(one.Commits) != 1 || one.Commits[0].Commit != linked || len(one.Sessions) != 2 || one.Branch != "main" || one.Lines == nil || one.Source == nil {
		t.Errorf("%+v", one)
	}
	var text bytes.Buffer
	if p := all[0].Sessions[0]; !p.HasTranscript() || p.WriteTranscript(&text) != nil || text.String() != `{"type":"user"}` || !slices.Equal(p.Prompts, []string{"Do s1"}) {
		t.Errorf("%+v: %s", p, text.String())
	}
	if none := (ShownPart{}); none.HasTranscript() || none.WriteTranscript(&text) != nil {
		t.Error("a part without a transcript")
	}
}

// TestShowSession: of many checkpoints the last ones are shown, and a warning counts the others.
func TestShowSession(t *testing.T) {
	r := newRepository(t)
	var all [][]checkpoints.SessionMetadata
	for i := range mostShown + 2 {
		all = append(all, []checkpoints.SessionMetadata{part(fmt.Sprintf("%012x", i), "s1", int64(i), "f")})
	}
	r.checkpoints(all...)
	shown, err := r.ShowSession(t.Context(), "s1")
	r.Must(err)
	if len(shown) != mostShown || shown[0].Checkpoint != fmt.Sprintf("%012x", 2) || !strings.Contains(r.warnings.String(), "has 2 earlier checkpoints") {
		t.Errorf("%d, from %s on; %s", len(shown), shown[0].Checkpoint, r.warnings.String())
	}
}

// TestOnStream: a checkpoint on a stream shows its session's prompts, agent and files.
func TestOnStream(t *testing.T) {
	r := newRepository(t)
	on := r.stream(2, "s1", "a")
	k, ours, err := shadow.ReadCheckpoint(r.Reader.DB, on[0])
	if err != nil || !ours {
		t.Fatalf("%v, %v", ours, err)
	}
	p := temporary(t.Context(), r.Reader, k).Sessions[0]
	if p.Agent != "Claude Code" || p.Model != "opus" || !slices.Equal(p.Prompts, []string{"Do it", "Again"}) || !slices.Equal(p.FilesTouched, []gitexec.Path{"f"}) ||
		!p.CreatedAt.Equal(time.Unix(1002, 0)) {
		t.Errorf("%+v", p)
	}
	k.Part = shadow.Human
	if p = temporary(t.Context(), r.Reader, k).Sessions[0]; len(p.Prompts) > 0 || p.HasTranscript() {
		t.Errorf("the human's part: %+v", p)
	}
	if _, err := OnStream(r.Reader.DB, k, "s9"); err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
		t.Errorf("of another session: %v", err)
	}
}
