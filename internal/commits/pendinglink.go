package commits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
)

// PendingLink is a link that prepare-commit-msg gave out, for the hooks after it. They wait in the
// worktree's own git directory, in the order of their commits: a later hook or command fills one
// whose post-commit hook was killed or could not finish, however many commits later.
type PendingLink struct {
	ID       string      `json:"id"`
	Head     gitexec.OID `json:"head"`             // HEAD before the commit
	Sessions []string    `json:"sessions"`         // whose work the commit holds
	Agents   []string    `json:"agents,omitempty"` // the sessions whose agent makes the commit
	Partial  bool        `json:"only,omitempty"`   // git commit -- PATH: the index may hold more
	// Beside are the links that are stored beside the commit, as the setting says.
	Beside []string `json:"beside,omitempty"`
	Amends bool     `json:"amends,omitempty"` // the commit replaces HEAD, whose parents it has
	// Since is the tree of the amended commit if only what the amend adds is compared.
	Since gitexec.OID `json:"since,omitempty"`
	// Sides are the commits beside HEAD that are put together: a session is linked for what none
	// has.
	Sides []gitexec.OID `json:"sides,omitempty"`
	// Replaces are the commits that prepare-commit-msg knows the new one to replace.
	Replaces []lineage.Predecessor `json:"replaces,omitempty"`
	// Late says that the commit was made and its checkpoint could not be written. Commit is that
	// commit, if known.
	Late   bool        `json:"late,omitempty"`
	Commit gitexec.OID `json:"commit,omitempty"`
}

// replacedLinks are the links of the commits that the new one replaces.
func (p PendingLink) replacedLinks() []string {
	var ids []string
	for _, r := range p.Replaces {
		ids = sets.Union(ids, r.Links)
	}
	return ids
}

// linksWith are the links that the commit gets: its own, those of the commits that it replaces, and
// those that are kept whatever is staged. Without a link of its own it gets only these.
func (p PendingLink) linksWith(keep []string) []string {
	if p.ID == "" {
		return keep
	}
	return sets.Union([]string{p.ID}, sets.Union(p.replacedLinks(), keep))
}

// replays reports whether git replays or squashes the commit, and nothing else is in it: it is
// compared with no session's work.
func (p PendingLink) replays() bool {
	return len(p.Sessions) == 0 && lineage.Any(p.Replaces, lineage.Picked, lineage.Squashed, lineage.Dropped)
}

// current is the link of the commit in progress or just made; the zero value where it has none.
func current(queue []PendingLink) PendingLink {
	// Only the last one can be of the commit in progress. Those before it wait for their
	// checkpoints.
	if len(queue) > 0 && !queue[len(queue)-1].Late {
		return queue[len(queue)-1]
	}
	return PendingLink{}
}

// isOf reports whether the link may be of a commit, by what HEAD was before.
func (p PendingLink) isOf(c gitexec.Commit) bool {
	// HEAD before the commit is not the commit: it was abandoned, or is still being made.
	if c.ID == p.Head {
		return false
	}
	// The first commit of all, or one on HEAD. An amend has HEAD's parents in place of HEAD.
	return len(c.Parents) == 0 && p.Head.IsZero() || len(c.Parents) > 0 && c.Parents[0] == p.Head ||
		p.Amends || lineage.Any(p.Replaces, lineage.Amended)
}

// filling is what the pending link says of a commit where a link (id) is filled: nothing where that
// is another link, of another commit. A commit that git made of others has the link of one of them:
// what it replaces is known only of the one that was begun.
func (p PendingLink) filling(id string, c gitexec.Commit) PendingLink {
	if id != p.ID {
		return PendingLink{}
	}
	if p.replays() && !p.isOf(c) {
		p.Replaces = nil
	}
	return p
}

// choose gives out the link for what was found of the sessions' work: a new one, or the first of
// those that the commit has, and of the commits that it replaces, if the rest of the work has one.
// have are the links that the commit has: an amended commit keeps its link, and gets no new one.
func (p PendingLink) choose(found condense.Links, have []string, newID func() string) PendingLink {
	p.Sessions, p.Replaces = found.Sessions, append(slices.Clone(p.Replaces), found.Replaces...)
	if len(writable(have)) > 0 {
		p.Sessions = nil
	}
	// New work has a new link. Without any, one that is there is written again for this commit.
	if len(p.Sessions) > 0 {
		p.ID = newID()
	} else if known := writable(sets.Union(have, p.replacedLinks())); len(known) > 0 {
		p.ID = known[0]
	}
	return p
}

