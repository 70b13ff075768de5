package gitexec

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Object is an object as cat-file prints it. Data is nil if only the header was read.
type Object struct {
	ID   OID
	Type string // blob, tree, commit or tag
	Size int64  // bytes
	Data []byte
}

// Objects reads objects through one cat-file --batch-command process, which the first request
// starts and Close ends. The requests of a call are pipelined: all are sent before the first answer
// is read. It is not safe for concurrent use.
type Objects struct {
	repo *Repo
	ctx  context.Context
	proc *process
	out  *bufio.Reader

	packed time.Time // see packsTime, when the process started

	foreign int64 // bytes read of data that others may have written, see EachBlob
	copied  int64 // see CountCopy

	trees   treeCache      // see shared
	commits map[OID]Commit // see Ancestors

	ahead     map[OID]Object // see ReadAhead
	aheadSize int64          // of its objects, in bytes
}

// Objects returns a reader of objects; it starts no process yet.
func (r *Repo) Objects(ctx context.Context) *Objects { return &Objects{repo: r, ctx: ctx} }

// Warm starts the process early, so that it starts up concurrently with other work.
func (o *Objects) Warm() error {
	if o.proc != nil {
		return nil
	}
	o.packed = o.repo.packsTime()
	run := o.repo.runner
	run.offline = true // bring fetches
	proc, err := run.start(o.ctx, command{args: []string{"-c", "core.warnAmbiguousRefs=false", "cat-file", "--batch-command",
		"--buffer"}, later: true})
	if err != nil {
		return err
	}
	o.proc, o.out = proc, bufio.NewReaderSize(proc.out, 64<<10)
	return nil
}

// Canceled is the error of the context, if it has ended.
func (o *Objects) Canceled() error { return o.ctx.Err() }

// Close ends the process, if one was started.
func (o *Objects) Close() error {
	if o.proc == nil {
		return nil
	}
	proc := o.proc
	o.proc = nil
	return proc.wait()
}

// contents reads whole objects, in order. Names are object IDs or revisions without white space.
// Its errors are MissingError, and TooLargeError for a commit or a tree above mostCommit or
// mostTree. Blobs are read by Blob and EachBlob, whose callers give a limit.
func (o *Objects) contents(names ...OID) ([]Object, error) { return o.ask("contents", names, true) }

// Any reads commits and trees that may be missing. One that is missing or too large has an empty
// Type.
func (o *Objects) Any(names ...OID) ([]Object, error) { return askNear(o, "contents", names, false) }

// Info reads type and size of objects. A missing one has an empty Type.
func (o *Objects) Info(names ...OID) ([]Object, error) { return o.ask("info", names, false) }

// Copy writes one object's content, of the type given, without holding it in memory. Its errors are
// git's, MissingError, or the writer's.
func (o *Objects) Copy(w io.Writer, name OID, kind string) error {
	bring(o, name)
	found, err := o.Info(name)
	if err == nil {
		err = fits(o, name, found[0], kind, math.MaxInt64)
	}
	if err != nil {
		return err
	}
	// It waits to be written, and git doesn't have it yet.
	if waiting, ok := o.repo.writer.peek(found[0].ID); ok {
		_, err := w.Write(waiting.Data)
		return err
	}
	if o.repo.writer.namedIn(string(found[0].ID)) {
		err = o.repo.writer.flush(o.ctx)
	}
	if err = cmp.Or(err, o.Warm()); err != nil { // it may be the first one that git is asked for
		return err
	}
	if _, err := io.WriteString(o.proc.in, "contents "+string(found[0].ID)+"\nflush\n"); err != nil {
		return o.dead(err)
	}
	var object Object
	if err := o.answer(found[0].ID, &object, false); err != nil {
		return o.dead(err)
	}
	if object.Type != kind {
		return &MissingError{Name: string(name)}
	}
	// Whatever the writer does, all of the answer is read: the next one begins behind it.
	content := &io.LimitedReader{R: o.out, N: object.Size + 1} // and a newline
	refused, err := copied(w, content, object.Size)
	if err == nil {
		_, err = io.Copy(io.Discard, content) // up to the next answer
	}
	if err == nil && content.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return o.dead(err)
	}
	return refused
}

