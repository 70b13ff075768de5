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
//	t/ORDER            the ID of a checkpoint, the latest first
//	s/SESSION ORDER    a session's part of a checkpoint, the earliest first
//	a/SESSION          all parts of a session together
//	p/PATH ID          a checkpoint that changed the file
//	u/TURN ID          a checkpoint with work of the turn
//	x/ID               the prompts that are the checkpoint's own, in lower case
const (
	keyCount    = "count"
	keyRow      = "c/"
	keyDamaged  = "d/"
	keyTime     = "t/"
	keyPart     = "s/"
	keySession  = "a/"
	keyPath     = "p/"
	keyTurn     = "u/"
	keyText     = "x/"
	indexedForm = "2" // changes with the keys and values, which are then read again
)

// end ends a name in a key. A zero byte of the name itself is escaped.
const end = "\x00\x01"

func escaped(s string) string { return strings.ReplaceAll(s, "\x00", "\x00\xff") }

func unescaped(s string) string { return strings.ReplaceAll(s, "\x00\xff", "\x00") }

// row is a checkpoint in the index.
type row struct {
	id    string
	dir   gitexec.Entry
	order string // among all, the latest first
	parts []sessionPart
	files []gitexec.Path
	turns []string
	texts []string // its own prompts, in lower case
	dark  bool     // its prompts are not all in texts: they are encrypted, or too long, or could not be read
	fault []byte   // JSON of a damaged one; nil: it is not damaged
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
}

// mostText is how many bytes of prompts the index keeps of a checkpoint. Those of one with more are
// read again when they are searched.
const mostText = 64 << 10

// rowOf is the row of a checkpoint that was read as it is stored.
func rowOf(info checkpoints.CommittedInfo) row {
	r := row{id: info.ID, dir: info.Directory, files: info.Files, turns: info.Turns, order: orderOf(info)}
	for i, m := range info.Sessions {
		p := sessionPart{session: m.SessionID, order: ordered(m), checkpoint: info.ID, agent: m.Agent, title: m.Title, created: m.CreatedAt,
			tokens: m.TokenUsage, files: m.FilesTouched, dark: info.Encrypted[i]}
		p.first, p.last = firstAndLast(info.Prompts[i])
		r.parts, r.dark = append(r.parts, p), r.dark || p.dark
	}
	size := 0
	for _, text := range ownPrompts(info) {
		r.texts, size = append(r.texts, strings.ToLower(text)), size+len(text)
	}
	if size > mostText {
		r.texts, r.dark = nil, true
	}
	if info.Error != "" {
		r.fault = faultOf(info)
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
	key := inverted(timeKey(info.When))
	if len(info.Sessions) > 0 {
		first := info.Sessions[0]
		key += "\x00" + escaped(first.SessionID) + end + inverted(ordered(first))
	} else {
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
	case year < 1678:
		nanos = math.MinInt64
	case year > 2261:
		nanos = math.MaxInt64
	}
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
	all := map[string][]byte{keyRow + r.id: r.pack(), keyTime + r.order: []byte(r.id)}
	for _, p := range r.parts {
		all[keyPart+escaped(p.session)+end+p.order+r.id] = p.pack()
	}
	for _, path := range r.files {
		all[keyPath+escaped(string(path))+end+r.id] = nil
	}
	for _, turn := range r.turns {
		all[keyTurn+escaped(turn)+end+r.id] = nil
	}
	var text packer
	text.flag(r.dark)
	all[keyText+r.id] = append(text, strings.Join(r.texts, "\x00")...)
	if r.fault != nil {
		all[keyDamaged+r.id] = r.fault
	}
	return all
}

// pack writes of a row what its keys are made of.
func (r row) pack() []byte {
	var p packer
	p.entry(r.dir)
	p.str(r.order)
	p.num(len(r.parts))
	for _, part := range r.parts {
		p.str(part.session)
		p.str(part.order)
	}
	p.paths(r.files)
	p.strs(r.turns)
	p.flag(r.fault != nil)
	return p
}

// rowIn reads a row from its value, enough for its keys.
func rowIn(id string, value []byte) (row, error) {
	u := unpacker{rest: value}
	r := row{id: id, dir: u.entry(), order: u.str()}
	for range u.num() {
		if u.err != nil {
			break
		}
		r.parts = append(r.parts, sessionPart{session: u.str(), order: u.str()})
	}
	r.files, r.turns = u.paths(), u.strs()
	if u.flag() {
		r.fault = []byte{}
	}
	return r, u.err
}

func (p sessionPart) pack() []byte {
	var b packer
	b.str(p.checkpoint)
	b.str(p.agent)
	b.str(p.title)
	b.str(p.first)
	b.str(p.last)
	b.time(p.created)
	b.usage(p.tokens)
	b.paths(p.files)
	b.flag(p.dark)
	return b
}

func partIn(value []byte) (sessionPart, error) {
	u := unpacker{rest: value}
	p := sessionPart{checkpoint: u.str(), agent: u.str(), title: u.str(), first: u.str(), last: u.str(), created: u.time(), tokens: u.usage(),
		files: u.paths(), dark: u.flag()}
	return p, u.err
}

// summary is a session, as its checkpoints have it.
type summary struct {
	SessionInfo
	from string // the checkpoint from which its prompts are to be read; empty: they are known
}

// add adds the session's next part.
func (s *summary) add(p sessionPart) {
	if len(s.Checkpoints) == 0 {
		s.Started = p.created
	}
	s.Agent, s.Last, s.Tokens = p.agent, p.created, p.tokens
	if p.title != "" {
		s.Title = p.title
	}
	s.Checkpoints, s.Files = append(s.Checkpoints, p.checkpoint), condense.Union(s.Files, p.files)
	switch {
	case p.dark:
		s.from = p.checkpoint
	case p.last != "":
		s.FirstPrompt, s.LastPrompt, s.from = p.first, p.last, ""
	}
}

func (s summary) pack() []byte {
	var b packer
	b.str(s.Agent)
	b.str(s.Title)
	b.str(s.FirstPrompt)
	b.str(s.LastPrompt)
	b.time(s.Started)
	b.time(s.Last)
	b.usage(s.Tokens)
	b.strs(s.Checkpoints)
	b.paths(s.Files)
	b.str(s.from)
	return b
}

func summaryIn(id string, value []byte) (s summary, err error) {
	u := unpacker{rest: value}
	s.SessionInfo = *newSession(id)
	s.Agent, s.Title, s.FirstPrompt, s.LastPrompt = u.str(), u.str(), u.str(), u.str()
	s.Started, s.Last, s.Tokens, s.Checkpoints = u.time(), u.time(), u.usage(), u.strs()
	s.Files = append(s.Files, u.paths()...)
	s.from = u.str()
	return s, u.err
}
