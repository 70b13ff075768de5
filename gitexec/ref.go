package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// Ref is a ref and its object.
type Ref struct {
	Name string // full: refs/heads/…
	ID   OID
	Type string // the type of the object that it points at
}

// Refs lists the refs under the prefixes, which end in "/" or name one ref. Broken refs are
// skipped. One whose object is missing has no type.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	refs, err := r.listRefs(ctx, "%(refname)%00%(objectname)%00%(objecttype)", prefixes)
	if fault, ok := errors.AsType[*Error](err); !ok || !strings.Contains(fault.Stderr, "missing object") {
		return refs, err
	}
	// git names the missing object, and no ref. Its cat-file goes on.
	if refs, err = r.RefIDs(ctx, prefixes...); err != nil {
		return nil, err
	}
	ids := make([]OID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	o := r.Objects(ctx)
	defer o.Close()
	objects, err := o.Info(ids...)
	if err != nil {
		return nil, err
	}
	for i := range refs {
		refs[i].Type = objects[i].Type
	}
	return refs, nil
}

// RefIDs lists refs as Refs does, without their types: git looks at no object, so that it is some
// times as fast.
func (r *Repo) RefIDs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	return r.listRefs(ctx, "%(refname)%00%(objectname)%00", prefixes)
}

func (r *Repo) listRefs(ctx context.Context, format string, prefixes []string) ([]Ref, error) {
	out, err := r.output(ctx, command{args: append([]string{"for-each-ref", "--format=" + format}, prefixes...)})
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(fields) != 3 {
			return nil, fmt.Errorf("git for-each-ref answered %q", line)
		}
		refs = append(refs, Ref{Name: fields[0], ID: OID(fields[1]), Type: fields[2]})
	}
	return refs, nil
}

// MayHaveRefs guesses without a process whether there is a ref below a prefix that ends with a
// slash: refs are files, or lines of packed-refs; in reftables there may always be one.
func (r *Repo) MayHaveRefs(prefix string) bool {
	if r.HasReftables() {
		return true
	}
	if _, err := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(prefix))); err == nil {
		return true
	}
	packed, err := safefile.Read(filepath.Join(r.CommonDir, "packed-refs"), mostPackedRefs)
	// A file that cannot be read may have anything.
	return err == nil && bytes.Contains(packed, []byte(" "+prefix)) || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// mostPackedRefs is how many bytes of packed-refs are read: those of a million refs.
const mostPackedRefs = 100 << 20

// Resolve finds the commit of a revision as a user may write it. An ambiguous or unknown name is an
// error with git's message.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	asked := rev + "^{commit}"
	if strings.HasPrefix(rev, ":/") {
		asked = rev // all of it is the text that a commit's message has
	}
	// --end-of-options: what the user types must not be an option.
	out, err := r.output(ctx, command{args: []string{"rev-parse", "--verify", "--end-of-options", asked}})
	if several := ambiguous(rev, err); several != nil {
		return "", several
	}
	if err != nil {
		return "", fmt.Errorf("%q names no commit: %w", rev, err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

// AmbiguousError is an abbreviated object ID that several commits have.
type AmbiguousError struct {
	Rev     string
	Commits []string // abbreviated, unique
	Err     error    // git's
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is the beginning of several commits: %s", e.Rev, strings.Join(e.Commits, ", "))
}

func (e *AmbiguousError) Unwrap() error { return e.Err }

// ambiguous parses the candidates in git's message; nil if the name isn't ambiguous.
func ambiguous(rev string, err error) error {
	fault, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(fault.Stderr, "is ambiguous") {
		return nil
	}
	e := &AmbiguousError{Rev: rev, Err: err}
	for line := range strings.Lines(fault.Stderr) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "hint:" && f[2] == "commit" {
			e.Commits = append(e.Commits, f[1])
		}
	}
	if len(e.Commits) == 0 {
		return nil
	}
	return e
}

// LatestBranches lists the branches, here and of remotes, whose commits are newest, at most so
// many.
func (r *Repo) LatestBranches(ctx context.Context, most int) ([]Ref, error) {
	return r.listRefs(ctx, "%(refname)%00%(objectname)%00", []string{"--sort=-committerdate", fmt.Sprintf("--count=%d", most),
		"refs/heads/", "refs/remotes/"})
}

// BranchesWith lists the branches, here and of remotes, whose histories have a commit: refs. One
// process.
func (r *Repo) BranchesWith(ctx context.Context, commit OID) ([]string, error) {
	out, err := r.output(ctx, command{args: []string{"for-each-ref", "--format=%(refname)", "--contains", string(commit),
		"refs/heads/", "refs/remotes/"}})
	return strings.Fields(string(out)), err
}

// DefaultBranch is the short name of the repository's default branch (seed 004,
// GetDefaultBranchName): origin's, otherwise main or master, if it exists; empty if unknown.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"symbolic-ref", "-q", "refs/remotes/origin/HEAD"}})
	if err != nil {
		return "", fmt.Errorf("the default branch: %w", err)
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "refs/remotes/origin/"); ok {
		return name, nil
	}
	refs, err := r.Refs(ctx, "refs/heads/main", "refs/heads/master")
	for _, ref := range refs {
		// refs/heads/main also lists a branch main/x.
		if name := strings.TrimPrefix(ref.Name, "refs/heads/"); name == "main" || name == "master" {
			return name, nil
		}
	}
	return "", err
}
