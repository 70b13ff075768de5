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

// histories are those of a tip of the branch and of another side, and the trees of both and of
// their last common commit.
type histories struct{ tip, side, base, ours, theirs, before gitexec.OID }

// read reads the histories of a tip, empty for none, and of a side.
func (j *joiner) read(ctx context.Context, tip, side gitexec.OID) (h histories, err error) {
	h = histories{tip: tip, side: side}
	if tip != "" {
		if h.base, err = j.w.Repo.MergeBase(ctx, tip, side); err != nil || h.base == side {
			return h, err
		}
	}
	commits, err := j.w.DB.Commits(tip, side, h.base)
	if err != nil {
		return h, err
	}
	h.ours, h.theirs = commits[0].Tree, commits[1].Tree
	if h.base != "" {
		h.before = commits[2].Tree
	}
	return h, nil
}

// joining is what decides how a side is joined.
type joining struct {
	onBranch bool // it is the target's branch, and no inbox
	common   bool // it has a commit in common with the branch here
	damaged  bool // parts of it are left out
	unclean  bool // commits of an inbox have more than checkpoints, links and lists of what is purged
	lacking  bool // the branch here holds what was purged there
	extra    bool // it holds what was purged here
}

// way is how a side is joined.
type way int

const (
	wayMerge    way = iota // a commit has both histories
	wayContents            // what the side holds is put on the history here
	wayTheirs              // the side's history goes on, since ours holds what was purged there, or began by itself
	wayAnew                // a new history begins: each holds what was purged on the other side
)

// examines reports whether the commits of an inbox need to be looked at.
func (f joining) examines() bool { return !f.onBranch && f.common && !f.damaged }

// alone reports whether an inbox's history stays alone. Whoever can push may write an inbox: a
// history with anything else in it, or one of its own, must not become that of the branch. Its
// contents are taken all the same: a union leaves out all else.
func (f joining) alone() bool { return !f.onBranch && (!f.examines() || f.unclean) }

// apart reports whether a side that is joined holds what was purged on the other one, and dirty
// whether it is the target's branch.
func (f joining) apart() bool { return !f.alone() && (f.extra || f.lacking) }
func (f joining) dirty() bool { return f.onBranch && f.extra }

func (f joining) way() way {
	switch {
	case f.alone():
		return wayContents
	// Neither history may go on: each would bring the other clone what was purged there.
	case f.extra && f.lacking:
		return wayAnew
	// The side's history would bring back what was purged here.
	case f.extra:
		return wayContents
	case !f.common || f.lacking:
		return wayTheirs
	}
	return wayMerge
}

// join is a commit that holds both what a tip of the branch and what another side holds: one of
// them where it holds all.
func (j *joiner) join(ctx context.Context, tip, side gitexec.OID) (gitexec.OID, error) {
	if tip == side || side == "" {
		return tip, nil
	}
	h, err := j.read(ctx, tip, side)
	if err != nil || h.base == side {
		return tip, err
	}
	of := checkpoints.Sides{Ours: h.ours, Theirs: h.theirs, Base: h.before, Inbox: !j.onBranch}
	// What the common history had first decides only where neither side has all of the other one,
	// and is sought then.
	if h.base != "" {
		of.First = j.first(ctx, h.base)
	}
	u, err := checkpoints.Unite(j.w.DB, of)
	if err != nil {
		return "", err
	}
	// A first branch here goes on from the target's, so that the first push is a fast-forward. Of
	// an inbox only the contents come: see joining.alone.
	if tip == "" && j.onBranch {
		return j.commitOn(side, h.theirs, u)
	}
	return j.joinUnion(ctx, h, u)
}

// joinUnion is a commit with the union of two sides.
func (j *joiner) joinUnion(ctx context.Context, h histories, u checkpoints.Union) (gitexec.OID, error) {
	f, err := j.look(ctx, h, u)
	if err != nil {
		return "", err
	}
	j.apart, j.dirty = j.apart || f.apart(), j.dirty || f.dirty()
	switch f.way() {
	case wayContents:
		return j.commitOn(h.tip, h.ours, u)
	case wayAnew:
		return j.commitOn("", "", u)
	case wayTheirs:
		j.report.Rejoined = j.report.Rejoined || !f.common
		if f.damaged { // on its tree nothing is put that could be read as it is
			return j.commitOn(h.side, h.theirs, u)
		}
		return j.replay(ctx, h)
	}
	return j.merge(h, u)
}

// look finds what decides how a side is joined.
func (j *joiner) look(ctx context.Context, h histories, u checkpoints.Union) (f joining, err error) {
	f = joining{onBranch: j.onBranch, common: h.base != "", damaged: len(u.Skipped) > 0}
	if f.lacking, f.extra, err = checkpoints.PurgedApart(j.w.DB, h.ours, h.theirs); err == nil && f.examines() {
		var clean bool
		clean, err = j.onlyCheckpoints(ctx, h.base, h.side)
		f.unclean = !clean
	}
	return f, err
}

// merge is a commit with both histories, or the side where that holds all.
func (j *joiner) merge(h histories, u checkpoints.Union) (gitexec.OID, error) {
	j.skipped(u)
	switch {
	// A fast-forward: nothing is written.
	case h.base == h.tip && u.Tree == h.theirs:
		return h.side, nil
	case h.base == h.tip: // what is damaged there, or was changed, is as it was
		return j.commit(u.Tree, "Unite checkpoints", h.side)
	}
	j.report.United++
	return j.commit(u.Tree, "Unite checkpoints", h.tip, h.side)
}

