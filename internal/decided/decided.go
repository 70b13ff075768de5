// Package decided keeps what this clone decided and recorded itself: the links of the commits that
// our hooks or a command decided about, and the lines that were written to checkpoints.
package decided

// It is kept as long as the repository is there. Others write to the branch of the checkpoints,
// too: what is on it and contradicts this record does not count here.
//
// It is 256 files in the common git directory, by the first two digits of a commit's or a
// checkpoint's ID, to which a hook appends one line of some 60 bytes for a commit, and one for each
// checkpoint. No git process is started for it, and gc and the expiry of reflogs leave it alone.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// The kinds of lines: a kind, an ID, the values, and a full stop. A line without the full stop is
// one whose writer was killed.
const (
	links    = "links"    // of a commit: these checkpoints, and those of other such lines
	only     = "only"     // of a commit: these and no others
	content  = "content"  // of a commit: these were found by their content, which is no decision
	made     = "made"     // of a commit: git made it here, of others, and nothing was decided
	from     = "from"     // of a checkpoint: such trees as it had when this clone wrote it, whoever had
	sessions = "sessions" // of a checkpoint: the trees of its sessions' directories, as it was written last
	end      = "."
)

// largest is how many bytes of a file are read, and to what size it grows: for all files, ten
// million commits.
const largest = 4 << 20

// Entry is one line.
type Entry struct {
	kind, of string
	values   []string
}

// Links is the entry of a commit of which it was decided that it links these checkpoints, maybe
// none, beside those that it is known to link.
func Links(commit gitexec.OID, ids []string) Entry { return Entry{links, string(commit), ids} }

// Only is the entry of a commit that links these checkpoints and no longer any other.
func Only(commit gitexec.OID, ids []string) Entry { return Entry{only, string(commit), ids} }

// Content is the entry of a commit whose links to these checkpoints were found here by content.
func Content(commit gitexec.OID, ids []string) Entry { return Entry{content, string(commit), ids} }

// Made is the entry of a commit that git made here, as by a revert or a merge, and about whose
// links nothing was decided: they may be found by content.
func Made(commit gitexec.OID) Entry { return Entry{made, string(commit), nil} }

// Sessions is the entry of a checkpoint that was written: the trees of its sessions' directories.
func Sessions(checkpoint string, trees []gitexec.OID) Entry {
	e := Entry{kind: sessions, of: checkpoint}
	for _, tree := range trees {
		e.values = append(e.values, string(tree))
	}
	return e
}

// From is the entry of a checkpoint that had these trees when it was written here: what others have
// of it from then is no change of theirs.
func From(checkpoint string, trees []gitexec.OID) Entry {
	e := Sessions(checkpoint, trees)
	e.kind = from
	return e
}

func dirOf(sharedDir string) string { return filepath.Join(sharedDir, "decided") }

// Begun reports whether there is a record.
func Begun(sharedDir string) bool { return isDir(sharedDir) == nil }

// Begin begins a record, with what is known from before.
func Begin(sharedDir string, known []Entry) error {
	if err := makeDir(sharedDir); err != nil {
		return err
	}
	return Append(sharedDir, known...)
}

