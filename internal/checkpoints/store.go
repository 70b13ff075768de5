package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// Errors of reading committed checkpoints (seed 003, Checkpoint Storage).
var (
	ErrNoCheckpoint = errors.New("no such checkpoint")
	ErrNoSession    = errors.New("no such session in the checkpoint")
	ErrDamaged      = conversation.ErrDamaged
)

// AmbiguousError says that several IDs have a prefix.
type AmbiguousError struct {
	Prefix     string
	Candidates []string // sorted
}

func (e *AmbiguousError) Error() string {
	few := e.Candidates[:min(10, len(e.Candidates))]
	return fmt.Sprintf("%q is the beginning of several: %s\nhint: give more of it", e.Prefix, strings.Join(few, ", "))
}

// ReadCommitted reads a checkpoint's summary. Its errors are ErrNoCheckpoint, and ErrDamaged with
// the reason.
func ReadCommitted(db *gitexec.ODB, b Branch, id string) (*Summary, error) {
	Bring(db, b, []string{id}, false)
	dir, there, err := directory(db, b.root(db, id), id)
	if err == nil && !there {
		err = fmt.Errorf("%w: %s", ErrNoCheckpoint, id)
	}
	if err != nil {
		return nil, err
	}
	return readSummary(db, dir, id)
}

func readSummary(db *gitexec.ODB, dir gitexec.Tree, id string) (*Summary, error) {
	s := &Summary{}
	err := conversation.JSON(db, dir["metadata.json"], place(id)+"/metadata.json", mostMetadata, s)
	if err == nil && s.foreign() {
		err = fmt.Errorf("%w: %s/metadata.json: %s is no checkpoint's", ErrDamaged, place(id), dir["metadata.json"].ID)
	}
	return s, err
}

// SessionContent is one session's part in a checkpoint.
type SessionContent struct {
	Metadata SessionMetadata
	Prompts  string
	Tasks    []conversation.Task // of subagents, by their IDs
	Added    bool                // others added it to what this clone wrote of the checkpoint

	stored *conversation.Conversation
	dir    string // on the branch
	sum    string // hash of the whole transcript, in hex
	hashed bool   // there is a hash

	dropped *PurgedEntry // the transcript was dropped; nil: it was not

	unverified error // why the transcript cannot be verified; nil: it can be, or no hash was stored
}

// ReadSessionContent reads a session's part by its index. Its errors are ErrNoSession, and
// ErrDamaged with the reason; where only the metadata can be read, it returns content beside the
// error.
func ReadSessionContent(db *gitexec.ODB, b Branch, id string, index int) (*SessionContent, error) {
	dir, _, err := directory(db, b.root(db, id), id)
	if err != nil {
		return nil, err
	}
	entry := dir[strconv.Itoa(index)]
	if !entry.Exists() {
		return nil, fmt.Errorf("%w: %s has no session %d", ErrNoSession, id, index)
	}
	summary, _ := readSummary(db, dir, id) // commands that show the summary report its errors
	c, err := readPart(db, summary, entry, place(id)+"/"+strconv.Itoa(index))
	return c.ofBranch(db, b, id), err
}

// ofBranch notes what the branch says of it: whether the transcript was dropped, if there is none.
func (c *SessionContent) ofBranch(db *gitexec.ODB, b Branch, id string) *SessionContent {
	if c == nil {
		return c
	}
	if c.Metadata = asOf(b, c.Metadata); len(c.stored.Chunks) > 0 {
		return c
	}
	if list, err := ReadPurged(db, b.root(db, id)); err == nil {
		c.dropped = list.taken(id, PurgedTranscript)
	}
	return c
}

// readPart reads a session's part, likewise.
func readPart(db *gitexec.ODB, summary *Summary, entry gitexec.Entry, path string) (*SessionContent, error) {
	s, err := readSession(db, entry, path)
	if err != nil {
		return nil, err
	}
	c, err := contentOf(db, s, path)
	return c, errors.Join(err, c.checkNamed(summary))
}

