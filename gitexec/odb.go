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

	treesUp, blobsUp, commitsUp chan error // of a start in the background; nil: none is under way
}

// ODB opens the object database; nothing is started yet. It is not for use by several goroutines at
// once.
func (r *Repo) ODB(ctx context.Context) *ODB {
	return &ODB{Objects: r.Objects(ctx), trees: r.ObjectWriter(ctx, "tree"), blobs: r.ObjectWriter(ctx, "blob"), commits: r.ObjectWriter(ctx, "commit")}
}

// Warm starts the processes for all but commits before they are needed, those that write in the
// background: each takes a millisecond to come up, and reading comes first.
func (db *ODB) Warm() error {
	if err := db.WarmTrees(); err != nil {
		return err
	}
	if db.blobsUp == nil {
		db.blobsUp = started(db.blobs.Warm)
	}
	return nil
}

// WarmCommits starts what writes commits, in the background.
func (db *ODB) WarmCommits() {
	if db.commitsUp == nil {
		db.commitsUp = started(db.commits.Warm)
	}
}

// WarmTrees starts what edits trees, likewise.
func (db *ODB) WarmTrees() error {
	if db.treesUp == nil {
		db.treesUp = started(db.trees.Warm)
	}
	return db.Objects.Warm()
}

func started(start func() error) chan error {
	up := make(chan error, 1)
	go func() { up <- start() }()
	return up
}

// upped waits for a start in the background, if one is under way.
func upped(up *chan error) error {
	if *up == nil {
		return nil
	}
	err := <-*up
	*up = nil
	return err
}

// WriteBlob stores a blob, byte for byte.
func (db *ODB) WriteBlob(content []byte) (OID, error) {
	if err := upped(&db.blobsUp); err != nil {
		return "", err
	}
	ids, err := db.blobs.Write(content)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// WriteBlobFrom stores a blob that a function writes, none of which is held in memory.
func (db *ODB) WriteBlobFrom(write func(io.Writer) error) (OID, error) {
	if err := upped(&db.blobsUp); err != nil {
		return "", err
	}
	return db.blobs.WriteFrom(write)
}

// WriteTrees stores trees, and gives their IDs. It goes through hash-object, not mktree, which
// looks every entry up, with --missing too: that makes the cost of a change that of its directory's
// size, and in a partial clone fetches what nobody asked for.
func (db *ODB) WriteTrees(trees ...Tree) ([]OID, error) {
	if err := upped(&db.treesUp); err != nil {
		return nil, err
	}
	contents := make([][]byte, len(trees))
	for i, tree := range trees {
		var err error
		if contents[i], err = tree.encode(); err != nil {
			return nil, err
		}
	}
	return db.trees.Write(contents...)
}

// Close ends the processes, side by side.
func (db *ODB) Close() error {
	err := errors.Join(upped(&db.treesUp), upped(&db.blobsUp), upped(&db.commitsUp))
	ends := []chan error{started(db.Objects.Close), started(db.trees.Close), started(db.blobs.Close), started(db.commits.Close)}
	for _, end := range ends {
		err = errors.Join(err, <-end)
	}
	return err
}
