package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Sharing is how git changes the modes of what it makes in a repository of several users:
// core.sharedRepository.
type Sharing struct {
	bits  fs.FileMode // of a file that its owner can write
	exact bool        // they replace those of the umask
}

// ParseSharing reads the value of core.sharedRepository as git does; without a meaning it is the
// umask's.
func ParseSharing(value string) Sharing {
	switch strings.ToLower(value) {
	case "group", "true", "yes", "on", "1":
		return Sharing{bits: 0o660}
	case "all", "world", "everybody", "2":
		return Sharing{bits: 0o664}
	}
	bits, err := strconv.ParseUint(value, 8, 32)
	if err != nil || bits&0o600 != 0o600 {
		return Sharing{}
	}
	return Sharing{bits: fs.FileMode(bits) & 0o666, exact: true}
}

// mode is the mode that a file or directory of some mode gets.
func (s Sharing) mode(old fs.FileMode) fs.FileMode {
	bits := s.bits
	if old&0o200 == 0 {
		bits &^= 0o222
	}
	if old&0o100 != 0 {
		bits |= bits & 0o444 >> 2
	}
	now := old | bits
	if s.exact {
		now = old&^0o777 | bits
	}
	if old.IsDir() {
		now |= now&0o444>>2 | fs.ModeSetgid // what others make in it is of the same group
	}
	return now
}

// shared are the directories of shared repositories.
var shared struct {
	sync.Mutex
	roots map[string]Sharing
}

// Share says how files and directories are shared that this package makes below a directory.
func Share(root string, s Sharing) {
	shared.Lock()
	defer shared.Unlock()
	if s.bits == 0 {
		delete(shared.roots, root)
		return
	}
	if shared.roots == nil {
		shared.roots = map[string]Sharing{}
	}
	shared.roots[root] = s
}

// sharedBelow finds the shared directory that a file is below.
func sharedBelow(file string) (root string, s Sharing, ok bool) {
	shared.Lock()
	defer shared.Unlock()
	for root, s := range shared.roots {
		if strings.HasPrefix(file, root+string(filepath.Separator)) {
			return root, s, true
		}
	}
	return "", Sharing{}, false
}

// share gives an open file the mode that a shared repository asks for. Only its owner can; then it
// has it already, or was made before the repository was shared.
func share(f *os.File, info fs.FileInfo) {
	if _, s, ok := sharedBelow(f.Name()); ok && s.mode(info.Mode()) != info.Mode() {
		_ = f.Chmod(s.mode(info.Mode()))
	}
}

// MkdirAll makes a directory and those above it that are missing, with this mode less the umask,
// or, in a shared repository, the mode that it asks for.
func MkdirAll(dir string, perm fs.FileMode) error {
	if err := os.MkdirAll(dir, perm); err != nil {
		return err
	}
	root, s, ok := sharedBelow(dir)
	for ; ok && len(dir) > len(root); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			break
		}
		if now := s.mode(info.Mode()); now != info.Mode() {
			_ = os.Chmod(dir, now) // see share
		}
	}
	return nil
}
