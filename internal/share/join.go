package share

import (
	"context"
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
	said   map[string]bool // what of others is damaged
	apart  bool            // a side holds what was purged on another one
	dirty  bool            // the target's branch holds what was purged here

	onBranch bool // the side to be joined is the target's branch, and no inbox
}

// join is a commit that holds both what a tip of the branch and what another side holds: one of
// them where it holds all.
func (j *joiner) join(ctx context.Context, tip, side gitexec.OID) (gitexec.OID, error) {
	if tip == side || side == "" {
		return tip, nil
	}
	db, empty := j.w.DB, j.w.Repo.Format.EmptyTree()
	base, had, sideTree := gitexec.OID(""), empty, gitexec.OID("")
	commits, err := db.Commits(side)
	if err != nil {
		return "", err
	}
	sideTree = commits[0].Tree
	if tip != "" {
		if base, err = j.w.Repo.MergeBase(ctx, tip, side); err != nil || base == side {
			return tip, err
		}
		if commits, err = db.Commits(tip); err != nil {
			return "", err
		}
		had = commits[0].Tree
	}
	of := checkpoints.Sides{Ours: had, Theirs: sideTree, Inbox: !j.onBranch}
	if base != "" {
		if commits, err = db.Commits(base); err != nil {
			return "", err
		}
		of.Base, of.First = commits[0].Tree, j.first(ctx, base)
	}
	u, err := checkpoints.Unite(db, of)
	if err != nil {
		return "", err
	}
	if tip == "" && j.onBranch {
		return j.on(side, sideTree, u)
	}
	lacking, extra, err := checkpoints.PurgedApart(db, had, sideTree)
	if err != nil {
		return "", err
	}
	alone := !j.onBranch && (tip == "" || base == "" || len(u.Skipped) > 0)
	if !j.onBranch && !alone {
		clean, err := j.onlyCheckpoints(ctx, base, side)
		if err != nil {
			return "", err
		}
		alone = !clean
	}
	switch {
	case alone:
		// Whoever can push may write an inbox: a history with anything else in it, or one of its
		// own, must not become that of the branch.
		return j.on(tip, had, u)
	case extra && lacking:
		// Each history holds what was purged on the other side: the branch begins anew.
		j.apart, j.dirty = true, j.dirty || j.onBranch
		return j.on("", "", u)
	case extra:
		// The side's history holds what was purged here.
		j.apart, j.dirty = true, j.dirty || j.onBranch
		return j.on(tip, had, u)
	case base == "" || lacking:
		j.apart = j.apart || lacking
		// The side's history goes on, since ours holds what was purged there, or began by itself.
		j.report.Rejoined = j.report.Rejoined || base == ""
		if len(u.Skipped) > 0 { // on its tree nothing is put that could be read as it is
			return j.on(side, sideTree, u)
		}
		return j.replay(ctx, tip, side, base)
	}
	j.skipped(u)
	switch {
	case base == tip && u.Tree == sideTree:
		return side, nil
	case base == tip: // what is damaged there, or was changed, is as it was
		return j.commit(u.Tree, "Unite checkpoints", side)
	}
	j.report.United++
	return j.commit(u.Tree, "Unite checkpoints", tip, side)
}

// first finds a checkpoint as it was when a history first had it.
func (j *joiner) first(ctx context.Context, in gitexec.OID) func(id string) (gitexec.OID, error) {
	return func(id string) (gitexec.OID, error) {
		at := gitexec.Path(checkpoints.Dir(id))
		commit, err := gitexec.Outgoing{Tips: []gitexec.OID{in}}.First(ctx, j.w.Repo, at)
		if err != nil || commit == "" {
			return "", err
		}
		commits, err := j.w.DB.Commits(commit)
		if err != nil {
			return "", err
		}
		return commits[0].Tree, nil
	}
}

// mostInbox is how many commits an inbox has of its own: beyond, its history is not examined.
const mostInbox = 1000

// onlyCheckpoints reports whether all commits of a history since another one have nothing but
// checkpoints, links and lists of what is purged.
func (j *joiner) onlyCheckpoints(ctx context.Context, since, side gitexec.OID) (bool, error) {
	ids, err := gitexec.Outgoing{Tips: []gitexec.OID{side}, Has: []gitexec.OID{since}}.Commits(ctx, j.w.Repo)
	if err != nil || len(ids) > mostInbox {
		return false, err
	}
	commits, err := j.w.DB.Commits(append(ids, since)...)
	if err != nil {
		return false, err
	}
	var trees []gitexec.OID
	for _, c := range commits {
		trees = append(trees, c.Tree)
	}
	return checkpoints.OnlyNamed(j.w.DB, trees)
}

func (j *joiner) skipped(u checkpoints.Union) {
	for _, one := range u.Skipped {
		if !j.said[one] {
			j.said[one] = true
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
	if parent == "" {
		return j.commit(u.Tree, checkpoints.InitSubject)
	}
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
		u, err := checkpoints.Unite(db, checkpoints.Sides{Ours: commits[0].Tree, Theirs: commits[1].Tree, Base: before})
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
