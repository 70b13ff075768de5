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

	"entire-plumb/internal/safefile"
)

// IndexEntry is one path of an index.
type IndexEntry struct {
	Path  Path
	Entry Entry
	Stage int // 0 but in a conflict
}

// HashInto stores worktree files as `git add` would, filters, line ends, symlinks, modes and nested
// repositories included, and gives the entries that they'd have; a path that is not there any more
// has none. seed is what the index holds for those paths now, which git considers: a file whose
// stored content has CRLF keeps it, and without core.fileMode the mode is the index's.
//
// The work is done in an index of its own, which holds nothing else, or, where sparse is set, in a
// copy of the file that it names, so that attributes whose files aren't in the worktree are found.
// Two processes, or three when the seed is too long for a command line. A path that git cannot add
// is left out, and named with git's reason in refused; finding it costs more processes, about two
// for each halving of the list.
func (r *Repo) HashInto(ctx context.Context, seed map[Path]Entry, sparse string, paths []Path) (entries map[Path]Entry, refused map[Path]string, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
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
	if err := r.addPaths(ctx, scratch, seed, paths, refused); err != nil {
		return nil, nil, err
	}
	listed, err := r.ListIndex(ctx, scratch)
	if err != nil {
		return nil, nil, err
	}
	entries = make(map[Path]Entry, len(paths))
	for _, p := range paths {
		entries[p] = Entry{}
	}
	for _, e := range listed {
		if _, asked := entries[e.Path]; asked && e.Stage == 0 {
			entries[e.Path] = e.Entry
		}
	}
	for p := range refused {
		delete(entries, p)
	}
	return entries, refused, nil
}

// addPaths adds what can be added, halving the list until what cannot is alone.
func (r *Repo) addPaths(ctx context.Context, index string, seed map[Path]Entry, paths []Path, refused map[Path]string) error {
	err := r.UpdateIndex(ctx, index, seed, paths)
	var fault *Error
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

// storeFailed reports whether git could write nothing, which says nothing against the paths: the
// disk is full, or may not be written.
func storeFailed(said string) bool {
	said = strings.ToLower(said)
	for _, sign := range []string{"repository database", "temporary file", "unable to write", "write error", "unable to deflate", "loose object", ".lock'"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// longestSeed is how many bytes of seed entries go on the command line; systems allow an argument
// list of 128 KiB and more.
const longestSeed = 96 << 10

// UpdateIndex puts seed into the index file, which may not exist yet, and then brings the paths in
// it to what the worktree holds: added, modified, or removed.
func (r *Repo) UpdateIndex(ctx context.Context, index string, seed map[Path]Entry, paths []Path) error {
	env := []string{"GIT_INDEX_FILE=" + index}
	args := []string{"-c", "core.safecrlf=false", "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false",
		"update-index", "--add", "--remove", "--replace"}
	var info bytes.Buffer
	var onLine []string
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(string(p) + "\x00")
		if e := seed[p]; e.Exists() {
			fmt.Fprintf(&info, "%s %s\t%s\x00", e.Mode, e.ID, p)
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

// ListIndex lists what an index file holds.
func (r *Repo) ListIndex(ctx context.Context, index string) ([]IndexEntry, error) {
	out, err := r.output(ctx, command{args: []string{"ls-files", "--stage", "-z"}, env: []string{"GIT_INDEX_FILE=" + index}})
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
		entries = append(entries, IndexEntry{Path: Path(path), Entry: Entry{Mode: f[0], ID: OID(f[1])}, Stage: int(f[2][0] - '0')})
	}
	return entries, nil
}

// CopyIndex copies an index file with its time stamp: git takes an entry that is as young as its
// index for one that may have changed since, and a younger copy would hide such changes. There may
// be none to copy, then there is none after.
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
