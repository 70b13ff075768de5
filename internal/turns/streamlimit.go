package turns

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
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
	remaining := len(streams)
	for i, stream := range streams {
		if remaining < limit {
			break
		}
		if stream.Base != run.Head.ID.Short() || len(verdicts) > 0 && verdicts[i].Reason == suffix.Present || ActiveOn(states, current.SessionID, stream) {
			continue
		}
		stashed, err := StreamStashed(run.Repo, run.DB, stream, stashes)
		if err != nil {
			return nil, err
		}
		if !stashed {
			dropped, remaining = append(dropped, shadow.Delete(stream, run.Now())...), remaining-1
			run.Note(fmt.Sprintf("dropped the abandoned stream %s, of %d that max_streams allows", stream.Name, limit))
		}
	}
	return dropped, nil
}

// ActiveOn reports whether a turn is in progress on a stream, of a session other than one, by its
// ID.
func ActiveOn(states []*session.State, except string, stream shadow.Stream) bool {
	return slices.ContainsFunc(states, func(s *session.State) bool {
		onStream := s.ShadowBranchSuffix == stream.Suffix && s.BaseCommit.Short() == stream.Base
		return onStream && s.Phase == session.Active && s.SessionID != except
	})
}

// StreamStashed reports whether a stash entry holds work of a stream; true where the stream can't
// be read.
func StreamStashed(repo *gitexec.Repo, db *gitexec.ODB, stream shadow.Stream, stashes []shadow.Stash) (bool, error) {
	if len(stashes) == 0 {
		return false, nil
	}
	value := StreamValues(repo, db, []shadow.Stream{stream}, nil)[0]
	if value.Err != nil {
		return true, nil // an unreadable stream is not dropped
	}
	files := suffix.ByFile(value.Changes)
	began, texts := Began(files), &shadow.Texts{DB: db}
	for _, stash := range stashes {
		versions, err := WithStash(db, stash, files, began, texts)
		if err != nil {
			return false, err
		}
		if held, err := AnyInEffect(files, versions, began, texts); held || err != nil {
			return held, err
		}
	}
	return false, nil
}

// Began are the versions of files before an agent changed them, in the order of the files, each of
// which has a change at least.
func Began(files [][]suffix.Change) []gitexec.Entry {
	began := make([]gitexec.Entry, len(files))
	for i, changes := range files {
		began[i] = changes[0].Before
	}
	return began
}

// WithStash are versions of files that an agent changed, with those that a stash entry changes as
// they are there. versions are in the order of the files, and stay as they are.
func WithStash(db *gitexec.ODB, stash shadow.Stash, files [][]suffix.Change, versions []gitexec.Entry, texts suffix.Texts) ([]gitexec.Entry, error) {
	found, err := works.InStash(db, stash, files, texts)
	versions = slices.Clone(versions)
	for i, c := range found {
		if c.Old != c.New {
			versions[i] = c.New
		}
	}
	return versions, err
}

// AnyInEffect reports whether any file's version holds what the agent did to it. One that is equal
// to the version under it is no evidence. versions and under are in the order of the files.
func AnyInEffect(files [][]suffix.Change, versions, under []gitexec.Entry, texts suffix.Texts) (bool, error) {
	for i, changes := range files {
		if versions[i] == under[i] {
			continue
		}
		if here, err := suffix.InEffect(changes, gitexec.Change{Old: under[i], New: versions[i]}, texts); here || err != nil {
			return here, err
		}
	}
	return false, nil
}
