package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/fulltext"
	"entire-plumb/internal/transcript"
)

// A unit is a file of a session's conversation, which is read once, whatever checkpoints have it:
// a letter says what it is.
const (
	unitChunk    = 'c' // a part of the transcript
	unitSubagent = 'a' // a subagent's transcript
	unitPrompts  = 'q' // the prompts, where there is no transcript
	unitSummary  = 's'
	unitMetadata = 'm' // title, and names of files
)

// Kinds of texts; the first ones are those of transcript.Kind.
const (
	kindSummary = byte(transcript.File) + 1 + iota
	kindTitle
)

// kindNames are what users see and write.
var kindNames = [...]string{transcript.Prompt: "prompt", transcript.Answer: "answer", transcript.Command: "command", transcript.File: "file",
	kindSummary: "summary", kindTitle: "title"}

// kindName is what users see; empty for what no version has written.
func kindName(kind byte) string {
	if int(kind) >= len(kindNames) {
		return ""
	}
	return kindNames[kind]
}

// unit names a file: its letter, and the bytes of the blob's ID.
type unit string

func unitOf(letter byte, blob gitexec.OID) unit {
	id, _ := hex.DecodeString(string(blob)) // it is one
	return unit(letter) + unit(id)
}

func (u unit) letter() byte { return (u + "?")[0] }

func (u unit) blob() gitexec.OID { return gitexec.OID(hex.EncodeToString([]byte(u[min(1, len(u)):]))) }

// in is the unit's name in the index.
func (u unit) in(session string) string { return escaped(session) + end + string(u) }

// unitNamed are the session and the unit of such a name.
func unitNamed(name string) (session string, u unit) {
	session, rest, _ := strings.Cut(name, end)
	return unescaped(session), unit(rest)
}

// unitsOf are the units of a part, in their order.
func unitsOf(stored *conversation.Conversation) (all []unit) {
	for _, id := range stored.Chunks {
		all = append(all, unitOf(unitChunk, id))
	}
	add := func(letter byte, file string) {
		if e := stored.Files[file]; e.Exists() && !e.IsTree() {
			all = append(all, unitOf(letter, e.ID))
		}
	}
	// The transcript has the prompts, with their times.
	if len(stored.Chunks) == 0 {
		add(unitPrompts, conversation.PromptFile)
	}
	add(unitSummary, conversation.SummaryFile)
	add(unitMetadata, "metadata.json")
	if stored.Files[conversation.TasksDir].Exists() {
		tasks, _ := stored.Tasks() // of what is damaged the rest
		for _, task := range tasks {
			for _, id := range task.Transcripts {
				all = append(all, unitOf(unitSubagent, id))
			}
		}
	}
	return all
}

// aboutUnit is what the index keeps of a unit.
type aboutUnit struct {
	unread  bool // it was encrypted, or could not be read
	without bool // texts of it are in another one
	prompts int
	ids     []uint64 // of its texts that are in it
}

func aboutFields(c *coder, a *aboutUnit) {
	c.flag(&a.unread)
	c.flag(&a.without)
	num(c, &a.prompts)
	c.wide(&a.ids)
}

// reading makes texts of a unit.
type reading struct {
	unit  unit
	first bool      // it is the first one of its part
	when  time.Time // of texts that tell none
	now   time.Time
	known map[uint64]bool // texts that the session has

	aboutUnit
	docs   []fulltext.Doc
	counts map[[sha256.Size]byte]int
	files  map[string]bool // that were named in this turn
}

// content reads the unit's content.
func (r *reading) content(data []byte) error {
	switch r.unit.letter() {
	case unitChunk, unitSubagent:
		return r.transcript(bytes.NewReader(data))
	case unitPrompts:
		for _, text := range conversation.Split(string(data)) {
			r.prompts++
			r.add(transcript.Passage{Kind: transcript.Prompt, Text: cutOff(text)})
		}
	case unitSummary:
		r.add(transcript.Passage{Kind: transcript.Kind(kindSummary), Text: cutOff(strings.TrimSpace(string(data)))})
	case unitMetadata:
		var m checkpoints.SessionMetadata
		// Without an error: the file was read, and no later reading finds more in it.
		if err := conversation.Unmarshal(data, &m); err != nil {
			return nil // listing checkpoints reports it
		}
		var paths []string
		for _, path := range m.FilesTouched {
			paths = append(paths, string(path))
		}
		r.add(transcript.Passage{Kind: transcript.Kind(kindTitle), Text: cutOff(strings.TrimSpace(m.Title))})
		r.add(transcript.Passage{Kind: transcript.File, Text: cutOff(strings.Join(paths, "\n"))})
	}
	return nil
}

// mostOtherText is how many bytes are kept of a text that no transcript has.
const mostOtherText = 1 << 20

func cutOff(text string) string {
	// Whoever writes a checkpoint can write a title of any length.
	text = text[:min(len(text), mostOtherText)]
	return strings.ToValidUTF8(text, "\uFFFD")
}

func (r *reading) transcript(in io.Reader) error {
	return transcript.Passages(in, func(p transcript.Passage) error {
		switch {
		case p.Kind == transcript.Prompt:
			r.prompts++
			// A turn reads and writes one file many times. Its name is found once.
			r.files = map[string]bool{}
		case p.Kind == transcript.File && r.files[p.Text]:
			return nil
		case p.Kind == transcript.File && r.files != nil:
			r.files[p.Text] = true
		}
		r.add(p)
		return nil
	})
}

// add adds a text, unless the session has it already.
func (r *reading) add(p transcript.Passage) {
	if p.Text == "" {
		return
	}
	id := r.id(p)
	if r.known[id] {
		// If the other unit goes, this one is to be read again: see textsUpdate.session.
		r.without = true
		return
	}
	r.known[id] = true
	// A time that is to come would be the latest in each search, for ever.
	when := checkpoints.Bounded(p.When, r.now)
	if when.IsZero() {
		when = r.when
	}
	r.ids = append(r.ids, id)
	r.docs = append(r.docs, fulltext.Doc{Kind: byte(p.Kind), Aside: p.Subagent, Turn: r.prompts, When: when, Text: p.Text})
}

// id tells a text of a session from its others. The same text may be in several files, for instance
// where a program keeps the whole transcript in one that grows. It has the same time there; without
// a time it is counted, in the first file alone: what a later one has is another text.
func (r *reading) id(p transcript.Passage) uint64 {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00%v\x00%s", p.Kind, p.Subagent, p.Text)
	switch sum := [sha256.Size]byte(h.Sum(nil)); {
	case !p.When.IsZero():
		fmt.Fprintf(h, "\x00%d", p.When.UnixNano())
	// Of these a session has one at a time, which each of its checkpoints repeats: the words alone
	// tell them apart.
	case p.Kind == transcript.Kind(kindTitle), p.Kind == transcript.Kind(kindSummary), r.unit.letter() == unitMetadata:
	default:
		if r.counts == nil {
			r.counts = map[[sha256.Size]byte]int{}
		}
		r.counts[sum]++
		fmt.Fprintf(h, "\x01%d", r.counts[sum])
		if !r.first {
			fmt.Fprintf(h, "\x01%s", r.unit)
		}
	}
	// Eight bytes are enough to tell the texts of one session apart, and the index keeps them for
	// each.
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