// copied copies n bytes, and returns the writer's and the reader's errors separately.
func copied(w io.Writer, r io.Reader, n int64) (refused, broken error) {
	buf := make([]byte, 64<<10)
	for n > 0 {
		got, err := io.ReadFull(r, buf[:min(n, int64(len(buf)))])
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(buf[:got]); err != nil {
			return err, nil
		}
		n -= int64(got)
	}
	return nil, nil
}

// bring fetches what a partial clone lacks of what is about to be read.
func bring(o *Objects, ids ...OID) { o.repo.Bring(o.ctx, ids...) }

// askNear asks for commits and trees. Where git fails, since a partial clone lacks one, it asks
// again, as ask does.
func askNear(o *Objects, verb string, names []OID, must bool) ([]Object, error) {
	return withWaiting(o, names, func(names []OID) ([]Object, error) {
		found, err := askGit(o, verb, names, must)
		if errors.As(err, new(*Error)) && o.Canceled() == nil && o.repo.Partial() {
			return askPresent(o, verb, names, must)
		}
		return found, err
	})
}

// ask asks for objects, also for those that wait to be stored or were read ahead.
func (o *Objects) ask(verb string, names []OID, must bool) ([]Object, error) {
	ahead := func(name OID) (Object, bool) { object, ok := o.ahead[name]; return object, ok }
	return answered(names, ahead, func(names []OID) ([]Object, error) {
		return withWaiting(o, names, func(names []OID) ([]Object, error) { return askPresent(o, verb, names, must) })
	})
}

// answered answers for objects that are known, and has the others asked for.
func answered(names []OID, known func(OID) (Object, bool), ask func([]OID) ([]Object, error)) ([]Object, error) {
	answers := make([]Object, len(names))
	var asked []OID
	var at []int
	for i, name := range names {
		object, ok := known(name)
		// The places of the answers stay those of the names, however many are asked for.
		if answers[i] = object; !ok {
			asked, at = append(asked, name), append(at, i)
		}
	}
	found, err := ask(asked)
	for i, object := range found {
		answers[at[i]] = object
	}
	return answers, err
}

// withWaiting answers what waits to be stored itself, and has the others asked for. A name that is
// no ID may be derived from what waits.
func withWaiting(o *Objects, names []OID, ask func([]OID) ([]Object, error)) ([]Object, error) {
	w := o.repo.writer
	if !w.waits() {
		return ask(names)
	}
	return answered(names, w.peek, func(names []OID) ([]Object, error) {
		// `<commit>:<path>` of a commit that waits is only known to git once that is written.
		if slices.ContainsFunc(names, func(name OID) bool { return w.namedIn(string(name)) }) {
			if err := w.flush(o.ctx); err != nil {
				return nil, err
			}
		}
		return ask(names)
	})
}

// askPresent asks git for objects, but for those that a partial clone lacks: some versions of git
// would fetch them, or die.
func askPresent(o *Objects, verb string, names []OID, must bool) ([]Object, error) {
	lacks := o.repo.Lacks(o.ctx, names)
	for _, name := range names {
		if must && lacks[name] {
			return nil, missing(o, name)
		}
	}
	return answered(names, func(name OID) (Object, bool) { return Object{}, lacks[name] },
		func(names []OID) ([]Object, error) { return askGit(o, verb, names, must) })
}

func askGit(o *Objects, verb string, names []OID, must bool) ([]Object, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if err := o.Canceled(); err != nil { // git may have a moment to live
		return nil, err
	}
	if err := o.Warm(); err != nil {
		return nil, err
	}
	o.repo.tracer.asks(len(names))
	var requests bytes.Buffer
	for _, name := range names {
		if strings.ContainsAny(string(name), "\r\n") { // it would be more than one request, or another
			return nil, &MissingError{Name: string(name)}
		}
		for _, part := range [...]string{verb, " ", string(name), "\n"} {
			requests.WriteString(part)
		}
	}
	requests.WriteString("flush\n") // git buffers its answers until then, which saves wake-ups
	// `contents 5d2c…` and a line break for each object, and `flush` at the end.
	written := o.send(requests.Bytes())
	answers := make([]Object, len(names))
	for i := range answers {
		// Answers come in the order of the requests: after an error no later one can be told, and
		// the process is given up.
		if err := o.answer(names[i], &answers[i], verb == "contents"); err != nil {
			return nil, o.dead(err)
		}
	}
	if err := <-written; err != nil {
		return nil, o.dead(err)
	}
	if must {
		if i := slices.IndexFunc(answers, func(a Object) bool { return a.Type == "" }); i >= 0 {
			return nil, unreadable(o, names[i], answers[i])
		}
	}
	return answers, nil
}

