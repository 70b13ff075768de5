package checkpoints

import (
	"path/filepath"
)

// belowHome is a file's name relative to the home directory, with slashes, as the entire CLI stores
// a transcript's: an absolute one would tell everybody the user's name and directories. It is empty
// for a file elsewhere.
func belowHome(home, file string) string {
	if !filepath.IsAbs(home) || !filepath.IsAbs(file) {
		return ""
	}
	dirs := []string{home}
	// The agent may name the file by the home directory's real path.
	if real, err := filepath.EvalSymlinks(home); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		if name, err := filepath.Rel(dir, file); err == nil && name != "." && filepath.IsLocal(name) {
			return filepath.ToSlash(name)
		}
	}
	return ""
}
