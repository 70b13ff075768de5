package commits

import (
	"strings"
	"testing"

	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// TestCondenseStream: a stream of the session becomes a checkpoint, as if it had been committed and
// reset: its link is ready for a commit of the same work, and the stream is kept elsewhere.
func TestCondenseStream(t *testing.T) {
	p := newPlayground(t)
	base := p.commit("Base", map[string]string{"base": "A line\n"})
	run := p.run()
	s := p.stream(run, first+second)
	if done, err := condenseStream(t.Context(), run, "another"); done != nil || err != nil {
		t.Errorf("of another session: %+v, %v", done, err)
	}
	done, err := condenseStream(t.Context(), run, s.SessionID)
	if err != nil || done == nil {
		t.Fatal(done, err)
	}
	if done.Checkpoint != "0123456789ab" || done.Stream != shadow.NewName(base, "", 1).String() || strings.Join(done.Sessions, " ") != "s" {
		t.Errorf("%+v", done)
	}
	run = p.run()
	if again, err := condenseStream(t.Context(), run, s.SessionID); again != nil || err != nil {
		t.Errorf("it is still there: %+v, %v", again, err)
	}
	if run.Head.ID != base || p.git("status", "--porcelain") != "" {
		t.Errorf("HEAD is %s, %s", run.Head.ID, p.git("status", "--porcelain"))
	}
	record := readHeadRecord(run.Repo.PrivateDir())
	if len(record.Reset) != 1 {
		t.Fatalf("%+v", record)
	}
	after, err := run.Store.Load("s")
	if err != nil {
		t.Fatal(err)
	}
	if after.Phase != session.Idle || after.LastInteractionTime != nil || len(after.Linked) != 1 || after.Linked[0].Commit != record.Reset[0] || after.Linked[0].ID != done.Checkpoint || !after.Linked[0].Dropped {
		t.Errorf("%+v", after)
	}
	branch, err := readBranch(run.Repo, run.DB)
	if err != nil {
		t.Fatal(err)
	}
	if held, err := branch.Holds(run.DB, done.Checkpoint); !held[done.Checkpoint] || err != nil {
		t.Errorf("%v, %v", held, err)
	}
	if text := p.git("log", "-1", "--format=%B", shadow.Checkpoints); !strings.Contains(text, "Entire-Session: s") || !strings.HasPrefix(text, "Checkpoint: 0123456789ab") {
		t.Errorf("%q", text)
	}
}

// TestCondenseStreamWithoutState: a stream with a session that is not known here stays as it is.
func TestCondenseStreamWithoutState(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	run := p.run()
	p.stream(run, first)
	if err := run.Store.Delete("s"); err != nil {
		t.Fatal(err)
	}
	done, err := condenseStream(t.Context(), run, "s")
	if done != nil || err == nil || !strings.Contains(err.Error(), "has no state here\nhint: ") {
		t.Errorf("%+v, %v", done, err)
	}
	if listing, err := shadow.List(t.Context(), run.Repo); err != nil || listing.Highest(run.Head.ID, "") != 1 || listing.Checkpoints != "" {
		t.Errorf("%+v, %v", listing, err)
	}
}
