package resume

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// TestBranchesIn: branches here come before those of remotes, and ours are none.
func TestBranchesIn(t *testing.T) {
	for _, c := range []struct {
		refs, want string
		guess      bool
	}{
		{"refs/heads/a refs/remotes/origin/b", "a", false},
		{"refs/heads/a refs/heads/x/b", "a x/b", false},
		{"refs/heads/entire/1a2b3c4-1 refs/remotes/origin/b", "b", true},
		{"refs/remotes/origin/b refs/remotes/other/b refs/remotes/other/x/c", "b x/c", true},
		{"refs/remotes/origin/HEAD refs/remotes/origin/entire/checkpoints/v1", "", true},
		{"refs/tags/a", "", true},
		{"", "", true},
	} {
		if got, guess := branchesIn(strings.Fields(c.refs)); strings.Join(got, " ") != c.want || guess != c.guess {
			t.Errorf("%s: %q, %v", c.refs, got, guess)
		}
	}
}

func TestOfRemote(t *testing.T) {
	for ref, want := range map[string]string{"refs/remotes/origin/a": "a", "refs/remotes/origin/a/b": "a/b", "refs/remotes/origin/HEAD": "-",
		"refs/remotes/origin/HEADS": "HEADS", "refs/remotes/origin/entire/1": "-", "refs/remotes/origin": "-", "refs/heads/a": "-"} {
		got, ok := ofRemote(ref)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %s", ref, got)
		}
	}
}

