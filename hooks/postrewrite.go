package hooks

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// postRewrite follows commits that git has rewritten, by an amend or a rebase: sessions and streams
// move to what became of their bases (seed 003, Shadow Branch Migration), and checkpoints lose the
// files that their commits don't change any more.
func (p *linker) postRewrite(ctx context.Context, now map[gitexec.OID]gitexec.OID) (string, error) {
	if len(now) == 0 || !p.Store.Any() {
		return "no commit of a session was rewritten", nil
	}
	p.Entry.Rewrote = map[string][]string{}
	for id, olds := range inverse(now) {
		for _, old := range olds[:min(mostJournaled, len(olds))] {
			if len(p.Entry.Rewrote) < mostJournaled {
				p.Entry.Rewrote[string(id)] = append(p.Entry.Rewrote[string(id)], string(old))
			}
		}
	}
	outcome := ""
	err := p.Locked(ctx, func() error {
		states, err := p.RecentSessions()
		if err != nil {
			return err
		}
		listing, err := shadow.List(ctx, p.Repo)
		if err != nil {
			return err
		}
		refs, moved, err := p.moveStreams(listing, states, now)
		if err != nil {
			return err
		}
		updated, err := p.updateRewritten(ctx, listing, now, &refs)
		if err != nil {
			return err
		}
		var changed []*session.State
		for _, s := range states {
			if s.Rewritten(now) || moved[s.SessionID] {
				changed = append(changed, s)
			}
		}
		if w := readWatch(p.Repo.PrivateDir()); now[w.Declined] != "" || now[w.Head] != "" {
			w.Declined = cmp.Or(now[w.Declined], w.Declined)
			if now[w.Head] != "" { // reset may take HEAD back there: then the rewritten ones are away
				w.Head, w.Branch = "", ""
			}
			if err := writeWatch(p.Repo.PrivateDir(), w); err != nil {
				return err
			}
		}
		outcome = fmt.Sprintf("%d commits rewritten: %d sessions and %d streams moved, %d checkpoints brought up to date", len(now), len(changed), len(refs)/2, updated)
		return shadow.Apply(ctx, p.Repo, p.Store, refs, changed)
	})
	return outcome, err
}

// rewritten reads lines of old and new object IDs, as git gives them, with whatever else.
func rewritten(pairs io.Reader) (map[gitexec.OID]gitexec.OID, error) {
	now := map[gitexec.OID]gitexec.OID{}
	lines := bufio.NewScanner(pairs)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) >= 2 && gitexec.ValidOID(f[0]) && gitexec.ValidOID(f[1]) && f[0] != f[1] && !gitexec.OID(f[1]).IsZero() {
			now[gitexec.OID(f[0])] = gitexec.OID(f[1])
		}
	}
	return now, lines.Err()
}

