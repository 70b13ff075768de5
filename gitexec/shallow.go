package gitexec

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// mostShallow is how many bytes of the list of a shallow clone's last commits are read.
const mostShallow = 64 << 20

// ShallowList is git's list of a shallow clone's last commits; empty: it is a whole one.
func (r *Repo) ShallowList() []byte {
	data, err := safefile.ReadOwn(filepath.Join(r.CommonDir, "shallow"), mostShallow)
	if err != nil {
		return nil
	}
	return data
}

// CutOff are the commits of a shallow clone whose parents it lacks.
func (r *Repo) CutOff() map[OID]bool {
	return sets.Of(oids(r.ShallowList()))
}

// Unshallow is the command, as a user types it, that brings what a shallow clone lacks: with the
// remote's name unless git would take origin. One process.
func (r *Repo) Unshallow(ctx context.Context) string {
	const command = "git fetch --unshallow"
	all, err := r.ConfigOf(ctx, `^(remote\..*\.url|branch\..*\.remote)$`)
	if err != nil {
		return command
	}
	branch := strings.TrimPrefix(r.Branch, "refs/heads/")
	if of := all["branch."+branch+".remote"]; branch != "" && len(of) > 0 {
		return command // git takes the branch's
	}
	if _, ok := all["remote.origin.url"]; ok {
		return command
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if name, ok := strings.CutPrefix(key, "remote."); ok {
			return command + " " + ShellQuote(strings.TrimSuffix(name, ".url"))
		}
	}
	return command
}
