package query

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
)

// TestCommitLines: a session's part has the files with its lines and those that the checkpoint
// names; what was kept of other checkpoints is beside it, sorted.
func TestCommitLines(t *testing.T) {
	own := attribution.Part{Checkpoint: "k", Session: "s"}
	n := attribution.Counted{Lines: attribution.Sum{Agent: 3, Human: 1, Unknown: 1}, Parts: map[attribution.Part]int{own: 3}, Reasons: []string{"why"},
		Kept: map[attribution.Part]string{{Checkpoint: "o", Session: "b"}: "Codex", {Checkpoint: "o", Session: "a"}: "", {Checkpoint: "m", Session: "z"}: ""},
		Files: []attribution.CountedFile{
			{Path: "written", Lines: attribution.Sum{Agent: 3, Unknown: 1}, Parts: map[attribution.Part][][2]int{own: {{1, 2}, {5, 1}}}},
			{Path: "named", Lines: attribution.Sum{Human: 1}}, {Path: "other"}},
		Links: []checkpoints.Recorded{{ID: "k", Found: true, Sessions: []checkpoints.RecordedSession{{SessionID: "s", Agent: "Claude Code"}},
			Owners: checkpoints.Owners{"named": {}}, Damage: errors.New("broken\nhint: h")}, {ID: "gone", Purged: "2026-01-02"}, {ID: "away"}}}
	got := commitLines(gitexec.Commit{ID: "1", Message: []byte("Subject\n\nBody")}, n)
	if got.Subject != "Subject" || *got.Lines != n.Lines || !slices.Equal(got.Unknown, n.Reasons) || len(got.Files) != 3 || len(got.Checkpoints) != 3 {
		t.Fatalf("%+v", got)
	}
	k := got.Checkpoints[0]
	if !k.Found || k.Missing() || !strings.Contains(k.Error, "broken") || len(k.Sessions) != 1 || k.Sessions[0].Attribution.AgentLines != 3 {
		t.Errorf("%+v", k)
	}
	files := k.Sessions[0].Files
	if len(files) != 2 || files[0].Path != "written" || files[0].Agent != 3 || files[0].Lines != 4 || files[0].Unknown != 1 || len(files[0].Ranges) != 2 ||
		files[1].Path != "named" || files[1].Agent != 0 || files[1].Ranges == nil {
		t.Errorf("%+v", files)
	}
	if got.Checkpoints[1].Missing() || !got.Checkpoints[2].Missing() {
		t.Error("a purged checkpoint is not missing, one that is not here is")
	}
	var kept []string
	for _, k := range got.Kept {
		kept = append(kept, k.ID+k.Sessions[0].SessionID+k.Sessions[0].Agent)
	}
	if strings.Join(kept, " ") != "mz oa obCodex" {
		t.Errorf("%q", kept)
	}
	n.NotCounted = "too large"
	if got := commitLines(gitexec.Commit{}, n); got.Lines != nil || !slices.Equal(got.Unknown, []string{"too large"}) || got.Checkpoints[0].Sessions[0].Attribution != nil {
		t.Errorf("not counted: %+v", got)
	}
}

// TestAttributionSkips: commits without a link are not counted.
func TestAttributionSkips(t *testing.T) {
	r := newRepository(t)
	linked := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.Commit("Third", "f", "3")
	r.open()
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")})
	all, err := r.source.Attribution(t.Context(), Selection{Names: []string{"HEAD~2..HEAD"}})
	r.Must(err)
	if len(all) != 1 || all[0].Commit != linked || all[0].Checkpoints[0].ID != "aaaaaaaaaaaa" {
		t.Errorf("%+v", all)
	}
}
