// Package session keeps the state of each conversation with an agent: one file a session, in the
// common git directory, and the phase machine.
package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/transcript"
)

// State is the content of a session's file. Its size does not grow with the repository, only with
// what the agent touched.
type State struct {
	SessionID  string `json:"session_id"`
	CLIVersion string `json:"cli_version,omitempty"`

	// Place is the session in one worktree: where something was recorded last, or where a hook
	// looks at it. Others are its other worktrees: see In.
	Place
	Others []Place `json:"other_worktrees,omitempty"`

	StartedAt           time.Time  `json:"started_at"`
	EndedAt             *time.Time `json:"ended_at,omitempty"`
	LastInteractionTime *time.Time `json:"last_interaction_time,omitempty"`

	TurnID       string `json:"turn_id,omitempty"`        // 12 hex digits
	TurnPromptID string `json:"turn_prompt_id,omitempty"` // the agent's, of the prompt that it began with; empty: not said
	// TurnCheckpointIDs are checkpoints of commits made during the current turn, with the
	// transcript up to then. The turn's end writes them again with the whole transcript.
	TurnCheckpointIDs []string `json:"turn_checkpoint_ids,omitempty"`

	// TurnStartWorktrees are the IDs of the worktrees when the turn began; empty: not known.
	TurnStartWorktrees []string `json:"turn_start_worktrees,omitempty"`

	LastCheckpointID string `json:"last_checkpoint_id,omitempty"`
	// Linked are the last commits that hold the session's work, newest last. Dismissed is what no
	// place held when its stream ended. Both are kept for KeptFor, so that a commit made again, or
	// restored content, keeps its conversation.
	Linked    []Link      `json:"linked_commits,omitempty"`
	Dismissed []Dismissed `json:"dismissed,omitempty"`

	AgentType string `json:"agent_type,omitempty"`
	// AgentProcess is the process that called the hook at the turn's start, or at the session's:
	// the agent. nil: not known, or each hook is called by a process that ends with it.
	AgentProcess *ancestry.Process `json:"agent_process,omitempty"`
	Caller       Caller            `json:"hooks_called_by,omitempty"` // what is known of it
	ModelName    string            `json:"model_name,omitempty"`
	AuthorName   string            `json:"author_name,omitempty"` // git's user when the session started
	AuthorEmail  string            `json:"author_email,omitempty"`
	// Title is what the user or the agent called the session; empty: nothing.
	Title       string `json:"session_title,omitempty"`
	FirstPrompt string `json:"first_prompt,omitempty"` // shortened, for display
	LastPrompt  string `json:"last_prompt,omitempty"`

	TranscriptPath string `json:"transcript_path,omitempty"`
	// Recorded is how much of the transcript is in the object store, and Chunks the blobs that hold
	// it, in order.
	Recorded transcript.Position `json:"transcript_recorded"`
	// TurnRecorded is what of Recorded.Bytes was there when the turn began: its prompt comes after
	// it, unless that was recorded already.
	TurnRecorded int64         `json:"turn_transcript_recorded,omitempty"`
	Chunks       []gitexec.OID `json:"transcript_chunks,omitempty"`
	// Stored is the running hash of the stored transcript, without secrets.
	Stored *transcript.Sum `json:"transcript_stored,omitempty"`
	// RecordedTime was the transcript file's time stamp: if it and the size are unchanged, the file
	// is not read again.
	RecordedTime *time.Time `json:"transcript_recorded_time,omitempty"`
	// Tasks are the subagents' tasks in progress; TasksTree records all tasks of the session.
	Tasks     []Task      `json:"tasks,omitempty"`
	TasksTree gitexec.OID `json:"tasks_tree,omitempty"`
	// CheckpointTask is the tool use of the task that made the last checkpoint; empty: the turn
	// did.
	CheckpointTask string `json:"checkpoint_task,omitempty"`
	// Background are the tasks that went on at the last stop.
	Background BackgroundTasks `json:"background_tasks,omitempty"`
	// StoppedBytes is how long the transcript was then.
	StoppedBytes int64 `json:"transcript_stopped,omitempty"`
	// SummaryID is the blob of the agent's last message.
	SummaryID gitexec.OID `json:"summary_id,omitempty"`
	// Sealed are the files that are stored encrypted, by name; nil: what is stored is plain.
	Sealed map[string]SealedFile `json:"sealed,omitempty"`

	TokenUsage           *transcript.Usage `json:"token_usage,omitempty"`            // of the session so far
	CheckpointTokenUsage *transcript.Usage `json:"checkpoint_token_usage,omitempty"` // since the last committed checkpoint
	// Subagents are those counted last, oldest first, each with all its tokens: one may continue in
	// another task.
	Subagents []Subagent `json:"subagents_counted,omitempty"`

	unknown map[string]json.RawMessage // keys of other programs, kept as they were
}

// Edited is a state with its JSON changed by a function; nil: it changes nothing. What of the
// transcript is stored may have been changed with it, and is hashed again.
func Edited(s *State, edit func([]byte) []byte) (*State, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	after := edit(data)
	if bytes.Equal(after, data) {
		return nil, nil
	}
	edited := &State{}
	if err := json.Unmarshal(after, edited); err != nil {
		return nil, fmt.Errorf("the state of session %s: %w", s.SessionID, err)
	}
	if !slices.Equal(edited.Chunks, s.Chunks) {
		edited.Stored = nil
	}
	return edited, nil
}

