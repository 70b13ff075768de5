package turns

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// savedByOthers lists the files of a turn, of those that no tool of its session's names (mine),
// that commands of another session saved rather than its own: by the times of the transcripts and
// of the files. Where the session's transcript doesn't tell when its commands ran, there are none.
// A file that was only renamed has the time of its old name, which tells nothing.
func savedByOthers(
	ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s *session.State, beside []*session.State, t turn, mine []gitexec.Path,
) ([]gitexec.Path, error) {
	files := unnamedFiles(t.touched, mine)
	if len(files) == 0 || s.TranscriptPath == "" || s.Background.Shell() {
		return nil, nil
	}
	others := commits.CommandsOf(ctx, beside)
	if len(others) == 0 {
		return nil, nil
	}
	own, complete, err := transcript.CommandTimes(ctx, s.TranscriptPath)
	if err != nil || !complete {
		return nil, nil
	}
	changes, err := db.DiffTrees(t.before, t.snap.Tree)
	if err != nil {
		return nil, err
	}
	return savedIn(others, own, files, commits.SaveTimes(repo.Top, files, condense.OnlyRenamed(changes))), nil
}

// savedApart lists the files of a turn, of those that no tool of its session's names (mine), that
// the user saved while none of its tools ran.
func savedApart(ctx context.Context, run *workspace.Run, s *session.State, t turn, mine []gitexec.Path) ([]gitexec.Path, error) {
	files := unnamedFiles(t.touched, mine)
	if len(files) == 0 || !t.startKnown {
		return nil, nil
	}
	changes, err := run.DB.DiffTrees(t.before, t.snap.Tree)
	if err != nil {
		return nil, err
	}
	return commits.SavedApart(ctx, run.Repo, s, changes, commits.SaveTimes(run.Repo.Top, files, condense.OnlyRenamed(changes))), nil
}

// savedIn are the files that were saved while others' commands ran, rather than own ones.
func savedIn(others, own transcript.Spans, files []gitexec.Path, saved map[gitexec.Path]time.Time) []gitexec.Path {
	return slices.DeleteFunc(slices.Clone(files), func(path gitexec.Path) bool {
		at, known := saved[path]
		return !known || !others.Saved(filepath.Base(string(path)), at, own)
	})
}
