package hooks

import (
	"fmt"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
)

// lastLog is what log said last of HEAD's history. All of it follows from HEAD and from what our branches are at; a shallow clone's history from
// one file more.
type lastLog struct {
	Key     string    `json:"key"`
	Commits []Logged  `json:"commits"`
	Streams []Pending `json:"streams"`
}

// lastLogForm is the form of that file: another one whenever something is added to it.
const lastLogForm = 2

func lastLogFile(repo *gitexec.Repo) string { return filepath.Join(repo.PrivateDir(), "log.json") }

// lastLog gives what log said last, if that is still so; else nil, and the key under which it is to be kept. refs is what DiscoverWith tells of our branches.
func (e Env) lastLog(repo *gitexec.Repo, refs string, most int) (*lastLog, string) {
	key := fmt.Sprintf("%d %d %s %s %s", lastLogForm, most, repo.Head, refs, changedAt(filepath.Join(repo.CommonDir, "shallow"), filepath.Join(repo.CommonDir, "info", "grafts")))
	last := readPrivate[lastLog](lastLogFile(repo))
	if last.Key != key {
		return nil, key
	}
	return &last, key
}

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
