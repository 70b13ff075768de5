package checkpoints

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

// Errors of reading committed checkpoints (seed 003, Checkpoint Storage).
var (
	ErrNoCheckpoint = errors.New("no such checkpoint")
	ErrNoSession    = errors.New("no such session in the checkpoint")
	ErrDamaged      = errors.New("damaged checkpoint")
)

// AmbiguousError says that an abbreviated ID stands for several.
type AmbiguousError struct {
	Prefix     string
	Candidates []string // sorted
}

func (e *AmbiguousError) Error() string {
	few := e.Candidates[:min(10, len(e.Candidates))]
	return fmt.Sprintf("%q is the beginning of several: %s\nhint: give more of it", e.Prefix, strings.Join(few, ", "))
}

// ResolveID gives the checkpoint whose ID begins with a prefix of at least four digits. Its errors
// are ErrNoCheckpoint and AmbiguousError.
func ResolveID(db *gitexec.ODB, b Branch, prefix string) (string, error) {
	none := fmt.Errorf("%w: %s", ErrNoCheckpoint, prefix)
	if len(prefix) < 4 || len(prefix) > 12 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", none
	}
	found, err := b.withPrefix(db, prefix)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", none
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{prefix, found}
}

// ReadCommitted reads a checkpoint's summary. Its errors are ErrNoCheckpoint, and ErrDamaged with
// what is wrong.
func ReadCommitted(db *gitexec.ODB, b Branch, id string) (*Summary, error) {
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
	err := readJSON(db, dir["metadata.json"], Dir(id)+"/metadata.json", s)
	if err == nil && s.foreign() {
		err = fmt.Errorf("%w: %s/metadata.json: %s is no checkpoint's", ErrDamaged, Dir(id), dir["metadata.json"].ID)
	}
	return s, err
}

// SessionContent is one session's part in a checkpoint.
type SessionContent struct {
	Metadata SessionMetadata
	Prompts  string
	Context  string
	Tasks    []Task // of subagents, by their IDs

	db     *gitexec.ODB
	dir    string // on the branch
	files  gitexec.Tree
	chunks []gitexec.OID
	sum    string // of the whole transcript, in hex
	hashed bool   // there is something that should be that

	unverified error // why the transcript cannot be verified; nil: it can, or nothing was stored to do it by
}

// ReadSessionContent reads a session's part by its index. Its errors are ErrNoSession, and
// ErrDamaged with what is wrong; where that is not its metadata, there is content all the same.
func ReadSessionContent(db *gitexec.ODB, b Branch, id string, index int) (*SessionContent, error) {
	dir, _, err := directory(db, b.root(db, id), id)
	if err != nil {
		return nil, err
	}
	entry := dir[strconv.Itoa(index)]
	if !entry.Exists() {
		return nil, fmt.Errorf("%w: %s has no session %d", ErrNoSession, id, index)
	}
	summary, _ := readSummary(db, dir, id) // what is wrong with it, those say that show it
	return readPart(db, summary, entry, Dir(id)+"/"+strconv.Itoa(index))
}

// readPart reads a session's part, likewise.
func readPart(db *gitexec.ODB, summary *Summary, entry gitexec.Entry, path string) (*SessionContent, error) {
	c, err := readContent(db, entry, path)
	if c == nil {
		return nil, err
	}
	return c, errors.Join(err, c.expect(summary))
}

