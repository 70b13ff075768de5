package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
)

// pending is a link that prepare-commit-msg gave out, for the hooks after it. They wait in the
// worktree's own git directory, in the order of their commits: one whose post-commit hook was
// killed, or could not finish, is filled by a later hook or command, however many commits later.
type pending struct {
	ID       string      `json:"id"`
	Head     gitexec.OID `json:"head"`             // what HEAD was
	Sessions []string    `json:"sessions"`         // whose work the link stands for
	Agents   []string    `json:"agents,omitempty"` // the sessions whose agent makes the commit
	Only     bool        `json:"only,omitempty"`   // some paths are committed, and the index may hold more
	// Replaces are the commits that the new one replaces, as far as prepare-commit-msg can tell.
	Replaces []lineage.Predecessor `json:"replaces,omitempty"`
	// Late says that the commit was made, as Commit if that is known, and its checkpoint could not
	// be written then.
	Late   bool        `json:"late,omitempty"`
	Commit gitexec.OID `json:"commit,omitempty"`
}

// links are the links that the commit has again.
func (p pending) links() []string {
	var ids []string
	for _, r := range p.Replaces {
		ids = union(ids, r.Links)
	}
	return ids
}

// replays reports whether the commit is one that git replays or squashes: it is compared with no
// session's work.
func (p pending) replays() bool {
	return lineage.Any(p.Replaces, lineage.Picked, lineage.Squashed)
}

// current is the link of the commit that is being made, or was made just now; the zero value where
// it has none.
func current(queue []pending) pending {
	if len(queue) > 0 && !queue[len(queue)-1].Late {
		return queue[len(queue)-1]
	}
	return pending{}
}

func pendingFile(privateDir string) string { return filepath.Join(privateDir, "pending.json") }

// readPending gives the links that are pending, oldest first.
func readPending(privateDir string) []pending {
	queue := readPrivate[[]pending](pendingFile(privateDir))
	if len(queue) == 0 {
		if one := readPrivate[pending](pendingFile(privateDir)); one.ID != "" { // as version 0.1 wrote it
			queue = []pending{one}
		}
	}
	return slices.DeleteFunc(queue, func(p pending) bool { return p.ID == "" })
}

// changePending changes the queue, which other hooks in this worktree may change as well.
func changePending(ctx context.Context, privateDir string, change func([]pending) []pending) error {
	unlock, err := lock.Take(ctx, filepath.Join(privateDir, "pending.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	queue := change(readPending(privateDir))
	if len(queue) > 0 {
		return writePrivate(pendingFile(privateDir), queue)
	}
	if err := os.Remove(pendingFile(privateDir)); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// addPending puts a link at the end of the queue, in the place of one for a commit that was not
// made.
func (p *condenser) addPending(ctx context.Context, left pending) error {
	return changePending(ctx, p.Repo.PrivateDir(), func(queue []pending) []pending {
		return append(p.withoutGivenUp(queue), left)
	})
}

// dropCurrent forgets the link of a commit that is not being made any more, and that an editor had
// a message.
func (p *condenser) dropCurrent(ctx context.Context) error {
	os.Remove(templateFile(p.Repo.PrivateDir()))
	if current(readPending(p.Repo.PrivateDir())).ID == "" {
		return nil
	}
	return changePending(ctx, p.Repo.PrivateDir(), p.withoutGivenUp)
}

// withoutGivenUp takes out the link of a commit that was given up. Where HEAD has moved since, the
// commit may have been made, and is looked for later.
func (p *condenser) withoutGivenUp(queue []pending) []pending {
	for i := range queue {
		queue[i].Late = queue[i].Late || queue[i].Head != p.Head.ID
	}
	return slices.DeleteFunc(queue, func(old pending) bool { return !old.Late })
}

// finishPending fills the links of commits whose post-commit hook didn't run, or didn't come to its
// end, in their order, wherever the commits are by now. One that cannot be filled keeps those after
// it waiting. It costs nothing where none is pending.
func (p *condenser) finishPending(ctx context.Context) error {
	if p.replaying() {
		return nil
	}
	if err := p.finishLate(ctx); err != nil {
		return err
	}
	left := current(readPending(p.Repo.PrivateDir()))
	if left.ID == "" || left.Head == p.Head.ID {
		return nil // the commit is being made, or was given up
	}
	return p.fillLink(ctx, left)
}

// finishLate is finishPending for all links but that of the last commit.
func (p *condenser) finishLate(ctx context.Context) error {
	for _, left := range readPending(p.Repo.PrivateDir()) {
		if !left.Late {
			continue
		}
		err := p.fillLink(ctx, left)
		var gone *gitexec.MissingError
		if errors.As(err, &gone) || errors.Is(err, checkpoints.ErrDamaged) {
			continue // it stays; but what is gone won't come back for waiting, and the others needn't
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fillLink writes the checkpoint of one pending link, and takes it out of the queue; if no commit
// has it, that is all.
func (p *condenser) fillLink(ctx context.Context, left pending) error {
	commit := left.Commit
	if commit != "" {
		found, err := p.DB.Info(commit)
		if err != nil {
			return err
		}
		commit = found[0].ID // empty if it was reset and pruned meanwhile
	}
	if commit == "" {
		var err error
		if commit, err = p.Repo.FindCommit(ctx, message.LinkKey+": "+left.ID, left.Head); err != nil {
			return p.postpone(ctx, left, "", err)
		}
	}
	if commit != "" {
		if _, err := p.condenseCommit(ctx, commit, left); err != nil {
			return p.postpone(ctx, left, commit, err)
		}
	}
	return p.filled(ctx, left)
}

// filled takes a link out of the queue.
func (p *condenser) filled(ctx context.Context, left pending) error {
	return changePending(ctx, p.Repo.PrivateDir(), func(queue []pending) []pending {
		return slices.DeleteFunc(queue, func(old pending) bool { return old.ID == left.ID && old.Head == left.Head })
	})
}

// postpone notes that a link's checkpoint could not be written, and passes the reason on. The
// journal says so once.
func (p *condenser) postpone(ctx context.Context, left pending, commit gitexec.OID, reason error) error {
	if left.Late && left.Commit == commit {
		return reason
	}
	p.Note("checkpoint " + left.ID + " waits to be written: " + explain.OneLine(reason))
	err := changePending(ctx, p.Repo.PrivateDir(), func(queue []pending) []pending {
		for i, old := range queue {
			if old.ID == left.ID && old.Head == left.Head {
				queue[i].Late, queue[i].Commit = true, commit
			}
		}
		return queue
	})
	if err != nil { // the file as it is says enough to find the commit again
		p.WarnLater(explain.OneLine(err))
	}
	return reason
}

// mostPrivate is how many bytes a private file has at most. The largest is the queue of pending
// links, some hundreds of bytes each.
const mostPrivate = 16 << 20

// readPrivate reads a JSON file of ours in the worktree's git directory; one that isn't there, or
// cannot be read, is the zero value.
func readPrivate[T any](file string) T {
	var v, none T
	data, err := safefile.ReadOwn(file, mostPrivate)
	if err != nil || json.Unmarshal(data, &v) != nil {
		return none
	}
	return v
}

func writePrivate(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return safefile.Write(file, data, 0o600)
}

// templateFile is there while an editor has the message, and commit-msg therefore something to do:
// without it that hook's stub doesn't even start this program. It holds the template that the
// message came from, or nothing.
func templateFile(privateDir string) string { return filepath.Join(privateDir, githooks.TemplateFile) }