// makeDir makes the directory. A symbolic link, which may lead anywhere, is none.
func makeDir(sharedDir string) error {
	if err := isDir(sharedDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return safefile.MkdirAll(dirOf(sharedDir), 0o700)
}

func isDir(sharedDir string) error {
	for _, dir := range []string{sharedDir, dirOf(sharedDir)} {
		info, err := os.Lstat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a directory", dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Append adds entries. Each is written at once, so that two hooks don't mix theirs.
func Append(sharedDir string, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := makeDir(sharedDir); err != nil {
		return err
	}
	for _, e := range entries {
		if !validKey(e.of) {
			continue
		}
		// The line break before it ends a line whose writer was killed.
		line := "\n" + strings.Join(append([]string{e.kind, e.of}, e.values...), " ") + " " + end + "\n"
		if err := appendTo(filepath.Join(dirOf(sharedDir), e.of[:2]), line); err != nil {
			return err
		}
	}
	return nil
}

func appendTo(file, line string) error {
	f, err := safefile.Append(file, 0o600)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size()+int64(len(line)) > largest {
		return errors.Join(&safefile.Error{Path: file, Kind: safefile.TooLarge, Size: info.Size(), Limit: largest}, f.Close())
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// validKey reports whether an ID may name a file: its first two characters do.
func validKey(id string) bool { return gitexec.ValidOID(id) || message.ValidID(id) }

// Record is the record, of which files are read as they are asked for.
type Record struct {
	dir   string
	files map[string]file
	// Err says which files could not be read; nil: none. They count as empty.
	Err error
}

// file is what one file says, by the IDs of commits and of checkpoints.
type file struct {
	links    map[gitexec.OID][]string // decided, maybe none
	content  map[gitexec.OID][]string
	made     map[gitexec.OID]bool
	sessions map[string][]gitexec.OID
	wrote    map[string]bool // a checkpoint and the tree of a session that it ever was written with, or from
}

// Open is the record in a repository's shared directory. It reads no file yet.
func Open(sharedDir string) *Record {
	r := &Record{dir: dirOf(sharedDir), files: map[string]file{}}
	if err := isDir(sharedDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Err, r.dir = err, ""
	}
	return r
}

// Links are the checkpoints that a commit links as it was decided here; decided is false if nothing
// was.
func (r *Record) Links(commit gitexec.OID) (ids []string, decided bool) {
	ids, decided = r.file(string(commit)).links[commit]
	return slices.Clone(ids), decided
}

// Beside are the checkpoints that a link beside a commit may name here, whoever stored it: of one
// that was made here those that were decided, or found by content. known is false if it may name
// any.
func (r *Record) Beside(commit gitexec.OID) (ids []string, known bool) {
	if ids, known = r.Links(commit); known {
		return ids, true
	}
	f := r.file(string(commit))
	return slices.Clone(f.content[commit]), f.made[commit]
}

// Content are the checkpoints that a commit was found here to link, by its content.
func (r *Record) Content(commit gitexec.OID) []string { return r.file(string(commit)).content[commit] }

// Sessions are the trees of a checkpoint's sessions, as it was written here last; none: it was
// not, or that is forgotten.
func (r *Record) Sessions(checkpoint string) []gitexec.OID {
	return r.file(checkpoint).sessions[checkpoint]
}

// Wrote reports whether this clone ever wrote a checkpoint with the tree of a session, or had it
// with that when it wrote it.
func (r *Record) Wrote(checkpoint string, tree gitexec.OID) bool {
	return r.file(checkpoint).wrote[checkpoint+" "+string(tree)]
}

// Checkpoints lists the checkpoints that were written here, also those that were forgotten, sorted.
func (r *Record) Checkpoints() (all []string) {
	names, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Err = errors.Join(r.Err, err)
	}
	for _, d := range names {
		if len(d.Name()) != 2 {
			continue
		}
		for id := range r.file(d.Name()).sessions {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// file reads the file of an ID, once.
func (r *Record) file(id string) file {
	if r.dir == "" || len(id) < 2 || strings.ContainsAny(id[:2], `/\.`) {
		return file{}
	}
	name := id[:2]
	if f, known := r.files[name]; known {
		return f
	}
	data, err := safefile.ReadOwn(filepath.Join(r.dir, name), largest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Err = errors.Join(r.Err, err)
	}
	f := parse(data)
	r.files[name] = f
	return f
}

// parse skips what is no line of ours.
func parse(data []byte) file {
	f := file{links: map[gitexec.OID][]string{}, content: map[gitexec.OID][]string{}, made: map[gitexec.OID]bool{}, sessions: map[string][]gitexec.OID{}, wrote: map[string]bool{}}
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) < 3 || fields[len(fields)-1] != end {
			continue
		}
		switch of, values := fields[1], fields[2:len(fields)-1]; {
		case message.ValidID(of) && valid(values, gitexec.ValidOID):
			f.readCheckpoint(fields[0], of, values)
		case gitexec.ValidOID(of) && valid(values, message.ValidID):
			f.readCommit(fields[0], gitexec.OID(of), values)
		}
	}
	return f
}

// readCheckpoint reads a line on a checkpoint, with trees.
func (f file) readCheckpoint(kind, id string, trees []string) {
	if kind != sessions && kind != from {
		return
	}
	if kind == sessions {
		f.sessions[id] = nil
	}
	for _, tree := range trees {
		f.wrote[id+" "+tree] = true
		if kind == sessions {
			f.sessions[id] = append(f.sessions[id], gitexec.OID(tree))
		}
	}
}

// readCommit reads a line on a commit, with checkpoints.
func (f file) readCommit(kind string, commit gitexec.OID, checkpoints []string) {
	switch {
	case kind == only:
		f.links[commit] = sets.With([]string{}, checkpoints...)
	case kind == links:
		f.links[commit] = sets.With(f.links[commit], checkpoints...)
	case kind == content:
		f.content[commit] = sets.With(f.content[commit], checkpoints...)
	case kind == made && len(checkpoints) == 0:
		f.made[commit] = true
	}
}

func valid(values []string, is func(string) bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !is(v) })
}
