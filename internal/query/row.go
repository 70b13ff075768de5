package query

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// The index has these keys. Names end with a byte below all others, so that one that is the
// beginning of another sorts before it, and is not taken for it.
//
//	count              how many checkpoints there are
//	c/ID               a row
//	d/ID               a damaged checkpoint: JSON of fault
//	d/DIRECTORY ERROR  a damaged directory of checkpoints: likewise
//	f/ID               damage in a checkpoint that keeps none of it from being listed: text
//	t/ORDER            the ID of a checkpoint, the latest first
//	s/SESSION ORDER    a session's part of a checkpoint, the earliest first
//	a/SESSION          all parts of a session together
//	p/PATH ID          a checkpoint that changed the file
//	u/TURN ID          a checkpoint with work of the turn
//	o/ID               a checkpoint that this clone doesn't know that it wrote
//	x/ID               the prompts that are the checkpoint's own, in lower case
const (
	keyCount     = "count"
	keyRow       = "c/"
	keyDamaged   = "d/"
	keyBeside    = "f/"
	keyTime      = "t/"
	keyPart      = "s/"
	keySession   = "a/"
	keyPath      = "p/"
	keyTurn      = "u/"
	keyText      = "x/"
	keyElsewhere = "o/"
	indexedForm  = "4" // changes with the keys and values, which are then read again
)

// end ends a name in a key. A zero byte of the name itself is escaped.
const end = "\x00\x01"

func escaped(s string) string { return strings.ReplaceAll(s, "\x00", "\x00\xff") }

func unescaped(s string) string { return strings.ReplaceAll(s, "\x00\xff", "\x00") }

// row is a checkpoint in the index.
type row struct {
	id        string
	dir       gitexec.Entry
	order     string // among all, the latest first
	parts     []sessionPart
	files     []gitexec.Path
	turns     []string
	texts     []string // its own prompts, in lower case
	dark      bool     // its prompts are not all in texts: they are encrypted, or too long, or could not be read
	elsewhere bool     // this clone doesn't know that it wrote it
	fault     []byte   // JSON of a damaged one; nil: it is not damaged

	beside []byte // damage that keeps none of it from being listed; nil: there is none
}

// sessionPart is a session's part in a checkpoint, with what sessions shows of it.
type sessionPart struct {
	session string
	order   string // among the session's parts
	checkpoint,
	agent, title,
	first, last string // the first and the last prompt, in a line
	created time.Time
	tokens  *transcript.Usage
	files   []gitexec.Path
	dark    bool // its prompts are to be read from the branch
	added   bool // others added it to what this clone wrote
}

// mostText is how many bytes of prompts the index keeps of a checkpoint. Those of one with more are
// read again when they are searched.
const mostText = 64 << 10

// rowOf is the row of a checkpoint that was read as it is stored.
func rowOf(info checkpoints.CommittedInfo) row {
	r := row{id: info.ID, dir: info.Directory, files: info.Files, turns: info.Turns, order: orderOf(info), elsewhere: info.Elsewhere}
	for i, m := range info.Sessions {
		// What is encrypted must not be in the index in the clear, whoever can open it: such a part
		// is dark.
		p := sessionPart{session: m.SessionID, order: ordered(m), checkpoint: info.ID, agent: m.Agent, title: m.Title, created: m.CreatedAt,
			tokens: m.TokenUsage, files: m.FilesTouched, dark: info.Encrypted[i], added: info.IsAdded(i)}
		p.first, p.last = firstAndLast(info.Prompts[i])
		r.parts, r.dark = append(r.parts, p), r.dark || p.dark
	}
	size := 0
	for _, text := range ownPrompts(info) {
		r.texts, size = append(r.texts, strings.ToLower(text)), size+len(text)
	}
	// A few checkpoints with very long prompts, which others may push, would fill the memory of
	// each search.
	if size > mostText {
		r.texts, r.dark = nil, true
	}
	if info.Error != "" {
		r.fault = faultOf(info)
	}
	if info.Beside != nil {
		// Commands print it as one line.
		r.beside = []byte(strings.ReplaceAll(info.Beside.Error(), "\n", "; "))
	}
	return r
}

// fault is a damaged checkpoint or directory.
type fault struct {
	checkpoints.CommittedInfo
	Unreadable bool `json:"unreadable,omitempty"` // that of CommittedInfo, which is no part of what users see
}

func faultOf(info checkpoints.CommittedInfo) []byte {
	info.Prompts = nil
	data, _ := json.Marshal(fault{info, info.Unreadable}) // strings, numbers and times: it is always JSON
	return data
}

// firstAndLast are the first and the last of a session's prompts, in a line; empty: it has none.
func firstAndLast(prompts string) (first, last string) {
	words := conversation.Split(prompts)
	if len(words) == 0 {
		return "", ""
	}
	return shadow.Describe(words[0]), shadow.Describe(words[len(words)-1])
}

// orderOf sorts checkpoints, the latest first, as checkpoints.ListCommitted does.
func orderOf(info checkpoints.CommittedInfo) string {
	// Keys are sorted upwards, and lists begin with the latest.
	key := inverted(timeKey(info.When))
	if len(info.Sessions) > 0 {
		first := info.Sessions[0]
		key += "\x00" + escaped(first.SessionID) + end + inverted(ordered(first))
	} else {
		// After those that have sessions: there the zero byte stands.
		key += "\x01"
	}
	return key + info.ID
}

