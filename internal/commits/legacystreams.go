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
		if m, err = m.OntoBase(run.DB, baseOf(m, append(states, current...))); err != nil {
			return listing, err
		}
		refs = append(refs, m.Changes()...)
		run.Note(fmt.Sprintf("renamed %s to %s", m.From, m.To))
		moved = append(moved, giveSuffix(m, states, current)...)
	}
	if err := shadow.Apply(ctx, run.DB, run.Store, refs, moved); err != nil {
		return listing, err
	}
	return shadow.List(ctx, run.Repo)
}

// baseOf is the base of a stream, as the state of its session has it; empty: none has it.
func baseOf(m shadow.Move, states []*session.State) (base gitexec.OID) {
	for _, s := range states {
		if isOnStream(s, m) {
			base = s.BaseCommit
		}
	}
	return base
}

// giveSuffix changes the states of the sessions on a stream that gets a suffix, and returns them:
// those in current instead of what was read of them.
func giveSuffix(m shadow.Move, states, current []*session.State) (changed []*session.State) {
	for _, s := range states {
		if i := slices.IndexFunc(current, func(held *session.State) bool { return held.SessionID == s.SessionID }); i >= 0 {
			s = current[i]
		}
		if isOnStream(s, m) && s.StreamRenamed(s.BaseCommit, 0, m.To.Suffix) {
			changed = append(changed, s)
		}
	}
	return changed
}

func isOnStream(s *session.State, m shadow.Move) bool {
	return s.SessionID == m.Tip.Session && s.BaseCommit.Short() == m.To.Base
}
