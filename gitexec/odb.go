package gitexec

import (
	"context"
	"errors"
	"io"
)

// ODB is the repository's object database, read and written through at most four processes
// (cat-file, and hash-object for blobs, for trees and for commits), each started when it is first
// needed and ended by Close.
type ODB struct {
	*Objects
	trees   *ObjectWriter
	blobs   *ObjectWriter
	commits *ObjectWriter

	// Unsigned says why a commit that was to be signed is not; nil: there is none.
	Unsigned error

	unreferenced unreferenced
}

// ODB opens the object database; it starts no process yet. It is not safe for concurrent use.
func (r *Repo) ODB(ctx context.Context) *ODB {
	db := &ODB{Objects: r.Objects(ctx), unreferenced: unreferenced{}}
	db.trees, db.blobs, db.commits = db.writer("tree"), db.writer("blob"), db.writer("commit")
	return db
}

// Warm starts the processes for all but commits early, the writing ones in the background: each
// takes a millisecond to start up, and reading comes first.
func (db *ODB) Warm() error {
	err := db.WarmTrees()
	db.blobs.warmUp()
	return err
}

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

// WarmCommits starts the process that writes commits, in the background.
func (db *ODB) WarmCommits() { db.commits.warmUp() }

// WarmTrees starts the processes that edit trees, in the background.
func (db *ODB) WarmTrees() error {
	db.trees.warmUp()
	return db.Objects.Warm()
}

func started(start func() error) chan error {
	up := make(chan error, 1)
	go func() { up <- start() }()
	return up
}

// WriteBlob stores a blob, byte for byte.
func (db *ODB) WriteBlob(content []byte) (OID, error) {
	return last(db.blobs.Write(content))
}

// WriteBlobFrom stores a blob that a function writes, without holding it in memory.
func (db *ODB) WriteBlobFrom(write func(io.Writer) error) (OID, error) {
	return db.blobs.WriteFrom(write)
}

// WriteTrees stores trees, and returns their IDs. It uses hash-object, because mktree looks up
// every entry, even with --missing: that costs time for each entry of a directory, and fetches
// objects in a partial clone.
func (db *ODB) WriteTrees(trees ...Tree) ([]OID, error) {
	contents := make([][]byte, len(trees))
	for i, tree := range trees {
		var err error
		if contents[i], err = tree.encode(); err != nil {
			return nil, err
		}
	}
	return db.trees.Write(contents...)
}

// Close ends the processes, concurrently.
func (db *ODB) Close() error {
	clear(db.unreferenced)
	ends := []chan error{started(db.Objects.Close), started(db.trees.Close), started(db.blobs.Close), started(db.commits.Close)}
	return errors.Join(<-ends[0], <-ends[1], <-ends[2], <-ends[3])
}
