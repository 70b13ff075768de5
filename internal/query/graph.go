package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// Drawn is a line of a history's graph: edges alone, a commit, or a stream.
type Drawn struct {
	Edges  string // with an asterisk where the commit, or the stream, is
	Commit *Logged
	Stream *Pending
}

// Graph has git draw a history as Log lists it, children first, with this worktree's streams
// hanging from their bases. Streams that have their base elsewhere, or in a range, are loose. Eight
// processes at most.
func (e Source) Graph(ctx context.Context, revs string, most int) (rows []Drawn, loose []Pending, err error) {
	if revs == "" {
		revs = "HEAD"
	}
	r, err := e.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	listing, err := shadow.List(ctx, r.Repo)
	if err != nil {
		return nil, nil, err
	}
	waiting, err := r.pending(listing)
	if err != nil {
		return nil, nil, err
	}
	hung, loose, err := r.hang(ctx, revs, waiting)
	if err != nil {
		return nil, nil, err
	}
	drawn, streams, err := r.draw(ctx, revs, most, hung)
	if err != nil {
		return nil, nil, fmt.Errorf("%q names no commits: %w\nhint: a branch, or a range as in main..feature", revs, err)
	}
	var ids []gitexec.OID
	for _, row := range drawn {
		if row.Commit != "" && streams[row.Commit] == nil {
			ids = append(ids, row.Commit)
		}
	}
	commits, err := r.DB.Commits(ids...)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.logged(ctx, commits)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range drawn {
		one := Drawn{Edges: row.Drawn, Stream: streams[row.Commit]}
		if row.Commit != "" && one.Stream == nil {
			one.Commit, all = &all[0], all[1:]
		}
		rows = append(rows, one)
	}
	return rows, loose, nil
}

// hang takes the streams apart: those whose base is in the history of a revision, and the others.
func (r *Reader) hang(ctx context.Context, rev string, waiting []Pending) (hung, loose []Pending, err error) {
	var bases []gitexec.OID
	for _, s := range waiting {
		if s.Base != "" {
			bases = append(bases, s.Base)
		}
	}
	tip := r.Repo.Head.ID
	if rev != "HEAD" {
		if tip, err = r.Repo.Resolve(ctx, rev); err != nil {
			return nil, waiting, nil // a range, or nothing: drawing it tells
		}
	}
	if len(bases) == 0 {
		return nil, waiting, nil
	}
	outside, err := r.Repo.Outside(ctx, bases, tip)
	if err != nil {
		return nil, nil, err
	}
	known, err := r.DB.Info(bases...)
	if err != nil {
		return nil, nil, err
	}
	for i, base := range bases {
		if known[i].Type != "commit" {
			outside = append(outside, base)
		}
	}
	for _, s := range waiting {
		if s.Base == "" || slices.Contains(outside, s.Base) {
			loose = append(loose, s)
		} else {
			hung = append(hung, s)
		}
	}
	return hung, loose, nil
}

// draw has git draw a history with streams. A stream is drawn as one commit on its base, however
// many it has; such a commit is written to a directory outside, which is gone afterwards.
func (r *Reader) draw(ctx context.Context, revs string, most int, hung []Pending) ([]gitexec.GraphRow, map[gitexec.OID]*Pending, error) {
	if len(hung) == 0 {
		rows, err := r.Repo.Graph(ctx, most, revs)
		return rows, nil, err
	}
	aside, done, err := r.Repo.Aside()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	db := aside.ODB(ctx)
	defer db.Close()
	slices.SortStableFunc(hung, func(a, b Pending) int { return a.Updated.Compare(b.Updated) })
	commits := make([]gitexec.NewCommit, len(hung))
	for i, s := range hung {
		// Later than any commit, so that it comes above them.
		who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: time.Unix(1<<32+int64(i), 0)}
		commits[i] = gitexec.NewCommit{Tree: r.Repo.Head.Tree, Parents: []gitexec.OID{s.Base}, Author: who, Committer: who, Message: s.Branch + "\n"}
	}
	ids, err := db.CommitTree(commits...)
	if err != nil {
		return nil, nil, err
	}
	streams := map[gitexec.OID]*Pending{}
	for i, id := range ids {
		streams[id] = &hung[i]
	}
	rows, err := aside.Graph(ctx, most+len(ids), revs, ids...)
	return rows, streams, err
}
