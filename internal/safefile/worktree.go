package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mostLinks limits the symbolic links in the path of one name, as Linux does.
const mostLinks = 40

// Inside resolves a name below the directory top, and lists the symbolic links in its path, by
// their own names below top. A link that points outside of top, or into a git directory, is an
// *Error; the target is not accessed. top is a real path; name has slashes, and no "..". The file
// and its directory may be missing.
func Inside(top, name string) (file string, links []string, err error) {
	at := "" // below top, no link in it
	refused := &Error{Kind: Outside}
	for todo := strings.Split(name, "/"); len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && at == "":
			return "", links, refused // by the last link: name has none
		case part == "..":
			at = strings.TrimPrefix(path.Dir("/"+at), "/")
			continue
		}
		next := path.Join(at, part)
		full := filepath.Join(top, filepath.FromSlash(next))
		info, err := os.Lstat(full)
		if errors.Is(err, fs.ErrNotExist) && !slices.Contains(todo, "..") {
			return filepath.Join(append([]string{full}, todo...)...), links, nil
		}
		if err != nil {
			return "", links, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if len(todo) > 0 && !info.IsDir() {
				return "", links, &fs.PathError{Op: "open", Path: full, Err: syscall.ENOTDIR}
			}
			at = next
			continue
		}
		target, err := os.Readlink(full)
		if err != nil {
			return "", links, err
		}
		if links = append(links, next); len(links) > mostLinks {
			return "", links, &fs.PathError{Op: "open", Path: full, Err: syscall.ELOOP}
		}
		refused = &Error{Path: full, Kind: Outside, Target: target}
		below := filepath.ToSlash(target)
		if filepath.IsAbs(target) || strings.HasPrefix(below, "/") {
			var found bool
			if below, found = strings.CutPrefix(below, strings.TrimSuffix(filepath.ToSlash(top), "/")+"/"); !found {
				return "", links, refused
			}
			at = ""
		}
		parts := strings.Split(below, "/")
		if slices.ContainsFunc(parts, gitDir) {
			refused.Kind = GitDir
			return "", links, refused
		}
		todo = append(parts, todo...)
	}
	return filepath.Join(top, filepath.FromSlash(at)), links, nil
}

// gitDir reports whether a name is that of a git directory, also on case-insensitive file systems.
func gitDir(name string) bool {
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// ReadInside is Read for a file of the worktree top, which others may have committed. It follows a
// symbolic link inside the worktree: who can commit the link can commit the target's content as
// well.
func ReadInside(top, name string, limit int64) ([]byte, error) {
	file, _, err := Inside(top, name)
	if err != nil {
		return nil, err
	}
	return ReadOwn(file, limit)
}

// RewriteInside is Rewrite for a file of the worktree top, creating its directory if necessary. It
// follows a symbolic link inside the worktree, and writes the target.
func RewriteInside(top, name string, data []byte) error {
	file, _, err := Inside(top, name)
	if err != nil {
		return err
	}
	if err := MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return Rewrite(file, data)
}

// RemoveInside removes a file of the worktree top, or the target of a symbolic link inside the
// worktree, which is kept.
func RemoveInside(top, name string) error {
	file, _, err := Inside(top, name)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

// RemoveEmpty removes an empty directory of the worktree top; a symbolic link to one is kept.
func RemoveEmpty(top, name string) {
	dir := filepath.Join(top, filepath.FromSlash(name))
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		os.Remove(dir)
	}
}

// CheckWrite is an error if files of the worktree top must not be written: a symbolic link in the
// path points outside of the worktree, or git tracks it, so that others control its target; or the
// file is not a regular one. tracked lists those of the links that git tracks; it is called only if
// there are any.
func CheckWrite(top string, names []string, tracked func(links []string) ([]string, error)) error {
	var links []string
	for _, name := range names {
		file, found, err := Inside(top, name)
		if err != nil {
			return err
		}
		links = append(links, found...)
		if info, err := os.Lstat(file); err == nil && !info.IsDir() { // a directory is its reader's to refuse
			if err := regular(file, info); err != nil {
				return err
			}
		}
	}
	if len(links) == 0 {
		return nil
	}
	theirs, err := tracked(links)
	if err != nil || len(theirs) == 0 {
		return err
	}
	link := filepath.Join(top, filepath.FromSlash(theirs[0]))
	target, _ := os.Readlink(link)
	return &Error{Path: link, Kind: Tracked, Target: target}
}
