package history

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
)

// mostFile is how many bytes a private file or a file of the worktree has that is searched.
const mostFile = 64 << 20

// promptFiles are the files of the sessions' prompts.
func promptFiles(w *workspace.Workspace) []string {
	return matching([]string{workspace.StateDir(w.Repo), filepath.Join(w.Repo.SharedDir(), "sessions")}, func(name string) bool {
		return strings.HasSuffix(name, ".prompts")
	})
}

// privateFiles are this program's other files with texts, of all worktrees: the journal, queues,
// caches, damaged states. The states themselves change with the refs.
func privateFiles(w *workspace.Workspace) []string {
	dirs := []string{w.Repo.SharedDir(), w.Repo.PrivateDir()}
	others := safefile.Glob(w.Repo.CommonDir, "worktrees/*/entire-plumb")
	files := matching(append(dirs, others...), func(name string) bool {
		// Left out are locks; copies of git's index, which are no texts; what redacts the text from
		// now on, which must not be changed by what it matches; and what the settings were when
		// they were last confirmed or used: edited, they would seem to have changed.
		return !strings.HasSuffix(name, ".lock") && !strings.HasPrefix(name, "index-") &&
			!slices.Contains([]string{"lock", "purged.json", "encrypt-to.json", "trusted-settings.json"}, name)
	})
	return append(files, matching([]string{workspace.StateDir(w.Repo), filepath.Join(w.Repo.SharedDir(), "sessions")}, func(name string) bool {
		// Prompts are edited apart, before the states. States (.json) are written with the refs.
		// What is left are damaged states.
		return !strings.HasSuffix(name, ".prompts") && !strings.HasSuffix(name, ".json")
	})...)
}

// matching lists the files of directories whose names a condition chooses, each once.
func matching(dirs []string, choose func(name string) bool) (files []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if file := filepath.Join(dir, e.Name()); e.Type().IsRegular() && choose(e.Name()) && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// editFiles changes files by a function, and names those that change. A preview changes none.
func editFiles(files []string, edit func([]byte) []byte, preview bool) ([]string, error) {
	changed := []string{}
	for _, file := range files {
		// A symbolic link there is not this program's: what it leads to is neither read nor
		// written.
		text, err := safefile.ReadOwn(file, mostFile)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // it is gone, or no text
		}
		after := edit(text)
		if bytes.Equal(after, text) {
			continue
		}
		changed = append(changed, file)
		if preview {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return changed, err
		}
		if err := safefile.Write(file, after, info.Mode().Perm()); err != nil {
			return changed, err
		}
	}
	return changed, nil
}
