package gitexec

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// StatusEntry is one path that differs between HEAD, the index and the worktree.
type StatusEntry struct {
	Path     Path
	Index    byte  // HEAD against the index: '.', M, T, A, D; U and the like in a conflict
	Worktree byte  // the index against the worktree: '.', M, T, A (intent to add), D; '?' for an untracked path
	Staged   Entry // in the index; in a conflict, our side
	Mode     string
	Conflict bool
}

// Untracked reports whether the path is untracked. A path that ends in "/" is a nested repository.
func (s StatusEntry) Untracked() bool { return s.Worktree == '?' }

// Status lists the differences between HEAD, the index file given and the worktree. With refresh
// set git may refresh the time stamps of the index, which must not be the user's then. Untracked
// files are listed one by one, ignored files are not; a submodule is listed if another commit is
// checked out in it, without starting a process there. head is HEAD's commit, empty on an unborn
// branch: it may have moved since discovery.
func (r *Repo) Status(ctx context.Context, index string, refresh bool) (entries []StatusEntry, head OID, err error) {
	env := []string{"GIT_INDEX_FILE=" + index}
	if refresh {
		env = append(env, "GIT_OPTIONAL_LOCKS=1")
	}
	out, err := r.output(ctx, command{
		online: true,
		env:    env,
		// "all" is set by configuration, because with the option git ignores the untracked cache.
		// Creating such a cache doesn't pay: it costs 0.4 of a status, and is lost when the user's
		// index changes.
		args: []string{"-c", "status.showUntrackedFiles=all", "-c", "core.splitIndex=false",
			"-c", "advice.statusHints=false", "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-ahead-behind"},
	})
	if err != nil {
		return nil, "", err
	}
	entries, err = parseStatus(out)
	return entries, statusHead(out), err
}

// mostNamedFiles is how many files are named to a process: more would be too many arguments.
const mostNamedFiles = 500

// Differing are those of some files, relative to the top level, that differ between HEAD, the index
// and the worktree, untracked ones included. One process, and none for no files.
func (r *Repo) Differing(ctx context.Context, files []Path) (map[Path]bool, error) {
	found := map[Path]bool{}
	if len(files) == 0 {
		return found, nil
	}
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty", "--no-ahead-behind", "--"}
	// Beyond that all files are asked for, and found has others than were named.
	if len(files) <= mostNamedFiles {
		for _, file := range files {
			args = append(args, ":(top,literal)"+string(file))
		}
	}
	out, err := r.output(ctx, command{args: args})
	if err != nil {
		return nil, err
	}
	entries, err := parseStatus(out)
	for _, one := range entries {
		found[one.Path] = true
	}
	return found, err
}

// statusHead is HEAD's commit in the header of status.
func statusHead(out []byte) OID {
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if id, ok := bytes.CutPrefix(record, []byte("# branch.oid ")); ok && ValidOID(string(id)) {
			return OID(id)
		}
	}
	return ""
}

// parseStatus parses `git status --porcelain=v2 -z` without renames.
func parseStatus(out []byte) ([]StatusEntry, error) {
	var entries []StatusEntry
	for record := range bytes.SplitSeq(out, []byte{0}) {
		// `# branch.oid 5d2c…` is a header, `! path` an ignored file.
		if len(record) == 0 || record[0] == '#' || record[0] == '!' {
			continue
		}
		entry, err := parseStatusRecord(string(record))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func parseStatusRecord(record string) (StatusEntry, error) {
	bad := func() (StatusEntry, error) {
		return StatusEntry{}, fmt.Errorf("git status answered %q", record)
	}
	// The shortest is `? x`.
	if len(record) < 3 {
		return bad()
	}
	switch record[0] {
	case '?':
		return StatusEntry{Path: Path(record[2:]), Index: '.', Worktree: '?'}, nil
	case '1': // 1 XY sub mH mI mW hH hI path
		// The path comes last, and may have blanks itself.
		f := strings.SplitN(record, " ", 9)
		if len(f) != 9 || len(f[1]) != 2 {
			return bad()
		}
		return StatusEntry{Path: Path(f[8]), Index: f[1][0], Worktree: f[1][1], Staged: entryOf(f[4], f[7]), Mode: noMode(f[5])}, nil
	case 'u': // u XY sub m1 m2 m3 mW h1 h2 h3 path
		f := strings.SplitN(record, " ", 11)
		if len(f) != 11 || len(f[1]) != 2 {
			return bad()
		}
		return StatusEntry{Path: Path(f[10]), Index: f[1][0], Worktree: f[1][1],
			Staged: entryOf(f[4], f[8]), Mode: noMode(f[6]), Conflict: true}, nil
	}
	return bad()
}

func entryOf(mode, id string) Entry {
	// No entry in the index, as of a file that is staged as deleted.
	if OID(id).IsZero() || noMode(mode) == "" {
		return Entry{}
	}
	return Entry{Mode: mode, ID: OID(id)}
}

func noMode(mode string) string {
	if mode == "000000" {
		return ""
	}
	return mode
}

// StatusTime is how long git status takes with an index file, which it may write, and with settings
// (KEY=VALUE). One process.
func (r *Repo) StatusTime(ctx context.Context, index string, config ...string) (time.Duration, error) {
	var args []string
	for _, c := range config {
		args = append(args, "-c", c)
	}
	begun := time.Now()
	_, err := r.output(ctx, command{args: append(args, "status", "--porcelain=v2"), env: []string{"GIT_INDEX_FILE=" + index, "GIT_OPTIONAL_LOCKS=1"}})
	return time.Since(begun), err
}