// first finds a checkpoint as it was when a history first had it.
func (j *joiner) first(ctx context.Context, in gitexec.OID) func(id string) (gitexec.OID, error) {
	return func(id string) (gitexec.OID, error) {
		at := gitexec.Path(checkpoints.Dir(id))
		commit, err := gitexec.Outgoing{Tips: []gitexec.OID{in}}.First(ctx, j.w.Repo, at)
		if err != nil || commit == "" {
			return "", err
		}
		c, err := j.w.DB.Commit(commit)
		return c.Tree, err
	}
}

// mostInbox is how many commits an inbox has of its own: beyond, its history is not examined, and
// the inbox is not united. A clone's own has what six tries of some pushes did not bring; anybody
// can push one of millions.
const mostInbox = 1000

// onlyCheckpoints reports whether all commits of a history since another one have nothing but
// checkpoints, links and lists of what is purged.
func (j *joiner) onlyCheckpoints(ctx context.Context, since, side gitexec.OID) (bool, error) {
	ids, err := gitexec.Outgoing{Tips: []gitexec.OID{side}, Has: []gitexec.OID{since}}.Commits(ctx, j.w.Repo)
	if err != nil || len(ids) > mostInbox {
		return false, err
	}
	// The last one is what the branch has already: only what the others add to it is looked at.
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
		// Several sides often have the same damage.
		if !j.said[one] {
			j.said[one] = true
			j.report.Skipped = append(j.report.Skipped, one)
		}
	}
}

// commitOn is a commit with the union's tree on another one, or that one if it has it.
func (j *joiner) commitOn(parent, tree gitexec.OID, u checkpoints.Union) (gitexec.OID, error) {
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
	return j.write(tree, j.w.Author(nil), subject+"\n", parents...)
}

func (j *joiner) write(tree gitexec.OID, who gitexec.Ident, message string, parents ...gitexec.OID) (gitexec.OID, error) {
	return j.w.DB.WriteCommits(gitexec.NewCommit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message,
		Sign: j.w.DB.Signs()})
}

// mostReplayed is how many commits are replayed one by one. More become one commit. 990 took 4.6
// seconds by hand, where a push has 5: so many take one.
const mostReplayed = 200

// replay puts the commits of ours that another side lacks onto its tip (seed 004,
// ReconcileDisconnectedMetadataBranch). Checkpoints have directories of their own, so that each
// applies.
func (j *joiner) replay(ctx context.Context, h histories) (gitexec.OID, error) {
	graph, err := gitexec.Outgoing{Tips: []gitexec.OID{h.tip}, Has: []gitexec.OID{h.side}}.Parents(ctx, j.w.Repo)
	if err != nil {
		return "", err
	}
	// A line of the tip and the common commit is the change of the whole branch. Who made each
	// commit is lost, but one by one a thousand took 43 seconds.
	if len(graph) > mostReplayed {
		graph = [][]gitexec.OID{{h.tip}}
		if h.base != "" {
			graph[0] = append(graph[0], h.base)
		}
	}
	onto := h.side
	for _, line := range graph {
		if onto, err = j.replayOne(onto, line); err != nil {
			return "", err
		}
	}
	if onto != h.side {
		j.report.United++
	}
	return onto, nil
}

// replayOne puts a commit, named before its parents, onto another one.
func (j *joiner) replayOne(onto gitexec.OID, line []gitexec.OID) (gitexec.OID, error) {
	// A merge is put there as its change against its first parent: what its others bring are
	// commits of the graph themselves.
	commits, err := j.w.DB.Commits(append([]gitexec.OID{onto}, line[:min(2, len(line))]...)...)
	if err != nil {
		return "", err
	}
	of := checkpoints.Sides{Ours: commits[0].Tree, Theirs: commits[1].Tree}
	if len(commits) > 2 {
		of.Base = commits[2].Tree
	}
	u, err := checkpoints.Unite(j.w.DB, of)
	if err != nil {
		return "", err
	}
	if j.skipped(u); u.Tree == of.Ours {
		return onto, nil
	}
	return j.write(u.Tree, j.by(commits[1]), string(commits[1].Message), onto)
}

// by is who made a commit, and when.
func (j *joiner) by(c gitexec.Commit) gitexec.Ident {
	who := j.w.Author(nil)
	// The author is kept: others' work that was united here is still theirs. One that has no
	// address is replaced by this clone's.
	if name, mail, ok := strings.Cut(strings.TrimSuffix(c.Author, ">"), " <"); ok {
		who.Name, who.Email = name, mail
	}
	who.When = c.When
	return who
}

// Disconnected reports whether the branch here and that of the elected remote, as last fetched,
// have no common commit (seed 004, IsMetadataDisconnected). Not so where either is missing.
func Disconnected(ctx context.Context, w *workspace.Workspace) (remote string, apart bool, err error) {
	s, err := Open(ctx, w, w.Repo)
	if err != nil || s.View.Target.Remote == "" {
		return "", false, err
	}
	if err := s.View.readRefs(ctx); err != nil {
		return "", false, err
	}
	local := s.View.refs[shadow.Checkpoints]
	branch, _ := s.View.sides()
	if local == "" || len(branch) == 0 {
		return "", false, nil
	}
	for _, id := range branch {
		base, err := w.Repo.MergeBase(ctx, local, id)
		if err != nil || base == "" {
			return s.View.Shown(), err == nil, err
		}
	}
	return "", false, nil
}
