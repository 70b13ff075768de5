package commits

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// RenameLegacy gives streams with legacy names their suffix when a hook first meets them, in one
// transaction, and lists them again. The states of the sessions on them change with them: those in
// current, which the caller holds, in place. Where our hooks are not installed the streams belong
// to another program and keep their names.
func RenameLegacy(ctx context.Context, run *workspace.Run, listing shadow.Listing, current ...*session.State) (shadow.Listing, error) {
	if !listing.HasLegacy() || !run.Installed() {
		return listing, nil
	}
	moves, err := listing.Legacy(run.DB, run.Repo.WorktreeID())
	if err != nil || len(moves) == 0 {
		return listing, err
	}
	states, err := run.Sessions()
	if err != nil {
		return listing, err
	}
	var refs []shadow.RefChange
	var moved []*session.State
	for _, m := range moves {
		var base gitexec.OID
		for _, s := range append(states, current...) {
			if s.SessionID == m.Tip.Session && s.BaseCommit.Short() == m.To.Base {
				base = s.BaseCommit
			}
		}
		if m, err = m.OntoBase(run.DB, base); err != nil {
			return listing, err
		}
		refs = append(refs, m.Changes()...)
		run.Note(fmt.Sprintf("renamed %s to %s", m.From, m.To))
		for _, s := range states {
			if i := slices.IndexFunc(current, func(h *session.State) bool { return h.SessionID == s.SessionID }); i >= 0 {
				s = current[i]
			}
			if s.SessionID == m.Tip.Session && s.BaseCommit.Short() == m.To.Base && s.ShadowBranchSuffix == 0 {
				s.ShadowBranchSuffix = m.To.Suffix
				moved = append(moved, s)
			}
		}
	}
	if err := shadow.Apply(ctx, run.DB, run.Store, refs, moved); err != nil {
		return listing, err
	}
	return shadow.List(ctx, run.Repo)
}
