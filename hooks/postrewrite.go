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
	"entire-plumb/internal/lineage"
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
		updated, err := p.updateRewritten(ctx, listing, states, now, &refs)
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
// several were squashed into, which cost a process each, it is mostFollowed.
const mostUpdated, mostFollowed = 500, 20

// updateRewritten brings the checkpoints that rewritten commits link up to date: of one that
// several were squashed into, or that a conflict's resolution or somebody in between has changed,
// it is found out anew whose the lines are; beyond a number of such, files that a commit doesn't
// change any more go.
func (p *linker) updateRewritten(ctx context.Context, listing shadow.Listing, states []*session.State, now map[gitexec.OID]gitexec.OID, refs *[]shadow.RefChange) (int, error) {
	branch, err := checkpoints.ReadBranch(p.DB, listing.Checkpoints)
	if err != nil || branch.Tip == "" {
		return 0, err
	}
	edits := gitexec.Edits{}
	var updated []string
	followed := 0
	was := inverse(now)
	for _, id := range slices.Sorted(maps.Keys(was))[:min(mostUpdated, len(was))] {
		c, links, plan, err := p.rewrittenFrom(branch, id, was[id])
		if err != nil {
			return 0, err
		}
		if len(links) == 0 || plan.Same {
			continue
		}
		if followed++; followed > mostFollowed {
			plan = plan.OnlyFiles()
		}
		if slices.ContainsFunc(plan.Links(), func(link string) bool { return slices.Contains(updated, link) }) {
			if branch.Tree, err = p.DB.EditTree(branch.Tree, edits); err != nil { // that of two commits
				return 0, err
			}
		}
		before := len(edits)
		c.Lineage = plan
		if _, _, err := p.bring(ctx, branch, c, links, states, edits); err != nil {
			return 0, err
		}
		if len(edits) > before {
			updated = union(updated, plan.Links())
		}
	}
	change, err := p.branchCommit(branch, edits, nil, checkpoints.Message(checkpoints.Request{ID: strings.Join(updated, ", ")}))
	*refs = append(*refs, change...)
	return len(updated), err
}

// rewrittenFrom decides for one commit that git made of others. links is empty where it has none,
// or is only a step in between.
func (p *linker) rewrittenFrom(branch checkpoints.Branch, id gitexec.OID, olds []gitexec.OID) (r checkpoints.Request, links []string, plan lineage.Plan, err error) {
	info, err := p.DB.Info(id)
	if err != nil || info[0].Type != "commit" {
		return r, nil, plan, err
	}
	commit, parent, err := p.withParent(id)
	if err != nil {
		return r, nil, plan, err
	}
	if links = message.Links(commit.Message); len(links) == 0 {
		return r, nil, plan, nil
	}
	r = checkpoints.Request{Commit: id, Tree: commit.Tree, ParentTree: parent, Now: p.Now()}
	if r.Changes, err = p.DB.DiffTrees(parent, commit.Tree); err != nil {
		return r, nil, plan, err
	}
	said := make([]lineage.Predecessor, len(olds))
	for i, old := range olds {
		said[i] = lineage.Predecessor{Commit: old, By: lineage.Rewritten}
	}
	from, err := p.predecessors(commit, r.Changes, said)
	if err != nil {
		return r, nil, plan, err
	}
	plan = lineage.Decide(commit, links, from)
	plan.Same = plan.Same || len(olds) == 1 && checkpoints.BroughtTo(p.DB, branch, links, id)
	return r, links, plan, nil
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
