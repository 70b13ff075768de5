// Package restore writes stored conversations to where their agents look for them.
package restore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Conversation is a stored conversation. Others may have written all of it.
type Conversation struct {
	SessionID string
	Agent     string // its title
	Created   time.Time
	Stored    transcript.Stored
	Chunks    []gitexec.OID
	Prompts   string
	Committed bool // a committed checkpoint has it
}

// Committed is a session's part in a checkpoint.
func Committed(content *checkpoints.SessionContent) Conversation {
	m := content.Metadata
	return Conversation{m.SessionID, m.Agent, m.CreatedAt, content, content.Chunks(), content.Prompts, true}
}

// NotOffered says that conversations are not restored that others added to what this clone wrote:
// to a checkpoint, or the whole of one that is elsewhere.
func NotOffered(checkpoint string, sessions int, elsewhere bool) string {
	if elsewhere {
		return fmt.Sprintf("checkpoint %s was not recorded here, and no commit here links it; it is not restored "+
			"(hint: entire-plumb show %[1]s says whose it is, entire-plumb resume %[1]s restores it)", checkpoint)
	}
	return fmt.Sprintf("checkpoint %s was recorded here without %s that others added to it; these are not restored "+
		"(hint: entire-plumb show %[1]s says whose they are, entire-plumb resume SESSION restores one)", checkpoint, amount.Of(sessions, "session"))
}

// OnStream is the conversation in the tree of a checkpoint on a stream; false if it has none.
func OnStream(w *workspace.Workspace, k shadow.Checkpoint) (Conversation, bool, error) {
	path := shadow.MetadataDir + "/" + k.Session
	found, err := w.DB.Lookup(k.Tree, gitexec.Path(path))
	if err != nil || !found[0].IsTree() {
		return Conversation{}, false, err
	}
	stored, err := conversation.Open(w.DB, found[0], k.Tree.Short()+":"+path)
	if err != nil {
		return Conversation{}, false, err
	}
	c := Conversation{SessionID: k.Session, Agent: agent.ClaudeCode.Title, Created: k.When, Stored: stored, Chunks: stored.Chunks}
	if s, err := w.Store.Load(k.Session); err == nil && s.AgentType != "" {
		c.Agent = s.AgentType
	}
	c.Prompts, err = stored.Prompts()
	return c, true, err
}

// Restored is a session's conversation, restored to where its agent reads it (seed 004,
// RestoredSession).
type Restored struct {
	SessionID string `json:"session_id"`
	Agent     string `json:"agent,omitempty"`
	Prompt    string `json:"prompt,omitempty"` // the first
	File      string `json:"file,omitempty"`
	Status    Status `json:"status"`
	Aside     string `json:"put_aside,omitempty"` // the new path of the existing one
	Resume    string `json:"resume,omitempty"`    // the command that resumes it, in Dir
	Dir       string `json:"directory,omitempty"`
	// The times of the last records, if the agent has the conversation.
	Local  time.Time `json:"local_time,omitzero"`
	Stored time.Time `json:"checkpoint_time,omitzero"`
}

// Status is what became of a conversation, or why it could not be restored.
type Status string

// The statuses of those that could.
const (
	Written  Status = "written"
	Would    Status = "would be written"
	There    Status = "exists already, unchanged"
	Newer    Status = "exists already, and is newer; --force replaces it, and keeps the existing one aside"
	Differs  Status = "exists already, and differs; --force replaces it, and keeps the existing one aside"
	Replaces Status = "would be replaced, and the existing one kept aside"
)

// Request says how to restore.
type Request struct {
	Preview bool // only report what would be done
	Force   bool // replace newer conversations, too
}

// Kept reports whether the agent's conversation was kept because the user did not say that it may
// be replaced. Who calls may ask then, without a lock that hooks wait for, and repeat it with Force
// (seed 004, PromptOverwriteNewerLogs).
func (r Restored) Kept() bool { return r.Status == Newer || r.Status == Differs }

// target is a conversation, and where it goes.
type target struct {
	Restored
	from   Conversation
	place  agent.Place
	status transcript.Status
	failed error
}

// Conversations restores conversations. One that cannot be restored has the reason in its status
// and in the error, and keeps no other from being restored.
func Conversations(ctx context.Context, w *workspace.Workspace, all []Conversation, q Request) ([]Restored, error) {
	done := []Restored{}
	var failed []error
	for _, c := range all {
		t := find(w, c)
		if t.Status == "" {
			t.Status = q.status(t.status)
		}
		if t.Status == "" {
			if err := t.write(ctx, w); err != nil {
				t.fail(err)
			}
		}
		done, failed = append(done, t.Restored), append(failed, t.failed)
		if err := ctx.Err(); err != nil {
			return done, err
		}
	}
	return done, together(failed)
}

// status is what is said of a conversation that is not written; empty: it is to be written.
func (q Request) status(found transcript.Status) Status {
	switch {
	case found == transcript.StatusUnchanged:
		return There
	case found == transcript.StatusLocalNewer && !q.Force:
		return Newer
	case found == transcript.StatusUnknown && !q.Force:
		return Differs
	case q.Preview && found == transcript.StatusNew:
		return Would
	case q.Preview:
		return Replaces
	}
	return ""
}

// together is the errors as one. Of several conversations that are encrypted for others one hint is
// enough.
func together(failed []error) error {
	sealed := slices.DeleteFunc(slices.Clone(failed), func(err error) bool { return err == nil || !conversation.IsSealed(err) })
	if len(sealed) < 2 {
		return errors.Join(failed...)
	}
	others := slices.DeleteFunc(slices.Clone(failed), func(err error) bool { return err == nil || conversation.IsSealed(err) })
	return errors.Join(append(others, fmt.Errorf("the conversations of %s cannot be restored: %w", amount.Of(len(sealed), "session"),
		errors.Unwrap(sealed[0])))...)
}

