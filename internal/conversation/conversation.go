// Package conversation reads what git keeps of a session: its transcript, prompts and tasks, as a
// directory on a stream or in a committed checkpoint.
package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// MostPrompts limits a session's prompts, and the page that lists them, in bytes: both grow with
// the session, and are read whole.
const MostPrompts = 32 << 20

// Names of the files in the directory, beside the transcript's chunks.
const (
	PromptFile  = "prompt.txt"
	ContextFile = "context.md"
	SummaryFile = "summary.txt"
	HashFile    = "content_hash.txt"
	TasksDir    = "tasks"
)

// Conversation is the directory of a session's conversation. Each method reads the files that it
// needs; damaged files are ErrDamaged.
type Conversation struct {
	Files  gitexec.Tree
	Chunks []gitexec.OID // the blobs that hold the transcript, in order

	db   *gitexec.ODB
	path string // in errors
}

// Open reads a directory; path is its name in errors.
func Open(db *gitexec.ODB, dir gitexec.Entry, path string) (*Conversation, error) {
	files, err := Dir(db, dir, path)
	if err != nil {
		return nil, err
	}
	return Of(db, files, path), nil
}

// Of is Open for a directory that was read already.
func Of(db *gitexec.ODB, files gitexec.Tree, path string) *Conversation {
	c := &Conversation{Files: files, db: db, path: path}
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		c.Chunks = append(c.Chunks, files[transcript.ChunkName(i)].ID)
	}
	return c
}

// text reads a file; empty if there is none.
func (c *Conversation) text(name string, most int64) (string, error) {
	if !c.Files[name].Exists() {
		return "", nil
	}
	data, err := File(c.db, c.Files[name], c.path+"/"+name, most)
	return string(data), err
}

// Prompts returns the user's prompts as they are stored: see Split.
func (c *Conversation) Prompts() (string, error) { return c.text(PromptFile, MostPrompts) }

// Split splits stored prompts, without blank ones.
func Split(prompts string) []string {
	all := []string{}
	for p := range strings.SplitSeq(prompts, session.PromptSeparator) {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// Context returns the page that says what the session is about at a glance.
func (c *Conversation) Context() (string, error) { return c.text(ContextFile, MostPrompts) }

// AgentNamed returns the agent and its model that such a page names; empty where it names none.
func AgentNamed(page string) (agent, model string) {
	for line := range strings.Lines(page) {
		if name, ok := strings.CutPrefix(line, "Agent: "); ok {
			agent, model, _ = strings.Cut(strings.TrimSpace(name), " (")
			return agent, strings.TrimSuffix(model, ")")
		}
		if strings.HasPrefix(line, "## ") { // what was asked
			break
		}
	}
	return "", ""
}

// Hash returns the hash that is stored of the transcript, in hex, and whether one is; what is no
// hash is ErrDamaged.
func (c *Conversation) Hash() (sum string, stored bool, err error) {
	if !c.Files[HashFile].Exists() {
		return "", false, nil
	}
	text, err := c.text(HashFile, mostSmall)
	sum = strings.TrimPrefix(strings.TrimSpace(text), "sha256:")
	if err == nil && (len(sum) != 2*sha256.Size || strings.Trim(sum, "0123456789abcdef") != "") {
		err = fmt.Errorf("%w: %s/%s holds no hash", ErrDamaged, c.path, HashFile)
	}
	return sum, true, err
}

// Tasks reads what is stored of subagents' tasks, by their IDs.
func (c *Conversation) Tasks() ([]Task, error) {
	return readTasks(c.db, c.Files[TasksDir], c.path+"/"+TasksDir)
}

// TaskTranscript returns a transcript of a subagent's own.
func (c *Conversation) TaskTranscript(t Task, blob gitexec.OID) transcript.Stored {
	return part{c.db, c.path + "/" + TasksDir + "/" + t.ToolUseID + "/agent-" + t.AgentID + ".jsonl", []gitexec.OID{blob}}
}

// WriteTranscript writes the transcript as it is stored, chunk by chunk, and verifies nothing.
func (c *Conversation) WriteTranscript(w io.Writer) error {
	return part{c.db, c.path + "/" + transcript.ChunkName(0), c.Chunks}.WriteTranscript(w)
}

// WriteVerified is WriteTranscript, and ErrDamaged at the end if the hash of what was written is
// another one.
func (c *Conversation) WriteVerified(w io.Writer, sum string) error {
	hash := sha256.New()
	if err := c.WriteTranscript(io.MultiWriter(w, hash)); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return fmt.Errorf("%w: %s/%s: its hash is %s, %s says %s", ErrDamaged, c.path, transcript.ChunkName(0), got, HashFile, sum)
	}
	return nil
}

// part is a transcript in chunks.
type part struct {
	db     *gitexec.ODB
	path   string // of the first one
	chunks []gitexec.OID
}

func (p part) WriteTranscript(w io.Writer) error {
	if err := p.db.CountCopy(p.chunks...); err != nil {
		return Damage(p.path, err)
	}
	for i, id := range p.chunks {
		if i > 0 {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		path := p.path
		if i > 0 {
			path = strings.TrimSuffix(p.path, transcript.ChunkName(0)) + transcript.ChunkName(i)
		}
		if err := Copy(p.db, w, id); err != nil {
			return Damage(path, err)
		}
	}
	return nil
}
