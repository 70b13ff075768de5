package query

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
)

// Uncommitted is what the worktree has and HEAD doesn't, staged or not, with untracked files that
// git doesn't ignore: as the commit that `git add -A` and `git commit` would make of it now. Its
// lines have the authors that they would have in that commit.
type Uncommitted struct {
	In     *Reader        // in which that commit is one like others
	Head   gitexec.Head   // what HEAD is
	Commit gitexec.Commit // its ID is empty where there is nothing to commit
	Fault  error          // why it cannot be said whose the lines are; nil: it can

	// LeftOut are files that are not looked at, as too large or unreadable.
	LeftOut []session.LeftOut

	commit  *attribution.Reader
	removed func()
}

// Any reports whether there is anything to commit.
func (u *Uncommitted) Any() bool { return u.Commit.ID != "" }

func (u *Uncommitted) close() {
	if u != nil {
		u.removed()
	}
}

// Uncommitted looks at the worktree, once. It writes to a temporary directory alone. A clean
// worktree costs one process, as a snapshot does; another one what a snapshot and a commit's hooks
// do.
func (r *Reader) Uncommitted(ctx context.Context) (*Uncommitted, error) {
	if r.ahead != nil {
		return r.ahead, nil
	}
	f, err := r.foresee(ctx, r.Env, r.Repo)
	if err != nil {
		return nil, err
	}
	u := &Uncommitted{Head: f.Head, Commit: f.Commit, Fault: f.Fault, LeftOut: f.LeftOut, removed: f.Close}
	reader := *r
	// What was read before is of the repository without that commit.
	reader.Repo, reader.DB, reader.known, reader.sources = f.Repo, f.DB, nil, nil
	u.In = &reader
	if reader.Branch, err = f.Branch(ctx); err != nil {
		f.Close()
		return nil, err
	}
	u.commit = &attribution.Reader{DB: reader.DB, Branch: reader.Branch, Agent: r.authors(ctx).Agent}
	r.ahead = u
	return u, nil
}

// Count counts the uncommitted lines by author. One process, if there are any.
func (u *Uncommitted) Count(ctx context.Context) (attribution.Counted, error) {
	if !u.Any() {
		return attribution.Counted{}, nil
	}
	counted, err := u.commit.Count(ctx, u.In.Repo, []gitexec.Commit{u.Commit}, gitexec.Pathspecs{})
	if err != nil {
		return attribution.Counted{}, err
	}
	return u.shown(counted[0]), nil
}

// shown is a count where nothing is said that is not known.
func (u *Uncommitted) shown(n attribution.Counted) attribution.Counted {
	if u.Fault == nil {
		return n
	}
	n.Lines = attribution.Sum{Unknown: n.Lines.All()}
	n.Parts, n.Kept, n.Reasons = nil, nil, []string{u.reason()}
	for i := range n.Files {
		f := &n.Files[i]
		f.Lines, f.Parts = attribution.Sum{Unknown: f.Lines.All()}, nil
	}
	return n
}

func (u *Uncommitted) reason() string {
	return fmt.Sprintf("what was recorded of it cannot be read: %s", explain.OneLine(u.Fault))
}

// author is what is said of the author of an uncommitted line: no checkpoint records it yet.
func (u *Uncommitted) author(a attribution.Author) attribution.Author {
	if u.Fault != nil {
		return attribution.Author{Kind: attribution.Unknown, Reason: u.reason()}
	}
	// It was made up with the commit: no command finds it.
	if a.Checkpoint == checkpoints.ForeseenID {
		a.Checkpoint = ""
	}
	return a
}