// amended is the commit that the new one replaces by an amend; empty: none.
func (p PendingLink) amended() (id gitexec.OID) {
	if p.Amends {
		id = p.Head
	}
	for _, r := range p.Replaces {
		if r.By == lineage.Amended {
			id = r.Commit
		}
	}
	return id
}

// resets is the record of HEAD with which the work of reset commits is found for the commit (id):
// none where the link wasn't given out for a session's work or a reset commit's, as that of an
// amended commit, where sides are put together, or where HEAD has moved since.
func (p PendingLink) resets(record headRecord, id gitexec.OID) headRecord {
	given := len(p.Sessions) > 0 || lineage.Any(p.Replaces, lineage.Reset)
	if given && len(p.Sides) == 0 && (record.Head == id || record.Head == p.Head) {
		return record
	}
	return headRecord{}
}

// linksOf lists the links of the commit for which the link was given out: those in its message, and
// those that are to be stored beside it. Of these the message has to have some where links are in
// both places: else the user removed them.
func (p PendingLink) linksOf(c gitexec.Commit, where settings.Link) (links, beside []string) {
	links = message.Links(c.Message)
	if len(p.Beside) == 0 || !p.isOf(c) || where == settings.Both && len(links) == 0 {
		return links, nil
	}
	return sets.Union(links, p.Beside), p.Beside
}

// keepBeside has the kept links stored beside the commit in progress.
func keepBeside(ctx context.Context, repo *gitexec.Repo, head gitexec.Head, d draft) error {
	if len(d.keep) == 0 {
		return nil
	}
	return changePending(ctx, repo.PrivateDir(), func(queue []PendingLink) []PendingLink {
		// A link that is only kept needs no new one, and yet the commit has to be found by it.
		if current(queue).ID == "" {
			queue = append(queue, PendingLink{ID: d.keep[0], Head: head.ID, Amends: d.amend})
		}
		last := &queue[len(queue)-1]
		last.Beside = sets.Union(last.Beside, d.keep)
		return queue
	})
}

func pendingFile(privateDir string) string { return filepath.Join(privateDir, "pending.json") }

// ReadPending returns the pending links, oldest first; nil: there are none, or the file is damaged.
func ReadPending(privateDir string) []PendingLink {
	queue := readPrivate[[]PendingLink](pendingFile(privateDir))
	return slices.DeleteFunc(queue, func(p PendingLink) bool { return p.ID == "" })
}

