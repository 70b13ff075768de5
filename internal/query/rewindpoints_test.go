package query

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
)

// TestMayMoveBack: only a turn's commit, on a branch that is not the default one.
func TestMayMoveBack(t *testing.T) {
	for _, c := range []struct {
		branch, usual, strategy string
		want                    bool
	}{
		{"refs/heads/topic", "main", settings.AutoCommit, true},
		{"refs/heads/main", "main", settings.AutoCommit, false},
		{"refs/heads/topic/main", "main", settings.AutoCommit, true},
		{"", "main", settings.AutoCommit, false},
		{"refs/heads/topic", "", settings.AutoCommit, false},
		{"refs/heads/topic", "main", "manual-commit", false},
	} {
		if got := MayMoveBack(c.branch, c.usual, c.strategy); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRewindPoints: those on streams come first, newest first, with the files that each changed;
// the latest at which the worktree was as it is is marked.
func TestRewindPoints(t *testing.T) {
	r := newRepository(t)
	linked := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa\nEntire-Checkpoint: dddddddddddd", "f", "2")
	r.open()
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s2", 5, "f", "g")})
	on := r.stream(1, "s1", "a", "b", "a")
	r.state(&session.State{SessionID: "s1", AgentType: "Codex", FirstPrompt: "Begin"})
	points, err := r.source.RewindPoints(t.Context(), 10)
	r.Must(err)
	var got []string
	for _, k := range points {
		got = append(got, k.ID)
	}
	if want := []string{string(on[2]), string(on[1]), string(on[0]), "aaaaaaaaaaaa"}; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if k := points[0]; k.Agent != "Codex" || k.SessionPrompt != "Begin" || k.Message != "Turn a" || k.IsLogsOnly || !slices.Equal(k.Files, []gitexec.Path{"f"}) {
		t.Errorf("%+v", k)
	}
	if k := points[3]; !k.IsLogsOnly || k.Commit != linked || k.Message != "Do s2" || k.SessionPrompt != "Do s2" || !slices.Equal(k.Files, []gitexec.Path{"f", "g"}) {
		t.Errorf("%+v", k)
	}
	if few, err := r.source.RewindPoints(t.Context(), 2); err != nil || len(few) != 2 {
		t.Errorf("two of them: %d, %v", len(few), err)
	}
	for text, want := range map[string]string{"a": "0", "b": "1", "2": "3", "other": ""} {
		tree, err := r.Reader.DB.EditTree(r.Reader.Repo.Head.Tree, gitexec.Edits{"f": r.Blob(text)})
		r.Must(err)
		for i := range points {
			points[i].Here = false
		}
		r.Must(MarkHere(r.Reader, points, tree))
		var marked []string
		for i, k := range points {
			if k.Here {
				marked = append(marked, string(rune('0'+i)))
			}
		}
		if strings.Join(marked, " ") != want {
			t.Errorf("f is %s: %q is marked", text, marked)
		}
	}
}