// CountedElsewhere returns the tokens that were counted although no transcript is recorded here: by
// another program that began the session, or for subagents. nil: none.
func (s *State) CountedElsewhere() *transcript.Usage {
	if s.Recorded.Bytes > 0 || s.Recorded.SHA256 != "" {
		return nil
	}
	return s.TokenUsage
}

// SealedFile is a text that is stored encrypted. Each encryption comes out otherwise: as long as
// the text and its readers are the same, the blob is stored again as it is.
type SealedFile struct {
	SHA256 string      `json:"sha256"` // of the text and its readers
	Blob   gitexec.OID `json:"blob"`
}

// countedSubagents is how many subagents a state keeps.
const countedSubagents = 32

// Subagent is what was counted of a subagent.
type Subagent struct {
	ID        string           `json:"id"`
	ToolUseID string           `json:"tool_use_id,omitempty"` // of the use of the tool that called it last
	Usage     transcript.Usage `json:"usage"`
}

// CountSubagent returns the part of a subagent's tokens (all) that was not counted before.
func (s *State) CountSubagent(id, toolUseID string, all transcript.Usage) transcript.Usage {
	uncounted := all
	s.Subagents = slices.DeleteFunc(s.Subagents, func(m Subagent) bool {
		if m.ID == id {
			uncounted = all.Less(m.Usage)
		}
		return m.ID == id
	})
	s.Subagents = append(s.Subagents, Subagent{ID: id, ToolUseID: toolUseID, Usage: all})
	s.Subagents = s.Subagents[max(0, len(s.Subagents)-countedSubagents):]
	return uncounted
}

// CountTokens adds tokens to those of the session, and to those since its last committed
// checkpoint.
func (s *State) CountTokens(more transcript.Usage) {
	for _, counted := range []**transcript.Usage{&s.TokenUsage, &s.CheckpointTokenUsage} {
		sum := transcript.Usage{}
		if *counted != nil {
			sum = **counted
		}
		sum = sum.Add(more)
		*counted = &sum
	}
}

// CalledBy is the use of the tool that called a subagent that was counted; empty: not known.
func (s *State) CalledBy(id string) string {
	for _, m := range s.Subagents {
		if m.ID == id {
			return m.ToolUseID
		}
	}
	return ""
}

// LeftOut is a worktree file that a snapshot does not hold, and why.
type LeftOut struct {
	Path   gitexec.Path `json:"path"`
	Reason string       `json:"reason"`
}

// plain has State's fields without its methods.
type plain State

// MarshalJSON writes the known keys in their order, then the unknown ones.
func (s State) MarshalJSON() ([]byte, error) {
	known, err := json.Marshal(plain(s))
	if err != nil || len(s.unknown) == 0 {
		return known, err
	}
	more, err := json.Marshal(s.unknown)
	if err != nil {
		return nil, err
	}
	return append(append(known[:len(known)-1], ','), more[1:]...), nil
}

// UnmarshalJSON reads known keys and keeps the unknown ones.
func (s *State) UnmarshalJSON(data []byte) error {
	var p plain
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if strict.Decode(&p) == nil { // most files have known keys only
		*s = State(p)
		return nil
	}
	p = plain{}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, key := range knownKeys() {
		delete(all, key)
	}
	*s = State(p)
	s.unknown = all
	return nil
}

// ErrBadID says that a session's ID cannot be a file's name and a path's segment.
var ErrBadID = errors.New("not a session ID")

// CheckID refuses what does not match [A-Za-z0-9][A-Za-z0-9._-]{0,127}.
func CheckID(id string) error {
	const letters, signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "._-"
	if id != "" && len(id) <= 128 && strings.Trim(id, letters+signs) == "" && strings.IndexByte(signs, id[0]) < 0 {
		return nil
	}
	if len(id) > 40 {
		id = id[:40] + "…"
	}
	return fmt.Errorf("%w: %q\nhint: it has 1 to 128 letters, digits, '.', '_' and '-', and begins with a letter or a digit", ErrBadID, id)
}

// Apply takes the session through an event and returns the action.
func (s *State) Apply(event Event, now time.Time) Action {
	next, action := Next(s.Phase, event)
	s.Phase = next
	if event == TurnStart || next != Active { // a turn goes on since its prompt
		now = now.UTC()
		s.LastInteractionTime = &now
	}
	switch {
	case next == Ended && event == SessionStop:
		s.EndedAt = &now
		for i, p := range s.Others {
			if p.Phase == Idle {
				s.Others[i].Phase = Ended
			}
		}
	case next != Ended:
		s.EndedAt = nil
	}
	return action
}

// Clone returns a copy that shares nothing with the state.
func (s *State) Clone() (*State, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var copied State
	return &copied, json.Unmarshal(data, &copied)
}

// FromTranscript is the state of a session of which nothing but its transcript is known.
func FromTranscript(id, agentType, file string, begun time.Time) *State {
	return &State{SessionID: id, AgentType: agentType, TranscriptPath: file, StartedAt: begun, Place: Place{Phase: Ended}}
}
