package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/seal"
)

// Store is the directory of the state files, <common git dir>/entire-sessions. Writers hold the
// repository's lock.
type Store struct {
	Dir  string
	Warn func(string) // reports damaged files; nil: not reported

	ReadOnly bool // a damaged file stays in place: it may be another program's

	Secrets *redact.Redactor // removes secrets from what is stored; nil: by the built-in rules
	// Readers are those for whom what git stores of conversations is encrypted; nil: everybody.
	Readers *seal.Recipients
	// Objects has git store what a state is about to name; nil: it is stored.
	Objects func() error
}

// ErrNotFound says that there is no such session.
var ErrNotFound = errors.New("no such session")

// Load reads one session. A damaged file counts as missing, and is renamed unless the store is
// read-only.
func (s Store) Load(id string) (*State, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	state, file, err := s.read(id)
	var damage *damageError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	case errors.As(err, &damage):
		return nil, s.setAside(file, damage.cause)
	}
	return state, err
}

// Working reports whether a turn of the session is in progress.
func (s Store) Working(id string) bool {
	state, err := s.Load(id)
	return err == nil && state.Phase == Active && state.TurnStartTree != ""
}

// damageError says why a state file holds no state.
type damageError struct{ cause error }

func (e *damageError) Error() string { return e.cause.Error() }

// mostState is the most bytes that a state may have. It does not grow with the repository, but by
// an object ID for each 64 KiB of the transcript: a megabyte for the longest that is recorded at
// once, 1 GiB.
const mostState = 64 << 20

// read reads a state and changes nothing.
func (s Store) read(id string) (state *State, file string, err error) {
	file = s.file(id)
	data, err := safefile.ReadOwn(file, mostState)
	if errors.Is(err, fs.ErrNotExist) {
		file = s.resting(file)
		data, err = safefile.ReadOwn(file, mostState)
	}
	if unusable := new(safefile.Error); errors.As(err, &unusable) {
		return nil, file, &damageError{errors.New(unusable.Problem())}
	}
	if err != nil {
		return nil, file, err
	}
	state = &State{}
	if err := json.Unmarshal(data, state); err != nil {
		return nil, file, &damageError{jsonfault.Explain(err)}
	}
	if err := state.check(id); err != nil {
		return nil, file, &damageError{err}
	}
	return state, file, nil
}

// Has reports whether a session has a state, without reading it.
func (s Store) Has(id string) bool {
	if CheckID(id) != nil {
		return false
	}
	_, here := os.Lstat(s.file(id))
	_, resting := os.Lstat(s.resting(s.file(id)))
	return here == nil || resting == nil
}

// List reads the sessions that are not at rest, oldest first.
func (s Store) List() ([]*State, error) { return s.list(s.Dir) }

// All reads all sessions, oldest first.
func (s Store) All() ([]*State, error) { return s.list(s.Dir, s.restDir()) }

// Recent reads the sessions that are not at rest, and those at rest that changed since, oldest
// first.
func (s Store) Recent(since time.Time) ([]*State, error) {
	ids, err := namesIn([]string{s.Dir, s.restDir()})
	if err != nil {
		return nil, err
	}
	return s.readIDs(slices.DeleteFunc(ids, func(id string) bool {
		if _, err := os.Lstat(s.file(id)); err == nil {
			return false
		}
		info, err := os.Lstat(s.resting(s.file(id)))
		return err == nil && info.ModTime().Before(since)
	}))
}

func (s Store) list(dirs ...string) ([]*State, error) {
	ids, err := namesIn(dirs)
	if err != nil {
		return nil, err
	}
	return s.readIDs(ids)
}

func (s Store) readIDs(ids []string) (states []*State, err error) {
	for i, state := range s.readAll(ids) {
		if state == nil { // Load handles the reason
			if state, err = s.Load(ids[i]); errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		states = append(states, state)
	}
	sort.SliceStable(states, func(i, j int) bool { return states[i].StartedAt.Before(states[j].StartedAt) })
	return states, nil
}

// readAll reads states in parallel: each takes some 50 µs, and there may be hundreds. An unreadable
// one is nil.
func (s Store) readAll(ids []string) []*State {
	states := make([]*State, len(ids))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ids)/8+1) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(ids); i = int(next.Add(1)) - 1 {
				if state, _, err := s.read(ids[i]); err == nil {
					states[i] = state
				}
			}
		})
	}
	readers.Wait()
	return states
}

