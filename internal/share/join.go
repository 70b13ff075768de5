package share

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// joiner joins histories of the branch.
type joiner struct {
	w      *workspace.Workspace
	report *Report
	apart  bool // a side holds what was purged on another one
	dirty  bool // the target's branch holds what was purged here

	onBranch bool // the side to be joined is the target's branch, and no inbox
}

// join is a commit that holds both what a tip of the branch and what another side holds: one of
// them where it holds all.
func (j *joiner) join(ctx context.Context, tip, side gitexec.OID) (gitexec.OID, error) {
	if tip == side || side == "" {
		return tip, nil
	}
	db := j.w.DB
	if tip == "" {
		commits, err := db.Commits(side)
		if err != nil {
			return "", err
		}
		u, err := checkpoints.Unite(db, j.w.Repo.Format.EmptyTree(), commits[0].Tree, j.w.Repo.Format.EmptyTree())
		if err != nil {
			return "", err
		}
		return j.on(side, commits[0].Tree, u)
	}
	base, err := j.w.Repo.MergeBase(ctx, tip, side)
	if err != nil || base == side {
		return tip, err
	}
	ids := []gitexec.OID{tip, side}
	if base != "" {
		ids = append(ids, base)
	}
	commits, err := db.Commits(ids...)
	if err != nil {
		return "", err
	}
	lacking, extra, err := checkpoints.PurgedApart(db, commits[0].Tree, commits[1].Tree)
	if err != nil {
		return "", err
	}
	baseTree := gitexec.OID("")
	if base != "" {
		baseTree = commits[2].Tree
	}
	switch {
	case base == "" && !j.onBranch:
		// Whoever can push may write an inbox: one of another history must not become that of the
		// branch.
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, "")
		if err != nil {
			return "", err
		}
		return j.on(tip, commits[0].Tree, u)
	case base == "" || lacking:
		j.apart = j.apart || lacking
		// The side's history goes on, since ours holds what was purged there, or began by itself.
		j.report.Rejoined = j.report.Rejoined || base == ""
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, baseTree)
		if err != nil {
			return "", err
		}
		if len(u.Skipped) > 0 { // on its tree nothing is put that could be read as it is
			return j.on(side, commits[1].Tree, u)
		}
		return j.replay(ctx, tip, side, base)
	case extra:
		j.apart, j.dirty = true, j.dirty || j.onBranch
		// The other way round: the side's history holds what was purged here.
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, baseTree)
		if err != nil {
			return "", err
		}
		return j.on(tip, commits[0].Tree, u)
	}
	u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, baseTree)
	if err != nil {
		return "", err
	}
	j.skipped(u)
	switch {
	case base == tip && u.Tree == commits[1].Tree:
		return side, nil
	case base == tip: // what is damaged there is removed
		return j.commit(u.Tree, "Remove what is no checkpoint", side)
	}
	j.report.United++
	return j.commit(u.Tree, "Unite checkpoints", tip, side)
}

func (j *joiner) skipped(u checkpoints.Union) {
	for _, one := range u.Skipped {
		if !slices.Contains(j.report.Skipped, one) {
			j.report.Skipped = append(j.report.Skipped, one)
		}
	}
}

// on is a commit with the union's tree on another one, or that one if it has it.
func (j *joiner) on(parent, tree gitexec.OID, u checkpoints.Union) (gitexec.OID, error) {
	if j.skipped(u); u.Tree == tree {
		return parent, nil
	}
	j.report.United++
	return j.commit(u.Tree, "Unite checkpoints", parent)
}

func (j *joiner) commit(tree gitexec.OID, subject string, parents ...gitexec.OID) (gitexec.OID, error) {
	who := j.w.Author(nil)
	ids, err := j.w.DB.CommitTree(gitexec.NewCommit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: subject + "\n",
		Sign: j.w.DB.Signs()})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// mostReplayed is how many commits are replayed one by one. More become one commit.
const mostReplayed = 200

// replay puts the commits of ours that another side lacks onto its tip (seed 004,
// ReconcileDisconnectedMetadataBranch). Checkpoints have directories of their own, so that each
// applies.
func (j *joiner) replay(ctx context.Context, tip, side, base gitexec.OID) (gitexec.OID, error) {
	db := j.w.DB
	graph, err := gitexec.Outgoing{Tips: []gitexec.OID{tip}, Has: []gitexec.OID{side}}.Parents(ctx, j.w.Repo)
	if err != nil {
		return "", err
	}
	if len(graph) > mostReplayed {
		graph = [][]gitexec.OID{{tip}}
		if base != "" {
			graph[0] = append(graph[0], base)
		}
	}
	onto := side
	for _, line := range graph {
		ids := append([]gitexec.OID{onto}, line[:min(2, len(line))]...)
		commits, err := db.Commits(ids...)
		if err != nil {
			return "", err
		}
		before := gitexec.OID("")
		if len(commits) > 2 {
			before = commits[2].Tree
		}
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, before)
		if err != nil {
			return "", err
		}
		if j.skipped(u); u.Tree == commits[0].Tree {
			continue
		}
		who := j.w.Author(nil)
		if name, mail, ok := strings.Cut(strings.TrimSuffix(commits[1].Author, ">"), " <"); ok {
			who.Name, who.Email = name, mail
		}
		who.When = commits[1].When
		written, err := db.CommitTree(gitexec.NewCommit{Tree: u.Tree, Parents: []gitexec.OID{onto}, Author: who, Committer: who,
			Message: string(commits[1].Message), Sign: db.Signs()})
		if err != nil {
			return "", err
		}
		onto = written[0]
	}
	if onto != side {
		j.report.United++
	}
	return onto, nil
}

// Disconnected reports whether the branch here and that of the elected remote, as last fetched,
// have no common commit (seed 004, IsMetadataDisconnected). Not so where either is missing.
func Disconnected(ctx context.Context, w *workspace.Workspace) (remote string, apart bool, err error) {
	s, err := Open(ctx, w, w.Repo)
	if err != nil || s.Target.Remote == "" {
		return "", false, err
	}
	if err := s.readRefs(ctx); err != nil {
		return "", false, err
	}
	local := s.refs[shadow.Checkpoints]
	branch, _ := s.sides()
	if local == "" || len(branch) == 0 {
		return "", false, nil
	}
	for _, id := range branch {
		base, err := w.Repo.MergeBase(ctx, local, id)
		if err != nil || base == "" {
			return s.Shown(), err == nil, err
		}
	}
	return "", false, nil
}
