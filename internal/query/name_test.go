package query

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

func TestSession(t *testing.T) {
	var several *checkpoints.AmbiguousError
	for _, test := range []struct {
		ids, prefix, want string
		several           bool
	}{
		{"a ab abc", "ab", "ab", false}, // the one that is the same
		{"b abc", "ab", "abc", false},
		{"abc abc", "ab", "abc", false}, // known twice
		{"abd abc", "ab", "", true},
		{"a b", "c", "", false},
		{"a", "", "", false},
	} {
		got, err := Session(strings.Fields(test.ids), test.prefix)
		if got != test.want || errors.As(err, &several) != test.several {
			t.Errorf("%q among %q: %q, %v", test.prefix, test.ids, got, err)
		}
		if got == "" && !test.several && !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%q among %q: %v", test.prefix, test.ids, err)
		}
	}
}

// TestWhereNamesAreSearched: the slow searches are made only where nothing else has the name, and
// sessions also for names that are shorter than git's.
func TestWhereNamesAreSearched(t *testing.T) {
	for _, c := range []struct {
		name          string
		found         int
		session, turn bool
	}{
		{"abcd", 0, true, true},
		{"abc", 0, true, false}, // too short for a turn
		{"abcdefabcdef", 0, true, true},
		{"abcdefabcdef0", 0, true, false}, // longer than a turn's ID
		{"words", 0, true, false},
		{"abcd", 1, true, false},
		{"abcdef", 1, true, false},
		{"abcdef0", 1, false, false},
		{"words", 1, false, false},
	} {
		var all candidates
		for range c.found {
			all.add(Named{}, "commit", "x")
		}
		if all.mayBeSession(c.name) != c.session || all.mayBeTurn(c.name) != c.turn {
			t.Errorf("%s after %d: %v, %v", c.name, c.found, all.mayBeSession(c.name), all.mayBeTurn(c.name))
		}
	}
}

// TestTurnsNamed: a turn has its checkpoints, of streams those of the agent alone, each committed
// one once; a turn whose ID is the prefix comes alone.
func TestTurnsNamed(t *testing.T) {
	n := turnsNamed{"ab", map[string]*Turn{}}
	n.onStream([]shadow.Checkpoint{{ID: "1", Turn: "abc", Part: shadow.Agent}, {ID: "2", Turn: "abc", Part: shadow.Human},
		{ID: "3", Turn: "b", Part: shadow.Agent}, {ID: "4", Turn: "abc", Part: shadow.Agent}})
	for _, k := range []string{"k1", "k2", "k1"} {
		n.committed(k, "abd")
	}
	n.committed("k3", "a")
	all := n.sorted()
	if len(all) != 2 || all[0].ID != "abc" || all[1].ID != "abd" || !slices.Equal(all[0].OnStreams, []gitexec.OID{"1", "4"}) ||
		!slices.Equal(all[1].Checkpoints, []string{"k1", "k2"}) {
		t.Errorf("%+v", all)
	}
	n.committed("k4", "ab")
	if all := n.sorted(); len(all) != 1 || all[0].ID != "ab" {
		t.Errorf("%+v", all)
	}
}

func TestNotFoundError(t *testing.T) {
	if got := (&NotFoundError{Name: "x"}).Error(); !strings.HasPrefix(got, `"x" is not a commit`) || !strings.Contains(got, "\nhint: ") {
		t.Error(got)
	}
	if got := (&NotFoundError{Name: "x", Purged: "2026-01-02"}).Error(); got != "checkpoint x was purged on 2026-01-02" {
		t.Error(got)
	}
}

