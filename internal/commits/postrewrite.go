package commits

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/relink"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// PostRewrite follows commits that git has rewritten by an amend or a rebase: sessions and streams
// move to the successors of their bases (seed 003, Shadow Branch Migration), and checkpoints lose
// the files that their commits no longer change.
func PostRewrite(ctx context.Context, run *workspace.Run, successors map[gitexec.OID]gitexec.OID) (string, error) {
	if len(successors) == 0 || !run.Store.Any() {
		return "no commit of a session was rewritten", nil
	}
	// Streams and sessions have to move, whatever fails here: no later hook moves them.
	run.WarnOf(linkReplaced(ctx, run, slices.Collect(maps.Keys(successors))))
	// Where a commit that was seen, or compared, is replaced, its successor counts as such: else
	// the next hook would look for commits without hooks among those that git just made.
	from := slices.Collect(maps.Keys(successors))
	if err := moveSeenHead(run.Repo, from, run.Head.ID); err != nil {
		return "", err
	}
	carriesOn := func(tip gitexec.OID) bool {
		return bringsNothing(run.DB.Ancestors, run.Head.ID, tip, successors)
	}
	if err := relink.Advance(run.Repo.SharedDir(), from, run.Head.ID, carriesOn); err != nil {
		return "", err
	}
	return followRewritten(ctx, run, successors)
}

// firstParentLine reads a commit's first-parent history, newest first, at most so many.
type firstParentLine func(id gitexec.OID, most int) ([]gitexec.Commit, error)

// bringsNothing reports whether the history of head has, beside the successors of rewritten
// commits, nothing that a commit before them did not have: they were amended, or rebased onto one
// of its ancestors. It says no where that one is far away.
func bringsNothing(firstParents firstParentLine, head, before gitexec.OID, successors map[gitexec.OID]gitexec.OID) bool {
	made := predecessorsOf(successors)
	is, merges, err := firstParents.belowRewritten(head, len(successors), func(id gitexec.OID) bool { return made[id] != nil })
	if err != nil {
		return false
	}
	was, merged, err := firstParents.belowRewritten(before, len(successors), func(id gitexec.OID) bool { return successors[id] != "" })
	if err != nil || slices.ContainsFunc(merges, func(id gitexec.OID) bool { return !slices.Contains(merged, id) && made[id] == nil }) {
		return false
	}
	// `git commit --amend`, or `rebase -i` on the same base: only successors are above it.
	if is == was {
		return true
	}
	// Rebased onto an ancestor, as when the first commits of a branch are dropped: what was below
	// it was there before.
	line, err := firstParents(was, nearRewritten)
	return err == nil && slices.ContainsFunc(line, func(c gitexec.Commit) bool { return c.ID == is })
}

// nearRewritten is how far back the commit is looked for that others were rebased onto: as far as
// relink reads commits one by one. Where it is farther, the history counts as not compared, and the
// next search compares it.
const nearRewritten = 64

// belowRewritten is the first commit of a first-parent line that was not rewritten, among so many
// that were; empty where the line ends with these. merged are the other parents of those above it.
func (firstParents firstParentLine) belowRewritten(tip gitexec.OID, most int, rewritten func(gitexec.OID) bool) (base gitexec.OID, merged []gitexec.OID, err error) {
	// One more than may be rewritten: so that it shows whether the base is beyond.
	line, err := firstParents(tip, min(most, mostUpdated)+1)
	for _, c := range line {
		if !rewritten(c.ID) {
			return c.ID, merged, nil
		}
		// What a merge above the base brings must have been there before, too.
		merged = append(merged, c.Parents[min(1, len(c.Parents)):]...)
	}
	if len(line) > min(most, mostUpdated) {
		err = cmp.Or(err, errFar)
	}
	return "", merged, err
}

// errFar says that more commits were rewritten than are looked at.
var errFar = errors.New("more commits than are looked at")

// followRewritten does so for an amend that ran no hook, too.
func followRewritten(ctx context.Context, run *workspace.Run, successors map[gitexec.OID]gitexec.OID) (string, error) {
	run.Entry.Rewrote = journalRewrote(predecessorsOf(successors))
	outcome := ""
	err := run.Locked(ctx, func() error {
		states, err := run.RecentSessions()
		if err != nil {
			return err
		}
		listing, err := shadow.List(ctx, run.Repo)
		if err != nil {
			return err
		}
		// All refs, the streams' and that of the checkpoints' branch, move in one transaction
		// below.
		refs, moved, err := moveStreams(run, listing, states, successors)
		if err != nil {
			return err
		}
		b, changes, err := reconcileRewritten(ctx, run, listing, states, successors)
		if err != nil {
			return err
		}
		var changed []*session.State
		for _, s := range states {
			// Rewritten changes the state, and is asked of each, whatever has moved.
			if s.Rewritten(successors) || moved[s.SessionID] {
				changed = append(changed, s)
			}
		}
		if record, changed := readHeadRecord(run.Repo.PrivateDir()).rewritten(successors); changed {
			if err := writeHeadRecord(run.Repo.PrivateDir(), record); err != nil {
				return err
			}
		}
		outcome = fmt.Sprintf("%s rewritten: %s and %s moved, %s updated", amount.Of(len(successors), "commit"), amount.Of(len(changed), "session"),
			amount.Of(len(refs)/2, "stream"), amount.Of(len(b.updated), "checkpoint"))
		if err := shadow.Apply(ctx, run.DB, run.Store, append(refs, changes...), changed); err != nil {
			return err
		}
		Remember(run, b.decided...)
		return nil
	})
	return outcome, err
}

