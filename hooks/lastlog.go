package hooks

import (
	"context"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// lastLog is what log said last of HEAD's history. All of it follows from HEAD and from what our branches are at, if nothing is missing.
type lastLog struct {
	Form      int                `json:"form"`
	Version   string             `json:"version"`   // of the program that says so
	Most      int                `json:"most"`      // how many commits were asked for
	Discovery *gitexec.Discovery `json:"discovery"` // vouches for the rest
	Commits   []Logged           `json:"commits"`
	Streams   []Pending          `json:"streams"`
}

// lastLogForm is the form of that file: another one whenever something is added to it.
const lastLogForm = 4

// mostKept is how many commits are kept for the next time.
const mostKept = 100

func lastLogFile(privateDir string) string { return filepath.Join(privateDir, "log.json") }

func (l lastLog) write(repo *gitexec.Repo) error {
	return writePrivate(lastLogFile(repo.PrivateDir()), l)
}

// whole reports whether all of it was there to be read: what is missing or damaged may be mended, and no ref would tell.
func (l lastLog) whole() bool {
	for _, c := range l.Commits {
		if len(c.Unknown) > 0 || slices.ContainsFunc(c.Checkpoints, func(k LoggedCheckpoint) bool { return !k.Found || k.Damaged }) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Streams, func(s Pending) bool { return s.Error != "" })
}

// unchangedLog gives what log said last if the files in the git directory show that all is as it was then, without a process; else nil.
func (e Env) unchangedLog(ctx context.Context, sight *gitexec.Sight, most int) *lastLog {
	if sight == nil {
		return nil
	}
	last := readPrivate[lastLog](lastLogFile(sight.PrivateDir()))
	if last.Form != lastLogForm || last.Version != e.Version || last.Most != most {
		return nil
	}
	repo := last.Discovery.Again(sight, e.Tracer)
	if repo == nil {
		return nil
	}
	// Neither where something is to be made up for first, nor where we were disabled.
	if owed, err := e.owed(ctx, repo); owed != nil || err != nil {
		return nil
	}
	if _, elsewhere := settings.Load(ctx, repo); elsewhere != nil {
		return nil
	}
	return &last
}
