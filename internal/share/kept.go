package share

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/sets"
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
	what := amount.Of(len(c.Checkpoints), "checkpoint")
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

// loss is what a union takes out of the checkpoints that are here, and changes in them.
type loss struct {
	view        *View
	report      *Report
	accept      bool // purges of others take effect here
	before, now gitexec.OID
}

// keep finds what a union has taken out of the checkpoints that were here, and changes the ref that
// keeps it.
func (l loss) keep(ctx context.Context) ([]shadow.RefChange, error) {
	kept := l.view.refs[checkpoints.KeptRef]
	// Without a branch here before, nothing was here that could be lost. Where the branch stays,
	// what is kept may still be accepted or have come back.
	if l.now == "" || l.before == "" || l.before == l.now && kept == "" {
		return nil, nil
	}
	k, err := l.keeping(ctx, kept)
	if err != nil {
		return nil, err
	}
	tree, accepted, err := checkpoints.Keep(l.view.w.DB, k)
	if err != nil || tree == k.Kept {
		return nil, err
	}
	for _, id := range accepted {
		l.report.change(Change{Purged: true, Accepted: true}, id)
	}
	commit, err := keptCommit(l.view.w, tree)
	return []shadow.RefChange{{Ref: checkpoints.KeptRef, Old: kept, New: commit}}, err
}

// keptCommit is a commit of the checkpoints as they were; empty where there is nothing to keep.
func keptCommit(w *workspace.Workspace, tree gitexec.OID) (gitexec.OID, error) {
	if tree == "" {
		return "", nil
	}
	who := w.Author(nil)
	// Without a parent: what is kept no longer must not stay in its history.
	return w.DB.WriteCommits(gitexec.NewCommit{Tree: tree, Author: who, Committer: who, Message: "Checkpoints as they were here\n"})
}

// keeping is what decides which checkpoints stay as they were, before and after a union.
func (l loss) keeping(ctx context.Context, kept gitexec.OID) (k checkpoints.Keeping, err error) {
	commits, err := l.view.w.DB.Commits(l.before, l.now, kept)
	if err != nil {
		return k, err
	}
	k = checkpoints.Keeping{Before: commits[0].Tree, Now: commits[1].Tree, Accept: l.accept}
	if kept != "" {
		k.Kept = commits[2].Tree
	}
	lost, err := checkpoints.Lost(l.view.w.DB, k.Before, k.Now)
	if err == nil && len(lost) > 0 {
		k.Lost, err = l.judge(ctx, lost)
	}
	return k, err
}

// judge reports the changes of checkpoints that were here, and returns those that stay readable.
func (l loss) judge(ctx context.Context, lost []string) (keep []string, err error) {
	purged, err := readPurges(ctx, l.view.w.Repo, l.before, l.now)
	if err != nil {
		return nil, err
	}
	own, err := l.ownWork(ctx)
	if err != nil {
		return nil, err
	}
	// A purge of a text lists blobs, and no checkpoint: which one lost what is not compared, so a
	// change counts as the text's where there was such a purge.
	text, changed := purged.ofText()
	accept := l.accept || l.view.w.Settings.StrategyOptions.AcceptPurges
	for _, id := range lost {
		a, listed := purged[id]
		if !listed {
			a, listed = text, changed
		}
		// A change that no list explains always leaves the checkpoint readable: nobody says that it
		// was meant.
		c := Change{By: a.Committer, When: a.When, Purged: listed, Kept: !listed || !accept && !own(id, a.Committer)}
		if c.Kept {
			keep = append(keep, id)
		}
		l.report.change(c, id)
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
func (l loss) ownWork(ctx context.Context) (func(id, committer string) bool, error) {
	first := map[string]string{}
	err := gitexec.Outgoing{Tips: []gitexec.OID{l.before}}.Added(ctx, l.view.w.Repo, "*/*/metadata.json", func(a gitexec.Touched) {
		parts := strings.Split(string(a.Name), "/")
		first[parts[0]+parts[1]] = a.Committer
	})
	record := decided.Open(l.view.w.Repo.SharedDir())
	here := sets.Of(record.Checkpoints())
	user := workspace.User(l.view.w.Repo)
	return func(id, committer string) bool {
		return record.Err == nil && !here[id] && user != "" && committer == user && committer == first[id]
	}, err
}
