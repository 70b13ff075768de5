package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// Kind is what a command needs a name of.
type Kind string

// The kinds.
const (
	AnyKind     Kind = "a commit, checkpoint, session or turn"
	ACommit     Kind = "a commit"
	ACheckpoint Kind = "a checkpoint"
	ASession    Kind = "a session"
	ADirectory  Kind = "a directory"
	aTurn       Kind = "a turn"
	aRange      Kind = "a range of commits"
	aFile       Kind = "a file"
	onAStream   Kind = "a checkpoint on a stream"
)

// MisnamedError is a name that doesn't mean what a command needs; see Explain.
type MisnamedError struct {
	Name   string
	Wanted Kind
	Err    error // what is said where the name means nothing
}

func (e *MisnamedError) Error() string { return e.Err.Error() }

func (e *MisnamedError) Unwrap() error { return e.Err }

// Explain is the error of a command that got the name of something else than it needs: it says what
// the name is, and which command answers. It leaves others as they are, and those whose name means
// nothing.
func (e Source) Explain(ctx context.Context, err error) error {
	bad := misnamedIn(err)
	if bad == nil || ctx.Err() != nil {
		return refused(err)
	}
	r, err2 := e.Open(ctx)
	if err2 != nil {
		return err
	}
	defer r.Close()
	is, err2 := r.kindOf(ctx, bad.Name)
	// What the name may mean says more than that the command found nothing.
	if errors.As(err2, new(*checkpoints.AmbiguousError)) {
		return err2
	}
	if text := misnamed(bad.Name, bad.Wanted, is); text != "" && err2 == nil {
		return errors.New(text)
	}
	// The name may be of a commit that was not fetched.
	if err2 == nil && r.Repo.Shallow() {
		return fmt.Errorf("%w\nhint: this is a shallow clone: %s brings the commits that are missing", err, r.Repo.Unshallow(ctx))
	}
	return err
}

// refused is the error of words of the user's that git doesn't take, as a path outside of the
// repository: what it says of them, without the command. Others stay.
func refused(err error) error {
	said := new(gitexec.Error)
	if errors.As(err, &said) && slices.ContainsFunc([]string{"outside repository", "pathspec magic", "fatal: header, '"},
		func(part string) bool { return strings.Contains(said.Stderr, part) }) {
		return errors.New(gitsReason(said))
	}
	return err
}

// misnamedIn finds the name that an error is about; nil: it is about none.
func misnamedIn(err error) *MisnamedError {
	bad, unknown := new(MisnamedError), new(NotFoundError)
	switch {
	case errors.As(err, &bad):
		return bad
	// That it was purged says all there is to say.
	case errors.As(err, &unknown) && unknown.Purged == "":
		return &MisnamedError{unknown.Name, AnyKind, err}
	}
	return nil
}

// misnamed says what a name is, and which command answers; empty: it is nothing that is known.
func misnamed(name string, wanted, is Kind) string {
	// Commands on uncommitted work know sessions by their state alone: one that came with
	// checkpoints has none.
	if is == wanted && is == ASession {
		return fmt.Sprintf("session %s has no state on this machine, and so nothing uncommitted\nhint: entire-plumb show %[1]s", name)
	}
	answers := map[Kind]string{
		ACommit:     "entire-plumb show %s",
		ACheckpoint: "entire-plumb show %s",
		ASession:    "entire-plumb sessions show %s",
		aTurn:       "entire-plumb show %s",
		onAStream:   "entire-plumb show %s",
		aRange:      "entire-plumb log %s lists its commits",
		aFile:       "paths come after --; entire-plumb blame %s shows its authors",
		ADirectory:  "paths come after --: entire-plumb log -- %s",
	}
	if answers[is] == "" || is == wanted {
		return ""
	}
	return fmt.Sprintf("%q is %s, and not %s\nhint: "+answers[is], name, is, wanted, name)
}

// kindOf is what a name means; empty: nothing.
func (r *Reader) kindOf(ctx context.Context, name string) (Kind, error) {
	found, err := r.Resolve(ctx, name)
	switch {
	case errors.As(err, new(*NotFoundError)):
		return kindOfOther(ctx, r, name), nil
	case err != nil:
		return "", err
	case found.Checkpoint != "":
		return ACheckpoint, nil
	case found.Session != "":
		return ASession, nil
	case found.Turn != nil:
		return aTurn, nil
	}
	if _, ours, err := shadow.ReadCheckpoint(r.DB, found.Commit); ours && err == nil {
		return onAStream, nil
	}
	return ACommit, nil
}

