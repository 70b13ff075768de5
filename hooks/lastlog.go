package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// lastLog is what log said last of HEAD's history. All of it follows from HEAD and from what our branches are at; a shallow clone's history from
// one file more.
type lastLog struct {
	Form      int                `json:"form"`
	Most      int                `json:"most"`                // how many commits were asked for
	Key       string             `json:"key"`                 // see logKey
	Discovery *gitexec.Discovery `json:"discovery,omitempty"` // vouches for the key; nil: only git can
	Commits   []Logged           `json:"commits"`
	Streams   []Pending          `json:"streams"`
}

// lastLogForm is the form of that file: another one whenever something is added to it.
const lastLogForm = 3

// mostKept is how many commits are kept for the next time.
const mostKept = 100

func readLastLog(privateDir string, most int) *lastLog {
	last := readPrivate[lastLog](filepath.Join(privateDir, "log.json"))
	if last.Form != lastLogForm || last.Most != most {
		return nil
	}
	return &last
}

func (l lastLog) write(repo *gitexec.Repo) error {
	return writePrivate(filepath.Join(repo.PrivateDir(), "log.json"), l)
}

// unchangedLog gives what log said last if the files in the git directory show that all is as it was then, without a process; else nil.
func (e Env) unchangedLog(ctx context.Context, most int) *lastLog {
	dir := gitexec.LikelyPrivateDir(e.Dir)
	if dir == "" {
		return nil
	}
	last := readLastLog(dir, most)
	if last == nil {
		return nil
	}
	repo := last.Discovery.Again(e.Dir, e.Tracer)
	if repo == nil || !e.keepsLog(ctx, repo) {
		return nil
	}
	return last
}

// keepsLog reports whether what log says is kept here: nothing is to be made up for before it can be said, and somebody enabled us, or nothing is
// written.
func (e Env) keepsLog(ctx context.Context, repo *gitexec.Repo) bool {
	owed, err := e.owed(ctx, repo)
	_, elsewhere := settings.Load(repo.Top)
	return owed == nil && err == nil && elsewhere == nil
}

// logKey is another one whenever log may have something else to say. refs is what DiscoverWith tells of our branches.
func logKey(repo *gitexec.Repo, refs string) string {
	return fmt.Sprintf("%s %s %s", repo.Head, refs, changedAt(filepath.Join(repo.CommonDir, "shallow"), filepath.Join(repo.CommonDir, "info", "grafts")))
}

// discovery is what vouches for a repository in which log was asked, see [gitexec.Discovery].
func discovery(repo *gitexec.Repo) *gitexec.Discovery { return repo.Discovery(shadow.Prefix) }

// changedAt tells when files were changed last, and of what size they are; a file that isn't there is none.
func changedAt(files ...string) string {
	text := ""
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			text += fmt.Sprintf("%d %d;", info.ModTime().UnixNano(), info.Size())
		}
	}
	return text
}
