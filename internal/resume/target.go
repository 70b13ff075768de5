package resume

import (
	"cmp"
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

	checkpoints []string                                    // committed, that are here
	missing     []string                                    // that are not
	session     string                                      // only its conversation; empty: those of all
	linked      bool                                        // by the commits that are named
	judge       func(checkpoints.Branch) checkpoints.Branch // see query.Reader.Judge; nil: commits link them
	stream      *shadow.Checkpoint
}

const heads, remotes, own = "refs/heads/", "refs/remotes/", "entire/"

// finder looks a name up.
type finder struct {
	reader *query.Reader
	refs   []gitexec.Ref // branches, here and of remotes
	// compared are the links that a comparison has found, by commit; nil: not compared.
	compared map[gitexec.OID][]string
}

// look finds out what to resume, and the branch that is checked out; empty: none.
func look(ctx context.Context, from query.Source, name string) (t target, branch string, err error) {
	r, err := from.Open(ctx)
	if err != nil {
		return t, "", err
	}
	defer r.Close()
	f := &finder{reader: r}
	if f.refs, err = r.Repo.Refs(ctx, heads, remotes); err != nil {
		return t, "", err
	}
	branch = strings.TrimPrefix(r.Repo.Branch, heads)
	t, err = f.target(ctx, name, branch)
	if err == nil && t.stream == nil && len(t.checkpoints) == 0 && f.compare(ctx, cmp.Or(t.tip, f.reader.Repo.Head.ID)) {
		t, err = f.target(ctx, name, branch)
	}
	if err != nil {
		return t, branch, err
	}
	return t, branch, f.check(ctx, &t, name)
}

func (f *finder) target(ctx context.Context, name, branch string) (target, error) {
	if name == "" {
		t, err := f.history(ctx, f.reader.Repo.Head.ID, branch)
		t.linked = true
		return t, err
	}
	t, err := f.branchNamed(ctx, name)
	if errors.As(err, new(*query.NotFoundError)) {
		t, err = f.named(ctx, name)
	}
	return t, err
}

// branchNamed is a branch, here or of a remote alone.
func (f *finder) branchNamed(ctx context.Context, name string) (target, error) {
	if strings.HasPrefix(name, own) {
		return target{}, &query.NotFoundError{Name: name}
	}
	for _, guess := range []bool{false, true} {
		if tip := tipOf(f.refs, name, guess); tip != "" {
			t, err := f.history(ctx, tip, name)
			t.branch, t.tip, t.guess, t.linked = name, tip, guess, true
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

// check separates the checkpoints that are not here. Nothing to restore is an error.
func (f *finder) check(ctx context.Context, t *target, name string) error {
	var purged []string
	if len(t.checkpoints) > 0 {
		slices.Sort(t.checkpoints)
		t.checkpoints = slices.Compact(t.checkpoints)
		found, err := checkpoints.Describe(f.reader.DB, f.reader.Branch, t.checkpoints)
		if err != nil {
			return err
		}
		if !t.linked {
			if t.judge, err = query.Judge(ctx, f.reader); err != nil {
				return err
			}
		}
		purged = t.separate(found, func(id string) string { return f.reader.Branch.PurgedOn(f.reader.DB, id) })
	}
	return t.nothing(cmp.Or(name, "the current branch"), purged, len(f.reader.Branch.Tips()) > 0)
}

// separate keeps the checkpoints that were found, and returns those that were purged, each with the
// day; the others are missing.
func (t *target) separate(found []checkpoints.CommittedInfo, purgedOn func(id string) string) (purged []string) {
	var here []string
	for _, id := range t.checkpoints {
		if slices.ContainsFunc(found, func(k checkpoints.CommittedInfo) bool { return k.ID == id }) {
			here = append(here, id)
		} else if day := purgedOn(id); day != "" {
			purged = append(purged, id+" on "+day)
		} else {
			t.missing = append(t.missing, id)
		}
	}
	t.checkpoints = here
	return purged
}

// nothing is why there is nothing to restore; nil: there is something. recorded is whether there
// are checkpoints at all.
func (t *target) nothing(what string, purged []string, recorded bool) error {
	switch {
	case t.stream != nil || len(t.checkpoints) > 0:
		return nil
	case len(t.missing) > 0:
		return fmt.Errorf("the checkpoints of %s are not here: %s\nhint: if they were pushed, entire-plumb fetch",
			what, strings.Join(t.missing[:min(10, len(t.missing))], ", "))
	case len(purged) > 0:
		return &NothingError{fmt.Sprintf("the checkpoints of %s were purged: %s", what, strings.Join(purged[:min(10, len(purged))], ", "))}
	case !recorded:
		return &NothingError{fmt.Sprintf("there are no checkpoints here, and so no conversation of %s\nhint: if they were pushed, "+
			"entire-plumb fetch", what)}
	}
	return &NothingError{fmt.Sprintf("no commit of %s links a checkpoint: there is no conversation to resume\nhint: entire-plumb sessions lists all", what)}
}
