package moves

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

// TestMadeHere: only what the reflog calls a commit is known to be one; what it does not know may
// be one; what git did otherwise is none.
func TestMadeHere(t *testing.T) {
	for why, want := range map[string]string{
		"commit: words":                             "known",
		"commit (initial): words":                   "known",
		"commit (amend): words":                     "amends",
		"commit (merge): words":                     "",
		"commit (cherry-pick): words":               "",
		"commit (entire-plumb): words":              "",
		"commit":                                    "known",
		"":                                          "unknown", // git update-ref without -m
		"whatever a tool wrote":                     "unknown",
		"commiter: words":                           "unknown",
		"pull: Fast-forward":                        "",
		"pull origin main: Fast-forward":            "",
		"pull --rebase (pick): words":               "",
		"merge feature: Fast-forward":               "",
		"checkout: moving from main to side":        "",
		"reset: moving to origin/main":              "",
		"rebase (pick): words":                      "",
		"rebase -i (squash): words":                 "",
		"cherry-pick: words":                        "",
		"revert: words":                             "",
		"am: words":                                 "unknown",
		"clone: from somewhere":                     "",
		"Branch: renamed refs/heads/a to refs/b":    "",
		"branch: Reset to origin/main":              "",
		"rewind (entire-plumb): to a1b2c3":          "",
		"rewind (entire-plumb): commit: made by it": "",
	} {
		got := ""
		for _, m := range MadeHere([]gitexec.HeadMove{{From: "a", To: "b", Why: why}}) {
			switch {
			case m.Amends:
				got = "amends"
			case m.Known:
				got = "known"
			default:
				got = "unknown"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", why, got, want)
		}
	}
}

// TestMadeHereMoved: what is no commit's, and moves HEAD nowhere or from nowhere, makes none.
func TestMadeHereMoved(t *testing.T) {
	for _, m := range []gitexec.HeadMove{{To: "b"}, {From: "b", To: "b"}} {
		if made := MadeHere([]gitexec.HeadMove{m}); len(made) > 0 {
			t.Errorf("%+v: %+v", m, made)
		}
	}
}

// TestReplaysSince: what git makes of other commits, and no step of it that makes none.
func TestReplaysSince(t *testing.T) {
	for why, want := range map[string]bool{
		"commit (merge): words":                         true,
		"commit (cherry-pick): words":                   true,
		"cherry-pick: words":                            true,
		"revert: Revert words":                          false,
		"merge side: Merge made by the 'ort' strategy.": false,
		"pull: Merge made by the 'ort' strategy.":       false,
		"rebase (pick): words":                          true,
		"rebase (fixup): words":                         true,
		"rebase -i (squash): words":                     true,
		"rebase (reword): words":                        true,
		"rebase (edit): words":                          true,
		"rebase (reset): words":                         false,
		"rebase (continue): words":                      true,
		"pull --rebase origin main (pick): words":       true,
		"commit: words":                                 false,
		"commit (amend): words":                         false,
		"commit (initial): words":                       false,
		"rebase (start): checkout main":                 false,
		"rebase (finish): returning to refs/heads/main": false,
		"rebase (abort): returning to refs/heads/main":  false,
		"pull --rebase (start): checkout 1a2b3c4":       false,
		"merge side: Fast-forward":                      false,
		"pull: Fast-forward":                            false,
		"rebase (pick): fast-forward":                   false,
		"cherry-pick: fast-forward":                     false,
		"reset: moving to HEAD~1":                       false,
		"checkout: moving from main to side":            false,
		"am: words":                                     false,
		"":                                              false,
	} {
		reflog := []gitexec.HeadMove{{From: "b", To: "c", Why: why}, {From: "a", To: "b", Why: "commit: seen"}, {From: "", To: "a", Why: "cherry-pick: before"}}
		if got := slices.Equal(ReplaysSince(reflog, "b"), []gitexec.OID{"c"}); got != want {
			t.Errorf("%q: %v", why, got)
		}
		if got := ReplaysSince(reflog, "c"); len(got) > 0 {
			t.Errorf("%q: %v was seen", why, got)
		}
		if got := ReplaysSince(reflog, "x"); got != nil {
			t.Errorf("%q: %v, and what was seen is not there", why, got)
		}
	}
}

func TestAmendedBy(t *testing.T) {
	amend := func(from, to gitexec.OID) Made { return Made{Commit: to, From: from, Amends: true, Known: true} }
	for name, c := range map[string]struct {
		made []Made
		want gitexec.OID
	}{
		"a commit":                  {[]Made{{Commit: "x", From: "a", Known: true}}, ""},
		"an amend":                  {[]Made{amend("a", "x")}, "a"},
		"two":                       {[]Made{amend("a", "b"), amend("b", "x")}, "a"},
		"of another one":            {[]Made{amend("a", "b")}, ""},
		"one that changes nothing":  {[]Made{amend("x", "x")}, ""},
		"there and back":            {[]Made{amend("x", "b"), amend("b", "x")}, "b"},
		"there and back, and again": {[]Made{amend("b", "x"), amend("x", "b"), amend("x", "x")}, "b"},
		"undone, and done again":    {[]Made{amend("a", "b"), amend("b", "a"), amend("a", "x")}, "a"},
		"of what is not known":      {[]Made{amend("", "x")}, ""},
	} {
		if got := AmendedBy(c.made, "x"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestReplayed(t *testing.T) {
	move := func(from, to gitexec.OID, why string) gitexec.HeadMove {
		return gitexec.HeadMove{From: from, To: to, Why: why}
	}
	for name, c := range map[string]struct {
		moves []gitexec.HeadMove // newest first
		want  bool
	}{
		"a commit":                    {[]gitexec.HeadMove{move("a", "b", "commit: words")}, false},
		"a revert":                    {[]gitexec.HeadMove{move("a", "b", "revert: Revert words")}, true},
		"a merge":                     {[]gitexec.HeadMove{move("a", "b", "merge side: Merge made by the 'ort' strategy.")}, true},
		"a pull":                      {[]gitexec.HeadMove{move("a", "b", "pull --rebase (pick): words")}, true},
		"a concluded merge":           {[]gitexec.HeadMove{move("a", "b", "commit (merge): words")}, true},
		"an amended revert":           {[]gitexec.HeadMove{move("x", "b", "commit (amend): words"), move("a", "x", "revert: Revert words")}, true},
		"an amended commit":           {[]gitexec.HeadMove{move("x", "b", "commit (amend): words"), move("a", "x", "commit: words")}, false},
		"a commit, and a merge to it": {[]gitexec.HeadMove{move("a", "b", "merge side: Fast-forward"), move("a", "b", "commit: words")}, false},
		"only a checkout":             {[]gitexec.HeadMove{move("a", "b", "checkout: moving from a to b")}, false},
		"only an update-ref":          {[]gitexec.HeadMove{move("a", "b", "")}, true},
		"an update-ref to a commit":   {[]gitexec.HeadMove{move("c", "b", ""), move("a", "b", "commit: words")}, false},
		"an amended update-ref":       {[]gitexec.HeadMove{move("x", "b", "commit (amend): words"), move("a", "x", "")}, true},
		"a checkout beside a commit":  {[]gitexec.HeadMove{move("b", "c", "commit: words"), move("a", "b", "checkout: moving from a to b")}, false},
		"a merge beside a commit":     {[]gitexec.HeadMove{move("b", "c", "commit: words"), move("a", "b", "merge side: Fast-forward")}, true},
		"an update-ref, and a commit": {[]gitexec.HeadMove{move("a", "b", ""), move("c", "a", "commit: words")}, true},
		"another commit":              {[]gitexec.HeadMove{move("b", "c", "revert: Revert words")}, false},
		"no reflog":                   {},
	} {
		if got := Replayed(c.moves, "b"); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
