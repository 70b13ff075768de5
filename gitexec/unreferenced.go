package gitexec

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/safefile"
)

// unreferenced are objects that no ref may keep yet, each with what stores it again; nil: nothing
// does. git gc --prune=now deletes them, also those of a moment ago.
type unreferenced map[OID]func() error

// Rely notes objects that a ref is about to keep, and that cannot be stored again.
func (db *ODB) Rely(ids ...OID) { db.noteStored(nil, ids...) }

// noteStored notes objects that were stored. again, if not nil, stores them again.
func (db *ODB) noteStored(again func() error, ids ...OID) {
	for _, id := range ids {
		if !id.IsZero() {
			db.unreferenced[id] = again
		}
	}
}

// Relies reports whether the objects are there that cannot be stored again; the error is a
// PrunedError. Call it just before refs move. No process, unless a pack was written since the first
// object was read: git goes on reading packs that are deleted.
func (db *ODB) Relies() error {
	var ids []OID
	for id, again := range db.unreferenced {
		if again == nil {
			ids = append(ids, id)
		}
	}
	gone, err := db.gone(ids)
	if err == nil && len(gone) > 0 {
		err = &PrunedError{gone[0]}
	}
	return err
}

// Settle has all objects there that were stored: those that a gc deleted, which looked for refs
// before these moved, are stored again. Call it when refs have moved. The error is a PrunedError
// where one cannot be; all others are there then. The cost is that of Relies, unless there is a gc.
func (db *ODB) Settle() error {
	// What it deletes after the check would not be noticed.
	db.repo.awaitGC(db.ctx)
	gone, err := db.gone(slices.Collect(maps.Keys(db.unreferenced)))
	if empty := db.repo.Format.EmptyTree(); db.unreferenced[empty] != nil && !db.repo.hasLoose(empty) { // cat-file has it always, git fsck has not
		err = errors.Join(err, db.unreferenced[empty]())
	}
	for _, id := range gone {
		if again := db.unreferenced[id]; again != nil {
			err = errors.Join(err, again())
		}
	}
	err = errors.Join(err, db.Flush())
	if err == nil && len(gone) > 0 {
		if gone, err = db.gone(gone); err == nil && len(gone) > 0 {
			err = &PrunedError{gone[0]}
		}
	}
	if err == nil {
		clear(db.unreferenced)
	}
	return err
}

// hasLoose reports whether an object has a file of its own.
func (r *Repo) hasLoose(id OID) bool {
	_, err := os.Lstat(filepath.Join(r.CommonDir, "objects", string(id[:2]), string(id[2:])))
	return err == nil
}

// gone lists those of the objects that are not there.
func (db *ODB) gone(ids []OID) (gone []OID, err error) {
	if err := db.Flush(); err != nil {
		return nil, err
	}
	// The process has the packs open that were there when it started, and would find deleted
	// objects in them.
	if len(ids) > 0 && db.proc != nil && db.packed != db.repo.packsTime() {
		if err := db.Objects.Close(); err != nil {
			return nil, err
		}
	}
	found, err := db.Info(ids...)
	for i, o := range found {
		if o.Type == "" {
			gone = append(gone, ids[i])
		}
	}
	return gone, err
}

// packsTime is when packs were last written or deleted.
func (r *Repo) packsTime() (at time.Time) {
	if info, err := os.Stat(filepath.Join(r.CommonDir, "objects", "pack")); err == nil {
		at = info.ModTime()
	}
	return at
}

// longestGC is how long a git gc is waited for.
const longestGC = 3 * time.Second

// awaitGC waits until a git gc has ended that deletes objects of any age.
func (r *Repo) awaitGC(ctx context.Context) {
	for end := time.Now().Add(longestGC); r.pruning() && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(5 * time.Millisecond)
	}
}

// pruning reports whether such a gc is running: git writes its process's ID to gc.pid.
func (r *Repo) pruning() bool {
	data, err := safefile.ReadOwn(filepath.Join(r.CommonDir, "gc.pid"), mostLink)
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(data), " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	gc, running := ancestry.Command(pid)
	// By default git keeps objects of the last two weeks, and so all that was stored just now. The
	// ID in the file may be another process's by now.
	return running && gc.Verb == "gc" && slices.ContainsFunc(gc.Args, func(arg string) bool { return strings.HasPrefix(arg, "--prune=") })
}