// unreadable is the error of an object that was asked for and has no type.
func unreadable(o *Objects, name OID, object Object) error {
	// answer leaves the size of an object that is too large: see there.
	if object.Size > 0 {
		return &TooLargeError{Name: string(name), Size: object.Size}
	}
	return missing(o, name)
}

func missing(o *Objects, name OID) error {
	return &MissingError{Name: string(name), Unfetched: o.repo.promised.failed() || o.repo.offline && o.repo.Partial()}
}

// pipe is the capacity of a pipe, in bytes.
const pipe = 4096

// send writes requests, many of them concurrently with reading: git may stop reading requests while
// its answers are not read.
func (o *Objects) send(requests []byte) chan error {
	written := make(chan error, 1)
	write := func(in io.Writer) { _, err := in.Write(requests); written <- err }
	// What fits into the pipe doesn't block, so that no goroutine is needed.
	if len(requests) <= pipe {
		write(o.proc.in)
	} else {
		go write(o.proc.in)
	}
	return written
}

// mostTree limits the size of a tree or a tag, in bytes: about a million entries. Of a commit
// larger than mostCommit, the first and the last half of that are read, with the headers and the
// subject, and the trailers. Anyone who can push can make a commit with a huge message.
const mostCommit, mostTree = 2 << 20, 64 << 20

var mostOf = map[string]int64{"tag": mostTree, "tree": mostTree}

// cut replaces the middle of a large commit.
const cut = "\n\n[...]\n\n"

// answer reads what git says of a name: a header and the content. A content above the limit is
// skipped: the object then has a size and no type. After anything else no answer might come: that
// is an error.
func (o *Objects) answer(name OID, into *Object, content bool) error {
	line, err := o.out.ReadString('\n')
	if err != nil {
		return err
	}
	// `5d2c… missing`. A header has three fields: `5d2c… blob 42`.
	if why, ok := strings.CutPrefix(line, string(name)); ok && strings.HasPrefix(why, " ") && len(strings.Fields(why)) == 1 {
		return nil // missing, or ambiguous
	}
	id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	kind, length, _ := strings.Cut(rest, " ")
	// 63 bits, so that it fits an int64.
	size, err := strconv.ParseUint(length, 10, 63)
	if err != nil || kind == "" || !ValidOID(id) {
		return fmt.Errorf("cat-file answered %q", line)
	}
	*into = Object{ID: OID(id), Type: kind, Size: int64(size)}
	if !content {
		return nil
	}
	return o.content(into)
}

// content reads what follows the header, and its newline.
func (o *Objects) content(into *Object) (err error) {
	size := into.Size
	// Blobs have no limit here: their readers ask for the size first, and give one.
	if most := mostOf[into.Type]; most > 0 && size > most {
		into.Type = ""
		// With its newline.
		_, err = io.CopyN(io.Discard, o.out, size+1)
		return err
	}
	if into.Type == "commit" && size > mostCommit {
		into.Data, err = o.bothEnds(size)
	} else {
		into.Data = make([]byte, size)
		_, err = io.ReadFull(o.out, into.Data)
	}
	if err != nil {
		return err
	}
	_, err = o.out.Discard(1)
	return err
}

// bothEnds reads size bytes, and returns the first and the last of them.
func (o *Objects) bothEnds(size int64) ([]byte, error) {
	const half = mostCommit / 2
	data := make([]byte, half+len(cut)+half)
	if _, err := io.ReadFull(o.out, data[:half]); err != nil {
		return nil, err
	}
	copy(data[half:], cut)
	if _, err := io.CopyN(io.Discard, o.out, size-2*half); err != nil {
		return nil, err
	}
	_, err := io.ReadFull(o.out, data[half+len(cut):])
	return data, err
}

func (o *Objects) dead(cause error) error {
	proc := o.proc
	// The next request starts another process.
	o.proc = nil
	return proc.broken(cause)
}
