package gitexec

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/internal/sets"
)

// GraphRow is a line of a history as git draws it: edges, and a commit at the asterisk, unless
// Commit is empty.
type GraphRow struct {
	Drawn  string
	Commit OID
}

// Graph has git draw a history, children first. One process.
func (r *Repo) Graph(ctx context.Context, h History) ([]GraphRow, error) {
	if len(h.Paths.All) > 0 {
		r.bringTrees(ctx, command{args: History{Revs: h.Revs, NoWalk: h.NoWalk}.arguments()})
	}
	out, err := r.output(ctx, command{args: slices.Insert(h.arguments(), 1, "--graph"), dir: h.Paths.Dir})
	if err != nil {
		return nil, err
	}
	var rows []GraphRow
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, " \n")
		row := GraphRow{Drawn: line}
		// The ID comes last; a row of edges alone has none.
		if at := strings.LastIndexByte(line, ' '); ValidOID(line[at+1:]) {
			row = GraphRow{Drawn: line[:max(at, 0)], Commit: OID(line[at+1:])}
		}
		// A git that draws with other signs, or prints more than was asked for, would end up on a
		// page.
		if strings.Trim(row.Drawn, `*|\/_-. `) != "" {
			return nil, fmt.Errorf("git rev-list --graph answered in a way that is not understood: %.200q\nhint: see which git is on PATH",
				line)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// NotInHistory lists those of the commits that are not in the history of tip. One process.
func (r *Repo) NotInHistory(ctx context.Context, commits []OID, of OID) ([]OID, error) {
	outside, err := r.outside(ctx, commits, "^"+string(of))
	return slices.DeleteFunc(slices.Clone(commits), func(id OID) bool { return !outside[id] }), err
}

// JoinedHistories are the commits that merges bring into HEAD or a branch from another beginning
// than those of their first parents, as git subtree add does: the histories of other repositories.
// Four processes. A shallow clone shows no beginnings, and has none.
func (r *Repo) JoinedHistories(ctx context.Context) (map[OID]bool, error) {
	if r.Shallow() || r.Head.ID.IsZero() {
		return nil, nil
	}
	var failed error
	list := func(options ...string) []OID {
		out, err := r.output(ctx, command{args: append(append([]string{"rev-list"}, options...), "HEAD", "--branches")})
		failed = cmp.Or(failed, err)
		return oids(out)
	}
	begins := list("--max-parents=0", "--first-parent")
	if len(list("--max-parents=0")) == len(begins) || failed != nil {
		return nil, failed
	}
	above := make([]string, len(begins))
	for i, id := range begins {
		above[i] = "--ancestry-path=" + string(id)
	}
	joined := sets.Of(list())
	for _, id := range list(above...) {
		delete(joined, id)
	}
	return joined, failed
}

// outside are the commits that are in no history of others, given as git's arguments, with what
// leads to them.
func (r *Repo) outside(ctx context.Context, commits []OID, others ...string) (map[OID]bool, error) {
	ids, err := r.listBeyond(ctx, commits, others...)
	return sets.Of(ids), err
}

// listBeyond lists the commits in the histories of tips, of which some may be missing, without what
// others, git's arguments, limit it to.
func (r *Repo) listBeyond(ctx context.Context, tips []OID, others ...string) ([]OID, error) {
	stdin := Outgoing{Tips: tips}.stdin() // there may be more than a command line holds
	out, err := r.output(ctx, command{args: append([]string{"rev-list", "--ignore-missing", "--stdin"}, others...), stdin: stdin})
	return oids(out), err
}