// ReadFirst reads the first session's part, of those that this clone wrote if it wrote any. Its
// errors are those of ReadSessionContent.
func ReadFirst(db *gitexec.ODB, b Branch, id string) (*SessionContent, error) {
	dir, _, err := directory(db, b.root(db, id), id)
	// Nobody has added anything, or all of it is others'.
	if err != nil || !RecordedHere(db, b, id) || b.holdsWrittenHere(db, id, dir) {
		return ReadSessionContent(db, b, id, 0)
	}
	c, _ := openReadable(db, b.root(db, id), id) // what is damaged is not the first
	for i, added := range addedByOthers(db, b, id, c.sessions) {
		if index, err := strconv.Atoi(path.Base(c.sessions[i].dir)); !added && err == nil {
			return ReadSessionContent(db, b, id, index)
		}
	}
	return ReadSessionContent(db, b, id, 0)
}

// ReadSessions reads all sessions' parts in a checkpoint that exists, each once: by their indexes,
// those last that others added to what this clone wrote. It lists what cannot be read: of a part
// whose metadata is damaged it returns the other files.
func ReadSessions(db *gitexec.ODB, b Branch, id string) (all []*SessionContent, damaged []error) {
	note := func(err error) {
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	dir, _, err := directory(db, b.root(db, id), id)
	note(err)
	indexes, err := sessionsIn(dir, place(id))
	note(err)
	summary, _ := readSummary(db, dir, id) // commands that show the summary report its errors
	var sessions []sessionDir
	for _, index := range indexes {
		entry, path := dir[strconv.Itoa(index)], place(id)+"/"+strconv.Itoa(index)
		c, err := readPart(db, summary, entry, path)
		if c == nil {
			c = readWithoutMetadata(db, summary, entry, path)
		}
		if note(err); c != nil {
			all, sessions = append(all, c.ofBranch(db, b, id)), append(sessions, sessionDir{meta: c.Metadata, tree: entry.ID})
		}
	}
	for i, added := range addedByOthers(db, b, id, sessions) {
		all[i].Added = added
	}
	slices.SortStableFunc(all, func(x, y *SessionContent) int { return ordinal(x.Added) - ordinal(y.Added) })
	return all, damaged
}

// readWithoutMetadata reads the other files of a session's part whose metadata is damaged; nil if
// there are none. readPart reports the errors.
func readWithoutMetadata(db *gitexec.ODB, summary *Summary, entry gitexec.Entry, path string) *SessionContent {
	files, err := conversation.Dir(db, entry, path)
	if err != nil {
		return nil
	}
	c, _ := contentOf(db, sessionDir{files: files}, path)
	_ = c.checkNamed(summary)
	return c
}

// checkNamed reports the files that the summary names and that are missing. Without a hash the
// transcript counts as verified where the summary names none: some versions of the programs that
// write checkpoints store no hash.
func (c *SessionContent) checkNamed(summary *Summary) error {
	err := errors.Join(summary.missing(c.dir, c.stored.Files)...)
	if c.unverified == nil && !c.hashed && summary.names(c.dir, conversation.HashFile) {
		c.unverified = err
	}
	return err
}

// contentOf reads the files of a session's directory, without its metadata.
func contentOf(db *gitexec.ODB, s sessionDir, dir string) (*SessionContent, error) {
	c := &SessionContent{Metadata: s.meta, stored: conversation.Of(db, s.files, dir), dir: dir}
	var broken [3]error
	c.Prompts, broken[0] = conversation.Shown(c.stored.Prompts())
	_, broken[1] = conversation.Shown(c.stored.Context())
	c.sum, c.hashed, c.unverified = c.stored.Hash()
	c.Tasks, broken[2] = c.stored.Tasks()
	return c, errors.Join(broken[0], broken[1], c.unverified, broken[2])
}

// Chunks names the blobs of the session's transcript, in order.
func (c *SessionContent) Chunks() []gitexec.OID { return c.stored.Chunks }

// WriteTranscript writes the session's transcript as it is stored, chunk by chunk, and then
// verifies its hash: ErrDamaged if it differs or cannot be read. Without a stored hash it verifies
// nothing.
func (c *SessionContent) WriteTranscript(w io.Writer) error {
	if c.dropped != nil {
		return fmt.Errorf("%w by %s on %s", ErrDropped, c.dropped.By, c.dropped.When.Format(time.DateOnly))
	}
	if c.hashed && c.unverified == nil {
		return c.stored.WriteVerified(w, c.sum)
	}
	if err := c.stored.WriteTranscript(w); err != nil {
		return err
	}
	return c.unverified
}
