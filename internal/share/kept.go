package share

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Change is what others have taken out of checkpoints that are here, or changed in them.
type Change struct {
	By          string    `json:"by,omitempty"`       // the committer; empty: not known
	When        time.Time `json:"when,omitzero"`      // the committer's time
	Purged      bool      `json:"purged"`             // by the list of what is purged
	Kept        bool      `json:"kept"`               // they stay readable here
	Accepted    bool      `json:"accepted,omitempty"` // they stayed readable here until now
	Checkpoints []string  `json:"checkpoints"`

	has map[string]bool // them
}

// Text says it in a sentence.
func (c Change) Text() string {
	what := counted(len(c.Checkpoints))
	if !c.Purged {
		return "others have changed " + what + " that were here: they are read as they were"
	}
	by := ""
	if c.By != "" {
		by = " by " + c.By
	}
	if !c.When.IsZero() {
		by += " on " + c.When.Format(time.DateOnly)
	}
	if c.Accepted {
		return what + " that others purged: now gone here, too"
	}
	if c.Kept {
		return fmt.Sprintf("%s purged%s: here it stays readable until sync --accept-purge", what, by)
	}
	return fmt.Sprintf("%s purged%s", what, by)
}

// Accept lets purges of others take effect here.
func (s *Sharing) Accept() { s.accept = true }

// keep finds what a union has taken out of the checkpoints that were here, and the change of the
// ref that keeps it; nil: there is none.
func (s *Sharing) keep(ctx context.Context, before, now gitexec.OID) (*shadow.RefChange, error) {
	kept := s.refs[checkpoints.KeptRef]
	if now == "" || before == "" || before == now && kept == "" {
		return nil, nil
	}
	commits, err := s.w.DB.Commits(before, now)
	if err != nil {
		return nil, err
	}
	k := checkpoints.Keeping{Before: commits[0].Tree, Now: commits[1].Tree, Accept: s.accept}
	if kept != "" {
		old, err := s.w.DB.Commits(kept)
		if err != nil {
			return nil, err
		}
		k.Kept = old[0].Tree
	}
	lost, err := checkpoints.Lost(s.w.DB, k.Before, k.Now)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		if k.Lost, err = s.judge(ctx, before, now, k, lost); err != nil {
			return nil, err
		}
	}
	tree, accepted, err := checkpoints.Keep(s.w.DB, k)
	if err != nil || tree == k.Kept {
		return nil, err
	}
	for _, id := range accepted {
		s.report.change(Change{Purged: true, Accepted: true}, id)
	}
	change := &shadow.RefChange{Ref: checkpoints.KeptRef, Old: kept}
	if tree != "" {
		who := s.w.Author(nil)
		ids, err := s.w.DB.CommitTree(gitexec.NewCommit{Tree: tree, Author: who, Committer: who, Message: "Checkpoints as they were here\n"})
		if err != nil {
			return nil, err
		}
		change.New = ids[0]
	}
	return change, nil
}

// judge reports the changes of checkpoints that were here, and returns those that stay readable.
func (s *Sharing) judge(ctx context.Context, before, now gitexec.OID, k checkpoints.Keeping, lost []string) (keep []string, err error) {
	purged := map[string]gitexec.Addition{} // by the ID on the list
	err = gitexec.Outgoing{Tips: []gitexec.OID{now}, Has: []gitexec.OID{before}}.Added(ctx, s.w.Repo, "purged/*/*", func(a gitexec.Addition) {
		parts := strings.Split(string(a.Name), "/")
		purged[parts[1]+parts[2]] = a
	})
	if err != nil {
		return nil, err
	}
	var text *gitexec.Addition // a purge of a text, which changes files
	for id, a := range purged {
		if !checkpoints.ValidID(id) && (text == nil || a.When.After(text.When)) {
			text = &a
		}
	}
	own, err := s.ownWork(ctx, before)
	if err != nil {
		return nil, err
	}
	for _, id := range lost {
		a, listed := purged[id]
		if !listed && text != nil {
			a, listed = *text, true
		}
		accepted := s.accept || s.w.Settings.StrategyOptions.AcceptPurges || own(id, a.Committer)
		c := Change{By: a.Committer, When: a.When, Purged: listed, Kept: !listed || !accepted}
		if c.Kept {
			keep = append(keep, id)
		}
		s.report.change(c, id)
	}
	return keep, nil
}

// change adds a checkpoint to the changes of the same kind.
func (r *Report) change(c Change, id string) {
	same := func(o Change) bool {
		return o.By == c.By && o.When.Equal(c.When) && o.Purged == c.Purged && o.Kept == c.Kept && o.Accepted == c.Accepted
	}
	at := slices.IndexFunc(r.Changes, same)
	if at < 0 {
		c.has = map[string]bool{}
		at, r.Changes = len(r.Changes), append(r.Changes, c)
	}
	if said := &r.Changes[at]; !said.has[id] {
		said.has[id] = true
		said.Checkpoints = append(said.Checkpoints, id)
	}
}

// ownWork tells whether a committer is this clone's user, who takes out work of their own
// elsewhere: who first committed the checkpoint to the branch. Anybody can commit under any name,
// so that of a checkpoint that this clone wrote nobody else's word counts.
func (s *Sharing) ownWork(ctx context.Context, tip gitexec.OID) (func(id, committer string) bool, error) {
	first := map[string]string{}
	err := gitexec.Outgoing{Tips: []gitexec.OID{tip}}.Added(ctx, s.w.Repo, "*/*/metadata.json", func(a gitexec.Addition) {
		parts := strings.Split(string(a.Name), "/")
		first[parts[0]+parts[1]] = a.Committer
	})
	record := decided.Open(s.w.Repo.SharedDir())
	here := map[string]bool{}
	for _, id := range record.Checkpoints() {
		here[id] = true
	}
	user := workspace.User(s.w.Repo)
	return func(id, committer string) bool {
		return record.Err == nil && !here[id] && user != "" && committer == user && committer == first[id]
	}, err
}
