package query

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
)

// TestUncommitted: the worktree is looked at once, and nothing stays of that.
func TestUncommitted(t *testing.T) {
	r := newRepository(t)
	if u, err := r.Uncommitted(t.Context()); err != nil || u.Any() {
		t.Errorf("a clean worktree: %+v, %v", u, err)
	}
	r.open()
	r.Must(os.WriteFile(filepath.Join(r.Dir, "f"), []byte("1\n2\n"), 0o600))
	u, err := r.Uncommitted(t.Context())
	r.Must(err)
	if again, err := r.Uncommitted(t.Context()); again != u || err != nil || !u.Any() || u.Head.ID != r.Reader.Repo.Head.ID {
		t.Errorf("%+v, %v", u, err)
	}
	n, err := u.Count(t.Context())
	if r.Must(err); n.Lines != (attribution.Sum{Human: 2}) || len(n.Files) != 1 {
		t.Errorf("%+v", n)
	}
	if info, err := r.Reader.DB.Info(u.Commit.ID); err != nil || info[0].Type != "" {
		t.Errorf("the commit is in the repository: %+v, %v", info, err)
	}
	dir := u.In.Repo.PrivateDir()
	r.Reader.Close()
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the directory is left behind")
	}
	lines, err := r.source.UncommittedLines(t.Context(), r.Reader.Repo)
	if err != nil || lines.Human != 2 || lines.Files != 1 || len(lines.Sessions) != 0 {
		t.Errorf("%+v, %v", lines, err)
	}
}

// TestUncommittedFault: where it cannot be said what would be recorded, no author is known.
func TestUncommittedFault(t *testing.T) {
	part := attribution.Part{Checkpoint: checkpoints.ForeseenID, Session: "s"}
	counted := func() attribution.Counted {
		sum := attribution.Sum{Agent: 2, Human: 1}
		return attribution.Counted{Lines: sum, Parts: map[attribution.Part]int{part: 2}, Files: []attribution.CountedFile{{Path: "f", Lines: sum}}}
	}
	author := attribution.Author{Kind: attribution.Agent, Line: checkpoints.Line{Session: "s"}, Checkpoint: checkpoints.ForeseenID}
	u := &Uncommitted{}
	if n := u.shown(counted()); n.Lines.Agent != 2 || n.Parts[part] != 2 {
		t.Errorf("%+v", n)
	}
	if a := u.author(author); a.Kind != attribution.Agent || a.Checkpoint != "" || a.Session != "s" {
		t.Errorf("%+v", a)
	}
	author.Checkpoint = "aaaaaaaaaaaa"
	if a := u.author(author); a.Checkpoint != "aaaaaaaaaaaa" {
		t.Errorf("a line that was committed before: %+v", a)
	}
	u.Fault = errors.New("a stream is damaged")
	if n := u.shown(counted()); n.Lines != (attribution.Sum{Unknown: 3}) || n.Files[0].Lines != n.Lines || len(n.Parts) != 0 || len(n.Reasons) != 1 {
		t.Errorf("%+v", n)
	}
	if a := u.author(author); a.Kind != attribution.Unknown || a.Reason != "what was recorded of it cannot be read: a stream is damaged" {
		t.Errorf("%+v", a)
	}
}

// TestUncommittedLines: lines are added up by session, over checkpoints; those with most come first.
func TestUncommittedLines(t *testing.T) {
	part := func(checkpoint, session string) attribution.Part {
		return attribution.Part{Checkpoint: checkpoint, Session: session}
	}
	n := attribution.Counted{Lines: attribution.Sum{Agent: 9, Human: 3, Unknown: 1}, Files: make([]attribution.CountedFile, 4),
		Parts: map[attribution.Part]int{part("a", "s"): 2, part("b", "s"): 2, part("a", "o"): 5, part("k", "kept"): 0},
		Kept:  map[attribution.Part]string{part("k", "kept"): "Codex"},
		Links: []checkpoints.Recorded{{Sessions: []checkpoints.RecordedSession{{SessionID: "s", Agent: "Claude Code"}, {SessionID: "o"}}}}}
	l := uncommittedLines(n)
	want := []UncommittedSession{{"o", "", 5}, {"s", "Claude Code", 4}, {"kept", "Codex", 0}}
	if !slices.Equal(l.Sessions, want) || l.Files != 4 || fmt.Sprint(l.Agent, l.Human, l.Unknown) != "9 3 1" {
		t.Errorf("%+v", l)
	}
}

// TestBlameOfUntracked: a file that HEAD lacks is blamed as if it were committed; one that git
// ignores is not.
func TestBlameOfUntracked(t *testing.T) {
	r := newRepository(t)
	r.Must(os.WriteFile(filepath.Join(r.Dir, "new"), []byte("1\n2\n"), 0o600))
	r.Must(os.WriteFile(filepath.Join(r.Dir, ".git", "info", "exclude"), []byte("ignored\n"), 0o600))
	r.Must(os.WriteFile(filepath.Join(r.Dir, "ignored"), []byte("1\n"), 0o600))
	lines, err := r.source.Blame(t.Context(), BlameRequest{File: "new"})
	r.Must(err)
	if len(lines) != 2 || lines[1].Committed() || lines[1].Owner.Kind != attribution.Human || lines[1].Author != notCommitted {
		t.Errorf("%+v", lines)
	}
	if _, err := r.source.Blame(t.Context(), BlameRequest{File: "ignored"}); err == nil {
		t.Error("an ignored file is blamed")
	}
}