// kindOfOther is what a name means that is not of one thing that is recorded.
func kindOfOther(ctx context.Context, r *Reader, name string) Kind {
	if isRange(name) {
		if _, err := rangeNamed(ctx, r, name); err == nil {
			return aRange
		}
	}
	// Without following it: a symlink's name is that of a file.
	info, err := os.Lstat(from(filesFrom(r.Repo.Top, r.Env.Dir), name))
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return ADirectory
	}
	return aFile
}

// Revision finds the one commit of a name: itself, or the newest that links a checkpoint, or has
// work of a turn or a session. Where none of that is committed, it is the last checkpoint on a
// stream. Its error is MisnamedError.
func (r *Reader) Revision(ctx context.Context, name string) (gitexec.OID, error) {
	id, err := r.Repo.Resolve(ctx, name)
	// git's meaning of a name comes first here, where a commit is wanted.
	if err == nil || ctx.Err() != nil || errors.As(err, new(*gitexec.AmbiguousError)) {
		return id, err
	}
	nothing := &MisnamedError{name, ACommit, fmt.Errorf("%q names no commit\nhint: name a commit, a branch, a tag, or what a commit links", name)}
	if reason := gitsReason(err); reason != "" {
		nothing.Err = fmt.Errorf("%q names no commit: %s", name, reason)
	}
	found, err := r.Resolve(ctx, name)
	switch {
	case errors.As(err, new(*NotFoundError)):
		return "", nothing
	case err != nil:
		return "", err
	case found.Commit != "":
		return found.Commit, nil
	}
	ids, err := r.checkpointsOf(ctx, found)
	if err != nil {
		return "", err
	}
	commits, err := r.Linking(ctx, ids...)
	if err != nil {
		return "", err
	}
	if len(commits) > 0 {
		return commits[0].ID, nil
	}
	if last, err := lastOnStream(ctx, r, found); last != "" || err != nil {
		return last, err
	}
	return "", nothing
}

// lastOnStream is a turn's or a session's last checkpoint on a stream; empty: it has none.
func lastOnStream(ctx context.Context, r *Reader, found Named) (last gitexec.OID, err error) {
	if found.Turn != nil {
		if n := len(found.Turn.OnStreams); n > 0 {
			last = found.Turn.OnStreams[n-1]
		}
		return last, nil
	}
	on, err := LatestOnStream(ctx, r, found.Session)
	if on != nil {
		last = on.ID
	}
	return last, err
}

// ofParents are git's suffixes that make ranges of a commit and its parents: ^! ^@ ^- ^-2
var ofParents = regexp.MustCompile(`\^(?:[!@]|-(?:[1-9][0-9]*)?)$`)

// cutParents cuts such a suffix from a name; empty: it has none.
func cutParents(name string) (of, suffix string) {
	suffix = ofParents.FindString(name)
	return strings.TrimSuffix(name, suffix), suffix
}

// isRange reports whether a name stands for several commits, or for none of some, as git's ranges
// do.
func isRange(name string) bool {
	return strings.Contains(name, "..") || strings.HasPrefix(name, "^") || ofParents.MatchString(name)
}

// rangeNamed is a range as git understands it, of names that Revision understands.
func rangeNamed(ctx context.Context, r *Reader, name string) (string, error) {
	if _, err := r.Repo.History(ctx, gitexec.History{Revs: []string{name}, Most: 1}); err == nil {
		return name, nil
	}
	if of, suffix := cutParents(name); suffix != "" {
		id, err := r.Revision(ctx, of)
		if err != nil {
			return "", err
		}
		named := string(id) + suffix
		// The commit may not have such a parent.
		if _, err = r.Repo.History(ctx, gitexec.History{Revs: []string{named}, Most: 1}); err != nil {
			err = &MisnamedError{name, ACommit, err}
		}
		return named, err
	}
	from, to, _ := cutRange(name)
	// cutRange drops the third dot.
	dots := ".."
	if strings.Contains(name, "...") {
		dots = "..."
	}
	first, err := r.Revision(ctx, from)
	if err != nil {
		return "", err
	}
	second, err := r.Revision(ctx, to)
	return string(first) + dots + string(second), err
}

// Base finds the commit that work began on: the one of a name, and of a checkpoint on a stream, its
// stream's.
func (r *Reader) Base(ctx context.Context, name string) (gitexec.OID, error) {
	id, err := r.Revision(ctx, name)
	if err != nil {
		return "", err
	}
	if k, ours, err := shadow.ReadCheckpoint(r.DB, id); err == nil && ours && k.Base != "" {
		return k.Base, nil
	}
	return id, nil
}
