package query

import (
	"context"
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

// Graph has git draw the history that Log lists, children first, with this worktree's streams above
// their bases. Streams with a base outside of the history are loose; in a range, all are. Eight
// processes at most.
func (e Source) Graph(ctx context.Context, s Selection) (rows []GraphRow, loose []Pending, err error) {
	s.Walk = true
	r, err := e.OpenFor(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	listing, err := shadow.List(ctx, r.Repo)
	if err != nil {
		return nil, nil, err
	}
	pending, err := pendingOf(ctx, r, listing, s)
	if err != nil {
		return nil, nil, err
	}
	// git log fails on a branch without a commit. Streams there are, once an agent has worked on
	// it.
	if s.None(r.Repo) && len(pending) == 0 {
		return nil, nil, r.Repo.Born()
	}
	if s.None(r.Repo) {
		return nil, pending, nil
	}
	based, loose, err := splitByBase(ctx, r, s, pending)
	if err != nil {
		return nil, nil, err
	}
	drawn, streams, err := draw(ctx, r.Repo, s.history(r.Env.Dir), based)
	if err != nil {
		return nil, nil, whyNoGraph(ctx, r, s, err)
	}
	commits, err := r.DB.Commits(commitsIn(drawn, streams)...)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.logged(ctx, commits, s.pathspecs(r.Env.Dir))
	return rowsOf(drawn, streams, all), loose, err
}

// whyNoGraph names the name with which git draws no history. Only git's names have one.
func whyNoGraph(ctx context.Context, r *Reader, s Selection, fault error) error {
	for _, name := range s.Names {
		if _, err := r.Repo.History(ctx, gitexec.History{Revs: []string{name}, Most: 1}); err != nil {
			return &MisnamedError{name, "a branch, commit or range, as --graph needs", noCommits(name, name, fault)}
		}
	}
	return fault
}

// commitsIn lists the commits of a drawing that are no streams.
func commitsIn(drawn []gitexec.GraphRow, streams map[gitexec.OID]*Pending) (ids []gitexec.OID) {
	for _, row := range drawn {
		if row.Commit != "" && streams[row.Commit] == nil {
			ids = append(ids, row.Commit)
		}
	}
	return ids
}

// rowsOf are the rows of a drawing; commits are those that commitsIn lists.
func rowsOf(drawn []gitexec.GraphRow, streams map[gitexec.OID]*Pending, commits []Logged) (rows []GraphRow) {
	for _, row := range drawn {
		one := GraphRow{Edges: row.Drawn, Stream: streams[row.Commit]}
		// The commits are listed in the order in which git drew them.
		if row.Commit != "" && one.Stream == nil && len(commits) > 0 {
			one.Commit, commits = &commits[0], commits[1:]
		}
		rows = append(rows, one)
	}
	return rows
}

// splitByBase separates the streams whose base is in the history of a revision from the others. In
// any other selection there are only others.
func splitByBase(ctx context.Context, r *Reader, s Selection, pending []Pending) (based, loose []Pending, err error) {
	rev, beside := "HEAD", s.Since+s.Until+s.Author != "" || len(s.Paths) > 0
	switch {
	// Where dates, an author or paths leave commits out, git draws lines to parents that are not
	// shown: a stream's base may be one of these.
	case beside || len(s.Names) > 1:
		return nil, pending, nil
	case len(s.Names) == 1:
		rev = s.Names[0]
	}
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
		// A base may be gone, as after an amend and git's gc: git could not draw a child of it.
		if known[i].Type != "commit" {
			outside = append(outside, base)
		}
	}
	based, loose = split(pending, outside)
	return based, loose, nil
}

// split separates the streams with a known base that is not outside of a history from the others.
func split(pending []Pending, outside []gitexec.OID) (based, loose []Pending) {
	for _, s := range pending {
		if s.Base == "" || slices.Contains(outside, s.Base) {
			loose = append(loose, s)
		} else {
			based = append(based, s)
		}
	}
	return based, loose
}

// draw has git draw a history with streams. Each stream is drawn as one commit on its base. These
// commits are written to a temporary object directory outside of the repository.
func draw(ctx context.Context, repo *gitexec.Repo, h gitexec.History, based []Pending) (
	[]gitexec.GraphRow, map[gitexec.OID]*Pending, error) {
	if len(based) == 0 {
		rows, err := repo.Graph(ctx, h)
		return rows, nil, err
	}
	aside, done, err := repo.Scratch()
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
		commits[i] = gitexec.NewCommit{Tree: repo.Head.Tree, Parents: []gitexec.OID{s.Base},
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
	h.Revs = slices.Clone(h.Revs)
	if len(h.Revs) == 0 {
		h.Revs = []string{"HEAD"}
	}
	for _, id := range ids {
		h.Revs = append(h.Revs, string(id))
	}
	// The streams come on top of the commits that were asked for.
	if h.Most > 0 {
		h.Most += len(ids)
	}
	rows, err := aside.Graph(ctx, h)
	return rows, streams, err
}
