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

// mostLinks is how many symbolic links one name may lead over, as many as Linux allows.
const mostLinks = 40

// Inside finds the file that a name below the directory top stands for, and the symbolic links on
// the way to it, by their own names below top. A link that leads out of top, or into a git
// directory, is an *Error that names it; nothing out there is touched to find that out. top is a
// real path; name has slashes, and no "..". The file need not be there, nor its directory.
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

// gitDir reports whether a name stands for a git directory, on file systems that don't tell case as
// well.
func gitDir(name string) bool {
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// ReadInside is Read for a file of the worktree top, which others may have committed. A symbolic
// link is followed as long as it stays in the worktree: who can commit a link to a file there can
// commit the file's content in its place as well.
func ReadInside(top, name string, limit int64) ([]byte, error) {
	file, _, err := Inside(top, name)
	if err != nil {
		return nil, err
	}
	return ReadOwn(file, limit)
}

// RewriteInside is Rewrite for a file of the worktree top; its directory is made if need be. A
// symbolic link that stays in the worktree stays one: what it leads to is written.
func RewriteInside(top, name string, data []byte) error {
	file, _, err := Inside(top, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return Rewrite(file, data)
}

// RemoveInside removes a file of the worktree top; a symbolic link that stays in the worktree stays
// one, as it was before RewriteInside made a file of what it leads to.
func RemoveInside(top, name string) error {
	file, _, err := Inside(top, name)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

// RemoveEmpty removes a directory of the worktree top if nothing is in it; a symbolic link to one
// stays.
func RemoveEmpty(top, name string) {
	dir := filepath.Join(top, filepath.FromSlash(name))
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		os.Remove(dir)
	}
}

// CheckWrite says why files of the worktree top must not be written: a link on the way to one leads
// out of the worktree, or git tracks it, so that others say where it leads; or what is there is no
// regular file. tracked gives those of the links that git tracks, and is asked only if there are
// any.
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