// ordered sorts the parts of a session, the earliest first, as SessionMetadata.After does.
func ordered(m checkpoints.SessionMetadata) string {
	calls := 0
	if m.TokenUsage != nil {
		calls = m.TokenUsage.APICallCount
	}
	return timeKey(m.CreatedAt) + number(m.CheckpointTranscriptStart) + number(m.CheckpointPromptStart) + number(calls)
}

// timeKey sorts as the time does, to the nanosecond from 1678 to 2262.
func timeKey(t time.Time) string {
	nanos := t.UnixNano()
	switch year := t.Year(); {
	// UnixNano is not defined beyond these years, and a checkpoint may have any.
	case year < 1678:
		nanos = math.MinInt64
	case year > 2261:
		nanos = math.MaxInt64
	}
	// The sign bit is turned around, so that times before 1970 sort before the others.
	return string(binary.BigEndian.AppendUint64(nil, uint64(nanos)^1<<63))
}

// number sorts as the number does, a negative one as 0: its length, and its bytes.
func number(n int) string {
	b := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, uint64(max(0, n))), "\x00")
	return string(append([]byte{byte(len(b))}, b...))
}

func inverted(key string) string {
	b := []byte(key)
	for i := range b {
		b[i] = ^b[i]
	}
	return string(b)
}

// values are the row's keys with their values.
func (r row) values() map[string][]byte {
	// remove deletes what this lists: rowFields must have all that the keys are made of.
	all := map[string][]byte{keyRow + r.id: pack(r, rowFields), keyTime + r.order: []byte(r.id)}
	for _, p := range r.parts {
		all[keyPart+escaped(p.session)+end+p.order+r.id] = pack(p, partFields)
	}
	for _, path := range r.files {
		all[keyPath+escaped(string(path))+end+r.id] = nil
	}
	for _, turn := range r.turns {
		all[keyTurn+escaped(turn)+end+r.id] = nil
	}
	all[keyText+r.id] = pack(ownTexts{r.dark, []byte(strings.Join(r.texts, "\x00"))}, ownFields)
	if r.elsewhere {
		all[keyElsewhere+r.id] = []byte{1}
	}
	if r.fault != nil {
		all[keyDamaged+r.id] = r.fault
	}
	if r.beside != nil {
		all[keyBeside+r.id] = r.beside
	}
	return all
}

// rowFields are those that the row's keys are made of.
func rowFields(c *coder, r *row) {
	c.entry(&r.dir)
	str(c, &r.order)
	list(c, &r.parts, func(c *coder, p *sessionPart) {
		str(c, &p.session)
		str(c, &p.order)
	})
	list(c, &r.files, str)
	list(c, &r.turns, str)
	c.flag(&r.elsewhere)
	for _, value := range []*[]byte{&r.fault, &r.beside} {
		there := *value != nil
		// The text itself is under a key of its own: here it is only said that there is one.
		if c.flag(&there); there && c.reads {
			*value = []byte{}
		}
	}
}

// rowIn reads a row from its value, enough for its keys.
func rowIn(id string, value []byte) (row, error) {
	r, err := unpack(value, rowFields)
	r.id = id
	return r, err
}

// ownTexts are a checkpoint's own prompts; these are no copy of what is read.
type ownTexts struct {
	dark  bool
	texts []byte
}

func ownFields(c *coder, own *ownTexts) {
	c.flag(&own.dark)
	c.rest(&own.texts)
}

func partFields(c *coder, p *sessionPart) {
	for _, s := range []*string{&p.checkpoint, &p.agent, &p.title, &p.first, &p.last} {
		str(c, s)
	}
	c.time(&p.created)
	c.usage(&p.tokens)
	list(c, &p.files, str)
	c.flag(&p.dark)
	c.flag(&p.added)
}

// summary is a session, as its checkpoints have it.
type summary struct {
	SessionInfo
	from string // the checkpoint from which its prompts are to be read; empty: they are known
}

// add adds the session's next part. Of what others added to what this clone wrote only its name is
// kept, where there are other parts.
func (s *summary) add(p sessionPart) {
	switch first := len(s.Checkpoints) == 0; {
	// The first part of this clone's own: what others added before it stays by name alone.
	case first, s.Added && !p.added:
		*s = summary{SessionInfo: SessionInfo{ID: s.ID, Started: p.created, Checkpoints: []string{}, Others: s.Checkpoints,
			Files: s.Files[:0], Uncommitted: s.Uncommitted, Added: p.added}}
	case p.added && !s.Added:
		s.Others = append(s.Others, p.checkpoint)
		return
	}
	if s.Started.IsZero() {
		s.Started = p.created
	}
	s.Agent, s.Last, s.Tokens = p.agent, p.created, p.tokens
	if p.title != "" {
		s.Title = p.title
	}
	s.Checkpoints, s.Files = append(s.Checkpoints, p.checkpoint), condense.Union(s.Files, p.files)
	switch {
	// Later parts have the earlier prompts again. The last one that has any is the one to read them
	// from.
	case p.dark:
		s.from = p.checkpoint
	case p.last != "":
		s.FirstPrompt, s.LastPrompt, s.from = p.first, p.last, ""
	}
}

func summaryFields(c *coder, s *summary) {
	for _, text := range []*string{&s.Agent, &s.Title, &s.FirstPrompt, &s.LastPrompt} {
		str(c, text)
	}
	c.time(&s.Started)
	c.time(&s.Last)
	c.usage(&s.Tokens)
	list(c, &s.Checkpoints, str)
	list(c, &s.Others, str)
	list(c, &s.Files, str)
	str(c, &s.from)
	c.flag(&s.Added)
}
