package gitexec

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Ref is a ref and what it points at.
type Ref struct {
	Name string // full: refs/heads/…
	ID   OID
	Type string // the type of the object that it points at
}

// Refs lists the refs under the prefixes given, which end in "/" or name one ref. Refs that are broken are left out.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(objecttype)"}, prefixes...)
	out, err := r.output(ctx, command{args: args})
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

// Resolve gives the commit that a revision names, as a user may write it. A name that is ambiguous or unknown is an error
// in git's words.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	out, err := r.output(ctx, command{args: []string{"rev-parse", "--verify", "--end-of-options", rev + "^{commit}"}})
	if err != nil {
		return "", fmt.Errorf("%q names no commit: %w", rev, err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}
