package session

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/transcript"
)

// The changes of a session's state, by name. Package shadow, which records conversations and
// restores sessions, sets what it reads itself.

// StartsAt records what the next changes are compared with: the worktree's tree, on a commit, and
// the index's where it has versions that neither of them has; else empty.
func (s *State) StartsAt(tree, commit, index gitexec.OID) {
	s.TurnStartTree, s.TurnStartCommit, s.TurnStartIndex = tree, commit, index
}

// StartIsGone records that git has pruned the snapshot of the turn's beginning, and what counts as
// the worktree then: a commit's tree. Which commit HEAD was isn't known any more.
func (s *State) StartIsGone(tree gitexec.OID) { s.StartsAt(tree, "", "") }

// StartSeen reports whether the turn begins with a snapshot; else what its tools wrote is its work.
func (s *State) StartSeen() bool { return s.TurnStartTree != "" && s.TurnStartCommit != "" }

// StartsAtSnapshot is StartsAt for a snapshot, which leaves out some files.
func (s *State) StartsAtSnapshot(tree, commit, index gitexec.OID, leftOut []LeftOut) {
	s.StartsAt(tree, commit, index)
	s.LeftOut = leftOut
}

// FoundTree records the worktree when the turn began.
func (s *State) FoundTree(tree gitexec.OID) { s.TurnFoundTree = tree }

// FoundStaged records the paths that were staged when the turn began; nil: that doesn't matter.
func (s *State) FoundStaged(paths []gitexec.Path) { s.TurnStartStaged = paths }

// FoundStashes records the user's stash entries when the turn began, as commits, newest first.
func (s *State) FoundStashes(entries []gitexec.OID) { s.TurnStartStashes = entries }

// Known is what a hook, or an event of the agent's, says of a session; empty: nothing.
type Known struct {
	Version    string // of this program
	Agent      string
	Transcript string // its path
	Title      string
	Model      string
}

// Learn records what is not empty.
func (s *State) Learn(k Known) {
	for to, from := range map[*string]string{
		&s.CLIVersion: k.Version, &s.AgentType: k.Agent, &s.TranscriptPath: k.Transcript, &s.Title: k.Title, &s.ModelName: k.Model,
	} {
		if from != "" {
			*to = from
		}
	}
}

// AuthoredBy records git's user when the session started.
func (s *State) AuthoredBy(name, email string) { s.AuthorName, s.AuthorEmail = name, email }

// RestoredIn has a session that was restored from a stream be in a worktree, on the stream's base.
func (s *State) RestoredIn(worktreeID, path string, base gitexec.OID) {
	s.WorktreeID, s.WorktreePath = worktreeID, path
	s.BaseCommit, s.AttributionBaseCommit = base, base
}

// FollowsStream records what the stream holds of the session on which its work goes on.
func (s *State) FollowsStream(files []gitexec.Path, checkpoints int) {
	s.FilesTouched, s.CheckpointCount = files, checkpoints
}

// LeaveStreams has the session forget its streams in other worktrees that it has left.
func (s *State) LeaveStreams(left func(Place) bool) {
	for i, place := range s.Others {
		if left(place) {
			s.Others[i].ShadowBranchSuffix, s.Others[i].CheckpointCount, s.Others[i].FilesTouched = 0, 0, nil
		}
	}
}

// CheckpointIn records the tool use of the task that made the last checkpoint; empty: the turn did.
func (s *State) CheckpointIn(task string) { s.CheckpointTask = task }

// Unfinished records the checkpoints that the turn's end writes again.
func (s *State) Unfinished(ids []string) { s.TurnCheckpointIDs = ids }

// GoesOn records the tasks that go on in the background at a stop, where the transcript has so many
// bytes.
func (s *State) GoesOn(tasks BackgroundTasks, bytes int64) {
	s.Background, s.StoppedBytes = tasks, bytes
}

// Stopped records that the agent has stopped, and the files that no snapshot of the turn holds.
// open: tasks of the turn continue; else the subagent's work is over, too.
func (s *State) Stopped(open bool, ignored []Ignored) {
	if s.TurnOpen, s.Ignored = open, ignored; !open {
		s.AgentID = ""
	}
}

// WorksFor has the session in this worktree be a subagent's; see Working for its task.
func (s *State) WorksFor(by By) {
	if s.AgentID = by.AgentID; s.AgentID != "" {
		s.Working(by)
	}
}

// RecordedTasks records the tree of all tasks.
func (s *State) RecordedTasks(tree gitexec.OID) { s.TasksTree = tree }

// MadeThisWorktree records that the session made the worktree that it is in.
func (s *State) MadeThisWorktree() { s.MadeWorktree = true }

// TranscriptReplaced records a transcript that was written whole from what is stored, with so many
// prompts, and the last one as it is displayed; empty: none is known. committed: a checkpoint of a
// commit has all of it, also what another clone recorded and counted. The session took those
// tokens, too.
func (s *State) TranscriptReplaced(to transcript.Position, chunks []gitexec.OID, prompts int, last string, committed bool) {
	s.Recorded, s.RecordedTime, s.Chunks, s.Stored = to, nil, chunks, nil
	Shorten(s, to.Lines, prompts)
	if committed {
		s.CheckpointTranscriptStart, s.CheckpointPromptStart = to.Lines, prompts
		if s.TokenUsage != nil {
			all := s.TokenUsage.Add(to.Used.Less(*s.TokenUsage))
			s.TokenUsage = &all
		}
	}
	s.LastPrompt = cmp.Or(last, s.LastPrompt)
}

// BeginTurn sets the turn's ID and the agent's process; nil: not known.
func (s *State) BeginTurn(id string, agent *ancestry.Process, by Caller) {
	s.TurnID, s.TurnPromptID, s.AgentProcess, s.Caller, s.TurnOpen = id, "", agent, by, false
}

