package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/safefile"
)

// Sessions accumulate, and hooks read the state of each that may affect the next commit. A session
// that cannot is at rest: its files are moved to another directory. Load, Recent and All read them
// there, and Save moves them back.

// mostActive is how many sessions without work stay where hooks read them: those that changed last,
// which may continue.
const mostActive = 24

// hasNoWork reports whether, by its state, nothing of a session is in progress, uncommitted,
// unfinished or discarded: it only matters for committed work.
func (s *State) hasNoWork() bool {
	return !slices.ContainsFunc(s.Places(), Place.hasWork) && len(s.TurnCheckpointIDs) == 0 && len(s.Dismissed) == 0 && len(s.Tasks) == 0 &&
		!slices.ContainsFunc(s.Linked, func(l Link) bool { return l.Dropped })
}

// AtRest reports whether, by its state, a session cannot affect a commit: nothing of it is
// uncommitted or unfinished, and it had no event for KeptFor.
func (s *State) AtRest(now time.Time) bool {
	last := s.LastKnown()
	for _, d := range s.Dismissed {
		if d.When.After(last) {
			last = d.When
		}
	}
	waits := func(p Place) bool { return p.ShadowBranchSuffix != 0 || len(p.FilesTouched) > 0 }
	return !slices.ContainsFunc(s.Places(), waits) && len(s.TurnCheckpointIDs) == 0 && now.Sub(last) > KeptFor
}

// LastKnown is when the session last began, had a prompt, or had its work committed.
func (s *State) LastKnown() time.Time {
	last := s.StartedAt
	if s.LastInteractionTime != nil {
		last = *s.LastInteractionTime
	}
	for _, l := range s.Linked {
		if l.When.After(last) {
			last = l.When
		}
	}
	return last
}

// Crowded reports whether hooks read many more sessions than necessary.
func (s Store) Crowded() bool {
	ids, err := namesIn([]string{s.Dir})
	return err == nil && len(ids) > 2*mostActive
}

// Rest puts sessions to rest: those without an event for KeptFor, and those without work beyond the
// ones that changed last. It reads only the states of files that may be such. working names the
// sessions with work on a stream, which the state need not show; it is called only if there is a
// session to put to rest.
func (s Store) Rest(now time.Time, working func() ([]string, error)) error {
	ids, err := s.idle(now)
	if err != nil || len(ids) == 0 {
		return err
	}
	busy, err := working()
	if err != nil {
		return err
	}
	if err := safefile.MkdirAll(s.restDir(), 0o700); err != nil {
		return err
	}
	for _, id := range ids {
		if slices.Contains(busy, id) {
			continue
		}
		for _, file := range []string{s.Prompts(id), s.file(id)} { // the state last: it decides where the session is
			if err := os.Rename(file, s.resting(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// idle are the sessions whose states allow that they are put to rest.
func (s Store) idle(now time.Time) (ids []string, err error) {
	files, err := s.lastChanged()
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if i < mostActive && now.Sub(f.changed) <= KeptFor {
			continue
		}
		state, err := s.Load(f.id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if state.AtRest(now) || i >= mostActive && state.hasNoWork() {
			ids = append(ids, f.id)
		}
	}
	return ids, nil
}

// stateFile is the file of a session's state.
type stateFile struct {
	id      string
	changed time.Time
}

// lastChanged are the states that hooks read, the one that changed last first.
func (s Store) lastChanged() (files []stateFile, err error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if info, err := e.Info(); ok && CheckID(id) == nil && err == nil {
			files = append(files, stateFile{id, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b stateFile) int { return b.changed.Compare(a.changed) })
	return files, nil
}

// Rested reports whether a session may have been put to rest since. It reads no state.
func (s Store) Rested(since time.Time) bool {
	info, err := os.Stat(s.restDir())
	return err == nil && info.ModTime().After(since)
}

// restDir is beside the directory of the states, with this program's private files.
func (s Store) restDir() string {
	return filepath.Join(filepath.Dir(s.Dir), "entire-plumb", "sessions")
}

// resting is the path of a session's file while the session is at rest.
func (s Store) resting(file string) string { return filepath.Join(s.restDir(), filepath.Base(file)) }

// removeResting deletes the old copy of a session's file that was written where hooks read it.
func (s Store) removeResting(file string) error { return removeIfThere(s.resting(file)) }

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
