package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sessions pile up, and hooks read the state of each that may have a say in the next commit. One
// that has none is at rest: its files are moved to a directory of their own, from where Load takes
// them, Recent and All list them, and Save brings them back.

// mostAwake is how many sessions without any work stay where hooks read them: those that changed
// last, which may go on.
const mostAwake = 24

// idle reports whether nothing of a session is going on, uncommitted or unfinished, and no work of
// its is gone that may come back, as far as its state tells: it has a say only in what was
// committed.
func (s *State) idle() bool {
	return s.Phase != Active && s.ShadowBranchSuffix == 0 && len(s.TurnCheckpointIDs) == 0 && len(s.FilesTouched) == 0 && len(s.Dismissed) == 0 && len(s.Tasks) == 0 &&
		!slices.ContainsFunc(s.Linked, func(l Link) bool { return l.Dropped })
}

// AtRest reports whether a session can have no say in what is committed, as far as its state tells:
// nothing of it is uncommitted or unfinished, and nobody has spoken to it for as long as work is
// remembered.
func (s *State) AtRest(now time.Time) bool {
	last := s.StartedAt
	if s.LastInteractionTime != nil {
		last = *s.LastInteractionTime
	}
	for _, l := range s.Linked {
		if l.When.After(last) {
			last = l.When
		}
	}
	for _, d := range s.Dismissed {
		if d.When.After(last) {
			last = d.When
		}
	}
	return s.ShadowBranchSuffix == 0 && len(s.TurnCheckpointIDs) == 0 && len(s.FilesTouched) == 0 && now.Sub(last) > Memory
}

// Crowded reports whether there are many more sessions than need be where hooks read them.
func (s Store) Crowded() bool {
	ids, err := namesIn([]string{s.Dir})
	return err == nil && len(ids) > 2*mostAwake
}

// Rest puts sessions to rest: those that nobody spoke to for as long as work is remembered, and,
// beyond the ones that changed last, those that are idle. Only the states of files that may be such
// are read. working names the sessions that have work which a state needn't tell of, on a stream
// that they left; it is asked only if there is a session to put to rest.
func (s Store) Rest(now time.Time, working func() ([]string, error)) error {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	type file struct {
		id      string
		changed time.Time
	}
	var files []file
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if info, err := e.Info(); ok && CheckID(id) == nil && err == nil {
			files = append(files, file{id, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.changed.Compare(a.changed) })
	var ids []string
	for i, f := range files {
		if i < mostAwake && now.Sub(f.changed) <= Memory {
			continue
		}
		switch state, err := s.Load(f.id); {
		case err == nil && (state.AtRest(now) || i >= mostAwake && state.idle()):
			ids = append(ids, f.id)
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	busy, err := working()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.restDir(), 0o700); err != nil {
		return err
	}
	for _, id := range ids {
		if slices.Contains(busy, id) {
			continue
		}
		for _, file := range []string{s.Prompts(id), s.file(id)} { // the state last: as long as it is here, the session is
			if err := os.Rename(file, s.resting(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Rested reports whether a session may have been put to rest since. It reads nothing.
func (s Store) Rested(since time.Time) bool {
	info, err := os.Stat(s.restDir())
	return err == nil && info.ModTime().After(since)
}

// restDir is beside the directory of the states, where this program's private files are.
func (s Store) restDir() string {
	return filepath.Join(filepath.Dir(s.Dir), "entire-plumb", "sessions")
}

// resting is where a session's file is while the session is at rest.
func (s Store) resting(file string) string { return filepath.Join(s.restDir(), filepath.Base(file)) }

// awake says that a session's file was written where hooks read it.
func (s Store) awake(file string) error {
	if err := os.Remove(s.resting(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
