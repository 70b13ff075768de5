package seal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"filippo.io/age"

	"entire-plumb/internal/safefile"
)

// Keys are the user's identities. They are read when something sealed is met.
type Keys struct {
	load  func() ([]age.Identity, error)
	fault atomic.Pointer[error]
}

// Fault is why the identities could not be read when they were needed; nil: they could, or were not
// needed.
func (k *Keys) Fault() error {
	if fault := k.fault.Load(); fault != nil {
		return *fault
	}
	return nil
}

// mostIdentities is how many bytes a file of identities has.
const mostIdentities = 1 << 20

// NewKeys returns the identities that find names: a file's path, or an identity itself; empty:
// there is none.
func NewKeys(find func() (string, error)) *Keys {
	return &Keys{load: sync.OnceValues(func() ([]age.Identity, error) {
		name, err := find()
		if err != nil || name == "" {
			return nil, err
		}
		text := []byte(name)
		if !strings.HasPrefix(name, "AGE-SECRET-KEY-") {
			if text, err = safefile.Read(name, mostIdentities); err != nil {
				return nil, fmt.Errorf("the age identity cannot be read: %w", err)
			}
			if Is(text) || bytes.HasPrefix(text, []byte("-----BEGIN AGE ENCRYPTED FILE-----")) {
				return nil, fmt.Errorf("the age identity %s is itself encrypted: nothing asks for its passphrase here", name)
			}
		}
		all, err := age.ParseIdentities(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("the age identity cannot be read: %w", err) // age's errors don't quote it
		}
		return all, nil
	})}
}

// reader opens a sealed content.
func (k *Keys) reader(from *bufio.Reader) (io.Reader, error) {
	head, _ := from.Peek(from.Size())
	fault := &Error{For: forWhom(head)}
	identities, err := k.load()
	if err != nil || len(identities) == 0 {
		if fault.Cause = err; err != nil {
			k.fault.Store(&err)
		}
		return nil, fault
	}
	opened, err := age.Decrypt(from, identities...)
	if none := new(age.NoIdentityMatchError); errors.As(err, &none) {
		return nil, fault
	}
	if err != nil {
		return nil, fmt.Errorf("what was encrypted is damaged: %w", err)
	}
	packed, err := gzip.NewReader(opened)
	if err != nil {
		return nil, fmt.Errorf("what was encrypted is damaged: %w", err)
	}
	return packed, nil
}

// Open returns a content as it was before it was sealed, of at most so many bytes. One that is not
// sealed comes back as it is. Errors are Error, where no identity opens it, or say what is damaged.
func (k *Keys) Open(content []byte, most int64) ([]byte, error) {
	if !Is(content) {
		return content, nil
	}
	r, err := k.reader(bufio.NewReaderSize(bytes.NewReader(content), 64<<10))
	if err != nil {
		return nil, err
	}
	opened, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(opened)) > most {
		err = fmt.Errorf("what was encrypted has more than %d bytes", most)
	}
	if err != nil {
		return nil, fmt.Errorf("what was encrypted is damaged: %w", err)
	}
	return opened, nil
}

// OpenLine opens a sealed line; of one that no identity opens it says so in its place.
func (k *Keys) OpenLine(text string) string {
	const most = 1 << 20
	if !IsLine(text) {
		return text
	}
	sealed, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, line))
	if err != nil {
		return "(damaged)"
	}
	opened, err := k.Open(sealed, most)
	if fault := new(Error); errors.As(err, &fault) {
		return "(" + fault.Brief() + ")"
	}
	if err != nil {
		return "(damaged)"
	}
	return string(opened)
}

// Writer opens what is written to it, if it is sealed, and writes it on, at most so many bytes. It
// must be closed.
func (k *Keys) Writer(to io.Writer, most int64) *Writer { return &Writer{keys: k, to: to, most: most} }

// Writer is an open content that is being written.
type Writer struct {
	keys *Keys
	to   io.Writer
	most int64

	head []byte // until it is known whether the content is sealed
	pipe *io.PipeWriter
	done chan error
	as   bool // is: not sealed
}

// Write writes a part of the content.
func (w *Writer) Write(part []byte) (int, error) {
	if !w.as && w.pipe == nil {
		w.head = append(w.head, part...)
		if len(w.head) < len(magic) && strings.HasPrefix(magic, string(w.head)) {
			return len(part), nil
		}
		if err := w.begin(); err != nil {
			return 0, err
		}
		return len(part), nil
	}
	if w.pipe != nil {
		return w.pipe.Write(part)
	}
	return w.to.Write(part)
}

func (w *Writer) begin() error {
	head := w.head
	w.head = nil
	if !Is(head) {
		w.as = true
		_, err := w.to.Write(head)
		return err
	}
	from, pipe := io.Pipe()
	w.pipe, w.done = pipe, make(chan error, 1)
	go func() {
		err := w.open(from)
		from.CloseWithError(err)
		w.done <- err
	}()
	_, err := pipe.Write(head)
	return err
}

func (w *Writer) open(from io.Reader) error {
	r, err := w.keys.reader(bufio.NewReaderSize(from, 64<<10))
	if err != nil {
		return err
	}
	n, err := io.Copy(w.to, io.LimitReader(r, w.most+1))
	if err == nil && n > w.most {
		err = fmt.Errorf("what was encrypted has more than %d bytes", w.most)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, from)
	}
	return err
}

// Close writes what is left.
func (w *Writer) Close() error {
	if !w.as && w.pipe == nil {
		w.as = true
		_, err := w.to.Write(w.head)
		return err
	}
	if w.pipe == nil {
		return nil
	}
	w.pipe.Close()
	return <-w.done
}