// Caller says what calls a session's hooks.
type Caller string

const (
	CallerUnknown Caller = "" // the hooks so far don't tell
	// CallerOfStart is the process that called the session's start alone: whether it is there at
	// the next prompt tells.
	CallerOfStart Caller = "session-start"
	CallerAgent   Caller = "agent"  // one process called several: it is the agent
	CallerScript  Caller = "script" // each is called by a process that ends with it
)

// HooksOf records the process that calls the session's start. In a turn it says nothing: the one
// that began the turn tells whether that is over.
func (s *State) HooksOf(process *ancestry.Process) {
	if s.Phase != Active {
		s.AgentProcess, s.Caller = process, CallerOfStart
	}
}

// HooksOfScripts records that no process that calls the session's hooks is the agent.
func (s *State) HooksOfScripts() { s.AgentProcess, s.Caller = nil, CallerScript }

// ReadFromHere records that the next turn's prompt comes after what is recorded.
func (s *State) ReadFromHere() { s.TurnRecorded = s.Recorded.Bytes }

// mostPromptID is the most bytes of an agent's ID of a prompt.
const mostPromptID = 100

// BeganWith records the agent's ID of the prompt that the turn began with; empty: none is known.
func (s *State) BeganWith(promptID string) {
	if s.TurnPromptID = promptID; len(promptID) > mostPromptID {
		s.TurnPromptID = ""
	}
}

// PromptedIn reports whether an event with the agent's ID of a prompt is about one that was typed
// while the turn goes on: it has the ID of the turn's. The transcript has its text (seen: Claude
// Code 2.1.332).
func (s *State) PromptedIn(promptID string) bool {
	return promptID != "" && promptID == s.TurnPromptID
}

// Prompted records a prompt, or all prompts of a turn, as they are displayed.
func (s *State) Prompted(prompt string) {
	s.LastPrompt = prompt
	if s.FirstPrompt == "" {
		s.FirstPrompt = prompt
	}
}

// MoveTo makes a commit the base of the session's next work, and drops its work on other bases,
// except those that are kept.
func (s *State) MoveTo(base gitexec.OID, kept ...gitexec.OID) {
	s.BaseCommit, s.AttributionBaseCommit = base, base
	s.ShadowBranchSuffix, s.CheckpointCount, s.FilesTouched = 0, 0, nil
	s.OtherBases = latestBases(kept, base)
}

// mostOtherBases is how many other bases a state keeps.
const mostOtherBases = 8

// latestBases are the last ones of some bases, each once, without the current one.
func latestBases(bases []gitexec.OID, current gitexec.OID) []gitexec.OID {
	var others []gitexec.OID
	for i, base := range bases {
		if base != "" && base != current && !slices.Contains(bases[i+1:], base) {
			others = append(others, base)
		}
	}
	return others[max(0, len(others)-mostOtherBases):]
}

// KeepBases keeps those of the session's other bases that still hold streams.
func KeepBases(s *State, hasStreams func(base gitexec.OID) bool) {
	s.OtherBases = slices.DeleteFunc(slices.Clone(s.OtherBases), func(base gitexec.OID) bool { return !hasStreams(base) })
}

// OnStream records a checkpoint of the session on a stream of a base, with the files in it. Its
// earlier base may still hold other streams of the session: see KeepBases.
func (s *State) OnStream(suffix int, base gitexec.OID, files []gitexec.Path) {
	bases := s.OtherBases
	if s.ShadowBranchSuffix > 0 {
		bases = s.Bases()
	}
	s.OtherBases = latestBases(bases, base)
	s.ShadowBranchSuffix, s.BaseCommit = suffix, base
	s.CheckpointCount++
	s.FilesTouched = slices.Concat(s.FilesTouched, files)
	slices.Sort(s.FilesTouched)
	s.FilesTouched = slices.Compact(s.FilesTouched)
}

// Committed records that all work so far is in a committed checkpoint. prompts is how many prompts
// there were.
func (s *State) Committed(id string, prompts int) {
	if s.CheckpointPromptStart = prompts; s.Phase == Active && prompts > 0 {
		s.CheckpointPromptStart-- // the last one asked for the work in progress
	}
	s.LastCheckpointID = id
	s.CheckpointCount = 0
	s.coverTranscript()
	if s.Phase == Active && !slices.Contains(s.TurnCheckpointIDs, id) {
		s.TurnCheckpointIDs = append(s.TurnCheckpointIDs, id)
	}
}

// Finalized records that the checkpoints of the turn have the whole transcript.
func (s *State) Finalized() {
	s.coverTranscript()
	s.TurnCheckpointIDs = nil
}

// coverTranscript records that a committed checkpoint has all of the recorded transcript.
func (s *State) coverTranscript() {
	s.CheckpointTranscriptStart, s.CheckpointTokenUsage = s.Recorded.Lines, nil
}

// CountedThere records that another clone's checkpoint has the first lines of the transcript, with
// tokens that count there, and not here again.
func (s *State) CountedThere(lines int, used transcript.Usage) {
	s.CheckpointTranscriptStart = max(s.CheckpointTranscriptStart, lines)
	if s.CheckpointTokenUsage != nil {
		own := s.CheckpointTokenUsage.Less(used)
		s.CheckpointTokenUsage = &own
	}
}

// StreamRenamed records that a stream of a base has another suffix, as after the base was
// rewritten, and reports whether the session is on it.
func (s *State) StreamRenamed(base gitexec.OID, from, to int) bool {
	if s.BaseCommit != base || s.ShadowBranchSuffix != from {
		return false
	}
	s.ShadowBranchSuffix = to
	return true
}
