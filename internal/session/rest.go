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

// Sessions pile up over the years, and hooks read the state of each that may have a say. One that has none any more is at rest: its files are moved
// to a directory of their own, from where Load takes them, All lists them, and Save brings them back.

// AtRest reports whether a session can have no say in what is committed, as far as its state tells: nothing of it is uncommitted or unfinished, and nobody
// has spoken to it for as long as work is remembered.
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

// Rest puts sessions to rest. Only the states are read whose file hasn't changed for so long. working names the sessions that have work which a state
// needn't tell of, on a stream that they left; it is asked only if there is a session to put to rest.
func (s Store) Rest(now time.Time, working func() ([]string, error)) error {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		info, err := e.Info()
		if !ok || CheckID(id) != nil || err != nil || now.Sub(info.ModTime()) <= Memory {
			continue
		}
		switch state, err := s.Load(id); {
		case err == nil && state.AtRest(now):
			ids = append(ids, id)
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
