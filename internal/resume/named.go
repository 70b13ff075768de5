package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/shadow"
)

// named is a commit, checkpoint, session or turn; or a branch that is gone, by what its checkpoints
// say.
func (f *finder) named(ctx context.Context, name string) (target, error) {
	found, err := f.reader.Resolve(ctx, name)
	var missing *query.NotFoundError
	switch {
	case errors.As(err, &missing):
		missing.Branch = true
		on := func(k checkpoints.CommittedInfo) bool { return k.Branch == name }
		deleted, err2 := checkpoints.ListCommitted(f.reader.DB, f.reader.Branch, on)
		if err2 != nil || len(deleted) == 0 {
			return target{}, errors.Join(err2, err)
		}
		return f.at(ctx, target{checkpoints: madeOn(deleted, name)}, "")
	case err != nil:
		return target{}, err
	case found.Checkpoint != "":
		return f.at(ctx, target{checkpoints: []string{found.Checkpoint}}, "")
	case found.Session != "":
		return f.ofSession(ctx, found.Session)
	case found.Turn != nil && len(found.Turn.Checkpoints) > 0:
		return f.at(ctx, target{checkpoints: found.Turn.Checkpoints}, "")
	case found.Turn != nil:
		return f.onStream(found.Turn.OnStreams[len(found.Turn.OnStreams)-1])
	}
	return f.commit(ctx, found.Commit)
}

// commit is the work that a commit links, or a checkpoint on a stream.
func (f *finder) commit(ctx context.Context, id gitexec.OID) (target, error) {
	if _, ours, err := shadow.ReadCheckpoint(f.reader.DB, id); ours || err != nil {
		t, err2 := f.onStream(id)
		return t, errors.Join(err, err2)
	}
	c, err := f.reader.DB.Commit(id)
	if err != nil {
		return target{}, err
	}
	links := f.linksOf(c)
	if parents := c.Parents; len(links) == 0 && len(parents) > 1 { // a merge has its branches' work
		merged, err := f.links(ctx, id, parents[:1])
		if err != nil {
			return target{}, err
		}
		links = slices.Concat(merged...)
	}
	return f.at(ctx, target{checkpoints: links, linked: true}, id)
}

// onStream is a checkpoint on a stream, which belongs to the worktree as it is.
func (f *finder) onStream(id gitexec.OID) (target, error) {
	k, _, err := shadow.ReadCheckpoint(f.reader.DB, id)
	return target{stream: &k, session: k.Session}, err
}

// ofSession is a session: its last checkpoint on a stream, unless a committed one is later.
func (f *finder) ofSession(ctx context.Context, id string) (target, error) {
	on, err := query.LatestOnStream(ctx, f.reader, id)
	t := target{session: id, stream: on}
	if err != nil {
		return t, err
	}
	by, _, err := f.reader.CommittedSessions(ctx, id)
	if s := by[id]; s != nil && (t.stream == nil || !s.Added && s.Last.After(t.stream.When)) {
		return f.at(ctx, target{session: id, checkpoints: s.Checkpoints}, "")
	}
	if errors.Is(err, checkpoints.ErrDamaged) {
		err = nil // of others, or named when it is restored
	}
	return t, err
}

// at finds the branch to switch to for a commit; without one, for the latest commit that links any
// of the checkpoints. It stays where HEAD has the commit.
func (f *finder) at(ctx context.Context, t target, commit gitexec.OID) (target, error) {
	if commit == "" {
		linking, err := f.reader.Linking(ctx, t.checkpoints...)
		if err != nil || len(linking) == 0 {
			t.hint = "no commit on a branch or a tag here links this work"
			return t, err
		}
		commit = linking[0].ID
	}
	if here, err := f.reader.Repo.InHistory(ctx, commit, f.reader.Repo.Head.ID); here || err != nil {
		return t, err
	}
	refs, err := f.reader.Repo.BranchesWith(ctx, commit)
	if err != nil {
		return t, err
	}
	names, guess := branchesIn(refs)
	if t.guess = guess; len(names) > 1 {
		names = f.workedOn(names, t.checkpoints)
	}
	if len(names) != 1 {
		t.hint = unclear(commit, names)
		return t, nil
	}
	t.branch, t.tip = names[0], tipOf(f.refs, names[0], guess)
	return t, nil
}

// workedOn is the branch on which the latest of some checkpoints was made, if it is one of several.
func (f *finder) workedOn(names, ids []string) []string {
	found, err := checkpoints.Describe(f.reader.DB, f.reader.Branch, ids)
	if err == nil && len(found) > 0 && slices.Contains(names, found[0].Branch) {
		return []string{found[0].Branch}
	}
	return names
}

// branchesIn are the branches among refs, without ours: those here or, if there are none, those of
// remotes, each once, of which git switch would guess the remote.
func branchesIn(refs []string) (names []string, guess bool) {
	var others []string
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref, heads); ok && !strings.HasPrefix(name, own) {
			names = append(names, name)
		} else if name, ok := ofRemote(ref); ok && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	if len(names) == 0 {
		return others, true
	}
	return names, false
}

// unclear says how to switch to a commit that is on no branch, or on several.
func unclear(commit gitexec.OID, branches []string) string {
	if len(branches) == 0 {
		return fmt.Sprintf("no branch has commit %s: git switch --detach %[1]s", commit.Short())
	}
	return fmt.Sprintf("commit %s is on several branches: git switch one of %s", commit.Short(), strings.Join(branches[:min(10, len(branches))], ", "))
}

// tipOf is the tip of a branch, here or of the last of the remotes that have it; empty: none has.
func tipOf(refs []gitexec.Ref, branch string, remote bool) (tip gitexec.OID) {
	for _, ref := range refs {
		if short, ok := ofRemote(ref.Name); !remote && ref.Name == heads+branch || remote && ok && short == branch {
			tip = ref.ID
		}
	}
	return tip
}
