package rewind

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/shadow"
)

// savedRef is the ref of the saved worktrees, the last rewind's first.
func (p *run) savedRef() string {
	if p.opened.Repo.WorktreeID() == "" {
		return shadow.Private + "rewind/main"
	}
	return shadow.Private + "rewind/" + shadow.WorktreeHash(p.opened.Repo.WorktreeID())
}

// savedLast is the commit that the ref names; empty: there is none.
func (p *run) savedLast(ctx context.Context) (gitexec.OID, error) {
	refs, err := p.opened.Repo.RefIDs(ctx, p.savedRef())
	if err != nil || len(refs) == 0 {
		return "", err
	}
	return refs[0].ID, nil
}

// keyMoved names the branch that a rewind moved, and the commit that it moved it to.
const keyMoved = "Entire-Moved"

// keyPaths lists the paths that a rewind was limited to, in JSON.
const keyPaths = "Entire-Paths"

// message is that of the commit that saves the worktree before a rewind to a point.
func (p *run) message(to query.RewindPoint) (string, error) {
	text := shadow.BeforeRewind(to.ID, cmp.Or(to.SessionID, "-"))
	if p.paths == nil {
		return text, nil
	}
	paths, err := json.Marshal(p.paths)
	return text + keyPaths + ": " + string(paths) + "\n", err
}

// saveBefore saves the worktree. moved is the commit that the branch moves to; empty: it doesn't.
func (p *run) saveBefore(ctx context.Context, to query.RewindPoint, tree, moved gitexec.OID) (gitexec.OID, error) {
	last, err := p.savedLast(ctx)
	if err != nil {
		return "", err
	}
	message, err := p.message(to)
	if err != nil {
		return "", err
	}
	who := p.opened.Author(nil)
	commit := gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{p.Head.ID}, Author: who, Committer: who, Message: message}
	if moved != "" {
		commit.Message += fmt.Sprintf("%s: %s %s\n", keyMoved, moved, p.opened.Repo.Branch)
	}
	if last != "" {
		commit.Parents = append(commit.Parents, last)
	}
	id, err := p.opened.DB.WriteCommits(commit)
	if err != nil {
		return "", err
	}
	change := shadow.RefChange{Ref: p.savedRef(), Old: last, New: id}
	return id, shadow.Apply(ctx, p.opened.DB, p.opened.Store, []shadow.RefChange{change}, nil)
}

// savedEarlier is the worktree that was saved before, if it is of HEAD, and neither what was saved
// now nor what is there now; empty: none.
func (p *run) savedEarlier(saved, before, now gitexec.OID) (gitexec.OID, error) {
	last, err := p.opened.DB.Commit(saved)
	if err != nil || len(last.Parents) < 2 {
		return "", err
	}
	earlier, err := p.opened.DB.Commit(last.Parents[1])
	if err != nil || len(earlier.Parents) == 0 || earlier.Parents[0] != p.Head.ID || earlier.Tree == before || earlier.Tree == now {
		return "", err
	}
	return earlier.ID, nil
}

// saved is the point of a worktree that was saved before a rewind of this worktree; ok is false for
// another commit.
func (p *run) saved(ctx context.Context, c gitexec.Commit) (k point, ok bool, err error) {
	if !shadow.IsRewind(c) || len(c.Parents) == 0 {
		return k, false, nil
	}
	last, err := p.savedLast(ctx)
	if err != nil || last == "" {
		return k, false, err
	}
	others, err := p.opened.Repo.NotInHistory(ctx, []gitexec.OID{c.ID}, last)
	if err != nil || len(others) > 0 {
		return k, false, err
	}
	return point{RewindPoint: query.RewindPoint{ID: string(c.ID), Message: "before a rewind", Date: c.When, Commit: c.ID}, tree: c.Tree,
		base: c.Parents[0]}, true, nil
}

// repeats reports whether the last rewind went to the same point.
func (p *run) repeats(ctx context.Context, to query.RewindPoint) (bool, error) {
	id, err := p.savedLast(ctx)
	if err != nil || id == "" {
		return err == nil, err // there is none that --undo could take back
	}
	last, err := p.opened.DB.Commit(id)
	if err != nil {
		return false, err
	}
	message, err := p.message(to)
	said := string(last.Message)
	return strings.HasPrefix(said, message) && strings.Contains(said, keyPaths+": ") == (p.paths != nil), err
}

// lastSaved is the commit that saved the worktree before the last rewind.
func (p *run) lastSaved(ctx context.Context) (gitexec.Commit, error) {
	id, err := p.savedLast(ctx)
	if err != nil {
		return gitexec.Commit{}, err
	}
	if id == "" {
		return gitexec.Commit{}, fmt.Errorf("%w: this worktree has no rewind to undo", ErrNotNow)
	}
	last, err := p.opened.DB.Commit(id)
	if err == nil && len(last.Parents) == 0 {
		err = fmt.Errorf("%w: %s is not a commit of a rewind", ErrNotNow, p.savedRef())
	}
	return last, err
}

// undoRewind undoes the last rewind; a second time it undoes that.
func (p *run) undoRewind(ctx context.Context, r Rewound, snap shadow.Snapshot, q Request) (Rewound, error) {
	last, err := p.lastSaved(ctx)
	if err != nil {
		return r, err
	}
	r.Point = query.RewindPoint{ID: string(last.ID), Message: "before the last rewind", Date: last.When}
	base := last.Parents[0]
	if p.moved(last) {
		was, err := p.opened.DB.Commit(base)
		if err != nil {
			return r, err
		}
		return p.moveBack(ctx, r, point{RewindPoint: r.Point, commit: base, tree: was.Tree}, snap, q)
	}
	if p.paths, err = pathsIn(last); err != nil {
		return r, err
	}
	if p.paths == nil && base != p.Head.ID && !q.Force {
		return r, fmt.Errorf("%w: HEAD was %s before the last rewind, and is %s now\nhint: move the branch with git reset --keep %s, or restore single files with git restore -s %s -- FILE",
			ErrOtherBase, base.Short(), p.Head.ID.Short(), base.Short(), last.ID.Short())
	}
	return p.restore(ctx, r, snap, last.Tree, q)
}

// moved reports whether the rewind before which a commit saved the worktree moved the branch to
// where it is.
func (p *run) moved(saved gitexec.Commit) bool {
	return p.opened.Repo.Branch != "" && saved.Trailer(keyMoved) == string(p.Head.ID)+" "+p.opened.Repo.Branch
}

// pathsIn are the paths that the rewind was limited to before which a commit saved the worktree;
// nil: it was not.
func pathsIn(saved gitexec.Commit) (paths []gitexec.Path, err error) {
	if list := saved.Trailer(keyPaths); list != "" {
		if err = json.Unmarshal([]byte(list), &paths); err != nil {
			err = fmt.Errorf("%s: %s cannot be read: %w", saved.ID.Short(), keyPaths, err)
		}
	}
	return paths, err
}
