package hooks

import (
	"context"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// predecessors completes what is said of the commits that a commit replaces: their links, and
// whether it does exactly what they did. Those that git has pruned are left out. rewritten ones git
// has replayed: it is enough that they put in and took out the same lines.
func (p *memory) predecessors(c gitexec.Commit, changes []gitexec.Change, said []lineage.Predecessor) ([]lineage.Predecessor, error) {
	if len(said) == 0 {
		return nil, nil
	}
	ids := make([]gitexec.OID, len(said))
	for i, s := range said {
		ids[i] = s.Commit
	}
	info, err := p.DB.Info(ids...)
	if err != nil {
		return nil, err
	}
	var there []lineage.Predecessor
	for i, s := range said {
		if info[i].Type != "commit" {
			continue
		}
		was, err := p.DB.Commits(s.Commit)
		if err != nil {
			return nil, err
		}
		s.Links = union(s.Links, message.Links(was[0].Message))
		if s.By == lineage.Rewritten {
			s.Same = p.did(was[0], changes)
		} else {
			s.Same = was[0].Tree == c.Tree && p.parentOf(was[0]) == p.parentOf(c)
		}
		there = append(there, s)
	}
	return there, nil
}

// did reports whether a commit did what another one does. Its parent may never have been fetched:
// then that isn't known.
func (p *memory) did(was gitexec.Commit, changes []gitexec.Change) bool {
	before, err := p.DB.ParentTree(was)
	if err != nil {
		return false
	}
	did, err := p.DB.DiffTrees(before, was.Tree)
	if err != nil {
		return false
	}
	same, err := lineage.Same(did, changes, &shadow.Texts{DB: p.DB})
	return err == nil && same
}

// bring brings the checkpoints of the commits that a commit replaces to it, with what is new in it
// of the sessions' work: as edits of the branch's tree, which are to be committed. It changes the
// sessions' states, and gives those that it has changed.
func (p *memory) bring(ctx context.Context, b checkpoints.Branch, r checkpoints.Request, links []string, states []*session.State, edits gitexec.Edits) (checkpoints.Condensed, []*session.State, error) {
	done, err := checkpoints.WriteCommitted(ctx, p.Repo, p.DB, p.Store, b, r, edits)
	if err != nil {
		return done, nil, err
	}
	p.WarnLaterOf(done.Troubles)
	for _, s := range states {
		for _, m := range r.Lineage.Move {
			s.Leaves(m.Link, m.From, done.Dropped[m.Link])
		}
	}
	return done, rememberLinks(states, links, r.Commit, done.Trees, p.Now()), nil
}

// rememberLinks notes in the sessions whose work a commit's links stand for that they are on it
// now, also in those of whose work nothing is in it: what is left of that gets a link of its own.
// trees are the sessions' directories in the checkpoints that were written. It gives the sessions
// that it has told.
func rememberLinks(states []*session.State, links []string, commit gitexec.OID, trees map[string]map[string]gitexec.OID, now time.Time) []*session.State {
	var changed []*session.State
	for _, s := range states {
		for _, link := range links {
			tree, written := trees[link][s.SessionID]
			at := slices.IndexFunc(s.Linked, func(l session.Link) bool { return l.ID == link })
			switch {
			case written:
			case at >= 0:
				tree = s.Linked[at].Tree
			default:
				continue
			}
			s.Remember(session.Link{ID: link, Commit: commit, Tree: tree, When: now.UTC()})
			if !slices.Contains(changed, s) {
				changed = append(changed, s)
			}
		}
	}
	return changed
}

// branchCommit writes the edits as commits on the checkpoints' branch, and gives how its ref is to
// change; nothing where there are none.
func (p *hook) branchCommit(b checkpoints.Branch, edits gitexec.Edits, who *session.State, message string) ([]shadow.RefChange, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	commits, err := b.Commits(p.DB, edits, p.Author(who), message)
	if err != nil {
		return nil, err
	}
	written, err := p.DB.CommitTree(commits...)
	if err != nil {
		return nil, err
	}
	return []shadow.RefChange{{Ref: shadow.Checkpoints, Old: b.Local, New: written[len(written)-1]}}, nil
}
