package turns

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

func TestHowATurnEntersAWorktree(t *testing.T) {
	wrote, named := transcript.Directories{Wrote: []string{"/w"}}, transcript.Directories{Named: []string{"/w"}}
	names := map[uintptr]string{
		reflect.ValueOf(enter).Pointer(): "as it was made", reflect.ValueOf(enterAgain).Pointer(): "again",
		reflect.ValueOf(enterWritten).Pointer(): "with what was written",
	}
	for _, test := range []struct {
		fact string
		tree otherWorktree
		said transcript.Directories
		ends bool
		want string
	}{
		{"nothing names it", otherWorktree{top: "/w", born: true}, transcript.Directories{Named: []string{"/x"}}, true, ""},
		{"made in the turn, and named", otherWorktree{top: "/w", born: true}, named, false, "as it was made"},
		{"made in the turn, and written", otherWorktree{top: "/w", born: true}, wrote, true, "as it was made"},
		{"made in an earlier turn, and named", otherWorktree{top: "/w", made: true}, named, false, "again"},
		{"made in an earlier turn, and written", otherWorktree{top: "/w", made: true}, wrote, true, "again"},
		{"another's, and named", otherWorktree{top: "/w"}, named, true, ""},
		{"another's, and written", otherWorktree{top: "/w"}, wrote, true, "with what was written"},
		{"another's, and written, and the turn goes on", otherWorktree{top: "/w"}, wrote, false, ""},
	} {
		got := ""
		if entry := test.tree.entry(test.said, test.ends); entry != nil {
			got = names[reflect.ValueOf(entry).Pointer()]
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.fact, got, test.want)
		}
	}
}

func TestEnterable(t *testing.T) {
	s := &session.State{TurnStartWorktrees: []string{"", "here", "made", "old", "active"}}
	s.Place = session.Place{WorktreeID: "here", Phase: session.Active}
	s.Others = []session.Place{{WorktreeID: "made", MadeWorktree: true}, {WorktreeID: "active", Phase: session.Active}}
	ids := []string{"here", "made", "old", "born", "active", "removed"}
	tops := []string{"/here", "/made", "/old", "/born", "/active", ""}
	want := []otherWorktree{{top: "/made", made: true}, {top: "/old"}, {top: "/born", born: true}, {top: "/main"}}
	if got := enterable(s, "here", ids, tops, "/main"); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := topsOf(want); !slices.Equal(got, []string{"/made", "/old", "/born", "/main"}) {
		t.Errorf("%q", got)
	}
	if s.Phase = session.Idle; len(enterable(&session.State{Place: s.Place}, "here", ids, tops, "/main")) > 0 {
		t.Error("a session without a turn in progress enters a worktree")
	}
	ids, tops = nil, nil
	for i := range 2 * mostEntered {
		ids, tops = append(ids, fmt.Sprint(i)), append(tops, fmt.Sprint("/", i))
	}
	s.Phase = session.Active
	if got := enterable(s, "here", ids, tops, "/main"); len(got) != mostEntered {
		t.Errorf("%d worktrees are entered", len(got))
	}
}
