package share

import (
	"context"
	"fmt"
	"maps"
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
	what := counted(len(c.Checkpoints), "checkpoint")
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
		return what + " that others purged: removed here, too"
	}
	if c.Kept {
		return fmt.Sprintf("%s purged%s: here it stays readable until sync --accept-purge", what, by)
	}
	return fmt.Sprintf("%s purged%s", what, by)
}

// Accept lets purges of others take effect here.
func (s *Sharing) Accept() { s.accept = true }

// keep finds what a union has taken out of the checkpoints that were here, and changes the ref that
// keeps it.
func (s *Sharing) keep(ctx context.Context, before, now gitexec.OID) ([]shadow.RefChange, error) {
	kept := s.View.refs[checkpoints.KeptRef]
	if now == "" || before == "" || before == now && kept == "" {
		return nil, nil
	}
	k, err := s.keeping(ctx, before, now, kept)
	if err != nil {
		return nil, err
	}
	tree, accepted, err := checkpoints.Keep(s.View.w.DB, k)
	if err != nil || tree == k.Kept {
		return nil, err
	}
	for _, id := range accepted {
		s.report.change(Change{Purged: true, Accepted: true}, id)
	}
	commit, err := keptCommit(s.View.w, tree)
	return []shadow.RefChange{{Ref: checkpoints.KeptRef, Old: kept, New: commit}}, err
}

// keptCommit is a commit of the checkpoints as they were; empty where there is nothing to keep.
func keptCommit(w *workspace.Workspace, tree gitexec.OID) (gitexec.OID, error) {
	if tree == "" {
		return "", nil
	}
	who := w.Author(nil)
	return w.DB.WriteCommits(gitexec.NewCommit{Tree: tree, Author: who, Committer: who, Message: "Checkpoints as they were here\n"})
}

// keeping is what decides which checkpoints stay as they were, before and after a union.
func (s *Sharing) keeping(ctx context.Context, before, now, kept gitexec.OID) (k checkpoints.Keeping, err error) {
	commits, err := s.View.w.DB.Commits(before, now, kept)
	if err != nil {
		return k, err
	}
	k = checkpoints.Keeping{Before: commits[0].Tree, Now: commits[1].Tree, Accept: s.accept}
	if kept != "" {
		k.Kept = commits[2].Tree
	}
	lost, err := checkpoints.Lost(s.View.w.DB, k.Before, k.Now)
	if err == nil && len(lost) > 0 {
		k.Lost, err = s.judge(ctx, before, now, lost)
	}
	return k, err
}

// judge reports the changes of checkpoints that were here, and returns those that stay readable.
func (s *Sharing) judge(ctx context.Context, before, now gitexec.OID, lost []string) (keep []string, err error) {
	purged, err := readPurges(ctx, s.View.w.Repo, before, now)
	if err != nil {
		return nil, err
	}
	own, err := s.ownWork(ctx, before)
	if err != nil {
		return nil, err
	}
	text, changed := purged.ofText()
	accept := s.accept || s.View.w.Settings.StrategyOptions.AcceptPurges
	for _, id := range lost {
		a, listed := purged[id]
		if !listed {
			a, listed = text, changed
		}
		c := Change{By: a.Committer, When: a.When, Purged: listed, Kept: !listed || !accept && !own(id, a.Committer)}
		if c.Kept {
			keep = append(keep, id)
		}
		s.report.change(c, id)
	}
	return keep, nil
}

// purges are the additions to the list of what is purged, by the ID on it: a checkpoint's, or that
// of a text.
type purges map[string]gitexec.Touched

func readPurges(ctx context.Context, repo *gitexec.Repo, before, now gitexec.OID) (purges, error) {
	all := purges{}
	return all, gitexec.Outgoing{Tips: []gitexec.OID{now}, Has: []gitexec.OID{before}}.Added(ctx, repo, "purged/*/*", func(a gitexec.Touched) {
		parts := strings.Split(string(a.Name), "/")
		all[parts[1]+parts[2]] = a
	})
}

// ofText is the latest purge of a text, which changes files; of several at a time the same one each
// time. listed is false if there is none.
func (p purges) ofText() (a gitexec.Touched, listed bool) {
	for _, id := range slices.Sorted(maps.Keys(p)) {
		if one := p[id]; !checkpoints.ValidID(id) && (!listed || one.When.After(a.When)) {
			a, listed = one, true
		}
	}
	return a, listed
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
	err := gitexec.Outgoing{Tips: []gitexec.OID{tip}}.Added(ctx, s.View.w.Repo, "*/*/metadata.json", func(a gitexec.Touched) {
		parts := strings.Split(string(a.Name), "/")
		first[parts[0]+parts[1]] = a.Committer
	})
	record := decided.Open(s.View.w.Repo.SharedDir())
	here := map[string]bool{}
	for _, id := range record.Checkpoints() {
		here[id] = true
	}
	user := workspace.User(s.View.w.Repo)
	return func(id, committer string) bool {
		return record.Err == nil && !here[id] && user != "" && committer == user && committer == first[id]
	}, err
}
