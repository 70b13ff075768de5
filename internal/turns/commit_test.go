package turns

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/autocommit"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

func TestSubjectOf(t *testing.T) {
	for _, test := range []struct{ ofTask, prompt, want string }{
		{"", "Do it", "Do it"},
		{"A task", "Do it", "A task"},
		{"", "# a comment", "a comment"},
		{"", "; \t#x", "x"},
		{"", "##", shadow.NoDescription},
		{"", "", shadow.NoDescription},
		{"", "Entire-Checkpoint: 0123", "Prompt: Entire-Checkpoint: 0123"},
		{"", "#Entire-Checkpoint: 0123", "Prompt: Entire-Checkpoint: 0123"},
		{"", "entire", "entire"},
	} {
		if got := subjectOf(test.ofTask, test.prompt); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.ofTask, test.prompt, got, test.want)
		}
	}
}

func TestLeftOutNotices(t *testing.T) {
	large := session.LeftOut{Path: "large", Reason: "it is too large"}
	for fact, test := range map[string]struct {
		remainder       []gitexec.Path
		leftOut, before []session.LeftOut
		want            []string
	}{
		"all is committed":            {nil, nil, nil, nil},
		"on top of the user's":        {[]gitexec.Path{"a"}, nil, nil, []string{"not committed: a; the turn's changes there"}},
		"too large":                   {nil, []session.LeftOut{large}, nil, []string{"not committed: large: it is too large"}},
		"too large before":            {nil, []session.LeftOut{large}, []session.LeftOut{{Path: "large", Reason: "another"}}, nil},
		"another was too large":       {nil, []session.LeftOut{large}, []session.LeftOut{{Path: "x"}}, []string{"not committed: large"}},
		"too large, and on another's": {[]gitexec.Path{"a"}, []session.LeftOut{large}, nil, []string{"not committed: a;", "not committed: large"}},
	} {
		got := leftOutNotices(test.remainder, test.leftOut, test.before)
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q", fact, got)
		}
	}
}

func TestRefusedBy(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&interferenceError{"git rebase is under way"}, "git rebase is under way"},
		{fmt.Errorf("x: %w", &interferenceError{"git rebase is under way"}), "git rebase is under way"},
		{fmt.Errorf("%w: %w", errNoIdentity, errors.New("y")), errNoIdentity.Error()},
		{fmt.Errorf("x: %w", &gitexec.RefMovedError{Cause: &gitexec.Error{}}), "the branch moved meanwhile"},
		{fmt.Errorf("x: %w", gitexec.ErrIndexLocked), gitexec.ErrIndexLocked.Error()},
		{gitexec.ErrIndexChanged, gitexec.ErrIndexChanged.Error()},
	} {
		if got := refusedBy(test.err); got == nil || got.why != test.want || !got.linked {
			t.Errorf("%v: %+v, want %q", test.err, got, test.want)
		}
	}
	if got := refusedBy(errors.New("the disk is full")); got != nil {
		t.Errorf("after another error the branch may have moved: %+v", got)
	}
}

func TestRefusal(t *testing.T) {
	for linked, want := range map[bool]string{
		true:  "nothing was committed: why. The turn's changes are kept as a checkpoint; your next commit of them will be linked",
		false: "nothing was committed: why. The turn's changes are kept as a checkpoint",
	} {
		r := refusal{"why", linked}
		if got := r.notice(); got != want {
			t.Errorf("%q", got)
		}
		if got := r.outcome().String(); got != "not committed: why" {
			t.Errorf("%q", got)
		}
	}
}

func TestWithState(t *testing.T) {
	stored := []*session.State{{SessionID: "a"}, {SessionID: "b"}}
	working := &session.State{SessionID: "b", TurnID: "t"}
	if got := withState(slices.Clone(stored), working); len(got) != 2 || got[1] != working || got[0] != stored[0] {
		t.Errorf("%v", got)
	}
	unknown := &session.State{SessionID: "c"}
	if got := withState(slices.Clone(stored), unknown); len(got) != 3 || got[2] != unknown {
		t.Errorf("of a new one: %v", got)
	}
}

func TestBranchChange(t *testing.T) {
	zero := gitexec.OID(strings.Repeat("0", 40))
	for _, test := range []struct{ old, want gitexec.OID }{{zero, ""}, {"a", "a"}} {
		if got := branchChange("refs/heads/main", test.old, "b"); got != (shadow.RefChange{Ref: "refs/heads/main", Old: test.want, New: "b"}) {
			t.Errorf("from %s: %+v", test.old, got)
		}
	}
}

// The index holds what is staged, else what HEAD has; paths that the commit leaves as they are
// staged aren't checked.
func TestIndexChange(t *testing.T) {
	plan := autocommit.Commit{Paths: []gitexec.Path{"a", "b", "c"}, Index: gitexec.Edits{"a": blob("new a"), "b": blob("new b")}}
	staged := []gitexec.Change{{Path: "b", Old: blob("head b"), New: blob("staged b")}, {Path: "x", New: blob("staged x")}}
	got := indexChange(plan, []gitexec.Entry{blob("head a"), blob("head b"), blob("head c")}, staged)
	if want := (gitexec.Edits{"a": blob("head a"), "b": blob("staged b")}); !maps.Equal(got.Old, want) || !maps.Equal(got.New, plan.Index) {
		t.Errorf("from %v to %v", got.Old, got.New)
	}
}
