package share

import (
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
)

// settled is what was found at the last pushes to some remotes: nothing to share. It counts as long
// as the files are the same that say what there is to share.
type settled struct {
	Files   string   `json:"files"`   // their stat data
	Remotes []string `json:"remotes"` // as git names them to the hook, hashed: an address may hold a password
}

// mostSettled is the most bytes of the file: a hash of 12 digits for each of 100 remotes, and one
// of the files. With more remotes it begins anew, and the next push to each looks again.
const mostSettled = 64 << 10

// Place is where a hook runs, as it knows it without a process.
type Place struct{ Top, Shared string } // the worktree's top level, and our directory for all worktrees

func (p Place) file() string { return filepath.Join(p.Shared, "shared.json") }

// Settled reports whether nothing has changed since a push to a remote left nothing to share. It
// looks at stat data alone: those of the files that hold our refs, git's configuration, and ours.
// No process. A change of the user's own configuration is seen with the next checkpoint.
func (p Place) Settled(remote string) bool {
	s, err := safefile.ReadPrivate[settled](p.file(), mostSettled)
	return err == nil && s.Files == p.Files() && slices.Contains(s.Remotes, hashed(remote))
}

// Settle notes that a push to a remote left nothing to share. before is
// Files as it was before it was looked for.
func (p Place) Settle(remote, before string) {
	// Something has changed since it was looked for: it may be what there is to share now.
	if before == "" || before != p.Files() {
		return
	}
	s := settled{Files: before}
	if old, err := safefile.ReadPrivate[settled](p.file(), mostSettled); err == nil && old.Files == before && len(old.Remotes) < 100 {
		s.Remotes = old.Remotes
	}
	s.Remotes = append(s.Remotes, hashed(remote))
	_ = safefile.WritePrivate(p.file(), s) // else the next push looks again
}

// Files is the stat data of all files that say what there is to share, and where it goes, with a
// hash of the configuration of this call; empty where there is none to be had.
func (p Place) Files() string {
	all, common := "", filepath.Dir(p.Shared)
	names := []string{
		filepath.Join(common, "refs", "heads", "entire", "checkpoints", "v1"), filepath.Join(common, "refs", "heads", "entire", "trails", "v1"),
		filepath.Join(common, "packed-refs"), filepath.Join(common, "reftable", "tables.list"), filepath.Join(common, "config"),
	}
	for _, name := range append(names, p.settings()...) {
		data, ok := safefile.StatData(name)
		if !ok {
			// It is there, and has no stat data by which a change would be seen.
			if _, err := os.Lstat(name); err == nil {
				return ""
			}
			data = "none"
		}
		all += data + "\n"
	}
	return all + hashed(configured())
}

// settings are the files of the settings, and their directory.
func (p Place) settings() []string {
	dir := filepath.Join(p.Top, settings.Dir)
	return []string{dir, filepath.Join(dir, "settings.json"), filepath.Join(dir, "settings.local.json")}
}

// Forget forgets what was settled and announced.
func (p Place) Forget() {
	_, _ = os.Remove(p.file()), os.Remove(p.announcedFile())
}
