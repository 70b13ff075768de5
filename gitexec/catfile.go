package gitexec

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
)

// Object is what cat-file says of an object. Data is nil where only information was asked for.
type Object struct {
	ID   OID
	Type string // blob, tree, commit or tag
	Size int64  // bytes
	Data []byte
}

// Objects reads objects through one cat-file --batch-command process, which is started by the first
// request and lives until Close. Requests are pipelined: all of a call's are on their way before
// the first answer is read. It is not for use by several goroutines at once.
type Objects struct {
	repo *Repo
	ctx  context.Context
	proc *process
	out  *bufio.Reader

	foreign int64 // bytes that were read of what others may have written, see EachBlob
	copied  int64 // see Allow

	trees   map[OID]Tree   // see shared
	entries int            // of trees
	commits map[OID]Commit // see Ancestors
	ahead   map[OID][]byte // see Ahead
}

// Objects makes a reader of objects; nothing is started yet.
func (r *Repo) Objects(ctx context.Context) *Objects { return &Objects{repo: r, ctx: ctx} }

// Warm starts the process before it is needed, so that its start-up passes beside other work.
func (o *Objects) Warm() error {
	if o.proc != nil {
		return nil
	}
	proc, err := o.repo.start(o.ctx, command{args: []string{"-c", "core.warnAmbiguousRefs=false", "cat-file", "--batch-command", "--buffer"}})
	if err != nil {
		return err
	}
	o.proc, o.out = proc, bufio.NewReaderSize(proc.out, 64<<10)
	return nil
}

// Canceled gives the error of the context, if it has ended.
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

// contents reads objects whole, in the order asked for. Names are object IDs or revisions without
// white space. The error for one that isn't there is a MissingError, and a TooLargeError for a
// commit or a tree beyond mostCommit or mostTree. Blobs are read by Blob and EachBlob, whose
// callers say how large they may be.
func (o *Objects) contents(names ...OID) ([]Object, error) { return o.ask("contents", names, true) }

// Any reads commits and trees that may not be there: such a one has an empty Type, and so has one
// that is too large.
func (o *Objects) Any(names ...OID) ([]Object, error) { return o.ask("contents", names, false) }

// Info gives type and size of objects. One that isn't there has an empty Type.
func (o *Objects) Info(names ...OID) ([]Object, error) { return o.ask("info", names, false) }

// Copy writes one object's content, of the type given, without having it in memory. Errors are
// git's, a MissingError, or the writer's.
func (o *Objects) Copy(w io.Writer, name OID, kind string) error {
	found, err := o.Info(name)
	switch {
	case err != nil:
		return err
	case found[0].Type == "":
		return &MissingError{Name: string(name)}
	case found[0].Type != kind:
		return &KindError{Name: string(name), Kind: found[0].Type, Want: kind}
	}
	if _, err := io.WriteString(o.proc.in, "contents "+string(found[0].ID)+"\nflush\n"); err != nil {
		return o.dead(err)
	}
	var object Object
	if err := o.answer(&object, false); err != nil {
		return o.dead(err)
	}
	if object.Type != kind {
		return &MissingError{Name: string(name)}
	}
	content := &io.LimitedReader{R: o.out, N: object.Size + 1} // and a newline
	refused, err := copied(w, content, object.Size)
	if err == nil {
		_, err = io.Copy(io.Discard, content) // the next answer begins behind it
	}
	if err == nil && content.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return o.dead(err)
	}
	return refused
}

// copied copies n bytes, and tells the writer's error from the reader's.
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

func (o *Objects) ask(verb string, names []OID, must bool) ([]Object, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if err := o.Warm(); err != nil {
		return nil, err
	}
	o.repo.tracer.asks(len(names))
	var requests bytes.Buffer
	for _, name := range names {
		requests.WriteString(verb + " " + string(name) + "\n")
	}
	requests.WriteString("flush\n") // till then git keeps its answers together, instead of waking us for each
	written := o.send(requests.Bytes())
	answers := make([]Object, len(names))
	var missing error
	for i := range answers {
		answer := &answers[i]
		if err := o.answer(answer, verb == "contents"); err != nil {
			return nil, o.dead(err)
		}
		switch {
		case answer.Type != "" || missing != nil:
		case answer.Size > 0:
			missing = &TooLargeError{Name: string(names[i]), Size: answer.Size}
		default:
			missing = &MissingError{Name: string(names[i])}
		}
	}
	if err := <-written; err != nil {
		return nil, o.dead(err)
	}
	if must && missing != nil {
		return nil, missing
	}
	return answers, nil
}

// pipe is how many bytes a pipe takes whoever reads.
const pipe = 4096

// send writes requests, many of them beside the reading: git may stop to read them while nobody
// takes its answers.
func (o *Objects) send(requests []byte) chan error {
	written := make(chan error, 1)
	write := func(in io.Writer) { _, err := in.Write(requests); written <- err }
	if len(requests) <= pipe {
		write(o.proc.in)
	} else {
		go write(o.proc.in)
	}
	return written
}

// mostTree is how many bytes a tree may have, and a tag: about a million entries. Of a commit that
// is larger than mostCommit the first and the last half of that are read: the headers and the
// subject, and the trailers. Whoever can push a commit can make its message as long as git has
// memory for.
const mostCommit, mostTree = 2 << 20, 64 << 20

var mostOf = map[string]int64{"tag": mostTree, "tree": mostTree}

// cut stands where the middle of a commit is left out.
const cut = "\n\n[...]\n\n"

// answer reads one header, and as many bytes of content as it says, or none where those are too
// many: then there is a size and no type.
func (o *Objects) answer(into *Object, content bool) error {
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	fields := bytes.Fields(line)
	if len(fields) != 3 || !ValidOID(string(fields[0])) {
		return nil // "<name> missing" or "<name> ambiguous"
	}
	size, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return fmt.Errorf("cat-file answered %q", line)
	}
	*into = Object{ID: OID(fields[0]), Type: string(fields[1]), Size: size}
	if !content {
		return nil
	}
	if most := mostOf[into.Type]; most > 0 && size > most {
		into.Type = ""
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

// bothEnds reads as many bytes, and gives the first and the last of them.
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
	o.proc = nil
	return proc.broken(cause)
}
