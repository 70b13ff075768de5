package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

var longAgo = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func noSessions() ([]string, error) { return nil, nil }

// rested gives a store with one session that was put to rest.
func rested(t *testing.T) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "entire-sessions")}
	saveOld(t, s, &State{SessionID: "s1", StartedAt: longAgo, FirstPrompt: "old"})
	testdir.Must(t, s.AddPrompt("s1", "old"))
	testdir.Must(t, s.Rest(longAgo.Add(KeptFor+time.Hour), noSessions))
	return s
}

func saveOld(t *testing.T, s Store, state *State) {
	t.Helper()
	testdir.Must(t, s.Save(state))
	testdir.Must(t, os.Chtimes(s.file(state.SessionID), longAgo, longAgo))
}

func TestAtRest(t *testing.T) {
	now, late := longAgo.Add(KeptFor+time.Hour), longAgo.Add(2*time.Hour)
	for name, change := range map[string]func(*State){
		"on a stream":                func(s *State) { s.ShadowBranchSuffix = 1 },
		"files not committed":        func(s *State) { s.FilesTouched = []gitexec.Path{"a"} },
		"a turn's checkpoints":       func(s *State) { s.TurnCheckpointIDs = []string{"0123456789ab"} },
		"spoken to since":            func(s *State) { s.LastInteractionTime = &late },
		"linked since":               func(s *State) { s.Linked = []Link{{When: late}} },
		"work dismissed since":       func(s *State) { s.Dismissed = []Dismissed{{When: longAgo}, {When: late}} },
		"started since, and no more": func(s *State) { s.StartedAt = late },
	} {
		t.Run(name, func(t *testing.T) {
			s := Store{Dir: filepath.Join(t.TempDir(), "entire-sessions")}
			state := &State{SessionID: "s1", StartedAt: longAgo, Place: Place{Phase: Ended}}
			if !state.AtRest(now) {
				t.Fatal("nothing keeps it")
			}
			change(state)
			saveOld(t, s, state)
			testdir.Must(t, s.Rest(now, noSessions))
			if states, err := s.List(); err != nil || len(states) != 1 {
				t.Errorf("List gives %d sessions, %v", len(states), err)
			}
		})
	}
}

func TestRestLeavesWhoIsOnAStream(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "entire-sessions")}
	for _, id := range []string{"s1", "s2"} {
		saveOld(t, s, &State{SessionID: id, StartedAt: longAgo})
	}
	testdir.Must(t, s.Rest(longAgo.Add(KeptFor+time.Hour), func() ([]string, error) { return []string{"s2"}, nil }))
	if states, err := s.List(); err != nil || len(states) != 1 || states[0].SessionID != "s2" {
		t.Errorf("List gives %v, %v", states, err)
	}
}

func TestRest(t *testing.T) {
	s := rested(t)
	if states, err := s.List(); err != nil || len(states) != 0 {
		t.Errorf("List gives %d sessions, %v", len(states), err)
	}
	if states, err := s.All(); err != nil || len(states) != 1 {
		t.Errorf("All gives %d sessions, %v", len(states), err)
	}
	if !s.Has("s1") || !s.Any() {
		t.Error("it isn't there")
	}
	state, err := s.Load("s1")
	if err != nil || state.FirstPrompt != "old" {
		t.Fatalf("Load gives %+v, %v", state, err)
	}
	testdir.Must(t, s.AddPrompt("s1", "new"))
	testdir.Must(t, s.Save(state))
	if prompts, err := os.ReadFile(s.Prompts("s1")); err != nil || string(prompts) != "old"+PromptSeparator+"new" {
		t.Errorf("the prompts are %q, %v", prompts, err)
	}
	if entries, err := os.ReadDir(s.restDir()); err != nil || len(entries) != 0 {
		t.Errorf("%v stays at rest, %v", entries, err)
	}
}

