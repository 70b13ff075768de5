package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"entire-plumb/internal/safefile"
)

// IndexEntry is one path of an index.
type IndexEntry struct {
	Path  Path
	Entry Entry
	Stage int // 0 but in a conflict
}

// HashInto stores worktree files as `git add` would, including filters, line endings, symlinks,
// modes and nested repositories, and returns their entries; a path without a file has none. seed is
// the index's entries of those paths, which git takes into account: a file whose stored content has
// CRLF keeps it, and without core.fileMode the mode is the index's.
//
// It uses a temporary index with these paths alone or, if sparse is set, a copy of the index file
// that it names, so that git finds attributes whose files aren't in the worktree. Two processes, or
// three if the seed is too long for a command line. A path that git cannot add has no entry, and is
// named with git's reason in refused; finding it costs about two more processes for each halving of
// the list.
func (db *ODB) HashInto(seed map[Path]Entry, sparse string, paths []Path) (entries map[Path]Entry, refused map[Path]string, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	r := db.repo
	temp, err := r.TempDir()
	if err != nil {
		return nil, nil, err
	}
	defer temp.Remove()
	scratch := filepath.Join(temp.Dir, "index")
	if sparse != "" {
		if err := r.CopyIndex(sparse, scratch); err != nil {
			return nil, nil, err
		}
	}
	refused = map[Path]string{}
	if err := r.addPaths(db.ctx, scratch, seed, paths, refused); err != nil {
		return nil, nil, err
	}
	listed, err := r.ListIndex(db.ctx, scratch)
	if err != nil {
		return nil, nil, err
	}
	entries = entriesOf(paths, listed, refused)
	var ids []OID
	for _, e := range entries {
		if e.Mode != ModeGitlink { // a commit of another repository
			ids = append(ids, e.ID)
		}
	}
	db.noteStored(sync.OnceValue(func() error { _, _, err := db.HashInto(seed, sparse, paths); return err }), ids...) // which notes them again
	return entries, refused, nil
}

// entriesOf are the paths' entries in an index, without those that git refused.
func entriesOf(paths []Path, index []IndexEntry, refused map[Path]string) map[Path]Entry {
	entries := make(map[Path]Entry, len(paths))
	// A path without an entry in the index has no file: that is an answer, too.
	for _, p := range paths {
		entries[p] = Entry{}
	}
	for _, e := range index {
		// A copy of a sparse index has all other files as well.
		if _, asked := entries[e.Path]; asked && e.Stage == 0 {
			entries[e.Path] = e.Entry
		}
	}
	for p := range refused {
		delete(entries, p)
	}
	return entries
}

// addPaths adds the paths. If git refuses some, it halves the list until each of these is alone.
func (r *Repo) addPaths(ctx context.Context, index string, seed map[Path]Entry, paths []Path, refused map[Path]string) error {
	err := r.UpdateIndex(ctx, index, seed, paths)
	var fault *Error
	// Only a refusal of git's own is about the paths: not one that was killed, nor one that could
	// not store.
	if err == nil || ctx.Err() != nil || !errors.As(err, &fault) || fault.Code < 0 || storeFailed(fault.Stderr) {
		return err
	}
	if len(paths) == 1 {
		refused[paths[0]] = fault.Stderr
		return nil
	}
	half := len(paths) / 2
	if err := r.addPaths(ctx, index, seed, paths[:half], refused); err != nil {
		return err
	}
	return r.addPaths(ctx, index, seed, paths[half:], refused)
}

// storeFailed reports whether git could not write, for instance to a full disk, so that the paths
// are not to blame.
func storeFailed(said string) bool {
	said = strings.ToLower(said)
	for _, sign := range []string{"repository database", "temporary file", "unable to write", "write error", "unable to deflate",
		"loose object", ".lock'"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// longestSeed is how many bytes of seed entries are passed on the command line; systems allow at
// least 128 KiB of arguments.
const longestSeed = 96 << 10

// UpdateIndex writes seed to the index file, which may not exist yet, and then updates the paths
// from the worktree: added, modified, or removed.
func (r *Repo) UpdateIndex(ctx context.Context, index string, seed map[Path]Entry, paths []Path) error {
	env := []string{"GIT_INDEX_FILE=" + index}
	// safecrlf would have git refuse files for their line ends. A split index would write a second
	// file. fsmonitor would be asked for a list that is known.
	args := []string{"-c", "core.safecrlf=false", "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false",
		"update-index", "--add", "--remove", "--replace"}
	var info bytes.Buffer
	var onLine []string
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(string(p) + "\x00")
		if e := seed[p]; e.Exists() {
			fmt.Fprintf(&info, "%s %s\t%s\x00", e.Mode, e.ID, p)
			// On the command line it saves a process; git reads options before its input.
			onLine = append(onLine, "--cacheinfo", e.Mode+","+string(e.ID)+","+string(p))
		}
	}
	if info.Len() > longestSeed {
		if _, err := r.output(ctx, command{args: append(args, "-z", "--index-info"), env: env, stdin: &info}); err != nil {
			return err
		}
		onLine = nil
	}
	args = append(append(args, onLine...), "-z", "--stdin")
	_, err := r.output(ctx, command{args: args, env: env, stdin: &in})
	return err
}

// ListIndex lists the entries of an index file. Of a sparse index, whose expansion takes time for
// each file of HEAD, a directory that is not checked out is one entry, with the mode of a tree.
func (r *Repo) ListIndex(ctx context.Context, index string) ([]IndexEntry, error) {
	out, err := r.output(ctx, command{args: []string{"ls-files", "--stage", "--sparse", "-z"}, env: []string{"GIT_INDEX_FILE=" + index}})
	if err != nil {
		return nil, err
	}
	var entries []IndexEntry
	for record := range strings.SplitSeq(string(out), "\x00") {
		if record == "" {
			continue
		}
		meta, path, ok := strings.Cut(record, "\t") // "mode id stage\tpath"
		f := strings.Fields(meta)
		if !ok || len(f) != 3 || len(f[2]) != 1 {
			return nil, fmt.Errorf("git ls-files answered %q", record)
		}
		entries = append(entries, IndexEntry{Path: Path(path), Entry: Entry{Mode: strings.TrimPrefix(f[0], "0"), ID: OID(f[1])}, Stage: int(f[2][0] - '0')})
	}
	return entries, nil
}

// CopyIndex copies an index file with its time stamp. git compares the content of a file whose time
// is not before the index's, and a newer copy would hide such changes. If there is no index, there
// is no copy.
func (r *Repo) CopyIndex(from, to string) error {
	src, err := safefile.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	// Written elsewhere and renamed: a reader never sees half of it, and a killed copy is removed
	// with the directory.
	temp, err := r.TempDir()
	if err != nil {
		return err
	}
	defer temp.Remove()
	copied := filepath.Join(temp.Dir, "copy")
	err = safefile.WriteFrom(copied, 0o600, func(dst *os.File) error {
		if _, err := io.Copy(dst, src); err != nil {
			return err
		}
		return os.Chtimes(dst.Name(), info.ModTime(), info.ModTime())
	})
	if err != nil {
		return err
	}
	return os.Rename(copied, to)
}
