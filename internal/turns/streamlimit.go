package turns

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// dropAbandoned makes room for a new stream where the setting max_streams limits them. It drops
// streams of HEAD whose work is neither in the worktree nor in a stash and on which no other
// session's turn is in progress, oldest first. If there are not enough of those, the limit is
// exceeded.
func dropAbandoned(
	ctx context.Context, run *workspace.Run, current *session.State, streams []shadow.Stream, verdicts []suffix.Verdict,
) ([]shadow.RefChange, error) {
	limit := run.Settings.StrategyOptions.Suffix.MaxStreams
	if limit <= 0 || len(streams) < limit {
		return nil, nil
	}
	stashes, err := shadow.Stashes(ctx, run.Repo, run.DB)
	if err != nil {
		return nil, err
	}
	states, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	var dropped []shadow.RefChange
	left := len(streams)
	for i, s := range streams {
		if left < limit {
			break
		}
		if s.Base != run.Head.ID.Short() || len(verdicts) > 0 && verdicts[i].Reason == suffix.Present || ActiveOn(states, current, s) {
			continue
		}
		stashed, err := StreamStashed(run.Repo, run.DB, s, stashes)
		if err != nil {
			return nil, err
		}
		if !stashed {
			dropped, left = append(dropped, shadow.Delete(s, run.Now())...), left-1
			run.Note(fmt.Sprintf("dropped the abandoned stream %s, of %d that max_streams allows", s.Name, limit))
		}
	}
	return dropped, nil
}

func ActiveOn(states []*session.State, current *session.State, stream shadow.Stream) bool {
	for _, s := range states {
		onStream := s.ShadowBranchSuffix == stream.Suffix && s.BaseCommit.Short() == stream.Base
		if onStream && s.Phase == session.Active && s.SessionID != current.SessionID {
			return true
		}
	}
	return false
}

// StreamStashed reports whether a stash entry holds work of a stream.
func StreamStashed(repo *gitexec.Repo, db *gitexec.ODB, stream shadow.Stream, stashes []shadow.Stash) (bool, error) {
	if len(stashes) == 0 {
		return false, nil
	}
	value := StreamValues(repo, db, []shadow.Stream{stream}, nil)[0]
	if value.Err != nil {
		return true, nil // an unreadable stream is not dropped
	}
	files := suffix.ByFile(value.Changes)
	paths := make([]gitexec.Path, len(files))
	for i, changes := range files {
		paths[i] = changes[0].Path
	}
	texts := &shadow.Texts{DB: db}
	for _, s := range stashes {
		found, err := s.Lookup(db, paths...)
		if err != nil {
			return false, err
		}
		for i, changes := range files {
			if found[i].Old == found[i].New || found[i].New == changes[0].Before {
				continue
			}
			change := gitexec.Change{Old: changes[0].Before, New: found[i].New}
			if present, err := suffix.InEffect(changes, change, texts); present || err != nil {
				return present, err
			}
		}
	}
	return false, nil
}
