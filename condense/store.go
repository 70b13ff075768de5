package condense

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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

// ResolveID gives the checkpoint whose ID begins with a prefix of at least four digits. Its errors are ErrNoCheckpoint and AmbiguousError.
func ResolveID(db *gitexec.ODB, b Branch, prefix string) (string, error) {
	none := fmt.Errorf("%w: %s", ErrNoCheckpoint, prefix)
	if len(prefix) < 4 || len(prefix) > 12 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", none
	}
	shard, err := db.Lookup(b.Tree, gitexec.Path(prefix[:2]))
	if err != nil || !shard[0].IsTree() {
		return "", errors.Join(none, err)
	}
	trees, err := db.Trees(shard[0].ID)
	if err != nil {
		return "", err
	}
	var found []string
	for name, e := range trees[0] {
		if id := prefix[:2] + name; e.IsTree() && ValidID(id) && strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	switch slices.Sort(found); len(found) {
	case 0:
		return "", none
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{prefix, found}
}

// ReadCommitted reads a checkpoint's summary. Its errors are ErrNoCheckpoint, and ErrDamaged with what is wrong.
func ReadCommitted(db *gitexec.ODB, b Branch, id string) (*Summary, error) {
	s := &Summary{}
	return s, readJSON(db, b.Tree, Dir(id)+"/metadata.json", fmt.Errorf("%w: %s", ErrNoCheckpoint, id), s)
}

// readJSON reads a JSON file of the branch; missing is the error where there is none.
func readJSON(db *gitexec.ODB, root gitexec.OID, path string, missing error, into any) error {
	found, err := db.Lookup(root, gitexec.Path(path))
	if err != nil {
		return err
	}
	if !found[0].Exists() {
		return missing
	}
	data, err := db.Content(found[0].ID, "blob")
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, path, err)
	}
	return nil
}

// SessionContent is one session's part in a checkpoint.
type SessionContent struct {
	Metadata SessionMetadata
	Prompts  string
	Context  string

	db     *gitexec.ODB
	dir    string // on the branch
	chunks []gitexec.OID
	sum    string // of the whole transcript, in hex; empty: not stored
}

// ReadSessionContent reads a session's part by its index. Its errors are ErrNoSession, and ErrDamaged with what is wrong.
func ReadSessionContent(db *gitexec.ODB, b Branch, id string, index int) (*SessionContent, error) {
	dir := Dir(id) + "/" + strconv.Itoa(index)
	c := &SessionContent{db: db, dir: dir}
	if err := readJSON(db, b.Tree, dir+"/metadata.json", fmt.Errorf("%w: %s has no session %d", ErrNoSession, id, index), &c.Metadata); err != nil {
		return nil, err
	}
	found, err := db.Lookup(b.Tree, gitexec.Path(dir))
	if err != nil {
		return nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	files := trees[0]
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		c.chunks = append(c.chunks, files[transcript.ChunkName(i)].ID)
	}
	for name, into := range map[string]*string{"prompt.txt": &c.Prompts, "context.md": &c.Context, "content_hash.txt": &c.sum} {
		if !files[name].Exists() {
			continue
		}
		data, err := db.Content(files[name].ID, "blob")
		if err != nil {
			return nil, fmt.Errorf("%w: %s/%s: %v", ErrDamaged, dir, name, err)
		}
		*into = string(data)
	}
	c.sum = strings.TrimPrefix(strings.TrimSpace(c.sum), "sha256:")
	return c, nil
}

// ReadSessionContentByID reads a session's part by the session's ID.
func ReadSessionContentByID(db *gitexec.ODB, b Branch, id, sessionID string) (*SessionContent, error) {
	for index := 0; ; index++ {
		c, err := ReadSessionContent(db, b, id, index)
		switch {
		case errors.Is(err, ErrNoSession):
			return nil, fmt.Errorf("%w: %s has none named %s", ErrNoSession, id, sessionID)
		case err != nil:
			return nil, err
		case c.Metadata.SessionID == sessionID:
			return c, nil
		}
	}
}

// WriteTranscript writes the session's transcript as it is stored, chunk by chunk, and then verifies it by its hash: ErrDamaged if that is another
// one.
func (c *SessionContent) WriteTranscript(w io.Writer) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
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
	if got := hex.EncodeToString(sum.Sum(nil)); c.sum != "" && got != c.sum {
		return fmt.Errorf("%w: %s/full.jsonl: its hash is %s, content_hash.txt says %s", ErrDamaged, c.dir, got, c.sum)
	}
	return nil
}

