package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// replaceCheckpoint is rewriteCheckpoint for a commit that was reset and is committed again.
func (p *condenser) replaceCheckpoint(ctx context.Context, c condensation, from session.Link) (string, error) {
	for _, s := range c.states {
		if i := slices.IndexFunc(s.Linked, func(l session.Link) bool { return l.ID == from.ID && l.Commit == from.Commit }); i >= 0 {
			s.Remember(session.Link{ID: from.ID, Commit: c.head.ID, Tree: s.Linked[i].Tree, When: p.Now().UTC()})
		}
	}
	outcome, err := p.rewriteCheckpoint(ctx, c, from.Commit)
	if err != nil || outcome != outcomeSame {
		return outcome, err
	}
	return "the commit holds what it held before the reset", shadow.Apply(ctx, p.Repo, p.Store, nil, c.states)
}

// outcomeSame is what comes of an amend that changed the message alone.
const outcomeSame = "the amended commit has the same changes"

// rewriteCheckpoint brings the checkpoint of a commit that was amended without any session's work
// up to date: it may have other files and lines than it had.
func (p *condenser) rewriteCheckpoint(ctx context.Context, c condensation, amended gitexec.OID) (string, error) {
	old, err := p.DB.Commits(amended)
	if err != nil {
		return "", err
	}
	if old[0].Tree == c.head.Tree && p.parentOf(old[0]) == p.parentOf(c.head) {
		return outcomeSame, nil
	}
	request := c.request(p)
	request.Matches, request.Paths, request.Amended, request.Before = nil, nil, old[0].Tree, amended
	edits := gitexec.Edits{}
	done, err := checkpoints.WriteCommitted(ctx, p.Repo, p.DB, p.Store, c.branch, request, edits)
	if err != nil {
		return "", err
	}
	p.WarnLaterOf(done.Troubles)
	for _, s := range c.states {
		s.Leaves(c.id, amended, done.Dropped)
	}
	c.remember(c.id, done.Trees, p.Now())
	return "the commit's checkpoint " + c.id + " brought up to date", p.writeEdits(ctx, c, edits, checkpoints.Message(request))
}

// joinCheckpoints lets the commit stand for several that were taken back.
func (p *condenser) joinCheckpoints(ctx context.Context, c condensation) (string, error) {
	var parts []checkpoints.Part
	for _, m := range c.matches {
		for _, l := range m.Redone {
			if slices.ContainsFunc(parts, func(known checkpoints.Part) bool { return known.ID == l.ID }) {
				continue
			}
			commits, err := p.DB.Commits(l.Commit)
			if err != nil {
				return "", err
			}
			parts = append(parts, checkpoints.Part{ID: l.ID, Commit: l.Commit, Tree: commits[0].Tree})
			c.rememberAll(l.ID, p.Now())
		}
	}
	edits := gitexec.Edits{}
	joined, err := checkpoints.Join(ctx, p.Repo, p.DB, c.branch, c.request(p), parts, edits)
	if err != nil {
		return "", err
	}
	return "the commit keeps the links of those that were reset", p.writeEdits(ctx, c, edits, checkpoints.Message(checkpoints.Request{ID: strings.Join(joined, ", ")}))
}

// writeEdits commits edits of the checkpoints, and saves the sessions' states with that.
func (p *condenser) writeEdits(ctx context.Context, c condensation, edits gitexec.Edits, message string) error {
	var who *session.State
	if len(c.states) > 0 {
		who = c.states[0]
	}
	commits, err := c.branch.Commits(p.DB, edits, p.Author(who), message)
	if err != nil {
		return err
	}
	written, err := p.DB.CommitTree(commits...)
	if err != nil {
		return err
	}
	return shadow.Apply(ctx, p.Repo, p.Store, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.branch.Local, New: written[len(written)-1]}}, c.states)
}

// rememberAll tells all sessions whose work a link stood for that it is on the commit now, also
// those of whose work nothing is in it: what is left of that gets a link of its own.
func (c condensation) rememberAll(id string, now time.Time) {
	for _, s := range c.states {
		s.LinkedBy(c.head.ID, id, now.UTC())
	}
}

// remember tells the sessions which commit their work is in.
func (c condensation) remember(id string, trees map[string]gitexec.OID, now time.Time) {
	for _, s := range c.states {
		if tree, ok := trees[s.SessionID]; ok {
			s.Remember(session.Link{ID: id, Commit: c.head.ID, Tree: tree, When: now.UTC()})
		}
	}
}
