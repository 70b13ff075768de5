package turns

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

func TestOtherwise(t *testing.T) {
	streams := []shadow.Stream{{Name: shadow.Name{Base: "0123456", Suffix: 1}}, {Name: shadow.Name{Base: "0123456", Suffix: 2}}}
	verdicts := []suffix.Verdict{
		{Files: []suffix.File{{Path: "a", Present: true}, {Path: "b"}}},
		{Files: []suffix.File{{Path: "c"}}, Err: "it is damaged"},
	}
	for _, test := range []struct {
		decision suffix.Decision
		want     string
	}{
		{suffix.Decision{Suffix: 1, IsNew: true, Reason: suffix.NoStream}, "nothing: there is no stream"},
		{suffix.Decision{Suffix: 2, Reason: suffix.Clean}, "if the worktree held a stream's work again"},
		{suffix.Decision{Suffix: 1, Reason: suffix.EarlierPresent}, "if a held no line of the agent's"},
		{suffix.Decision{Suffix: 3, IsNew: true, Reason: suffix.NoOverlap}, "if the worktree held the agent's changes of entire/0123456-2 again"},
		{suffix.Decision{Suffix: 3, IsNew: true, Reason: suffix.Absent}, "if c held lines that the agent added on entire/0123456-2"},
		{suffix.Decision{Suffix: 3, IsNew: true, Reason: suffix.Unreadable}, "if entire/0123456-2 could be read and compared: it is damaged"},
	} {
		if got := otherwise(test.decision, streams, verdicts); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s", test.decision.Reason, got)
		}
	}
}

func TestPathsIn(t *testing.T) {
	var files []suffix.File
	for _, path := range []gitexec.Path{"e", "d", "c", "b", "a"} {
		files = append(files, suffix.File{Path: path, Present: path != "c"})
	}
	for present, want := range map[bool]string{true: "a, b, d, 1 more files", false: "c"} {
		if got := pathsIn(files, present); got != want {
			t.Errorf("present %v: %s", present, got)
		}
	}
}

func TestSuffixHere(t *testing.T) {
	head := gitexec.Head{ID: "0123456789"}
	for base, want := range map[string]int{"0123456": 3, "6543210": 0} {
		if got := suffixHere(head, shadow.Stream{Name: shadow.Name{Base: base, Suffix: 3}}); got != want {
			t.Errorf("on %s: %d", base, got)
		}
	}
}

// The question writes nothing, and is about the session with the latest event, or one that is
// named.
func TestDecideSuffix(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"one", "two"} {
		w.start(id)
		w.Write(id+".txt", "the line of session "+id+"\n")
		w.stop(Event{SessionID: id})
		w.time = w.time.Add(time.Minute)
	}
	before := w.Git("for-each-ref")
	for name, want := range map[string]string{"": "two", "on": "one"} {
		answer, _, done, err := DecideSuffix(t.Context(), w.run().Env, Question{Session: name, All: true})
		testdir.Must(t, err)
		done()
		if answer.Session != want || answer.Suffix != 1 || answer.IsNew || answer.Evidence != EvidenceWorktree || len(answer.Streams) != 1 {
			t.Errorf("%q: %+v", name, answer)
		}
	}
	w.start("two")
	answer, _, done, err := DecideSuffix(t.Context(), w.run().Env, Question{})
	testdir.Must(t, err)
	done()
	if answer.Evidence != EvidenceTurn {
		t.Errorf("in a turn: %+v", answer)
	}
	if _, _, _, err := DecideSuffix(t.Context(), w.run().Env, Question{Base: "no-such-branch"}); err == nil || !strings.Contains(err.Error(), "names no commit") {
		t.Errorf("of a base that is no commit: %v", err)
	}
	if after := w.Git("for-each-ref"); after != before {
		t.Errorf("the refs are\n%s\nand were\n%s", after, before)
	}
}

func TestActiveOn(t *testing.T) {
	stream := shadow.Stream{Name: shadow.Name{Base: "0123456", Suffix: 2}}
	state := func(phase session.Phase, base gitexec.OID, number int) []*session.State {
		return []*session.State{{SessionID: "one", Place: session.Place{Phase: phase, BaseCommit: base, ShadowBranchSuffix: number}}}
	}
	for _, test := range []struct {
		fact   string
		states []*session.State
		except string
		want   bool
	}{
		{"a turn is in progress on it", state(session.Active, "0123456789", 2), "", true},
		{"it is the current session's", state(session.Active, "0123456789", 2), "one", false},
		{"the turn has ended", state(session.Idle, "0123456789", 2), "", false},
		{"it is on another stream", state(session.Active, "0123456789", 1), "", false},
		{"it is on another base", state(session.Active, "6543210789", 2), "", false},
	} {
		if got := ActiveOn(test.states, test.except, stream); got != test.want {
			t.Errorf("%s: %v", test.fact, got)
		}
	}
}

// lines reads a version's lines from its name.
type lines struct{}

func (lines) Lines(e gitexec.Entry) ([]string, bool, error) {
	return strings.Split(string(e.ID), "/"), e.Exists(), nil
}

func TestAnyInEffect(t *testing.T) {
	const wrote = "base/the line that the agent wrote"
	files := [][]suffix.Change{
		{{Path: "a", Before: blob("base"), After: blob(wrote)}},
		{{Path: "b", Before: blob("base"), After: blob(wrote)}},
	}
	began := Began(files)
	if !slices.Equal(began, []gitexec.Entry{blob("base"), blob("base")}) {
		t.Errorf("they began as %v", began)
	}
	for _, test := range []struct {
		fact            string
		versions, under []gitexec.Entry
		want            bool
	}{
		{"none has it", []gitexec.Entry{blob("base"), blob("base/of the human")}, began, false},
		{"the second has it", []gitexec.Entry{blob("base"), blob(wrote + "/of the human")}, began, true},
		{"the version under it has it, too", []gitexec.Entry{blob("base"), blob(wrote)}, []gitexec.Entry{blob("base"), blob(wrote)}, false},
	} {
		if got, err := AnyInEffect(files, test.versions, test.under, lines{}); got != test.want || err != nil {
			t.Errorf("%s: %v, %v", test.fact, got, err)
		}
	}
}

func TestStreamsThatAStashHolds(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	w.Write("a.txt", "the agent's first line\nthe agent's second line\n")
	w.stop(Event{SessionID: "one"})
	held := func() bool {
		t.Helper()
		run := w.run()
		listing, err := shadow.List(t.Context(), run.Repo)
		testdir.Must(t, err)
		streams, err := listing.All(run.DB)
		if err != nil || len(streams) != 1 {
			t.Fatalf("%v, %v", streams, err)
		}
		stashes, err := shadow.Stashes(t.Context(), run.Repo, run.DB)
		testdir.Must(t, err)
		found, err := StreamStashed(run.Repo, run.DB, streams[0], stashes)
		testdir.Must(t, err)
		return found
	}
	if held() {
		t.Error("there is no stash")
	}
	w.Git("stash", "-u", "-q")
	if !held() {
		t.Error("the stash holds it")
	}
	w.Git("stash", "drop", "-q")
	w.Write("b.txt", "the human's\n")
	w.Git("stash", "-u", "-q")
	if held() {
		t.Error("the stash holds another file")
	}
}