// namesIn lists the IDs of the sessions whose states are in the directories, each once.
func namesIn(dirs []string) ([]string, error) {
	var ids []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && CheckID(id) == nil {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// LostState reports whether there are prompts of a session whose state was deleted, and not as
// damaged.
func (s Store) LostState() (bool, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".prompts")
		if !ok || CheckID(id) != nil || s.Has(id) {
			continue
		}
		if _, err := os.Lstat(s.file(id) + ".damaged"); errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
	}
	return false, nil
}

// Any reports whether there is any session, without reading one.
func (s Store) Any() bool {
	ids, _ := namesIn([]string{s.Dir, s.restDir()})
	return len(ids) > 0
}

// Save writes a session's file atomically.
func (s Store) Save(state *State) error {
	if err := CheckID(state.SessionID); err != nil {
		return err
	}
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	if s.Objects != nil {
		if err := s.Objects(); err != nil {
			return err
		}
	}
	if err := safefile.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	file := s.file(state.SessionID)
	if err := safefile.Write(file, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return s.removeResting(file)
}

// Prompts is the file that holds a session's prompts, joined by PromptSeparator.
func (s Store) Prompts(id string) string {
	file := s.prompts(id)
	if _, err := os.Lstat(file); err != nil {
		if _, err := os.Lstat(s.resting(file)); err == nil {
			return s.resting(file)
		}
	}
	return file
}

func (s Store) prompts(id string) string { return filepath.Join(s.Dir, id+".prompts") }

// PromptSeparator separates two prompts.
const PromptSeparator = "\n\n---\n\n"

// mostPrompts is the most bytes of a session's prompts together: each turn's end reads and stores
// them. An agent may send 32 MiB at once.
const mostPrompts = 64 << 20

// ReadPrompts reads a session's prompts, joined by PromptSeparator.
func (s Store) ReadPrompts(id string) ([]byte, error) {
	return safefile.ReadOwn(s.Prompts(id), mostPrompts)
}

// SavePrompts replaces a session's file of prompts; without prompts it writes none.
func (s Store) SavePrompts(id string, prompts []byte) error {
	if len(prompts) == 0 {
		return nil
	}
	if err := safefile.Write(s.prompts(id), prompts, 0o600); err != nil {
		return err
	}
	return s.removeResting(s.prompts(id))
}

// AddPrompt appends a prompt to the session's. Its secrets are already removed.
func (s Store) AddPrompt(id, prompt string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := safefile.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	old, err := s.ReadPrompts(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 {
		prompt = string(old) + PromptSeparator + prompt
	}
	if len(prompt) > mostPrompts {
		return fmt.Errorf("session %s has more than %d MiB of prompts, and this one is not kept", id, mostPrompts>>20)
	}
	return s.SavePrompts(id, []byte(prompt))
}

// Delete deletes a session's state and prompts.
func (s Store) Delete(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	file, prompts := s.file(id), s.prompts(id)
	return errors.Join(removeIfThere(file), s.removeResting(file), removeIfThere(prompts), s.removeResting(prompts))
}

func (s Store) file(id string) string { return filepath.Join(s.Dir, id+".json") }

func (s Store) setAside(file string, cause error) error {
	if s.ReadOnly {
		if s.Warn != nil {
			s.Warn(fmt.Sprintf("%s is damaged (%v) and ignored", file, cause))
		}
		return fmt.Errorf("%w: its file is damaged", ErrNotFound)
	}
	aside := file + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%d", file, n)
	}
	if err := os.Rename(file, aside); err != nil {
		return fmt.Errorf("%s is damaged (%v) and cannot be set aside: %w", file, cause, err)
	}
	if s.Warn != nil {
		s.Warn(fmt.Sprintf("%s was damaged (%v): it is now %s, and the session starts over", file, cause, filepath.Base(aside)))
	}
	return fmt.Errorf("%w: its file was damaged", ErrNotFound)
}

// knownKeys are the JSON keys of State.
func knownKeys() []string {
	var keys []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[State]()) {
		if tag := field.Tag.Get("json"); tag != "" {
			name, _, _ := strings.Cut(tag, ",")
			keys = append(keys, name)
		}
	}
	return keys
}