// A process that was killed while it woke a session leaves it in both places; in the one where it
// was written it is newer.
func TestHalfAwake(t *testing.T) {
	s := rested(t)
	old, err := os.ReadFile(s.resting(s.file("s1")))
	testdir.Must(t, err)
	state, _ := s.Load("s1")
	state.LastPrompt = "new"
	testdir.Must(t, s.Save(state))
	testdir.Must(t, os.WriteFile(s.resting(s.file("s1")), old, 0o600))
	all, err := s.All()
	if err != nil || len(all) != 1 || all[0].LastPrompt != "new" {
		t.Errorf("All gives %+v, %v", all, err)
	}
	testdir.Must(t, s.Save(state))
	if _, err := os.Lstat(s.resting(s.file("s1"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old state stays: %v", err)
	}
}

func TestDamagedAtRest(t *testing.T) {
	s := rested(t)
	var warnings []string
	s.Warn = func(line string) { warnings = append(warnings, line) }
	testdir.Must(t, os.WriteFile(s.resting(s.file("s1")), []byte("{"), 0o600))
	if _, err := s.Load("s1"); !errors.Is(err, ErrNotFound) || len(warnings) != 1 {
		t.Errorf("Load returns %v and warns %q", err, warnings)
	}
	entries, err := os.ReadDir(s.restDir())
	if err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "s1.json.damaged" }) {
		t.Errorf("%v remains, %v", entries, err)
	}
}

// Beyond the ones that changed last, sessions without any work are put to rest however young they
// are.
func TestRestWhereThereAreMany(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "entire-sessions")}
	name := func(i int) string { return "s" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	const many = 2*mostActive + 10
	for i := range many {
		state := &State{SessionID: name(i), StartedAt: longAgo, Place: Place{Phase: Idle}}
		switch i {
		case 0:
			state.ShadowBranchSuffix = 1
		case 1:
			state.Phase = Active
		case 2:
			state.Dismissed = []Dismissed{{Path: "a", When: longAgo}}
		case 3:
			state.Linked = []Link{{ID: "0123456789ab", Dropped: true}}
		case 4:
			state.FilesTouched = []gitexec.Path{"a"}
		case 5:
			state.TurnCheckpointIDs = []string{"0123456789ab"}
		}
		testdir.Must(t, s.Save(state))
		changed := longAgo.Add(time.Duration(i) * time.Second)
		testdir.Must(t, os.Chtimes(s.file(state.SessionID), changed, changed))
	}
	busy := func() ([]string, error) { return []string{name(6)}, nil }
	if !s.Crowded() || s.Rested(time.Now().Add(-time.Hour)) {
		t.Error("not crowded, or rested before")
	}
	testdir.Must(t, s.Rest(longAgo.Add(time.Hour), busy))
	awake, err := s.List()
	if err != nil || len(awake) != 7+mostActive || awake[6].SessionID != name(6) || awake[7].SessionID != name(many-mostActive) {
		t.Errorf("%d are awake: %v", len(awake), err)
	}
	if s.Crowded() || !s.Rested(time.Now().Add(-time.Hour)) {
		t.Error("still crowded, or nothing is at rest")
	}
	recent, err := s.Recent(longAgo.Add(20 * time.Second))
	if err != nil || len(recent) != 7+many-20 {
		t.Errorf("%d are recent: %v", len(recent), err)
	}
}

// A process that is killed between writing a state where hooks read it and removing the one at rest
// leaves both.
func TestRecentGivesWhoIsAwake(t *testing.T) {
	s := rested(t)
	data, err := os.ReadFile(s.resting(s.file("s1")))
	testdir.Must(t, err)
	testdir.Must(t, os.WriteFile(s.file("s1"), data, 0o600))
	if states, err := s.Recent(longAgo.Add(KeptFor)); err != nil || len(states) != 1 {
		t.Errorf("Recent gives %d sessions, %v", len(states), err)
	}
}
