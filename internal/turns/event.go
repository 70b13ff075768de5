package turns

import "entire-plumb/internal/session"

// Event is an event of a session, from any agent. The functions that take one return what was
// recorded, as a sentence for the journal. Their errors go to the journal, too; a hook exits with 0
// all the same.
type Event struct {
	SessionID      string                   // required
	TranscriptPath string                   // absolute; empty: not said
	Prompt         string                   // at a prompt; empty otherwise
	Answer         string                   // with which the agent, or the subagent, stopped; empty: not said
	PromptID       string                   // of the prompt that the turn began with; empty: not said
	Model          string                   // empty: not said
	Agent          string                   // its name, for example "Claude Code"; required
	Title          string                   // of the session; empty: not said
	Continues      bool                     // of a stop: another stop hook had made the agent continue
	Running        []session.BackgroundTask // at a stop; empty: none
	Background     bool                     // of a stop: tasks of the agent continue in the background; of a task: so does it

	// Request: of a prompt: where a turn is in progress, it goes on.
	Request bool
	// Terminals: the transcript says which tasks go on.
	Terminals bool
	// Unmarked: of a stop: it may be a subagent's, as the transcript tells.
	Unmarked bool

	ToolUseID string // of the tool use that the event is about; empty: none
	Input     []byte // the tool's input as the agent sent it, JSON; empty: not said
	AgentID   string // the subagent's; empty: none
	AgentType string // the subagent's; empty: none
	// AgentTranscript is the subagent's; empty: beside the session's.
	AgentTranscript string
	Description     string     // of the subagent's task; empty: none
	Tool            string     // its name; empty: not said
	Todo            string     // what the to-do list says that the agent is doing; empty: nothing
	Isolated        bool       // the subagent works in a worktree of its own
	By              session.By // the subagent that it comes from; zero: none
}
