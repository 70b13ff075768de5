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
	found, err := f.Resolve(ctx, name)
	if errors.As(err, new(*query.NotFoundError)) {
		var gone []string
		err2 := checkpoints.EachCommitted(f.DB, f.Branch, func(k checkpoints.CommittedInfo) error {
			if k.Branch == name {
				gone = append(gone, k.ID)
			}
			return nil
		})
		if err2 != nil || len(gone) == 0 {
			return target{}, errors.Join(err2, err)
		}
		return f.at(ctx, target{checkpoints: gone}, "")
	}
	switch {
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
	if _, ours, err := shadow.ReadCheckpoint(f.DB, found.Commit); ours || err != nil {
		t, err2 := f.onStream(found.Commit)
		return t, errors.Join(err, err2)
	}
	commits, err := f.DB.Commits(found.Commit)
	if err != nil {
		return target{}, err
	}
	links := f.linksOf(commits[0])
	if parents := commits[0].Parents; len(links) == 0 && len(parents) > 1 { // a merge has its branches' work
		merged, err := f.links(ctx, found.Commit, parents[:1])
		if err != nil {
			return target{}, err
		}
		links = slices.Concat(merged...)
	}
	return f.at(ctx, target{checkpoints: links}, found.Commit)
}

// onStream is a checkpoint on a stream, which belongs to the worktree as it is.
func (f *finder) onStream(id gitexec.OID) (target, error) {
	k, _, err := shadow.ReadCheckpoint(f.DB, id)
	return target{stream: &k, session: k.Session}, err
}

// ofSession is a session: its last checkpoint on a stream, unless a committed one is later.
func (f *finder) ofSession(ctx context.Context, id string) (target, error) {
	t := target{session: id}
	streams, err := shadow.ListTemporary(ctx, f.Repo, f.DB)
	if err != nil {
		return t, err
	}
	for _, s := range streams {
		history, err := s.History(f.DB)
		if err != nil {
			continue // the command streams reports it
		}
		for _, k := range history {
			if k.Session == id && k.Part != shadow.Human && (t.stream == nil || !k.When.Before(t.stream.When)) {
				t.stream = &k
			}
		}
	}
	by, _, err := f.CommittedSessions()
	if s := by[id]; s != nil && (t.stream == nil || s.Last.After(t.stream.When)) {
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
		linking, err := f.Linking(ctx, t.checkpoints...)
		if err != nil || len(linking) == 0 {
			t.hint = "no commit on a branch or a tag here links this work"
			return t, err
		}
		commit = linking[0].ID
	}
	if here, err := f.Repo.InHistory(ctx, commit, f.Repo.Head.ID); here || err != nil {
		return t, err
	}
	refs, err := f.Repo.BranchesWith(ctx, commit)
	if err != nil {
		return t, err
	}
	local, others := []string{}, []string{}
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref, heads); ok && !strings.HasPrefix(name, own) {
			local = append(local, name)
		} else if name, ok := ofRemote(ref); ok && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	if t.guess = len(local) == 0; t.guess {
		local = others
	}
	if len(local) > 1 {
		if found, err := checkpoints.Describe(f.DB, f.Branch, t.checkpoints); err == nil && len(found) > 0 && slices.Contains(local, found[0].Branch) {
			local = []string{found[0].Branch}
		}
	}
	switch {
	case len(local) == 0:
		t.hint = fmt.Sprintf("no branch has commit %s: git switch --detach %[1]s", commit.Short())
	case len(local) > 1:
		t.hint = fmt.Sprintf("commit %s is on several branches: git switch one of %s", commit.Short(), strings.Join(local[:min(10, len(local))], ", "))
	default:
		t.branch = local[0]
		for _, ref := range f.refs {
			short, _ := ofRemote(ref.Name)
			if !t.guess && ref.Name == heads+t.branch || t.guess && short == t.branch {
				t.tip = ref.ID
			}
		}
	}
	return t, nil
}
