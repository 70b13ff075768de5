package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// GraphRow is a row of a history's graph: edges alone, a commit, or a stream.
type GraphRow struct {
	Edges  string // with an asterisk for the commit or the stream
	Commit *Logged
	Stream *Pending
}

// Graph has git draw a history as Log lists it, children first, with this worktree's streams above
// their bases. Streams with a base outside of the history are loose; in a range, all are. Eight
// processes at most.
func (e Source) Graph(ctx context.Context, revs string, most int) (rows []GraphRow, loose []Pending, err error) {
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
	pending, err := r.pending(listing)
	if err != nil {
		return nil, nil, err
	}
	based, loose, err := r.splitByBase(ctx, revs, pending)
	if err != nil {
		return nil, nil, err
	}
	drawn, streams, err := r.draw(ctx, revs, most, based)
	if err != nil {
		return nil, nil, fmt.Errorf("%q names no commits: %w\nhint: give a branch, or a range such as main..feature", revs, err)
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
		one := GraphRow{Edges: row.Drawn, Stream: streams[row.Commit]}
		if row.Commit != "" && one.Stream == nil {
			one.Commit, all = &all[0], all[1:]
		}
		rows = append(rows, one)
	}
	return rows, loose, nil
}

// splitByBase separates the streams whose base is in the history of a revision from the others.
func (r *Reader) splitByBase(ctx context.Context, rev string, pending []Pending) (based, loose []Pending, err error) {
	var bases []gitexec.OID
	for _, s := range pending {
		if s.Base != "" {
			bases = append(bases, s.Base)
		}
	}
	tip := r.Repo.Head.ID
	if rev != "HEAD" {
		if tip, err = r.Repo.Resolve(ctx, rev); err != nil {
			return nil, pending, nil // a range, or an error that drawing reports
		}
	}
	if len(bases) == 0 {
		return nil, pending, nil
	}
	outside, err := r.Repo.NotInHistory(ctx, bases, tip)
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
	for _, s := range pending {
		if s.Base == "" || slices.Contains(outside, s.Base) {
			loose = append(loose, s)
		} else {
			based = append(based, s)
		}
	}
	return based, loose, nil
}

// draw has git draw a history with streams. Each stream is drawn as one commit on its base. These
// commits are written to a temporary object directory outside of the repository.
func (r *Reader) draw(ctx context.Context, revs string, most int, based []Pending) (
	[]gitexec.GraphRow, map[gitexec.OID]*Pending, error) {
	if len(based) == 0 {
		rows, err := r.Repo.Graph(ctx, most, revs)
		return rows, nil, err
	}
	aside, done, err := r.Repo.Scratch()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	db := aside.ODB(ctx)
	defer db.Close()
	slices.SortStableFunc(based, func(a, b Pending) int { return a.Updated.Compare(b.Updated) })
	commits := make([]gitexec.NewCommit, len(based))
	for i, s := range based {
		// A time later than any commit's puts it above them.
		who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: time.Unix(1<<32+int64(i), 0)}
		commits[i] = gitexec.NewCommit{Tree: r.Repo.Head.Tree, Parents: []gitexec.OID{s.Base},
			Author: who, Committer: who, Message: s.Branch + "\n"}
	}
	ids, err := db.CommitTree(commits...)
	if err != nil {
		return nil, nil, err
	}
	streams := map[gitexec.OID]*Pending{}
	for i, id := range ids {
		streams[id] = &based[i]
	}
	rows, err := aside.Graph(ctx, most+len(ids), revs, ids...)
	return rows, streams, err
}
