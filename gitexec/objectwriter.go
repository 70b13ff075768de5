package gitexec

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"entire-plumb/internal/safefile"
)

// ObjectWriter stores objects of one type, byte for byte, through one hash-object process, which
// the first of them starts and Close ends. Each content is passed in a file inside the git
// directory, because hash-object reads only one content from its stdin.
type ObjectWriter struct {
	db   *ODB
	kind string
	temp *Temp
	n    int
	kept int64 // bytes
	proc *process
	out  *bufio.Reader
	up   chan error // of a start in the background; nil: there is none
}

// writer returns a writer of objects of a kind, "blob", "tree" or "commit"; it starts no process
// yet.
func (db *ODB) writer(kind string) *ObjectWriter { return &ObjectWriter{db: db, kind: kind} }

// start starts the process, if none runs.
func (w *ObjectWriter) start() error {
	if w.proc != nil {
		return nil
	}
	temp, err := w.db.repo.TempDir()
	if err != nil {
		return err
	}
	proc, err := w.db.repo.start(w.db.ctx, command{args: []string{"hash-object", "-t", w.kind, "-w", "--no-filters", "--stdin-paths"}})
	if err != nil {
		temp.Remove()
		return err
	}
	w.temp, w.proc, w.out = temp, proc, bufio.NewReader(proc.out)
	return nil
}

// warmUp starts the process early, in the background.
func (w *ObjectWriter) warmUp() {
	if w.up == nil {
		w.up = started(w.start)
	}
}

// warm reports whether there is a process, or one starts.
func (w *ObjectWriter) warm() bool { return w.up != nil || w.proc != nil }

// ready waits for a start in the background, or starts the process.
func (w *ObjectWriter) ready() error {
	if w.up == nil {
		return w.start()
	}
	err := <-w.up
	w.up = nil
	return err
}

// Write stores objects and returns their IDs.
func (w *ObjectWriter) Write(contents ...[]byte) ([]OID, error) {
	if len(contents) == 0 {
		return nil, nil
	}
	if err := w.ready(); err != nil {
		return nil, err
	}
	files, size := make([]string, len(contents)), int64(0)
	for i, content := range contents {
		files[i], size = w.file(), size+int64(len(content))
		if err := safefile.WriteNew(files[i], content, 0o600); err != nil {
			return nil, err
		}
	}
	return w.store(files, size)
}

// WriteFrom stores an object whose content a function writes, without holding it in memory. It
// returns the function's errors, too.
func (w *ObjectWriter) WriteFrom(write func(io.Writer) error) (OID, error) {
	if err := w.ready(); err != nil {
		return "", err
	}
	name := w.file()
	f, err := safefile.Create(name, 0o600)
	if err != nil {
		return "", err
	}
	err = write(f)
	size, err2 := f.Seek(0, io.SeekCurrent)
	if err = cmp.Or(err, err2, f.Close()); err != nil {
		return "", err
	}
	return last(w.store([]string{name}, size))
}

// mostKept limits the files that are kept until Close, to store their contents again: in bytes, and
// a kilobyte for each.
const mostKept = 32 << 20

// file is the name of a new file for a content.
func (w *ObjectWriter) file() string {
	w.n++
	return filepath.Join(w.temp.Dir, strconv.Itoa(w.n))
}

func (w *ObjectWriter) store(files []string, size int64) ([]OID, error) {
	size += int64(len(files)) << 10
	keep := w.kept+size <= mostKept
	if keep {
		w.kept += size
	} else {
		defer func() {
			for _, file := range files {
				os.Remove(file)
			}
		}()
	}
	var paths bytes.Buffer
	for _, file := range files {
		paths.WriteString(cQuote(file) + "\n")
	}
	written := make(chan error, 1)
	go func(in io.Writer) { _, err := in.Write(paths.Bytes()); written <- err }(w.proc.in)
	ids := make([]OID, len(files))
	for i := range ids {
		line, err := w.out.ReadString('\n')
		if err != nil {
			return nil, w.dead(err)
		}
		ids[i] = OID(strings.TrimSuffix(line, "\n"))
	}
	if err := <-written; err != nil {
		return nil, w.dead(err)
	}
	var again func() error
	if keep {
		again = func() error {
			if !w.warm() {
				return errors.New("git hash-object has ended")
			}
			_, err := w.store(files, 0)
			return err
		}
	}
	w.db.noteStored(again, ids...)
	return ids, nil
}

// Close ends the process, if one was started.
func (w *ObjectWriter) Close() error {
	if !w.warm() {
		return nil
	}
	if err := w.ready(); err != nil {
		return err
	}
	proc := w.proc
	w.proc = nil
	w.temp.Remove()
	return proc.wait()
}

func (w *ObjectWriter) dead(cause error) error {
	proc := w.proc
	w.proc = nil
	w.temp.Remove()
	return proc.broken(cause)
}
