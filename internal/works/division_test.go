package works

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// messages are the subjects of commits.
func messages(commits []gitexec.Commit) (all []string) {
	for _, c := range commits {
		subject, _, _ := strings.Cut(string(c.Message), "\n")
		all = append(all, subject)
	}
	slices.Sort(all)
	return all
}

// TestNearCommits: a command may have brought lines from branches, from HEAD's ancestors and from the
// stash, by what was made before the turn; in the second in which it began, by what HEAD was until then.
func TestNearCommits(t *testing.T) {
	s := small{testrepo.New(t)}
	at := func(seconds string) {
		t.Setenv("GIT_AUTHOR_DATE", seconds+" +0000")
		t.Setenv("GIT_COMMITTER_DATE", seconds+" +0000")
	}
	commit := func(subject string) { s.Git("commit", "-q", "--allow-empty", "-m", subject) }
	now := func() *gitexec.Repo {
		repo, err := gitexec.Discover(t.Context(), s.Dir, nil)
		testdir.Must(t, err)
		return repo
	}
	s.Git("checkout", "-q", "-b", "trunk")
	at("1700000000")
	commit("first")
	at("1700000050")
	s.Git("checkout", "-q", "-b", "side")
	commit("of another branch")
	s.Git("branch", "entire/1234567-1")
	at("1700000300")
	s.Git("checkout", "-q", "-b", "late")
	commit("of another branch, later")
	s.Git("checkout", "-q", "trunk")
	at("1700000100")
	commit("in the second, before the turn")
	start := now().Head.ID
	commit("in the second, in the turn")
	at("1700000200")
	commit("later")
	began := time.Unix(1700000100, 600_000_000)
	state := &session.State{LastInteractionTime: &began}
	for name, c := range map[string]struct {
		began time.Time
		start gitexec.OID
		want  []string
	}{
		"in that second":          {began, start, []string{"first", "in the second, before the turn", "of another branch"}},
		"of an unknown beginning": {began, gitexec.OID(strings.Repeat("a", len(start))), []string{"first", "of another branch"}},
		"in the second after":     {began.Add(time.Second), start, []string{"first", "in the second, before the turn", "in the second, in the turn", "of another branch"}},
		"before all":              {time.Unix(1600000000, 0), start, nil},
	} {
		at := c.began
		state.LastInteractionTime, state.TurnStartCommit = &at, c.start
		repo := now()
		got, err := Place{Repo: repo, DB: s.DB, Head: repo.Head.ID, Moves: func(ctx context.Context) ([]gitexec.HeadMove, error) { return repo.HeadMoves(ctx, 200) }}.NearCommits(t.Context(), state)
		if err != nil || !slices.Equal(messages(got), c.want) {
			t.Errorf("%s: %q, %v; want %q", name, messages(got), err, c.want)
		}
	}
	state.LastInteractionTime = nil
	if got, err := (Place{Repo: s.Repo, DB: s.DB}).NearCommits(t.Context(), state); got != nil || err != nil {
		t.Errorf("no turn: %q, %v", messages(got), err)
	}
}