// Rewritten reads git's lines of old and new object IDs, which may hold more fields: the successor
// of each commit. Lines that are no such pair are passed over. Its errors are those of reading.
func Rewritten(pairs io.Reader) (map[gitexec.OID]gitexec.OID, error) {
	successors := map[gitexec.OID]gitexec.OID{}
	lines := bufio.NewScanner(pairs)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		// git writes `<old> <new>`, and may add a third field: lines that aren't so are passed
		// over.
		if len(f) < 2 || !gitexec.ValidOID(f[0]) || !gitexec.ValidOID(f[1]) {
			continue
		}
		if f[0] != f[1] && !gitexec.OID(f[1]).IsZero() {
			successors[gitexec.OID(f[0])] = gitexec.OID(f[1])
		}
	}
	return successors, lines.Err()
}

// moveStreams renames the streams of rewritten bases: two changes each, a creation and a deletion.
// It updates the states of the sessions on them, and returns the IDs of these.
func moveStreams(run *workspace.Run,
	listing shadow.Listing, states []*session.State, successors map[gitexec.OID]gitexec.OID,
) ([]shadow.RefChange, map[string]bool, error) {
	var refs []shadow.RefChange
	moved := map[string]bool{}
	next := map[gitexec.OID]int{}
	for _, base := range bases(listing, successors) {
		streams, err := listing.Streams(run.DB, base, run.Repo.WorktreeID())
		if err != nil {
			return nil, nil, err
		}
		to := successors[base]
		for _, s := range streams {
			// Two bases may be squashed into one commit: its streams are numbered on, beyond those
			// that it has.
			if next[to] == 0 {
				next[to] = listing.Highest(to, run.Repo.WorktreeID()) + 1
			}
			name := shadow.NewName(to, run.Repo.WorktreeID(), next[to])
			next[to]++
			refs = append(refs, shadow.RefChange{Ref: name.Ref(), New: s.Tip.ID}, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
			run.Note(fmt.Sprintf("renamed %s to %s: its base was rewritten", s.Name, name))
			for _, state := range states {
				if !moved[state.SessionID] {
					moved[state.SessionID] = state.StreamRenamed(base, s.Suffix, name.Suffix)
				}
			}
		}
	}
	return refs, moved, nil
}

// bases are the rewritten commits that streams have as their base, sorted.
func bases(listing shadow.Listing, successors map[gitexec.OID]gitexec.OID) []gitexec.OID {
	short := map[string]bool{}
	for _, branch := range listing.Names() {
		if n, ok := shadow.ParseRef("refs/heads/" + branch); ok {
			short[n.Base] = true
		}
	}
	var found []gitexec.OID
	for old := range successors {
		if short[old.Short()] {
			found = append(found, old)
		}
	}
	slices.Sort(found)
	return found
}

// mostUpdated is how many rewritten commits are examined, in the order of their IDs: a rebase of
// thousands must not be held up. The trailers of the others stay in their messages, and their
// checkpoints are as they were for the replaced commits.
const mostUpdated = 500

// reconcileRewritten updates the checkpoints that rewritten commits link. Lines are attributed
// again where several commits were squashed into one, or where the change is another one, for
// example because of a conflict.
func reconcileRewritten(
	ctx context.Context, run *workspace.Run, listing shadow.Listing, states []*session.State, successors map[gitexec.OID]gitexec.OID,
) (b *batch, refs []shadow.RefChange, err error) {
	b = &batch{states: states, edits: gitexec.Edits{}}
	if b.branch, err = checkpoints.ReadBranch(run.DB, listing.Checkpoints); err != nil || b.branch.Tip == "" {
		return b, nil, err
	}
	olds := predecessorsOf(successors)
	delete(olds, run.Repo.Operation().Onto()) // git maps commits to it that were dropped, since it has what they do
	for _, id := range slices.Sorted(maps.Keys(olds))[:min(mostUpdated, len(olds))] {
		if _, there, err := readCommit(run.DB, id); err != nil || !there {
			if err != nil {
				return b, nil, err
			}
			continue
		}
		// Several predecessors are those of a squash or a fixup.
		pending := PendingLink{}
		for _, old := range olds[id] {
			pending.Replaces = append(pending.Replaces, lineage.Predecessor{Commit: old, By: lineage.Rewritten})
		}
		if _, err := Reconcile(ctx, run, Request{Way: OfRewrite, Commit: id, Pending: pending, batch: b}); err != nil {
			return b, nil, err
		}
	}
	refs, err = checkpoints.WriteBranch(run.DB, b.branch, b.edits, run.Author(nil), checkpoints.Message(checkpoints.Request{ID: strings.Join(b.updated, ", ")}))
	return b, refs, err
}

// allDecided reports whether our hooks decided about all of some commits: then what git makes of
// them without a link needs none.
func allDecided(record *decided.Record, all []lineage.Predecessor) bool {
	return !slices.ContainsFunc(all, func(p lineage.Predecessor) bool {
		_, known := record.Links(p.Commit)
		return !known
	})
}

// withoutMoved leaves of a plan the links whose checkpoints the commit doesn't have yet.
func withoutMoved(plan lineage.Plan, has func(link string) bool) lineage.Plan {
	plan.Move = slices.DeleteFunc(plan.Move, func(m lineage.Move) bool { return has(m.Link) })
	plan.Trim, plan.Same = slices.DeleteFunc(plan.Trim, has), plan.Same || len(plan.Move) == 0
	return plan
}

// predecessorsOf maps each new commit to its predecessors, sorted.
func predecessorsOf(successors map[gitexec.OID]gitexec.OID) map[gitexec.OID][]gitexec.OID {
	olds := map[gitexec.OID][]gitexec.OID{}
	for old, id := range successors {
		olds[id] = append(olds[id], old)
	}
	for _, olds := range olds {
		slices.Sort(olds)
	}
	return olds
}
