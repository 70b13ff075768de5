package gitexec

import (
	"context"
	"errors"
)

// ODB is the repository's object database, read and written through at most three processes (cat-file, mktree,
// hash-object), each started when it is first needed and ended by Close.
type ODB struct {
	*Objects
	trees *TreeWriter
	blobs *ObjectWriter
}

// ODB opens the object database; nothing is started yet. It is not for use by several goroutines at once.
func (r *Repo) ODB(ctx context.Context) *ODB {
	return &ODB{Objects: r.Objects(ctx), trees: r.TreeWriter(ctx), blobs: r.ObjectWriter(ctx, "blob")}
}

// Warm starts all three processes, before they are needed.
func (db *ODB) Warm() error { return together(db.Objects.Warm, db.trees.Warm, db.blobs.Warm) }

// WarmTrees starts what edits trees, before it is needed.
func (db *ODB) WarmTrees() error { return together(db.Objects.Warm, db.trees.Warm) }

// together starts processes side by side: each takes a millisecond to come up.
func together(starts ...func() error) error {
	results := make(chan error, len(starts))
	for _, start := range starts {
		go func() { results <- start() }()
	}
	var err error
	for range starts {
		err = errors.Join(err, <-results)
	}
	return err
}

// WriteBlob stores a blob, byte for byte.
func (db *ODB) WriteBlob(content []byte) (OID, error) { return db.blobs.Write(content) }

// WriteTrees stores trees.
func (db *ODB) WriteTrees(trees ...Tree) ([]OID, error) { return db.trees.Write(trees...) }

// Close ends the processes.
func (db *ODB) Close() error {
	return errors.Join(db.Objects.Close(), db.trees.Close(), db.blobs.Close())
}
