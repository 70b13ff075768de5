package session

import (
	"os"
	"path/filepath"

	"entire-plumb/internal/safefile"
)

// mostAside is how many files of states are copied aside.
const mostAside = 10_000

// Aside is a copy of the store, below a directory: what is changed in it changes no session. A file
// that cannot be read counts as missing.
func (s Store) Aside(dir string) (Store, error) {
	aside := s
	aside.Dir = filepath.Join(dir, filepath.Base(s.Dir))
	for _, pair := range [][2]string{{s.Dir, aside.Dir}, {s.restDir(), aside.restDir()}} {
		if err := copyStates(pair[0], pair[1]); err != nil {
			return s, err
		}
	}
	return aside, nil
}

// copyStates copies the files of a directory, if it is there, with its time: that tells whether a
// session was put to rest.
func copyStates(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil
	}
	if err := safefile.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries[:min(len(entries), mostAside)] {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := safefile.ReadOwn(filepath.Join(from, e.Name()), mostState)
		if err != nil {
			continue
		}
		if err := safefile.Write(filepath.Join(to, e.Name()), data, 0o600); err != nil {
			return err
		}
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