// ReadSessions reads all sessions' parts in a checkpoint that is there, by their indexes, each
// once, and says what of them cannot be read: of a part whose metadata is damaged there is what is
// left of it.
func ReadSessions(db *gitexec.ODB, b Branch, id string) (all []*SessionContent, damaged []error) {
	note := func(err error) {
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	dir, _, err := directory(db, b.root(db, id), id)
	note(err)
	indexes, err := sessionsIn(dir, Dir(id))
	note(err)
	summary, _ := readSummary(db, dir, id) // what is wrong with it, those say that show it
	for _, index := range indexes {
		entry, path := dir[strconv.Itoa(index)], Dir(id)+"/"+strconv.Itoa(index)
		c, err := readPart(db, summary, entry, path)
		if c == nil {
			c = nameless(db, summary, entry, path)
		}
		if note(err); c != nil {
			all = append(all, c)
		}
	}
	return all, damaged
}

// nameless reads what is left of a session's part whose metadata is damaged; nil if nothing is.
// What is wrong with it readPart says.
func nameless(db *gitexec.ODB, summary *Summary, entry gitexec.Entry, path string) *SessionContent {
	files, err := readDir(db, entry, path)
	if err != nil {
		return nil
	}
	c, _ := contentOf(db, sessionDir{files: files}, path)
	_ = c.expect(summary)
	return c
}

// expect finds out what the session's transcript is to be verified by, and which files that the
// summary names are missing. A checkpoint without a hash is whole where its summary names none: not
// every version of the programs that write them did.
func (c *SessionContent) expect(summary *Summary) error {
	const name = "content_hash.txt"
	err := errors.Join(summary.missing(c.dir, c.files)...)
	switch {
	case c.unverified != nil: // it was told of already
	case !c.hashed && summary.names(c.dir, name):
		c.unverified = err
	case c.hashed && (len(c.sum) != 2*sha256.Size || strings.Trim(c.sum, "0123456789abcdef") != ""):
		c.unverified = fmt.Errorf("%w: %s/%s holds no hash", ErrDamaged, c.dir, name)
		err = errors.Join(err, c.unverified)
	}
	return err
}

func readContent(db *gitexec.ODB, entry gitexec.Entry, dir string) (*SessionContent, error) {
	s, err := readSession(db, entry, dir)
	if err != nil {
		return nil, err
	}
	return contentOf(db, s, dir)
}

// contentOf reads the files of a session's directory, but its metadata.
func contentOf(db *gitexec.ODB, s sessionDir, dir string) (*SessionContent, error) {
	c := &SessionContent{db: db, dir: dir, files: s.files, Metadata: s.meta}
	for i := 0; s.files[transcript.ChunkName(i)].Exists(); i++ {
		c.chunks = append(c.chunks, s.files[transcript.ChunkName(i)].ID)
	}
	var damaged []error
	for _, part := range []struct {
		name string
		into *string
	}{{"prompt.txt", &c.Prompts}, {"context.md", &c.Context}, {"content_hash.txt", &c.sum}} {
		if !s.files[part.name].Exists() {
			continue
		}
		data, err := readFile(db, s.files[part.name], dir+"/"+part.name)
		if err != nil {
			damaged = append(damaged, err)
		}
		if part.into == &c.sum {
			c.hashed, c.unverified = true, err
		}
		*part.into = string(data)
	}
	c.sum = strings.TrimPrefix(strings.TrimSpace(c.sum), "sha256:")
	var err error
	if c.Tasks, err = ReadTasks(db, s.files["tasks"], dir+"/tasks"); err != nil {
		damaged = append(damaged, err)
	}
	return c, errors.Join(damaged...)
}

// ReadSessionContentByID reads a session's part by the session's ID. Its errors are those of
// ReadSessionContent; what is damaged may have been the session's.
func ReadSessionContentByID(db *gitexec.ODB, b Branch, id, sessionID string) (*SessionContent, error) {
	dir, _, err := directory(db, b.root(db, id), id)
	if err != nil {
		return nil, err
	}
	indexes, err := sessionsIn(dir, Dir(id))
	var damaged []error
	if err != nil {
		damaged = append(damaged, err)
	}
	summary, _ := readSummary(db, dir, id) // what is wrong with it, those say that show it
	for _, index := range indexes {
		c, err := readPart(db, summary, dir[strconv.Itoa(index)], Dir(id)+"/"+strconv.Itoa(index))
		if c != nil && c.Metadata.SessionID == sessionID {
			return c, err
		}
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	if len(damaged) > 0 {
		return nil, errors.Join(damaged...)
	}
	return nil, fmt.Errorf("%w: %s has none named %s", ErrNoSession, id, sessionID)
}

// Chunks names the blobs that hold the session's transcript, in order.
func (c *SessionContent) Chunks() []gitexec.OID { return c.chunks }

// WriteTranscript writes the session's transcript as it is stored, chunk by chunk, and then
// verifies it by its hash: ErrDamaged if that is another one, or cannot be read. Where none was
// stored, nothing is verified.
func (c *SessionContent) WriteTranscript(w io.Writer) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if err := c.db.Allow(c.chunks...); err != nil {
		return damage(c.dir+"/"+transcript.ChunkName(0), err)
	}
	for i, id := range c.chunks {
		if i > 0 {
			if _, err := both.Write([]byte("\n")); err != nil {
				return err
			}
		}
		if err := c.db.Copy(both, id, "blob"); err != nil {
			return damage(c.dir+"/"+transcript.ChunkName(i), err)
		}
	}
	if c.unverified != nil {
		return c.unverified
	}
	if got := hex.EncodeToString(sum.Sum(nil)); c.sum != "" && got != c.sum {
		return fmt.Errorf("%w: %s/full.jsonl: its hash is %s, content_hash.txt says %s", ErrDamaged, c.dir, got, c.sum)
	}
	return nil
}

// damage makes an error of reading a file of the branch one that says so, unless reading was broken
// off or what was read had nowhere to go.
func damage(path string, err error) error {
	var git *gitexec.Error
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || !gitexec.Unread(err) && !errors.As(err, &git) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
}
