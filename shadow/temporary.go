package shadow

import (
	"context"

	"entire-plumb/gitexec"
)

// WriteTemporaryOptions says what to write on a stream (seed 003, Checkpoint Storage). The seed's
// lists of files follow from the steps' trees.
type WriteTemporaryOptions struct {
	Stream Name          // required
	Base   gitexec.Head  // the stream's base; required
	Tip    Checkpoint    // to write on top of; zero for a new stream
	Old    gitexec.OID   // the stream's ref; empty: it does not exist
	Who    gitexec.Ident // the commits' author and committer; required
	Steps  []Step        // in order; one that changes nothing is skipped; empty: nothing is written
}

// WriteTemporaryResult is the result.
type WriteTemporaryResult struct {
	Commit gitexec.OID // the new tip; the old one, if nothing was to be written
	Change RefChange   // moves the stream there, for Apply
}

// WriteTemporary writes the commits of checkpoints. It does not move the stream: Apply does, in one
// transaction with all else. Errors are git's; the context ends it.
func WriteTemporary(ctx context.Context, db *gitexec.ODB, o WriteTemporaryOptions) (WriteTemporaryResult, error) {
	r := WriteTemporaryResult{Commit: o.Tip.ID}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	commits, err := Commits(db, o.Base.Tree, o.Base.ID, o.Tip, o.Who, o.Steps)
	if err != nil {
		return r, err
	}
	if len(commits) > 0 {
		if r.Commit, err = db.WriteCommits(commits...); err != nil {
			return r, err
		}
	}
	r.Change = RefChange{Ref: o.Stream.Ref(), Old: o.Old, New: r.Commit}
	return r, nil
}

// ListTemporary reads the tips of all streams, of all bases and worktrees, by name, including those
// under legacy names, without branches that only have a stream's name. One process beside the
// object database's.
func ListTemporary(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) ([]Stream, error) {
	listing, err := List(ctx, repo)
	if err == nil {
		listing, err = listing.WithLegacy(db)
	}
	if err != nil {
		return nil, err
	}
	return listing.All(db)
}