// changePending changes the queue under its lock: other hooks in this worktree may change it, too.
func changePending(ctx context.Context, privateDir string, change func([]PendingLink) []PendingLink) error {
	unlock, err := lock.Take(ctx, filepath.Join(privateDir, "pending.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	queue := change(ReadPending(privateDir))
	if len(queue) > 0 {
		return writePrivate(pendingFile(privateDir), queue)
	}
	if err := os.Remove(pendingFile(privateDir)); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// addPending appends a link to the queue, in the place of one whose commit was not made.
func addPending(ctx context.Context, repo *gitexec.Repo, head gitexec.Head, pending PendingLink) error {
	return changePending(ctx, repo.PrivateDir(), func(queue []PendingLink) []PendingLink {
		return append(withoutAbandoned(head, queue), pending)
	})
}

// dropCurrent removes the link of a commit that was abandoned, and the file that says that an
// editor has the message.
func dropCurrent(ctx context.Context, repo *gitexec.Repo, head gitexec.Head) error {
	os.Remove(templateFile(repo.PrivateDir()))
	if current(ReadPending(repo.PrivateDir())).ID == "" {
		return nil
	}
	return changePending(ctx, repo.PrivateDir(), func(queue []PendingLink) []PendingLink { return withoutAbandoned(head, queue) })
}

// withoutAbandoned removes the link of an abandoned commit. Where HEAD has moved since, the commit
// may have been made, and is looked for later.
func withoutAbandoned(head gitexec.Head, queue []PendingLink) []PendingLink {
	for i := range queue {
		// An editor that is left with an empty message makes no commit, and runs no hook: HEAD is
		// then what it was.
		queue[i].Late = queue[i].Late || queue[i].Head != head.ID
	}
	return slices.DeleteFunc(queue, func(old PendingLink) bool { return !old.Late })
}

// FinishPending fills the links of commits whose post-commit hook did not run or finish, in their
// order, wherever the commits are now. A link that cannot be filled holds up those after it. Then
// it links the commits that no hook ran for. It costs nothing where there is nothing to do.
func FinishPending(ctx context.Context, run *workspace.Run) error {
	if replaying(run) {
		return nil
	}
	if err := finishLate(ctx, run); err != nil {
		return err
	}
	// Late ones come first: they are older, and the order of the checkpoints is that of the
	// commits.
	pending := current(ReadPending(run.Repo.PrivateDir()))
	if pending.ID != "" && pending.Head != run.Head.ID { // else the commit is in progress, or was abandoned
		if err := fillLink(ctx, run, pending); err != nil {
			return err
		}
	}
	_, err := LinkHookless(ctx, run)
	return err
}

// finishLate is FinishPending for all links but that of the last commit.
func finishLate(ctx context.Context, run *workspace.Run) error {
	for _, pending := range ReadPending(run.Repo.PrivateDir()) {
		if !pending.Late {
			continue
		}
		err := fillLink(ctx, run, pending)
		var missing *gitexec.MissingError
		if errors.As(err, &missing) || errors.Is(err, checkpoints.ErrDamaged) {
			continue // it stays pending, but retrying does not bring the objects back: go on with the others
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fillLink writes the checkpoint of one pending link and removes it from the queue; also if no
// commit has it.
func fillLink(ctx context.Context, run *workspace.Run, pending PendingLink) error {
	commit := pending.Commit
	if commit != "" {
		found, err := run.DB.Info(commit)
		if err != nil {
			return err
		}
		commit = found[0].ID // empty if the commit was reset and pruned
	}
	// The commit is looked for by its trailer on all branches: it may have been amended, or HEAD
	// may be elsewhere.
	if commit == "" {
		var err error
		if commit, err = run.Repo.FindCommit(ctx, message.LinkKey+": "+pending.ID, pending.Head); err != nil {
			return postpone(ctx, run, pending, "", err)
		}
	}
	// With links beside commits no message names it: then only HEAD can be it.
	if commit == "" && len(pending.Beside) > 0 {
		if head, err := run.DB.Commit(run.Head.ID); err == nil && pending.isOf(head) {
			commit = run.Head.ID
		}
	}
	// Without a commit it was abandoned, and the link with it.
	if commit != "" {
		if _, err := reconcileLocked(ctx, run, Request{Way: WithHook, Commit: commit, Pending: pending}); err != nil {
			return postpone(ctx, run, pending, commit, err)
		}
	}
	return removePending(ctx, run.Repo, pending)
}

func removePending(ctx context.Context, repo *gitexec.Repo, pending PendingLink) error {
	return changePending(ctx, repo.PrivateDir(), func(queue []PendingLink) []PendingLink {
		return slices.DeleteFunc(queue, func(old PendingLink) bool { return old.ID == pending.ID && old.Head == pending.Head })
	})
}

// postpone records that a link's checkpoint could not be written, and returns the reason. The
// journal notes it once.
func postpone(ctx context.Context, run *workspace.Run, pending PendingLink, commit gitexec.OID, reason error) error {
	// The journal has that already: a hook that tries again says it no second time.
	if pending.Late && pending.Commit == commit {
		return reason
	}
	run.Note("checkpoint " + pending.ID + " cannot be written yet: " + explain.OneLine(reason))
	err := changePending(ctx, run.Repo.PrivateDir(), func(queue []PendingLink) []PendingLink {
		for i, old := range queue {
			if old.ID == pending.ID && old.Head == pending.Head {
				queue[i].Late, queue[i].Commit = true, commit
			}
		}
		return queue
	})
	run.WarnOf(err) // the unchanged file is enough to find the commit
	return reason
}

// mostPrivate is the most bytes that a private file may have. The largest is the queue of pending
// links, some hundreds of bytes each: 50,000 of them.
const mostPrivate = 16 << 20

// readPrivate reads one of our JSON files in the worktree's git directory; a missing or unreadable
// one is the zero value.
func readPrivate[T any](file string) T {
	v, _ := safefile.ReadPrivate[T](file, mostPrivate)
	return v
}

func writePrivate(file string, v any) error {
	if err := safefile.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return safefile.WritePrivate(file, v)
}

// templateFile exists while an editor has the message: without it the stub of commit-msg does not
// start this program. It holds the template of the message, or nothing.
func templateFile(privateDir string) string { return filepath.Join(privateDir, githooks.TemplateFile) }
