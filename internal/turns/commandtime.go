package turns

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
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
	var theirs transcript.Spans
	for _, o := range beside {
		if spans, _, err := transcript.CommandTimes(ctx, o.TranscriptPath); err == nil {
			theirs = append(theirs, spans...)
		}
	}
	if len(theirs) == 0 {
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
	renamed := condense.OnlyRenamed(changes)
	return slices.DeleteFunc(files, func(path gitexec.Path) bool {
		info, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(string(path))))
		return err != nil || renamed[path] || !theirs.Saved(filepath.Base(string(path)), info.ModTime(), own)
	}), nil
}