func TestTipOf(t *testing.T) {
	refs := []gitexec.Ref{{Name: "refs/heads/a", ID: "1"}, {Name: "refs/remotes/origin/a", ID: "2"}, {Name: "refs/remotes/origin/b", ID: "3"}}
	for _, c := range []struct {
		branch string
		guess  bool
		want   gitexec.OID
	}{{"a", false, "1"}, {"a", true, "2"}, {"b", true, "3"}, {"b", false, ""}} {
		if got := tipOf(refs, c.branch, c.guess); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestUnclear(t *testing.T) {
	const id = gitexec.OID("0123456789")
	if got := unclear(id, nil); got != "no branch has commit 0123456: git switch --detach 0123456" {
		t.Error(got)
	}
	if got := unclear(id, strings.Fields("a b c d e f g h i j k")); !strings.HasSuffix(got, "git switch one of a, b, c, d, e, f, g, h, i, j") {
		t.Error(got)
	}
}

// TestDefaults: a branch is compared with the default branch, unless it is that itself.
func TestDefaults(t *testing.T) {
	refs := []gitexec.Ref{{Name: "refs/heads/main", ID: "1"}, {Name: "refs/remotes/origin/main", ID: "2"}, {Name: "refs/remotes/other/main", ID: "3"},
		{Name: "refs/heads/topic", ID: "4"}}
	for _, c := range []struct {
		branch, usual string
		want          []gitexec.OID
	}{
		{"topic", "main", []gitexec.OID{"1", "2"}}, {"", "main", []gitexec.OID{"1", "2"}}, {"main", "main", nil}, {"topic", "", nil}, {"", "", nil},
	} {
		if got := defaults(refs, c.branch, c.usual); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestMadeOn(t *testing.T) {
	all := []checkpoints.CommittedInfo{{ID: "1", Branch: "a"}, {ID: "2", Branch: "b"}, {ID: "3", Branch: "a"}}
	if got := madeOn(all, "a"); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("%q", got)
	}
}

// TestLastParts: each session's last part counts, in whatever order the checkpoints come.
func TestLastParts(t *testing.T) {
	meta := func(id string, when int64) checkpoints.SessionMetadata {
		return checkpoints.SessionMetadata{SessionID: id, CreatedAt: time.Unix(when, 0)}
	}
	all := []checkpoints.CommittedInfo{{ID: "k2", Sessions: []checkpoints.SessionMetadata{meta("a", 2), meta("b", 2)}},
		{ID: "k1", Sessions: []checkpoints.SessionMetadata{meta("a", 1)}}, {ID: "k3", Sessions: []checkpoints.SessionMetadata{meta("b", 3)}}}
	for session, want := range map[string]string{"": "a=k2 b=k3", "a": "a=k2", "c": ""} {
		var got []string
		last, _ := lastParts(all, session, true)
		for id, p := range last {
			got = append(got, id+"="+p.checkpoint)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", session, got)
		}
	}
}

// TestLastPartsOfOthers: what others added counts where it is named, and nothing else is.
func TestLastPartsOfOthers(t *testing.T) {
	part := func(id string, when int64, added bool, sessions ...string) checkpoints.CommittedInfo {
		k := checkpoints.CommittedInfo{ID: id}
		for _, s := range sessions {
			k.Sessions = append(k.Sessions, checkpoints.SessionMetadata{SessionID: s, CreatedAt: time.Unix(when, 0)})
		}
		if added {
			k.Added = sessions
		}
		return k
	}
	mine, theirs := part("mine", 1, false, "a"), part("theirs", 2, true, "a", "b")
	for _, c := range []struct {
		all     []checkpoints.CommittedInfo
		session string
		named   bool
		want    string
		added   bool
	}{
		{[]checkpoints.CommittedInfo{theirs, mine}, "a", true, "a=mine", false},
		{[]checkpoints.CommittedInfo{theirs, mine}, "b", true, "b=theirs", true},
		{[]checkpoints.CommittedInfo{theirs, mine}, "", true, "a=mine", false},
		{[]checkpoints.CommittedInfo{theirs}, "", true, "a=theirs b=theirs", true},
		{[]checkpoints.CommittedInfo{theirs}, "", false, "", false},
	} {
		last, added := lastParts(c.all, c.session, c.named)
		var got []string
		for id, p := range last {
			got = append(got, id+"="+p.checkpoint)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || added != c.added {
			t.Errorf("%+v: %q, %v", c, got, added)
		}
	}
}

// TestSeparate: what is not here was purged on a day, or is missing.
func TestSeparate(t *testing.T) {
	to := target{checkpoints: []string{"away", "here", "purged"}}
	purged := to.separate([]checkpoints.CommittedInfo{{ID: "here"}}, func(id string) string { return map[string]string{"purged": "2026-01-02"}[id] })
	if !slices.Equal(to.checkpoints, []string{"here"}) || !slices.Equal(to.missing, []string{"away"}) || !slices.Equal(purged, []string{"purged on 2026-01-02"}) {
		t.Errorf("%+v, %q", to, purged)
	}
}

// TestNothing: the reason why there is nothing says what the user can do; a checkpoint on a stream,
// or one that is here, is something.
func TestNothing(t *testing.T) {
	for name, c := range map[string]struct {
		target   target
		purged   []string
		recorded bool
		want     string // the beginning of the error; empty: none
		nothing  bool   // a NothingError
	}{
		"a stream":          {target{stream: &shadow.Checkpoint{}}, nil, false, "", false},
		"one of two":        {target{checkpoints: []string{"k"}, missing: []string{"l"}}, []string{"m"}, true, "", false},
		"not here":          {target{missing: []string{"k", "l"}}, []string{"m"}, true, "the checkpoints of W are not here: k, l\nhint: if they were pushed", false},
		"purged":            {target{}, []string{"k on x"}, true, "the checkpoints of W were purged: k on x", true},
		"nothing is linked": {target{}, nil, true, "no commit of W links a checkpoint", true},
		"nothing is here":   {target{}, nil, false, "there are no checkpoints here", true},
	} {
		err := c.target.nothing("W", c.purged, c.recorded)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) || errors.As(err, new(*NothingError)) != c.nothing {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefused: git's own words are the reason, without its prefix.
func TestRefused(t *testing.T) {
	for stderr, want := range map[string]string{"error: in the way\nfile": "in the way\nfile", "fatal: broken": "broken", "": "git failed"} {
		err := refused("b", &gitexec.Error{Args: []string{"git"}, Stderr: stderr, Err: errors.New("git failed")})
		if !strings.Contains(err.Error(), "git does not switch to b: ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "fatal: ") ||
			!strings.HasSuffix(err.Error(), "\nhint: commit or stash what is in the way, and repeat this") {
			t.Errorf("%q: %v", stderr, err)
		}
	}
}
