package shadow

import (
	"context"
	"errors"
	"fmt"

	"entire-plumb/gitexec"
)

// ErrNoStream says that a worktree has no stream on a base, or that what has its name is none of
// ours.
var ErrNoStream = errors.New("no such stream")

// WriteTemporaryOptions says what is to be written on a stream (seed 003, Checkpoint Storage). The
// seed's lists of files follow from the steps' trees.
type WriteTemporaryOptions struct {
	Stream Name
	Base   gitexec.Head // the commit that it hangs from
	Tip    Checkpoint   // to write on top of; zero for a new stream
	Old    gitexec.OID  // what the stream's ref holds; empty: nothing yet
	Who    gitexec.Ident
	Steps  []Step // in their order; one whose tree is what is there already is left out
}

// WriteTemporaryResult is what came of it.
type WriteTemporaryResult struct {
	Commit  gitexec.OID // the tip as it is to be
	Skipped bool        // nothing had to be written
	Change  RefChange   // that moves the stream there, for Apply: together with whatever else goes with it
}

// WriteTemporary writes the commits of checkpoints. The stream isn't moved: that is Apply's, in one
// transaction with all else. Errors are git's; the context ends it.
func WriteTemporary(ctx context.Context, db *gitexec.ODB, o WriteTemporaryOptions) (WriteTemporaryResult, error) {
	r := WriteTemporaryResult{Commit: o.Tip.ID, Skipped: true}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	commits, err := Commits(db, o.Base.Tree, o.Base.ID, o.Tip, o.Who, o.Steps)
	if err != nil {
		return r, err
	}
	if len(commits) > 0 {
		ids, err := db.CommitTree(commits...)
		if err != nil {
			return r, err
		}
		r.Commit, r.Skipped = ids[len(ids)-1], false
	}
	r.Change = RefChange{Ref: o.Stream.Ref(), Old: o.Old, New: r.Commit}
	return r, nil
}

// ReadTemporary reads the latest stream that a worktree, by its ID, has on a base, in full. It is
// ErrNoStream if there is none.
func ReadTemporary(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, base gitexec.OID, worktreeID string) (*Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	listing, err := probe(db, worktreeID, base)
	if err != nil {
		return nil, err
	}
	listing.see(Blocked(repo))
	streams, err := listing.Streams(db, base, worktreeID)
	if err != nil {
		return nil, err
	}
	if len(streams) == 0 {
		return nil, fmt.Errorf("%w on %s", ErrNoStream, base.Short())
	}
	return &streams[len(streams)-1], nil
}

// ListTemporary reads the tips of all streams, of all bases and worktrees, by name, those under
// legacy names too; branches that only look like one are left out. One process beside the object
// database's.
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