// damage makes an error of reading a file of the branch one that says so, unless reading was broken off or what was read had nowhere to go.
func damage(path string, err error) error {
	var missing *gitexec.MissingError
	var kind *gitexec.KindError
	var git *gitexec.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &missing) && !errors.As(err, &kind) && !errors.As(err, &git) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
}

// CommittedInfo is a checkpoint, as ListCommitted lists it.
type CommittedInfo struct {
	ID       string            `json:"checkpoint_id"`
	Branch   string            `json:"branch,omitempty"`
	When     time.Time         `json:"created_at"` // of its first session's part
	Files    []gitexec.Path    `json:"files_touched"`
	Sessions []SessionMetadata `json:"sessions"`
	Prompts  []string          `json:"prompts"` // of its sessions, one text each
	Error    string            `json:"error,omitempty"`
}

// ListCommitted lists all checkpoints, latest first. What is damaged is listed with its error.
func ListCommitted(db *gitexec.ODB, b Branch) ([]CommittedInfo, error) {
	if b.Tip == "" {
		return nil, nil
	}
	roots, err := db.Trees(b.Tree)
	if err != nil {
		return nil, err
	}
	var shards []string
	var trees []gitexec.OID
	for _, name := range slices.Sorted(maps.Keys(roots[0])) {
		if e := roots[0][name]; e.IsTree() && len(name) == 2 {
			shards, trees = append(shards, name), append(trees, e.ID)
		}
	}
	levels, err := db.Trees(trees...)
	if err != nil {
		return nil, err
	}
	var ids []string
	var dirs []gitexec.OID
	for i, level := range levels {
		for _, name := range slices.Sorted(maps.Keys(level)) {
			if id := shards[i] + name; ValidID(id) && level[name].IsTree() {
				ids, dirs = append(ids, id), append(dirs, level[name].ID)
			}
		}
	}
	all := readAll(db, ids, dirs)
	if all == nil { // an object is missing: which, is found one by one
		for _, id := range ids {
			all = append(all, describe(db, b, id))
		}
	}
	slices.SortStableFunc(all, func(x, y CommittedInfo) int { return y.When.Compare(x.When) })
	return all, nil
}

// readAll reads checkpoints, given their directories, in three requests; nil if something is missing or cannot be read.
func readAll(db *gitexec.ODB, ids []string, dirs []gitexec.OID) []CommittedInfo {
	trees, err := db.Trees(dirs...)
	if err != nil {
		return nil
	}
	var sessions []gitexec.OID
	for _, tree := range trees {
		for i := 0; tree[strconv.Itoa(i)].IsTree(); i++ {
			sessions = append(sessions, tree[strconv.Itoa(i)].ID)
		}
	}
	parts, err := db.Trees(sessions...)
	if err != nil {
		return nil
	}
	var blobs []gitexec.OID
	for _, tree := range trees {
		blobs = append(blobs, tree["metadata.json"].ID)
	}
	for _, part := range parts {
		blobs = append(blobs, part["metadata.json"].ID, part["prompt.txt"].ID)
	}
	if slices.Contains(blobs, "") {
		return nil
	}
	objects, err := db.Contents(blobs...)
	if err != nil {
		return nil
	}
	all := make([]CommittedInfo, len(ids))
	next := len(trees)
	for i, tree := range trees {
		info := CommittedInfo{ID: ids[i], Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}}
		var summary Summary
		if json.Unmarshal(objects[i].Data, &summary) != nil {
			return nil
		}
		info.Branch, info.Files = summary.Branch, append(info.Files, summary.FilesTouched...)
		for k := 0; tree[strconv.Itoa(k)].IsTree(); k++ {
			var meta SessionMetadata
			if json.Unmarshal(objects[next].Data, &meta) != nil {
				return nil
			}
			info.add(meta, string(objects[next+1].Data))
			next += 2
		}
		all[i] = info
	}
	return all
}

func (info *CommittedInfo) add(meta SessionMetadata, prompts string) {
	if info.When.IsZero() || meta.CreatedAt.Before(info.When) {
		info.When = meta.CreatedAt
	}
	info.Sessions, info.Prompts = append(info.Sessions, meta), append(info.Prompts, prompts)
}

func describe(db *gitexec.ODB, b Branch, id string) CommittedInfo {
	info := CommittedInfo{ID: id, Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}}
	summary, err := ReadCommitted(db, b, id)
	if err != nil {
		info.Error = err.Error()
		return info
	}
	info.Branch, info.Files = summary.Branch, append(info.Files, summary.FilesTouched...)
	for index := range summary.Sessions {
		c, err := ReadSessionContent(db, b, id, index)
		if err != nil {
			info.Error = err.Error()
			continue
		}
		info.add(c.Metadata, c.Prompts)
	}
	return info
}
