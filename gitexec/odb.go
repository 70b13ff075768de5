package gitexec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"entire-plumb/internal/safefile"
)

// ODB is the repository's object database, read through one process (cat-file) and written through
// another (unpack-objects), each started when it is first needed and ended by Close. What is
// written is in the database once git is to read it, or a ref to name it: see objectWriter.
type ODB struct {
	*Objects

	// Unsigned says why a commit that was to be signed is not; nil: there is none.
	Unsigned error

	unreferenced unreferenced

	temp     *Temp // for large contents; nil: none yet
	files    int   // that were made in it
	inFiles  int64 // bytes of what can be stored again, in files
	inMemory int64 // and in memory
}

// ODB opens the object database; it starts no process yet. It is not safe for concurrent use.
func (r *Repo) ODB(ctx context.Context) *ODB {
	return &ODB{Objects: r.Objects(ctx), unreferenced: unreferenced{}}
}

// Warm starts both processes early, the writing one in the background: each takes a millisecond to
// start up, and reading comes first.
func (db *ODB) Warm() error {
	db.WarmWriter()
	return db.Objects.Warm()
}

// WarmWriter starts the process that writes, in the background.
func (db *ODB) WarmWriter() { db.repo.writer.warmUp(db.ctx) }

// OwnConfig is the repository's, see there.
func (db *ODB) OwnConfig() (map[string][]string, error) { return db.repo.OwnConfig(db.ctx) }

// Repo is the repository.
func (db *ODB) Repo() *Repo { return db.repo }

// Bring is the repository's, see there.
func (db *ODB) Bring(ids ...OID) { db.repo.Bring(db.ctx, ids...) }

// ChangedBlobs is the repository's, see there.
func (db *ODB) ChangedBlobs(pairs [][2]OID) []OID { return db.repo.ChangedBlobs(db.ctx, pairs) }

// MergeBase is that of the repository. One process.
func (db *ODB) MergeBase(a, b OID) (OID, error) { return db.repo.MergeBase(db.ctx, a, b) }

// SharedDir is the repository's, see there.
func (db *ODB) SharedDir() string { return db.repo.SharedDir() }

// WriteBlob stores a blob, byte for byte.
func (db *ODB) WriteBlob(content []byte) (OID, error) {
	return last(db.write("blob", bytes.Clone(content))) // which the caller may change before it is stored
}

// WriteFile stores a blob, and returns the entry of a file with it.
func (db *ODB) WriteFile(content []byte) (Entry, error) {
	id, err := db.WriteBlob(content)
	return Entry{Mode: ModeFile, ID: id}, err
}

// WriteTrees stores trees, and returns their IDs. mktree would look up every entry, even with
// --missing: that costs time for each entry of a directory, and fetches objects in a partial clone.
func (db *ODB) WriteTrees(trees ...Tree) ([]OID, error) {
	contents := make([][]byte, len(trees))
	for i, tree := range trees {
		var err error
		if contents[i], err = tree.encode(); err != nil {
			return nil, err
		}
	}
	return db.write("tree", contents...)
}

// WriteTree stores one tree.
func (db *ODB) WriteTree(tree Tree) (OID, error) { return last(db.WriteTrees(tree)) }

// mostKept and mostInMemory limit what can be stored again, in bytes: in files, and in memory.
// largestInMemory is the most that a content in memory has.
const mostKept, mostInMemory, largestInMemory = 32 << 20, 8 << 20, 1 << 20

// write stores objects of a kind, and returns their IDs.
func (db *ODB) write(kind string, contents ...[]byte) (ids []OID, err error) {
	for _, content := range contents {
		o := &object{kind: kind, size: int64(len(content)), data: content}
		// In a file it can be stored again without being held in memory.
		if len(content) > largestInMemory {
			o.data = nil
			o.file, err = db.file(func(to io.Writer) error { _, err := to.Write(content); return err })
		}
		if err == nil {
			err = db.store(o)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, o.id)
	}
	return ids, nil
}

// WriteBlobFrom stores a blob that a function writes, without holding it in memory. It returns the
// function's errors, too.
func (db *ODB) WriteBlobFrom(write func(io.Writer) error) (OID, error) {
	file, err := db.file(write)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	o := &object{kind: "blob", size: info.Size(), file: file}
	err = db.store(o)
	return o.id, err
}

// file is a new file with a content that a function writes.
func (db *ODB) file(write func(io.Writer) error) (name string, err error) {
	if db.temp == nil {
		if db.temp, err = db.repo.TempDir(); err != nil {
			return "", err
		}
	}
	db.files++
	name = filepath.Join(db.temp.Dir, strconv.Itoa(db.files))
	f, err := safefile.Create(name, 0o600)
	if err != nil {
		return "", err
	}
	err = write(f)
	return name, cmp.Or(err, f.Close())
}

// store has an object stored, and notes it as one that no ref keeps yet.
func (db *ODB) store(o *object) error {
	if err := o.identify(db.repo.Format); err != nil {
		return err
	}
	again := func() error { return db.repo.writer.add(db.ctx, o) }
	kept, most := &db.inMemory, int64(mostInMemory)
	if o.file != "" {
		kept, most = &db.inFiles, mostKept
	}
	// Too much to keep until refs move. If a gc deletes it, that is an error, and nothing is
	// changed.
	if *kept+o.cost() > most {
		again, o.once = nil, true
	} else {
		*kept += o.cost()
	}
	db.noteStored(again, o.id)
	return db.repo.writer.add(db.ctx, o)
}

// Flush stores what waits.
func (db *ODB) Flush() error { return db.repo.writer.flush(db.ctx) }

// Close stores what waits, and ends the processes.
func (db *ODB) Close() error {
	clear(db.unreferenced)
	err := errors.Join(db.repo.writer.close(db.ctx), db.Objects.Close())
	// The files were needed until what waited was stored.
	if db.temp != nil {
		db.temp.Remove()
		db.temp = nil
	}
	db.inFiles, db.inMemory = 0, 0
	return err
}
