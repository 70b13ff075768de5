package moves

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

func TestResetFrom(t *testing.T) {
	for why, want := range map[string]bool{
		"reset: moving to HEAD~1":                      true,
		"reset: moving to origin/main":                 true,
		"":                                             true, // git update-ref without -m
		"rewind (entire-plumb): to a1b2c3":             true,
		"checkout: moving from main to main":           true, // git checkout -B main HEAD~1
		"branch: Reset to HEAD~1":                      true,
		"checkout: moving from feature to main":        false,
		"checkout: moving from 1234567 to main":        false,
		"commit: reset: moving to HEAD":                false,
		"commit (amend): words":                        false,
		"commit (initial): words":                      false,
		"commit (merge): words":                        false,
		"merge feature: Fast-forward":                  false,
		"pull: Fast-forward":                           false,
		"pull --rebase (finish): refs/heads/main":      false,
		"rebase (abort): returning to refs/heads/a":    false,
		"rebase -i (finish): returning to refs/heads":  false,
		"rebase finished: returning to refs/heads/a":   false,
		"cherry-pick: words":                           false,
		"revert: words":                                false,
		"am: words":                                    false,
		"Branch: renamed refs/heads/a to refs/heads/b": false,
	} {
		got := ResetFrom([]gitexec.HeadMove{{From: "a", To: "b", Why: why}})
		if slices.Contains(got, "a") != want {
			t.Errorf("%q: %v, want %v", why, got, want)
		}
	}
	moves := []gitexec.HeadMove{
		{From: "c", To: "a", Why: "reset: moving to a"},
		{From: "b", To: "c", Why: "commit: c"},
		{From: "d", To: "d", Why: "reset: moving to HEAD"}, // as git stash does
		{From: "c", To: "b", Why: "reset: moving to b"},
		{From: "e", To: "c", Why: "reset: moving to c"},
		{To: "e", Why: "reset: moving to e"},
	}
	if got := ResetFrom(moves); !slices.Equal(got, []gitexec.OID{"c", "e"}) {
		t.Errorf("%v", got)
	}
}

func TestRemoved(t *testing.T) {
	var many []gitexec.OID
	for i := range mostRemoved + 5 {
		many = append(many, gitexec.OID(rune('A'+i)))
	}
	for name, c := range map[string]struct{ linked, from, want []gitexec.OID }{
		"none is linked":     {nil, []gitexec.OID{"a"}, nil},
		"none was removed":   {[]gitexec.OID{"a"}, nil, nil},
		"one of two":         {[]gitexec.OID{"a", "b"}, []gitexec.OID{"b", "c"}, []gitexec.OID{"b"}},
		"reset, and dropped": {[]gitexec.OID{"a"}, []gitexec.OID{"a", "a"}, []gitexec.OID{"a"}},
		"very many":          {many, many, many[:mostRemoved]},
	} {
		if got := Removed(c.linked, c.from); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