// moveStreams renames the streams of rewritten bases: two changes each, a creation and a deletion.
// It tells the sessions that are on them where they are, and which those are.
func (p *linker) moveStreams(listing shadow.Listing, states []*session.State, now map[gitexec.OID]gitexec.OID) ([]shadow.RefChange, map[string]bool, error) {
	var refs []shadow.RefChange
	moved := map[string]bool{}
	next := map[gitexec.OID]int{}
	for _, base := range bases(listing, now) {
		streams, err := listing.Streams(p.DB, base, p.Repo.WorktreeID())
		if err != nil {
			return nil, nil, err
		}
		to := now[base]
		for _, s := range streams {
			if next[to] == 0 {
				next[to] = listing.Highest(to, p.Repo.WorktreeID()) + 1
			}
			name := shadow.NewName(to, p.Repo.WorktreeID(), next[to])
			next[to]++
			refs = append(refs, shadow.RefChange{Ref: name.Ref(), New: s.Tip.ID}, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
			p.Note(fmt.Sprintf("%s is %s now: its base was rewritten", s.Name, name))
			for _, state := range states {
				if state.BaseCommit == base && state.ShadowBranchSuffix == s.Suffix && !moved[state.SessionID] {
					state.ShadowBranchSuffix, moved[state.SessionID] = name.Suffix, true
				}
			}
		}
	}
	return refs, moved, nil
}

// bases are those of the rewritten commits that streams hang from, sorted.
func bases(listing shadow.Listing, now map[gitexec.OID]gitexec.OID) []gitexec.OID {
	short := map[string]bool{}
	for _, branch := range listing.Names() {
		if n, ok := shadow.ParseRef("refs/heads/" + branch); ok {
			short[n.Base] = true
		}
	}
	var found []gitexec.OID
	for old := range now {
		if short[old.Short()] {
			found = append(found, old)
		}
	}
	slices.Sort(found)
	return found
}

// mostUpdated is how many rewritten commits are looked at: a rebase of thousands isn't held up for
// what only matters where one of them does something else than before. Of those that do, or that
// several were squashed into, which cost a process each, it is mostJoined.
const mostUpdated, mostJoined = 500, 20

// updateRewritten brings the checkpoints that rewritten commits link up to date: of one that
// several were squashed into, or that a conflict's resolution or somebody in between has changed, it
// is found out anew whose the lines are; beyond a number of such, files that a commit doesn't
// change any more go.
func (p *linker) updateRewritten(ctx context.Context, listing shadow.Listing, now map[gitexec.OID]gitexec.OID, refs *[]shadow.RefChange) (int, error) {
	branch, err := checkpoints.ReadBranch(p.DB, listing.Checkpoints)
	if err != nil || branch.Tip == "" {
		return 0, err
	}
	edits := gitexec.Edits{}
	var updated []string
	joined := 0
	was := inverse(now)
	for _, id := range slices.Sorted(maps.Keys(was))[:min(mostUpdated, len(was))] {
		done, err := p.updateCheckpoints(ctx, branch, id, was[id], joined < mostJoined, edits)
		if err != nil {
			return 0, err
		}
		joined += min(1, len(done))
		updated = append(updated, done...)
	}
	if len(updated) == 0 {
		return 0, nil
	}
	commits, err := branch.Commits(p.DB, edits, p.Author(nil), checkpoints.Message(checkpoints.Request{ID: strings.Join(updated, ", ")}))
	if err != nil {
		return 0, err
	}
	written, err := p.DB.CommitTree(commits...)
	if err != nil {
		return 0, err
	}
	*refs = append(*refs, shadow.RefChange{Ref: shadow.Checkpoints, Old: branch.Local, New: written[len(written)-1]})
	return len(updated), nil
}

// inverse tells of each new commit which ones it was, sorted.
func inverse(now map[gitexec.OID]gitexec.OID) map[gitexec.OID][]gitexec.OID {
	was := map[gitexec.OID][]gitexec.OID{}
	for old, id := range now {
		was[id] = append(was[id], old)
	}
	for _, olds := range was {
		slices.Sort(olds)
	}
	return was
}

// updateCheckpoints does so for one commit, as edits, and gives the checkpoints that it changed.
func (p *linker) updateCheckpoints(ctx context.Context, branch checkpoints.Branch, id gitexec.OID, olds []gitexec.OID, join bool, edits gitexec.Edits) ([]string, error) {
	info, err := p.DB.Info(append([]gitexec.OID{id}, olds...)...)
	if err != nil || info[0].Type != "commit" {
		return nil, err // of a step in between
	}
	commit, parent, err := p.withParent(id)
	if err != nil {
		return nil, err
	}
	links := message.Links(commit.Message)
	if len(links) == 0 {
		return nil, nil
	}
	changes, err := p.DB.DiffTrees(parent, commit.Tree)
	if err != nil {
		return nil, err
	}
	if len(olds) == 1 && (p.did(olds[0], changes) || checkpoints.BroughtTo(p.DB, branch, links, id)) {
		return nil, nil
	}
	if !join {
		return checkpoints.Trim(p.DB, branch, links, changes, edits)
	}
	var parts []checkpoints.Part
	for i, old := range olds {
		if info[i+1].Type != "commit" {
			continue
		}
		was, err := p.DB.Commits(old)
		if err != nil {
			return nil, err
		}
		for _, link := range message.Links(was[0].Message) {
			if slices.Contains(links, link) {
				parts = append(parts, checkpoints.Part{ID: link, Commit: old, Tree: was[0].Tree})
			}
		}
	}
	return checkpoints.Join(ctx, p.Repo, p.DB, branch, checkpoints.Request{Commit: id, Tree: commit.Tree, ParentTree: parent, Changes: changes, Now: p.Now()}, parts, edits)
}

// did reports whether a commit did what another one does. It may have been pruned, or its parent
// never fetched: then it cannot be told.
func (p *linker) did(id gitexec.OID, changes []gitexec.Change) bool {
	was, before, err := p.withParent(id)
	if err != nil {
		return false
	}
	did, err := p.DB.DiffTrees(before, was.Tree)
	if err != nil {
		return false
	}
	same, err := checkpoints.Same(p.DB, did, changes)
	return err == nil && same
}
