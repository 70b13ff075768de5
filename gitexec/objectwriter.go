package gitexec

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"entire-plumb/internal/safefile"
)

// objectWriter stores objects, byte for byte. It keeps them until git is to read them, or a ref to
// name them, and then has one unpack-objects write all of them: hash-object would need a process
// for each type, and a file for each content. Their IDs are computed here; were one wrong, git
// would refuse a ref that names it.
//
// All copies of a repository share it, but for those of [Repo.Scratch].
type objectWriter struct {
	repo *Repo

	mu      sync.Mutex
	waiting []*object
	byID    map[OID]*object // those
	size    int64           // of those in memory, in bytes
	next    prepared[*process]
	unused  func() error // ends what warmUp started; nil: nothing
}

// object is an object to store. Its content is data, or else a file's.
type object struct {
	id   OID
	kind string // blob, tree or commit
	size int64  // bytes
	data []byte
	file string
	once bool // the file isn't needed once the object is stored
}

// cost is what the object takes, in bytes.
func (o *object) cost() int64 { return o.size + overhead }

// inPack are the types of objects in a pack.
// Source: git's gitformat-pack, "Object types".
var inPack = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// mostWaiting is how many bytes of objects wait in memory, and mostObjects how many objects wait.
const mostWaiting, mostObjects = 4 << 20, 10_000

// hash is that of the repository's object IDs.
func (f Format) hash() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// identify computes the object's ID, of its content.
func (o *object) identify(f Format) error {
	if f == "" {
		return errors.New("the git directory is not known yet")
	}
	sum := f.hash()
	fmt.Fprintf(sum, "%s %d\x00", o.kind, o.size)
	if err := o.copy(sum); err != nil {
		return err
	}
	o.id = OID(hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// copy writes the content.
func (o *object) copy(to io.Writer) error {
	if o.file == "" {
		_, err := to.Write(o.data)
		return err
	}
	f, err := safefile.Open(o.file)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(to, f)
	if err == nil && n != o.size {
		err = fmt.Errorf("%s changed while it was stored", o.file)
	}
	return err
}

// add has objects wait to be stored.
func (w *objectWriter) add(ctx context.Context, objects ...*object) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range objects {
		// Trees of many commits have mostly the same directories.
		if w.byID[o.id] != nil {
			continue
		}
		if w.byID == nil {
			w.byID = map[OID]*object{}
		}
		w.waiting, w.byID[o.id], w.size = append(w.waiting, o), o, w.size+int64(len(o.data))
	}
	if w.size > mostWaiting || len(w.waiting) > mostObjects {
		return w.storeAll(ctx)
	}
	return nil
}

// warmUp starts the process of the next flush in the background.
func (w *objectWriter) warmUp(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nil {
		w.unused = w.next.warm(func() (*process, error) { return w.start(ctx) }, func(p *process) error { return w.send(p, nil) })
	}
}

func (w *objectWriter) start(ctx context.Context) (*process, error) {
	return w.repo.start(ctx, command{args: []string{"unpack-objects", "-q"}, later: true})
}

// flush stores what waits. What could not be stored waits on: a ref never names it. It does nothing
// on a nil writer.
func (w *objectWriter) flush(ctx context.Context) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.storeAll(ctx)
}

// close stores what waits, and ends a process that was started early. Nothing waits then.
func (w *objectWriter) close(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.storeAll(ctx)
	if w.unused != nil {
		err = errors.Join(err, w.unused())
	}
	w.forget()
	return err
}

func (w *objectWriter) forget() { w.waiting, w.byID, w.size = nil, nil, 0 }

func (w *objectWriter) storeAll(ctx context.Context) error {
	if len(w.waiting) == 0 {
		return nil
	}
	proc, err := w.next.take(func() (*process, error) { return w.start(ctx) })
	if err == nil {
		err = w.send(proc, w.waiting)
	}
	if err != nil {
		return err
	}
	for _, o := range w.waiting {
		if o.once && o.file != "" {
			os.Remove(o.file)
		}
	}
	w.forget()
	return nil
}

// send has a process store objects, and ends it.
func (w *objectWriter) send(proc *process, objects []*object) error {
	cause := writePack(proc.in, objects, w.repo.Format.hash())
	err := proc.wait()
	// Where git has ended early, it says why: the broken pipe only says that it has.
	if cause != nil && (err == nil || !errors.Is(cause, syscall.EPIPE)) {
		err = cause // git did not get all
	}
	return err
}

// waits reports whether anything does.
func (w *objectWriter) waits() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}

// namedIn reports whether a text has the ID of an object that waits.
func (w *objectWriter) namedIn(text string) bool {
	if !w.waits() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	isDigit := func(c rune) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isDigit(c) }) {
		if w.byID[OID(word)] != nil {
			return true
		}
	}
	return false
}

// peek is an object that waits, unless it is large.
func (w *objectWriter) peek(id OID) (found Object, ok bool) {
	if !w.waits() {
		return found, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.byID[id]
	// A large one is not held in memory twice: git is asked, once it is stored.
	if o == nil || o.size > mostCommit {
		return found, false
	}
	var data bytes.Buffer
	if err := o.copy(&data); err != nil {
		return found, false
	}
	return Object{ID: id, Type: o.kind, Size: o.size, Data: data.Bytes()}, true
}

// writePack writes a pack of whole objects, which are not compressed: git compresses them.
// Source: git's gitformat-pack, "pack-*.pack files have the following format".
func writePack(to io.Writer, objects []*object, sum hash.Hash) error {
	out := bufio.NewWriterSize(to, 64<<10)
	pack := io.MultiWriter(out, sum)
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	if _, err := pack.Write(binary.BigEndian.AppendUint32(head, uint32(len(objects)))); err != nil {
		return err
	}
	// Git writes each object compressed by its own settings: to compress them for the pipe would be
	// done in vain.
	stored, err := zlib.NewWriterLevel(pack, zlib.NoCompression)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if _, err := pack.Write(o.packHeader()); err != nil {
			return err
		}
		stored.Reset(pack)
		if err := cmp.Or(o.copy(stored), stored.Close()); err != nil {
			return err
		}
	}
	if _, err := out.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return out.Flush()
}

// packHeader is the object's type and size: four bits of the size in the first byte, and seven in
// each that follows, the lowest first.
func (o *object) packHeader() []byte {
	size := uint64(o.size)
	head := []byte{inPack[o.kind]<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	return head
}
