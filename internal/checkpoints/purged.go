package checkpoints

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
)

// PurgedEntry says what was taken out of the branch, so that uniting two clones cannot bring it
// back: purged/<first two digits>/<the others>, one file for each checkpoint's ID and each removed
// blob's, with one line of JSON. Two lists are united as sets of files; of two with the same name
// either will do, but for a checkpoint that of What "checkpoint" counts before "transcript".
type PurgedEntry struct {
	What What        `json:"what"`
	By   string      `json:"by"` // the command
	When time.Time   `json:"when"`
	Now  gitexec.OID `json:"now,omitempty"` // the blob that took a blob's place; empty: none
}

// What is what was taken out.
type What string

// The kinds.
const (
	PurgedCheckpoint What = "checkpoint" // its whole directory
	PurgedTranscript What = "transcript" // of a checkpoint: full.jsonl and its further chunks, and those of tasks
	PurgedBlob       What = "blob"       // wherever it is
)

// mostPurged is how many bytes an entry of the list has: what was purged, when, and by whom takes
// some hundred. Every union reads those of what it brings.
const mostPurged = 1 << 12

// PurgedPath is the path of an entry: of a checkpoint's ID or a blob's.
func PurgedPath(id string) gitexec.Path { return gitexec.Path(path.Join(purgedDir, id[:2], id[2:])) }

// PurgedList is the list on a tree of the branch.
type PurgedList struct {
	db     *gitexec.ODB
	top    gitexec.Tree
	shards map[string]gitexec.Tree
}

// ReadPurged reads the list of a tree; where there is none, it is empty. What cannot be read is
// ErrDamaged.
func ReadPurged(db *gitexec.ODB, root gitexec.OID) (*PurgedList, error) {
	l := &PurgedList{db: db, shards: map[string]gitexec.Tree{}}
	if root == "" {
		return l, nil
	}
	top, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: root}, "the branch")
	if err != nil || !top[purgedDir].Exists() {
		return l, err
	}
	l.top, err = conversation.Dir(db, top[purgedDir], purgedDir)
	return l, err
}

// Get returns the entry of a checkpoint's ID or a blob's; nil: there is none.
func (l *PurgedList) Get(id string) (*PurgedEntry, error) {
	if len(l.top) == 0 || len(id) < 2 || !l.top[id[:2]].Exists() {
		return nil, nil
	}
	shard, known := l.shards[id[:2]]
	if !known {
		var err error
		if shard, err = conversation.Dir(l.db, l.top[id[:2]], path.Join(purgedDir, id[:2])); err != nil {
			return nil, err
		}
		l.shards[id[:2]] = shard
	}
	if !shard[id[2:]].Exists() {
		return nil, nil
	}
	p := &PurgedEntry{}
	return p, conversation.JSON(l.db, shard[id[2:]], string(PurgedPath(id)), mostPurged, p)
}

// taken is the entry of a checkpoint of which this was taken out; nil: it was not, or its entry
// cannot be read, which hides nothing.
func (l *PurgedList) taken(id string, what What) *PurgedEntry {
	if p, err := l.Get(id); err == nil && p != nil && p.What == what {
		return p
	}
	return nil
}

// gone reports whether a checkpoint was taken out as a whole.
func (l *PurgedList) gone(id string) bool { return l.taken(id, PurgedCheckpoint) != nil }

// PurgedOn is the day on which a checkpoint was purged; empty: it was not.
func (b Branch) PurgedOn(db *gitexec.ODB, id string) string {
	list, err := ReadPurged(db, b.Tree)
	if err != nil || !ValidID(id) {
		return ""
	}
	if p := list.taken(id, PurgedCheckpoint); p != nil {
		return p.When.Format(time.DateOnly)
	}
	return ""
}

// purged is the list of the branch itself, read once.
func (b Branch) purged(db *gitexec.ODB) *PurgedList {
	if b.fetched == nil {
		return &PurgedList{}
	}
	if b.fetched.purged == nil {
		list, err := ReadPurged(db, b.Tree)
		if err != nil {
			list = &PurgedList{} // reading the branch reports it
		}
		b.fetched.purged = list
	}
	return b.fetched.purged
}

// Encode is the content of an entry.
func (p PurgedEntry) Encode() ([]byte, error) {
	data, err := json.Marshal(p)
	return append(data, '\n'), err
}

// Withheld says why a transcript is not to be read here, though nothing is damaged: it was dropped,
// or is encrypted for others. Empty: another error, or none.
func Withheld(err error) string {
	if fault := new(seal.Error); errors.As(err, &fault) {
		return "The transcript is " + fault.Brief() + "."
	}
	if errors.Is(err, ErrDropped) {
		return "T" + strings.TrimPrefix(err.Error(), "t") + "."
	}
	return ""
}

// ErrDropped says that a checkpoint's transcript was dropped.
var ErrDropped = errors.New("the transcript was dropped")
