package gitexec

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// DiffStaged lists the differences from a commit or tree to the index file, renames as deletion and
// addition, in one process. The zero ID is the empty tree. Paths, if any, limit it. Inside a hook
// the index is [Repo.IndexFile].
func (r *Repo) DiffStaged(ctx context.Context, index string, tree OID, paths ...Path) ([]Change, error) {
	if tree.IsZero() {
		tree = r.Format.EmptyTree()
	}
	return r.rawDiff(ctx, index, []string{"diff-index", "--cached"}, []string{string(tree)}, paths)
}

func (r *Repo) rawDiff(ctx context.Context, index string, verb, trees []string, paths []Path) ([]Change, error) {
	args := append(verb, "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty", "--end-of-options")
	args = append(append(args, trees...), "--")
	// A file may be called *.c or :x.
	env := []string{"GIT_LITERAL_PATHSPECS=1"}
	for _, p := range paths {
		args = append(args, string(p))
	}
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	out, err := r.output(ctx, command{args: args, env: env})
	if err != nil {
		return nil, err
	}
	return parseRawDiff(out)
}

// DiffPairs passes on the differences between the trees of many pairs, in their order: faster than
// [Objects.DiffTrees] where there are hundreds. An empty ID is the empty tree. Pathspecs, if any,
// limit it. One process. It stops at an error of each, and returns it.
func (r *Repo) DiffPairs(ctx context.Context, pairs [][2]OID, paths Pathspecs, each func(pair int, changes []Change) error) error {
	if r.Partial() {
		var roots []OID
		for _, p := range pairs {
			roots = append(roots, p[0], p[1])
		}
		r.Bring(ctx, roots...)
	}
	args := []string{"diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff",
		"--ignore-submodules=dirty", "--"}
	// Git would read the index without needing it: see startPatches.
	proc, err := r.start(ctx, command{args: append(args, paths.All...), dir: paths.Dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(r.PrivateDir(), "no-index")}, later: true})
	if err != nil {
		return err
	}
	return r.diffPairs(proc, pairs, func() error { return eachRawDiff(proc.out, len(pairs), each) })
}

// diffPairs asks a diff-tree --stdin for pairs of trees, and ends it. An error of read, which reads
// what it prints, ends it at once.
func (r *Repo) diffPairs(proc *process, pairs [][2]OID, read func() error) error {
	waits := func(p [2]OID) bool { return r.writer.namedIn(string(p[0] + " " + p[1])) }
	// Others may be storing objects meanwhile, which need one process where all are stored at once.
	if slices.ContainsFunc(pairs, waits) {
		if err := r.writer.flush(proc.context); err != nil {
			proc.wait()
			return err
		}
	}
	go func() {
		in := bufio.NewWriter(proc.in)
		for _, p := range pairs {
			fmt.Fprintf(in, "%s %s\n", cmp.Or(p[0], r.Format.EmptyTree()), cmp.Or(p[1], r.Format.EmptyTree()))
		}
		in.Flush() // wait returns the error of a process that ended
		proc.in.Close()
	}()
	if err := read(); err != nil {
		proc.cmd.Process.Signal(syscall.SIGTERM)
		proc.wait()
		return err
	}
	return proc.wait()
}

// eachRawDiff parses what git diff-tree --stdin prints: for each pair of trees their IDs in a line,
// and then the changes.
func eachRawDiff(out io.Reader, pairs int, each func(pair int, changes []Change) error) error {
	in := bufio.NewReaderSize(out, 64<<10)
	pair, changes := -1, []byte(nil)
	done := func() error {
		if pair < 0 {
			return nil
		}
		all, err := parseRawDiff(changes)
		if err != nil {
			return err
		}
		changes = changes[:0]
		return each(pair, all)
	}
	for {
		first, err := in.Peek(1)
		switch {
		case err == io.EOF:
			return done()
		case err != nil:
			return err
		// The line with the IDs of the next pair: the one before is complete.
		case first[0] != ':':
			_, end := in.ReadSlice('\n')
			if err := cmp.Or(done(), end); err != nil {
				return err
			}
			if pair++; pair >= pairs {
				return errors.New("git diff-tree answered more than it was asked")
			}
			continue
		}
		head, err := in.ReadBytes(0)
		path, err2 := in.ReadBytes(0)
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		changes = append(append(changes, head...), path...)
	}
}

// parseRawDiff parses --raw -z without renames: pairs of ":mode mode id id status" and path.
func parseRawDiff(out []byte) ([]Change, error) {
	var changes []Change
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		// Two modes, two IDs, and a letter.
		f := strings.Fields(strings.TrimPrefix(string(head), ":"))
		if !ok || !ok2 || len(f) != 5 {
			return nil, fmt.Errorf("git diff --raw answered %q", head)
		}
		changes = append(changes, Change{Path: Path(path), Old: rawEntry(f[0], f[2]), New: rawEntry(f[1], f[3])})
		out = rest
	}
	return changes, nil
}

func rawEntry(mode, id string) Entry {
	if mode = noMode(mode); mode == "" {
		return Entry{}
	}
	return Entry{Mode: mode, ID: OID(id)}
}
