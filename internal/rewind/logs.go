package rewind

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

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// RestoredLog is a session's conversation, restored to where its agent reads it (seed 004,
// RestoredSession).
type RestoredLog struct {
	SessionID string `json:"session_id"`
	Agent     string `json:"agent,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	File      string `json:"file,omitempty"`
	Status    string `json:"status"`
	Aside     string `json:"put_aside,omitempty"` // the new path of the existing one
	Resume    string `json:"resume,omitempty"`    // the command that resumes it
}

// Results of restoring a conversation.
const (
	LogWritten = "written"
	LogWould   = "would be written"
	LogThere   = "exists already; --force replaces it, and keeps the existing one aside"
	LogNowhere = "the place of this agent's transcripts is unknown; entire-plumb show --raw prints it"
)

// restoreLogs restores the conversations of a committed checkpoint.
func (p *run) restoreLogs(ctx context.Context, id string, q Request) ([]RestoredLog, error) {
	logs := []RestoredLog{}
	branch, err := checkpoints.ReadBranches(ctx, p.Repo, p.DB)
	if err != nil {
		return logs, err
	}
	parts, damaged := checkpoints.ReadSessions(p.DB, branch, id)
	for _, content := range parts {
		if content.Metadata.SessionID == "" {
			return logs, errors.Join(damaged...)
		}
		one := RestoredLog{SessionID: content.Metadata.SessionID, Agent: content.Metadata.Agent}
		if words := conversation.Split(content.Prompts); len(words) > 0 {
			one.Prompt = shadow.Describe(words[0])
		}
		if err := p.restoreLog(ctx, &one, storedLog{content.WriteTranscript, content.Chunks(), content.Prompts}, q); err != nil {
			return logs, err
		}
		logs = append(logs, one)
	}
	if len(parts) == 0 {
		return logs, errors.Join(damaged...)
	}
	return logs, ctx.Err()
}

// storedLog is a stored conversation.
type storedLog struct {
	write   func(io.Writer) error
	chunks  []gitexec.OID
	prompts string
}

// restoreStreamLog restores the conversation of a checkpoint on a stream.
func (p *run) restoreStreamLog(ctx context.Context, k point, q Request) ([]RestoredLog, error) {
	one := RestoredLog{SessionID: k.SessionID, Agent: p.agentOf(k.SessionID), Prompt: k.Message}
	found, err := p.DB.Lookup(k.logs, gitexec.Path(shadow.MetadataDir+"/"+k.SessionID))
	if err != nil || !found[0].IsTree() {
		return []RestoredLog{}, err
	}
	stored, err := conversation.Open(p.DB, found[0], k.logs.Short()+":"+shadow.MetadataDir+"/"+k.SessionID)
	if err != nil {
		return nil, err
	}
	t := storedLog{chunks: stored.Chunks, write: stored.WriteTranscript}
	if t.prompts, err = stored.Prompts(); err != nil {
		return nil, err
	}
	err = p.restoreLog(ctx, &one, t, q)
	return []RestoredLog{one}, err
}

func (p *run) restoreLog(ctx context.Context, one *RestoredLog, t storedLog, q Request) error {
	if one.File = p.logFile(one.SessionID, one.Agent); one.File == "" {
		one.Status = LogNowhere
		return nil
	}
	if by, ok := agent.ByTitle(cmp.Or(one.Agent, agent.ClaudeCode.Title)); ok && by.ResumeArgs != nil {
		one.Resume = strings.Join(append(slices.Clone(by.ResumeArgs), one.SessionID), " ")
	}
	_, err := os.Lstat(one.File)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !q.Force:
		one.Status = LogThere
		return nil
	case q.Preview:
		one.Status = LogWould
		return nil
	}
	if err := safefile.MkdirAll(filepath.Dir(one.File), 0o700); err != nil {
		return err
	}
	there := err == nil
	err = safefile.WriteFrom(one.File, 0o600, func(f *os.File) error {
		lines := &lineEnd{to: f}
		if err := t.write(lines); err != nil {
			return err
		}
		if lines.open { // the store drops the last newline, and the agent will append
			if _, err := f.WriteString("\n"); err != nil {
				return err
			}
		}
		if !there {
			return nil
		}
		var err error
		if one.Aside, err = putAside(one.File, p.Now().UTC().Format("20060102T150405Z")); err != nil {
			return fmt.Errorf("the existing conversation cannot be renamed: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	one.Status = LogWritten
	return p.resumeFrom(ctx, one, t)
}

// resumeFrom sets the position in a session's state, if it has one here, to the end of the restored
// conversation. Tokens that were used stay counted.
func (p *run) resumeFrom(ctx context.Context, one *RestoredLog, t storedLog) error {
	if p.Store.ReadOnly {
		return nil
	}
	s, err := p.Store.Load(one.SessionID)
	if errors.Is(err, session.ErrNotFound) || err == nil && s.TranscriptPath != one.File {
		return nil
	}
	if err != nil {
		return err
	}
	part, err := transcript.Read(ctx, one.File, transcript.Position{}, func([]byte, bool) error { return nil })
	if err != nil {
		return err
	}
	s.Recorded, s.RecordedTime, s.Chunks, s.Stored = part.Position, nil, t.chunks, nil
	session.Shorten(s, part.Position.Lines, len(conversation.Split(t.prompts)))
	if words := conversation.Split(t.prompts); len(words) > 0 {
		s.LastPrompt = shadow.Describe(words[len(words)-1])
	}
	if err := p.Store.SavePrompts(s.SessionID, []byte(t.prompts)); err != nil {
		return err
	}
	return p.Store.Save(s)
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

// agentOf is the agent of a session on this machine.
func (p *run) agentOf(id string) string {
	if s, err := p.Store.Load(id); err == nil && s.AgentType != "" {
		return s.AgentType
	}
	return agent.ClaudeCode.Title
}

// logFile is the path where an agent reads a session's conversation: the known one on this machine,
// or the agent's default for this worktree. The path in a checkpoint may be from another machine,
// and is ignored.
func (p *run) logFile(id, of string) string {
	if session.CheckID(id) != nil {
		return ""
	}
	if s, err := p.Store.Load(id); err == nil && s.TranscriptPath != "" {
		return s.TranscriptPath
	}
	if of != agent.ClaudeCode.Title && of != "" { // where others look is not known
		return ""
	}
	home := p.Getenv("CLAUDE_CONFIG_DIR")
	if home == "" {
		home = filepath.Join(p.Getenv("HOME"), ".claude")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	project := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, p.Repo.Top)
	return filepath.Join(home, "projects", project, id+".jsonl")
}
