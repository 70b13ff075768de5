package gitexec

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ObjectWriter stores objects of one type, byte for byte, through one hash-object process that is started by the first
// of them and lives until Close. Each content passes through a file inside the git directory, since hash-object takes
// only one content from its standard input.
type ObjectWriter struct {
	repo *Repo
	ctx  context.Context
	kind string
	dir  string
	n    int
	proc *process
	out  *bufio.Reader
}

// ObjectWriter makes a writer of objects of a kind, "blob" or "commit"; nothing is started yet.
func (r *Repo) ObjectWriter(ctx context.Context, kind string) *ObjectWriter {
	return &ObjectWriter{repo: r, ctx: ctx, kind: kind}
}

// Warm starts the process before it is needed.
func (w *ObjectWriter) Warm() error {
	if w.warm() {
		return nil
	}
	dir, err := w.repo.TempDir()
	if err != nil {
		return err
	}
	proc, err := w.repo.start(w.ctx, command{args: []string{"hash-object", "-t", w.kind, "-w", "--no-filters", "--stdin-paths"}})
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	w.dir, w.proc, w.out = dir, proc, bufio.NewReader(proc.out)
	return nil
}

func (w *ObjectWriter) warm() bool { return w.proc != nil }

// Write stores one object and gives its ID.
func (w *ObjectWriter) Write(content []byte) (OID, error) {
	if err := w.Warm(); err != nil {
		return "", err
	}
	w.n++
	file := filepath.Join(w.dir, strconv.Itoa(w.n))
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return "", err
	}
	defer os.Remove(file)
	if _, err := w.proc.in.Write([]byte(cQuote(file) + "\n")); err != nil {
		return "", w.dead(err)
	}
	line, err := w.out.ReadString('\n')
	if err != nil {
		return "", w.dead(err)
	}
	return OID(strings.TrimSuffix(line, "\n")), nil
}

// Close ends the process, if one was started.
func (w *ObjectWriter) Close() error {
	if w.proc == nil {
		return nil
	}
	proc := w.proc
	w.proc = nil
	os.RemoveAll(w.dir)
	return proc.wait()
}

func (w *ObjectWriter) dead(cause error) error {
	proc := w.proc
	w.proc = nil
	os.RemoveAll(w.dir)
	return proc.broken(cause)
}
