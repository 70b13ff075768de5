package hooks

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// dropAbandoned makes room for a new stream where the setting max_streams caps them: streams of the
// present base whose work is neither in the worktree nor in a stash, and that no other session's
// turn is going on on, go, the oldest first. If there are not enough of those, the cap is exceeded:
// nothing that is alive is dropped.
func (p *recorder) dropAbandoned(ctx context.Context, leaving *session.State, streams []shadow.Stream, verdicts []suffix.Verdict) ([]shadow.RefChange, error) {
	most := p.Settings.StrategyOptions.Suffix.MaxStreams
	if most <= 0 || len(streams) < most {
		return nil, nil
	}
	stashes, err := shadow.Stashes(ctx, p.Repo, p.DB)
	if err != nil {
		return nil, err
	}
	states, err := p.Sessions()
	if err != nil {
		return nil, err
	}
	var gone []shadow.RefChange
	for i, s := range streams {
		if len(streams)-len(gone) < most {
			break
		}
		if s.Base != p.Head.ID.Short() || len(verdicts) > 0 && verdicts[i].Reason == suffix.Present || inTurn(states, leaving, s) {
			continue
		}
		stashed, err := p.stashed(s, stashes)
		if err != nil {
			return nil, err
		}
		if !stashed {
			gone = append(gone, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
			p.Note(fmt.Sprintf("dropped the abandoned stream %s, of %d that max_streams allows", s.Name, most))
		}
	}
	return gone, nil
}

func inTurn(states []*session.State, leaving *session.State, stream shadow.Stream) bool {
	for _, s := range states {
		if s.SessionID != leaving.SessionID && s.Phase == session.Active && s.ShadowBranchSuffix == stream.Suffix && s.BaseCommit.Short() == stream.Base {
			return true
		}
	}
	return false
}

// stashed reports whether a stash entry holds work of a stream.
func (p *recorder) stashed(stream shadow.Stream, stashes []shadow.Stash) (bool, error) {
	if len(stashes) == 0 {
		return false, nil
	}
	plain := p.plain([]shadow.Stream{stream})[0]
	if plain.Err != nil {
		return true, nil // what cannot be read isn't thrown away
	}
	files := suffix.ByFile(plain.Changes)
	paths := make([]gitexec.Path, len(files))
	for i, changes := range files {
		paths[i] = changes[0].Path
	}
	texts := &shadow.Texts{DB: p.DB}
	for _, s := range stashes {
		found, err := s.Lookup(p.DB, paths...)
		if err != nil {
			return false, err
		}
		for i, changes := range files {
			if found[i] == changes[0].Before {
				continue
			}
			if here, err := suffix.InEffect(changes, gitexec.Change{Old: changes[0].Before, New: found[i]}, texts, p.Settings.Match()); here || err != nil {
				return here, err
			}
		}
	}
	return false, nil
}
