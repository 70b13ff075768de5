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

// Objects reads objects through one cat-file --batch-command process, which is started by the first request and lives
// until Close. Requests are pipelined: all of a call's are on their way before the first answer is read. It is not for
// use by several goroutines at once.
type Objects struct {
	repo *Repo
	ctx  context.Context
	proc *process
	out  *bufio.Reader

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
	proc, err := o.repo.start(o.ctx, command{args: []string{"cat-file", "--batch-command", "--buffer"}})
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

// Contents reads objects whole, in the order asked for. Names are object IDs or revisions without white space. The
// error for one that isn't there is a MissingError.
func (o *Objects) Contents(names ...OID) ([]Object, error) { return o.ask("contents", names, true) }

// Any is Contents of what may not be there: such a one has an empty Type.
func (o *Objects) Any(names ...OID) ([]Object, error) { return o.ask("contents", names, false) }

// Info gives type and size of objects. One that isn't there has an empty Type.
func (o *Objects) Info(names ...OID) ([]Object, error) { return o.ask("info", names, false) }

// Content reads one object, of the type given.
func (o *Objects) Content(name OID, kind string) ([]byte, error) {
	if data, ok := o.ahead[name]; ok && kind == "blob" {
		delete(o.ahead, name)
		return data, nil
	}
	found, err := o.Contents(name)
	if err != nil {
		return nil, err
	}
	if found[0].Type != kind {
		return nil, &KindError{Name: string(name), Kind: found[0].Type, Want: kind}
	}
	return found[0].Data, nil
}

// Copy writes one object's content, of the type given, without having it in memory. Errors are git's, a MissingError, or the
// writer's.
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
	var requests bytes.Buffer
	for _, name := range names {
		requests.WriteString(verb + " " + string(name) + "\n")
	}
	requests.WriteString("flush\n") // till then git keeps its answers together, instead of waking us for each
	written := o.send(requests.Bytes())
	answers := make([]Object, len(names))
	var missing error
	for i := range answers {
		if err := o.answer(&answers[i], verb == "contents"); err != nil {
			return nil, o.dead(err)
		}
		if answers[i].Type == "" && missing == nil {
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

// fits is how many bytes a pipe takes whoever reads.
const fits = 4096

// send writes requests, many of them beside the reading: git may stop to read them while nobody takes its answers.
func (o *Objects) send(requests []byte) chan error {
	written := make(chan error, 1)
	write := func(in io.Writer) { _, err := in.Write(requests); written <- err }
	if len(requests) <= fits {
		write(o.proc.in)
	} else {
		go write(o.proc.in)
	}
	return written
}

// answer reads one header, and as many bytes of content as it says.
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
	into.Data = make([]byte, size)
	if _, err := io.ReadFull(o.out, into.Data); err != nil {
		return err
	}
	_, err = o.out.Discard(1)
	return err
}

func (o *Objects) dead(cause error) error {
	proc := o.proc
	o.proc = nil
	return proc.broken(cause)
}