// TestResolve: a name means the checkpoint, commit, session or turn that has it, by its kind's own
// rules, and is ambiguous where several have it.
func TestResolve(t *testing.T) {
	r := newRepository(t)
	on := r.stream(1, "s1", "a", "b")
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaa11111111", "beef", 5), part("aaaa11111111", "other-1", 6)},
		[]checkpoints.SessionMetadata{part("aaaa22222222", "beef", 7)}, []checkpoints.SessionMetadata{part("cccc33333333", "other-2", 8)})
	r.state(&session.State{SessionID: "only-a-state"})
	head := string(r.Reader.Repo.Head.ID)
	for name, want := range map[string]string{
		"HEAD":         "commit " + head,
		head[:8]:       "commit " + head,
		"cccc":         "checkpoint cccc33333333",
		"aaaa11111111": "checkpoint aaaa11111111",
		"aaaa":         "ambiguous",
		"beef":         "session beef",
		"other":        "ambiguous",
		"other-2":      "session other-2",
		"only":         "session only-a-state",
		"01bb":         "turn 01bbbbbbbbbb",
		"000000000008": "turn 000000000008",
		"nothing":      "none",
		"":             "none",
	} {
		found, err := r.Resolve(t.Context(), name)
		got := "none"
		switch {
		case errors.As(err, new(*checkpoints.AmbiguousError)):
			got = "ambiguous"
		case err != nil && !errors.As(err, new(*NotFoundError)):
			got = err.Error()
		case found.Checkpoint != "":
			got = "checkpoint " + found.Checkpoint
		case found.Commit != "":
			got = "commit " + string(found.Commit)
		case found.Session != "":
			got = "session " + found.Session
		case found.Turn != nil:
			got = "turn " + found.Turn.ID
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if found, err := r.Resolve(t.Context(), "01bb"); err != nil || !slices.Equal(found.Turn.OnStreams, on[1:]) {
		t.Errorf("the turn's checkpoints: %+v, %v", found.Turn, err)
	}
	if all, err := r.Sessions(t.Context(), ""); err != nil || !slices.Equal(all, []string{"beef", "only-a-state", "other-1", "other-2"}) {
		t.Errorf("all sessions: %q, %v", all, err)
	}
}

// TestCommitsNamed: a name that is none of a commit stands for the commits that link its
// checkpoints; only a trailer links.
func TestCommitsNamed(t *testing.T) {
	r := newRepository(t)
	first := r.Reader.Repo.Head.ID
	second := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	third := r.Commit("Third\n\nEntire-Checkpoint: aaaaaaaaaaaa stands here, and it is no trailer\n\nText", "f", "3")
	fourth := r.Commit("Fourth\n\nEntire-Checkpoint: bbbbbbbbbbbb", "f", "4")
	r.open()
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5), part("aaaaaaaaaaaa", "s2", 5)},
		[]checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s1", 6)}, []checkpoints.SessionMetadata{part("cccccccccccc", "s3", 7)})
	r.state(&session.State{SessionID: "s4"})
	for name, want := range map[string][]gitexec.OID{
		"HEAD~3":             {first},
		"HEAD~3..HEAD~2":     {second},
		"aaaaaaaaaaaa":       {second},
		"s1":                 {fourth, second},
		"s2":                 {second},
		"s3":                 nil, // no commit links it
		"000000000006":       {fourth},
		string(fourth)[:10]:  {fourth},
		"aaaaaaaaaaaa..HEAD": {third, fourth}, // each end may be any name
		"aaaa..bbbb":         {third, fourth},
		"aaaa..nothing":      nil,
		"s4":                 nil,
	} {
		commits, err := r.Select(t.Context(), Selection{Names: []string{name}})
		var got []gitexec.OID
		for _, c := range commits {
			got = append(got, c.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || (err != nil) != (name == "s4" || name == "aaaa..nothing") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestLatestIn: of equal times the later checkpoint counts, and never the human's part.
func TestLatestIn(t *testing.T) {
	k := func(id, session string, when int64, part shadow.Part) shadow.Checkpoint {
		return shadow.Checkpoint{ID: gitexec.OID(id), Session: session, When: time.Unix(when, 0), Part: part}
	}
	first := k("0", "s", 5, shadow.Agent)
	for name, c := range map[string]struct {
		known   *shadow.Checkpoint
		history []shadow.Checkpoint
		want    string
	}{
		"none":               {nil, nil, ""},
		"the last":           {nil, []shadow.Checkpoint{k("1", "s", 1, shadow.Agent), k("2", "s", 2, shadow.Agent)}, "2"},
		"within a second":    {nil, []shadow.Checkpoint{k("1", "s", 1, shadow.Agent), k("2", "s", 1, shadow.Agent)}, "2"},
		"of another session": {nil, []shadow.Checkpoint{k("1", "s", 1, shadow.Agent), k("2", "t", 2, shadow.Agent)}, "1"},
		"the human's":        {nil, []shadow.Checkpoint{k("1", "s", 1, shadow.Human)}, ""},
		"an older stream":    {&first, []shadow.Checkpoint{k("1", "s", 4, shadow.Agent)}, "0"},
		"a newer stream":     {&first, []shadow.Checkpoint{k("1", "s", 6, shadow.Agent)}, "1"},
	} {
		got := ""
		if found := latestIn(c.known, c.history, "s"); found != nil {
			got = string(found.ID)
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
