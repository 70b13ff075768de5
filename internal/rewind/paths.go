package rewind

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// ErrNoSuchFile says that a file is neither in the worktree nor in the checkpoint.
var ErrNoSuchFile = errors.New("no such file")

// pathsOf finds the paths of files and directories as the user typed them in dir; nil: none are
// named. The worktree's top is "".
func pathsOf(top, dir string, files []string) (paths []gitexec.Path, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // as top is
		dir = real
	}
	for _, file := range files {
		full := file
		if !filepath.IsAbs(file) {
			full = filepath.Join(dir, file)
		}
		name, err := filepath.Rel(top, full)
		if err != nil || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%w: %s is outside of the worktree %s", ErrNoSuchFile, file, top)
		}
		path := gitexec.Path(filepath.ToSlash(name))
		if path == "." {
			path = ""
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// filesOf is the tree with a checkpoint's files: the stream's, or of the commit that links it.
func (p *run) filesOf(k point) (gitexec.OID, error) {
	if k.stream != nil {
		return k.tree, nil
	}
	if k.Commit == "" {
		return "", fmt.Errorf("checkpoint %s has no files: no commit on a branch or a tag links it any more", k.CheckpointID)
	}
	c, err := p.opened.DB.Commit(k.Commit)
	if err != nil {
		return "", err
	}
	return c.Tree, nil
}

// onlyPaths keeps the changes of the named paths, with those of files in whose place they go, and
// returns the tree with these alone. A name that neither tree has is an error.
func (p *run) onlyPaths(diff []gitexec.Change, now, to gitexec.OID) ([]gitexec.Change, gitexec.OID, error) {
	before, err := p.opened.DB.Lookup(now, p.paths...)
	if err != nil {
		return nil, "", err
	}
	after, err := p.opened.DB.Lookup(to, p.paths...)
	if err != nil {
		return nil, "", err
	}
	for i, path := range p.paths {
		if path != "" && !before[i].Exists() && !after[i].Exists() {
			return nil, "", fmt.Errorf("%w: %s is neither in the worktree nor in the checkpoint", ErrNoSuchFile, path.Display())
		}
	}
	diff, p.paths = limit(diff, p.paths)
	edits := gitexec.Edits{}
	for _, c := range diff {
		edits[c.Path] = c.New
	}
	tree, err := p.opened.DB.EditTree(now, edits)
	return diff, tree, err
}

// limit keeps the changes at some paths or below them, and deletions of files that are in the way
// of these, whose paths are added: an undo puts them back.
func limit(diff []gitexec.Change, paths []gitexec.Path) ([]gitexec.Change, []gitexec.Path) {
	var kept, others []gitexec.Change
	for _, c := range diff {
		if slices.ContainsFunc(paths, func(path gitexec.Path) bool { return within(c.Path, path) }) {
			kept = append(kept, c)
		} else if !c.New.Exists() {
			others = append(others, c)
		}
	}
	named := kept
	for _, c := range others {
		if slices.ContainsFunc(named, func(k gitexec.Change) bool { return k.New.Exists() && within(k.Path, c.Path) }) {
			kept, paths = append(kept, c), append(paths, c.Path)
		}
	}
	return kept, paths
}

// within reports whether a path is another one, or below it.
func within(path, dir gitexec.Path) bool {
	return dir == "" || path == dir || strings.HasPrefix(string(path), string(dir)+"/")
}