// TestNearHeads: a command may have brought lines from what HEAD was, also where an amend has replaced
// it or a reset has dropped it: from a commit of before, of another in the second in which the turn began, or of git
// am, but from none that the turn made.
func TestNearHeads(t *testing.T) {
	s := small{testrepo.New(t)}
	s.Git("commit", "-q", "--allow-empty", "-m", "first")
	repo, err := gitexec.Discover(t.Context(), s.Dir, nil)
	testdir.Must(t, err)
	start := repo.Head.ID
	began := time.Unix(1700000100, 600_000_000)
	state := &session.State{LastInteractionTime: &began}
	state.TurnStartCommit = start
	for name, c := range map[string]struct {
		when int64
		why  string
		want bool
	}{
		"pulled, of before":             {1700000099, "pull: Fast-forward", true},
		"pulled, of that second":        {1700000100, "pull --ff-only: Fast-forward", true},
		"pulled, made since":            {1700000101, "pull: Fast-forward", false},
		"applied":                       {1700000101, "am: Subject", true},
		"made since":                    {1700000101, "commit: am: Subject", false},
		"made in that second":           {1700000100, "commit: Subject", false},
		"amended in that second":        {1700000100, "commit (amend): Subject", false},
		"made by an unknown command":    {1700000100, "", false},
		"not known where HEAD was then": {1700000100, "", false},
		"dropped by a reset":            {1700000099, "commit: Subject", true},
		"dropped, made since":           {1700000101, "commit: Subject", false},
	} {
		id := s.commit(c.when, "", name, name)
		reflog := []gitexec.HeadMove{{From: id, To: id, Why: "checkout: moving from x to y"}, {From: start, To: id, Why: c.why}, {To: start, Why: "commit (initial): first"}}
		switch {
		case strings.HasPrefix(name, "not known"):
			reflog = reflog[:1]
		case strings.HasPrefix(name, "dropped"):
			reflog[0].To, reflog[0].Why = start, "reset: moving to HEAD~1"
		}
		place := Place{Repo: s.Repo, DB: s.DB, Head: id, Moves: func(context.Context) ([]gitexec.HeadMove, error) { return reflog, nil }}
		found, err := place.NearCommits(t.Context(), state)
		if got := slices.ContainsFunc(found, func(one gitexec.Commit) bool { return one.ID == id }); err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

// TestNearStash: the stash of the turn's beginning, whatever its second, and the files in it that git
// didn't track.
func TestNearStash(t *testing.T) {
	s := small{testrepo.New(t)}
	s.Git("commit", "-q", "--allow-empty", "-m", "first")
	stash := s.commit(1700000000, "", "f", "tracked")
	index := s.commit(1700000000, "", "f", "index")
	untracked := s.commit(1700000000, "", "g", "untracked")
	tracked, err := s.DB.Any(stash)
	testdir.Must(t, err)
	c, err := gitexec.ParseCommit(stash, tracked[0].Data)
	testdir.Must(t, err)
	who := gitexec.Ident{Name: "A", Email: "a@example.com", When: time.Unix(1700000000, 0)}
	ids, err := s.DB.CommitTree(gitexec.NewCommit{Tree: c.Tree, Parents: []gitexec.OID{stash, index, untracked}, Author: who, Committer: who, Message: "stash\n"})
	testdir.Must(t, err)
	began := time.Unix(1600000000, 0)
	for name, c := range map[string]struct {
		stashes []gitexec.OID
		want    []gitexec.OID
	}{
		"none":             {nil, nil},
		"tracked files":    {[]gitexec.OID{stash}, []gitexec.OID{stash}},
		"and others":       {[]gitexec.OID{ids[0]}, []gitexec.OID{ids[0], untracked}},
		"one that is gone": {[]gitexec.OID{gitexec.OID(strings.Repeat("a", len(stash))), stash}, []gitexec.OID{stash}},
	} {
		state := &session.State{LastInteractionTime: &began}
		state.TurnStartStashes = c.stashes
		found, err := Place{Repo: s.Repo, DB: s.DB}.NearCommits(t.Context(), state)
		var got []gitexec.OID
		for _, one := range found {
			got = append(got, one.ID)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

// TestSourcesInAll: beyond so many bytes of all files' versions the first one of each is read.
func TestSourcesInAll(t *testing.T) {
	r := testrepo.New(t)
	repo, err := gitexec.Discover(t.Context(), r.Dir, nil)
	testdir.Must(t, err)
	db := repo.ODB(t.Context())
	defer db.Close()
	entry := func(text []byte) Source {
		id, err := db.WriteBlob(text)
		testdir.Must(t, err)
		return Source{Entry: gitexec.Entry{Mode: gitexec.ModeFile, ID: id}}
	}
	large, small, binary := entry(bytes.Repeat([]byte{' '}, mostSourced/8)), entry([]byte("small\n")), entry([]byte("\x00"))
	reader := &sourceReader{db: db}
	for i, c := range []struct {
		sources []Source
		want    int
	}{
		{[]Source{small, binary, small}, 2}, {slices.Repeat([]Source{large}, 5), 5}, {slices.Repeat([]Source{large}, 5), 3},
		{[]Source{small, small}, 1}, {[]Source{binary, small}, 0}, {[]Source{large}, 1},
	} {
		n := 0
		var failed error
		for range reader.texts(c.sources, &failed) {
			n++
		}
		if n != c.want || failed != nil {
			t.Errorf("file %d: %d versions, want %d (%v)", i, n, c.want, failed)
		}
	}
}

// TestSourcesSince: of a version on a stream, the lines count that its session's turn did not find.
func TestSourcesSince(t *testing.T) {
	r := testrepo.New(t)
	repo, err := gitexec.Discover(t.Context(), r.Dir, nil)
	testdir.Must(t, err)
	db := repo.ODB(t.Context())
	defer db.Close()
	entry := func(text string) gitexec.Entry {
		if text == "" {
			return gitexec.Entry{}
		}
		id, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	for name, c := range map[string]struct{ before, now, want string }{
		"a commit's version": {"", "one\ntwo\n", "one\ntwo\n"},
		"lines were added":   {"one\ntwo\n", "one\nnew\ntwo\nlast", "new\nlast"},
		"a line is repeated": {"}\n", "f {\n}\n}\n", "f {\n}\n"},
		"none was":           {"one\ntwo\n", "two\n", ""},
	} {
		var failed error
		for _, text := range (&sourceReader{db: db}).texts([]Source{{Entry: entry(c.now), Before: entry(c.before)}}, &failed) {
			if string(text) != c.want {
				t.Errorf("%s: %q, want %q", name, text, c.want)
			}
		}
		testdir.Must(t, failed)
	}
}
