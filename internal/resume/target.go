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

// mostCommits is how many commits of a branch are looked at.
const mostCommits = 1000

// target is what a name means.
type target struct {
	branch string      // to switch to; empty: none
	tip    gitexec.OID // of it
	guess  bool        // a remote's alone
	hint   string      // how to switch, if that is not clear

	checkpoints []string // committed, that are here
	missing     []string // that are not
	session     string   // only its conversation; empty: those of all
	stream      *shadow.Checkpoint
}

const heads, remotes, own = "refs/heads/", "refs/remotes/", "entire/"

// finder looks a name up.
type finder struct {
	*query.Reader
	refs []gitexec.Ref // branches, here and of remotes
}

// look finds out what to resume, and the branch that is checked out; empty: none.
func look(ctx context.Context, from query.Source, name string) (t target, branch string, err error) {
	r, err := from.Open(ctx)
	if err != nil {
		return t, "", err
	}
	defer r.Close()
	f := &finder{Reader: r}
	if f.refs, err = r.Repo.Refs(ctx, heads, remotes); err != nil {
		return t, "", err
	}
	branch = strings.TrimPrefix(r.Repo.Branch, heads)
	if name == "" {
		t, err = f.history(ctx, r.Repo.Head.ID, branch)
	} else if t, err = f.branchNamed(ctx, name); errors.As(err, new(*query.NotFoundError)) {
		t, err = f.named(ctx, name)
	}
	if err != nil {
		return t, branch, err
	}
	return t, branch, f.check(&t, name)
}

// branchNamed is a branch, here or of a remote alone.
func (f *finder) branchNamed(ctx context.Context, name string) (target, error) {
	if strings.HasPrefix(name, own) {
		return target{}, &query.NotFoundError{Name: name}
	}
	for _, ref := range f.refs {
		if ref.Name == heads+name {
			t, err := f.history(ctx, ref.ID, name)
			t.branch, t.tip = name, ref.ID
			return t, err
		}
	}
	for _, ref := range f.refs {
		if short, ok := ofRemote(ref.Name); ok && short == name {
			t, err := f.history(ctx, ref.ID, name)
			t.branch, t.tip, t.guess = name, ref.ID, true
			return t, err
		}
	}
	return target{}, &query.NotFoundError{Name: name}
}

// ofRemote is the name of a remote's branch without the remote's.
func ofRemote(ref string) (string, bool) {
	name, ok := strings.CutPrefix(ref, remotes)
	if !ok {
		return "", false
	}
	_, short, ok := strings.Cut(name, "/")
	return short, ok && short != "HEAD" && !strings.HasPrefix(short, own)
}

// history is the work of a branch: what its own commits link; or, if it is in the default branch
// already, what was done on it; or what the last commit with a link links.
func (f *finder) history(ctx context.Context, tip gitexec.OID, branch string) (target, error) {
	usual, err := f.Repo.DefaultBranch(ctx)
	if err != nil {
		return target{}, err
	}
	var others []gitexec.OID
	for _, ref := range f.refs {
		if usual != "" && branch != usual && (ref.Name == heads+usual || ref.Name == remotes+"origin/"+usual) {
			others = append(others, ref.ID)
		}
	}
	if len(others) > 0 {
		links, err := f.links(ctx, tip, others)
		if err != nil || len(links) > 0 {
			return target{checkpoints: slices.Concat(links...)}, err
		}
	}
	links, err := f.links(ctx, tip, nil)
	if err != nil || len(links) == 0 {
		return target{}, err
	}
	if branch != "" && branch != usual {
		found, err := checkpoints.Describe(f.DB, f.Branch, slices.Concat(links...))
		if err != nil {
			return target{}, err
		}
		var done []string
		for _, k := range found {
			if k.Branch == branch {
				done = append(done, k.ID)
			}
		}
		if len(done) > 0 {
			return target{checkpoints: done}, nil
		}
	}
	return target{checkpoints: links[0]}, nil
}

// links lists what the commits of a history link that are not in the others, of the newest first,
// by commit.
func (f *finder) links(ctx context.Context, tip gitexec.OID, others []gitexec.OID) (all [][]string, err error) {
	ids, err := f.Repo.Own(ctx, tip, others, mostCommits)
	if err != nil {
		return nil, err
	}
	commits, err := f.DB.Commits(ids...)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		if links := f.Branch.Links(f.DB, c); len(links) > 0 {
			all = append(all, links)
		}
	}
	return all, nil
}

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
	links := f.Branch.Links(f.DB, commits[0])
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
	if s := by[id]; s != nil {
		t.checkpoints = s.Checkpoints
		if t.stream == nil || s.Last.After(t.stream.When) {
			t.stream = nil
			return f.at(ctx, t, "")
		}
	}
	if errors.Is(err, checkpoints.ErrDamaged) {
		err = nil // of others, or named when it is restored
	}
	return t, err
}

// at finds the branch to switch to for a commit; without one, for the latest commit that links any of
// the checkpoints. It stays where HEAD has the commit.
func (f *finder) at(ctx context.Context, t target, commit gitexec.OID) (target, error) {
	if commit == "" {
		linking, err := f.Linking(ctx, t.checkpoints...)
		if err != nil || len(linking) == 0 {
			t.hint = "no commit on a branch or a tag has this work any more"
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

// check separates the checkpoints that are not here. Nothing to restore is an error.
func (f *finder) check(t *target, name string) error {
	if len(t.checkpoints) > 0 {
		slices.Sort(t.checkpoints)
		t.checkpoints = slices.Compact(t.checkpoints)
		found, err := checkpoints.Describe(f.DB, f.Branch, t.checkpoints)
		if err != nil {
			return err
		}
		here := func(id string) bool {
			return slices.ContainsFunc(found, func(k checkpoints.CommittedInfo) bool { return k.ID == id })
		}
		for _, id := range t.checkpoints {
			if !here(id) {
				t.missing = append(t.missing, id)
			}
		}
		t.checkpoints = slices.DeleteFunc(t.checkpoints, func(id string) bool { return !here(id) })
	}
	what := "the current branch"
	if name != "" {
		what = name
	}
	switch {
	case t.stream != nil || len(t.checkpoints) > 0:
		return nil
	case len(t.missing) > 0:
		return fmt.Errorf("the checkpoints of %s are not here: %s\nhint: if they were pushed, git fetch origin entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1",
			what, strings.Join(t.missing[:min(10, len(t.missing))], ", "))
	case len(f.Branch.Tips()) == 0:
		return &NothingError{fmt.Sprintf("there are no checkpoints here, and so no conversation of %s\nhint: if they were pushed, "+
			"git fetch origin entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1", what)}
	}
	return &NothingError{fmt.Sprintf("no commit of %s links a checkpoint: there is no conversation to resume\nhint: entire-plumb sessions lists all", what)}
}
