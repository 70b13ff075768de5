package query

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/workspace"
)

// caches are the indexes of a repository: files of ours, which are made again when they are lost.
type caches struct {
	repo *gitexec.Repo
	db   *gitexec.ODB
	env  workspace.Env
}

// cache says how an index is brought up to date.
type cache struct {
	name, form string
	anew       bool                                                   // nothing of what is there is used
	still      bool                                                   // nothing is written
	locked     bool                                                   // only who has the lock brings it up to date: it may be large
	current    func(*index.Index) bool                                // it is up to date
	update     func(x *index.Index, save bool) (state any, err error) // brings it up to date; save: it may be spilled
}

// open opens an index, and brings it up to date. One process makes it; others wait for it, or,
// where no lock can be had, make their own, and keep it in memory. The caller closes it.
func (s caches) open(ctx context.Context, c cache) (*index.Index, error) {
	home := index.Home(s.repo.CommonDir, s.repo.SharedDir())
	dir := filepath.Join(home, c.name)
	x := index.Open(dir, c.form)
	if !c.anew && c.current(x) {
		return x, nil
	}
	// The first look was without the lock, since mostly nothing has changed. Meanwhile another
	// process may have brought it up to date: it is opened again.
	unlock, locked := c.lock(ctx, home)
	if locked == nil {
		defer unlock()
		x.Close()
		if x = index.Open(dir, c.form); !c.anew && c.current(x) {
			return x, nil
		}
	} else if c.locked && !readOnly(locked) {
		// Where nothing can be written no process will ever have a lock: there a large index is
		// made in memory all the same.
		x.Close()
		return nil, locked
	}
	if c.anew {
		x.Clear()
	}
	state, err := c.update(x, locked == nil)
	// An update that was interrupted, or that read a damaged file, must not be saved as complete.
	if err = cmp.Or(err, x.Err(), ctx.Err()); err != nil {
		x.Close()
		return nil, err
	}
	if data, err := json.Marshal(state); err == nil && locked == nil {
		_ = x.Save(data) // a cache: what cannot be written is answered from memory, and read again next time
	}
	return x, nil
}

// remembered is a sorted list that was made from the same before: from is its hash. Where there is
// none, it is made now.
func (s caches) remembered(ctx context.Context, name, from string, still bool, list func() ([]string, error)) (all []string, err error) {
	c := cache{name: name, form: rememberedForm, still: still, current: func(x *index.Index) bool { return stateIn[string](x) == from }}
	x := index.Open(filepath.Join(index.Home(s.repo.CommonDir, s.repo.SharedDir()), name), c.form)
	if c.current(x) {
		for key := range x.Keys("") {
			all = append(all, string(key))
		}
	}
	x.Close()
	// Damage shows only when blocks are read: what was listed before it is worth nothing.
	if c.current(x) && x.Err() == nil {
		return all, nil
	}
	if all, err = list(); err != nil {
		return nil, err
	}
	c.anew, c.update = true, func(x *index.Index, _ bool) (any, error) {
		for _, one := range all {
			x.Put(one, nil)
		}
		return from, nil
	}
	if x, err = s.open(ctx, c); err == nil {
		x.Close()
	}
	return all, err
}

// It changes when the meaning of the keys does. What the list is of is in the hash: see hashed.
const rememberedForm = "1"

// isRemembered reports whether there is such a list, which may be of something else.
func (s caches) isRemembered(name string) bool {
	_, err := os.Stat(filepath.Join(index.Home(s.repo.CommonDir, s.repo.SharedDir()), name))
	return err == nil
}

// hashed is a hash of values.
func hashed(values ...any) string {
	data, _ := json.Marshal(values) // object IDs, texts and lists of them: it is always JSON
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// stateIn is what an index was made from; the zero value where it doesn't tell.
func stateIn[T any](x *index.Index) (state T) {
	if json.Unmarshal(x.State, &state) != nil {
		return *new(T)
	}
	return state
}

// readOnly reports whether an error says that nothing can be written here.
func readOnly(err error) bool {
	// Go doesn't count a read-only file system as ErrPermission.
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

var errStill = errors.New("nothing may be written")

// lock takes the lock of the indexes, unless nothing may be written.
func (c cache) lock(ctx context.Context, home string) (unlock func(), err error) {
	if c.still {
		return nil, errStill
	}
	return lock.Take(ctx, index.LockFile(home))
}

// twice asks once more, by an index made from nothing, if the first one turns out to be damaged.
func twice(ask func(anew bool) (*index.Index, error)) error {
	x, err := ask(false)
	// Err may tell of damage although the question was answered: a scan that meets it just ends.
	if !errors.Is(err, index.ErrDamaged) && !errors.Is(err, errShort) && (x == nil || x.Err() == nil) {
		return err
	}
	if x, err = ask(true); x != nil {
		err = cmp.Or(err, x.Err())
	}
	return err
}

// announce says what is indexed, if that takes long. The caller calls done at its end.
func (s caches) announce(what string) (done func()) {
	// Most updates take less, and should say nothing.
	t := time.AfterFunc(time.Second, func() { s.env.Warn("indexing " + what + ", which takes a while once") })
	return func() { t.Stop() }
}

// pace is for saying each second how far something long is.
type pace struct{ begun, said time.Time }

// due reports whether a second has passed since it did so last, and how many have since its first
// call, at which nothing is due.
func (p *pace) due() (seconds float64, due bool) {
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.said = now, now
	}
	if now.Sub(p.said) < time.Second {
		return 0, false
	}
	p.said = now
	return now.Sub(p.begun).Seconds(), true
}

// progress reports each second of how many things something was done, and how many in a second; of
// is how many there are, where that is known.
func progress(env workspace.Env, what string) func(done, of int) {
	var p pace
	p.due()
	return func(done, of int) {
		seconds, due := p.due()
		if !due {
			return
		}
		text := fmt.Sprintf("%s: %d", what, done)
		if of > 0 {
			text += fmt.Sprintf(" of %d", of)
		}
		env.Warn(fmt.Sprintf("%s so far, %.0f in a second", text, float64(done)/seconds))
	}
}