func (t *target) fail(err error) {
	t.Status = Status(explain.What(err))
	if _, err := os.Lstat(t.File); err != nil {
		t.File, t.Resume, t.Dir = "", "", "" // the agent has nothing of it
	}
	t.failed = fmt.Errorf("the conversation of session %s cannot be restored: %w", t.SessionID, err)
}

// find finds out where a conversation goes, and what is there.
func find(w *workspace.Workspace, c Conversation) target {
	t := target{from: c, Restored: Restored{SessionID: c.SessionID, Agent: c.Agent}}
	if words := conversation.Split(c.Prompts); len(words) > 0 {
		t.Prompt = shadow.Describe(words[0])
	}
	if err := session.CheckID(c.SessionID); err != nil {
		t.fail(err)
		return t
	}
	var err error
	t.place, err = place(w, c)
	if errors.As(err, new(*agent.NoPlaceError)) {
		t.Status = Status(err.Error())
		return t
	}
	if err != nil {
		t.fail(err)
		return t
	}
	if by, ok := agent.ByTitle(cmp.Or(c.Agent, agent.ClaudeCode.Title)); ok && by.ResumeArgs != nil {
		t.Resume, t.Dir = strings.Join(append(slices.Clone(by.ResumeArgs), c.SessionID), " "), w.Repo.Top
	}
	t.File = t.place.File
	found, err := transcript.Compare(t.File, c.Stored, w.Now())
	if err != nil {
		t.fail(err)
		return t
	}
	t.status, t.Local, t.Stored = found.Status, found.Local, found.Stored
	return t
}

// place is where the agent reads a session's conversation: the known file on this machine, or the
// agent's own choice for this worktree. The path in a checkpoint may be from another machine, and
// is ignored.
func place(w *workspace.Workspace, c Conversation) (agent.Place, error) {
	by, _ := agent.ByTitle(cmp.Or(c.Agent, agent.ClaudeCode.Title))
	if s, err := w.Store.Load(c.SessionID); err == nil && s.TranscriptPath != "" && (by.Transcript == nil || s.In(w.Repo.WorktreeID())) {
		return agent.Place{File: s.TranscriptPath}, nil
	}
	p, err := by.Place(w.Getenv, w.Repo.Top, c.SessionID, c.Created)
	if err != nil {
		return p, err
	}
	// An agent's directory may be in the worktree, where others can commit symbolic links.
	if name, err := filepath.Rel(w.Repo.Top, p.File); err == nil && filepath.IsLocal(name) {
		if _, _, err := safefile.Inside(w.Repo.Top, filepath.ToSlash(name)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// unfinished is how long ago a killed process has last written what is removed.
const unfinished = time.Minute

// write writes the conversation, and keeps an existing one aside.
func (t *target) write(ctx context.Context, w *workspace.Workspace) error {
	if err := safefile.MkdirAll(filepath.Dir(t.File), 0o700); err != nil {
		return err
	}
	safefile.RemoveUnfinished(t.File, time.Now().Add(-unfinished))
	if t.place.Owner != "" {
		if err := safefile.WriteNew(t.place.Owner, []byte(w.Repo.Top), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := safefile.WriteFrom(t.File, 0o600, func(f *os.File) error { return t.writeTo(f, w.Now()) }); err != nil {
		return err
	}
	t.Status = Written
	return t.setPosition(ctx, w)
}

// writeTo writes the conversation to a file that takes the place of an existing one, which is kept
// aside.
func (t *target) writeTo(f *os.File, now time.Time) error {
	lines := &lineEnd{to: f}
	if err := t.from.Stored.WriteTranscript(lines); err != nil {
		return err
	}
	if lines.open { // the store drops the last newline, and the agent will append
		if _, err := f.WriteString("\n"); err != nil {
			return err
		}
	}
	aside, err := putAside(t.File, now.UTC().Format("20060102T150405Z"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the existing conversation cannot be renamed: %w", err)
	}
	t.Aside = aside
	return nil
}

// setPosition sets the position in a session's state, if it has one here, to the end of the
// restored conversation. Tokens that were used stay counted.
func (t *target) setPosition(ctx context.Context, w *workspace.Workspace) error {
	if w.Store.ReadOnly {
		return nil
	}
	s, err := w.Store.Load(t.SessionID)
	if errors.Is(err, session.ErrNotFound) || err == nil && s.TranscriptPath != t.File {
		return nil
	}
	if err != nil {
		return err
	}
	part, err := transcript.Read(ctx, t.File, transcript.Position{}, func([]byte, bool) error { return nil })
	if err != nil {
		return err
	}
	words := conversation.Split(t.from.Prompts)
	last := ""
	if len(words) > 0 {
		last = shadow.Describe(words[len(words)-1])
	}
	s.TranscriptReplaced(part.Position, t.from.Chunks, len(words), last, t.from.Committed)
	if err := w.Store.SavePrompts(s.SessionID, []byte(t.from.Prompts)); err != nil {
		return err
	}
	return w.Store.Save(s)
}

// putAside links a file to an unused name.
func putAside(file, when string) (aside string, err error) {
	aside = file + ".before-" + when
	for n := 2; ; n++ {
		if err = os.Link(file, aside); !errors.Is(err, fs.ErrExist) {
			return aside, err
		}
		aside = fmt.Sprintf("%s.before-%s-%d", file, when, n)
	}
}

// lineEnd notes whether the text written ends without a newline.
type lineEnd struct {
	to   io.Writer
	open bool
}

func (l *lineEnd) Write(text []byte) (int, error) {
	if len(text) > 0 {
		l.open = text[len(text)-1] != '\n'
	}
	return l.to.Write(text)
}
