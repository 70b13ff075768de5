package turns

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// TaskStart records that a subagent begins. One process.
func TaskStart(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	if err := checkToolUse(e.ToolUseID); err != nil {
		return "", err
	}
	err := changeSession(ctx, run, e, func(s *session.State) {
		s.Begin(session.Task{ToolUseID: e.ToolUseID, AgentType: line(run.Store, e.AgentType), Description: line(run.Store, e.Description),
			Started: run.Now().UTC(), Before: s.CheckpointCount})
	})
	return "task started", err
}

// checkToolUse refuses an ID that cannot be a path segment.
func checkToolUse(id string) error {
	if err := session.CheckID(id); err != nil {
		return fmt.Errorf("the event's tool_use_id is none: %q\nhint: it has letters, digits, '.', '_' and '-'", id)
	}
	return nil
}

// line makes one line of an agent's text, without secrets.
func line(store session.Store, text string) string { return shadow.Describe(store.Secrets.Text(text)) }

// TaskEnd writes the checkpoint of a subagent's task: its transcript, what names it, and the files
// changed since the turn began or the last checkpoint in it. Without changed files there is a
// checkpoint only if there were others since the task began: a place to rewind to. Ten processes,
// as at a turn's end.
func TaskEnd(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	if e.ToolUseID == "" && e.Unmarked {
		if e = e.ofEndedTask(ctx, run); e.ToolUseID == "" {
			return "no task is known to have ended", nil
		}
	}
	if err := checkToolUse(e.ToolUseID); err != nil {
		return "", err
	}
	waitForSubagent(ctx, e)
	return checkpointInTurn(ctx, run, e, func(s *session.State) (n taskNote, err error) {
		task, known := s.End(e.ToolUseID)
		task.AgentType = cmp.Or(line(run.Store, e.AgentType), task.AgentType)
		task.Description = cmp.Or(line(run.Store, e.Description), task.Description)
		about := map[string]string{"session_id": s.SessionID, "tool_use_id": e.ToolUseID, "checkpoint_uuid": run.NewID(),
			"subagent_type": task.AgentType, "description": task.Description}
		files := map[string]gitexec.OID{}
		if e.AgentID != "" && session.CheckID(e.AgentID) == nil {
			about["agent_id"] = e.AgentID
			run.WarnOf(subagent(ctx, run.DB, run.Store, s, e, files)) // the checkpoint is written all the same
		}
		page, err := indentedJSON(about)
		if err != nil {
			return n, err
		}
		if files["checkpoint.json"], err = writeTask(run.DB, run.Store, page); err != nil {
			return n, err
		}
		n = taskNote{subject: shadow.TaskSubject(task.AgentType, task.Description, e.ToolUseID), task: e.ToolUseID,
			ends: true, worked: known && s.CheckpointCount > task.Before}
		if e.Isolated { // its work is in another worktree, and what changed here is the session's agent's
			n.subject = ""
		}
		return n, putTask(run.DB, s, e.ToolUseID, files)
	})
}

// TaskStep writes an incremental checkpoint when a working subagent changes its todo list. The
// session's own list makes none.
func TaskStep(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil {
		return "", err
	}
	if s == nil || len(s.Tasks) == 0 {
		return "no subagent is at work", nil
	}
	if err := checkToolUse(e.ToolUseID); err != nil {
		return "", err
	}
	return checkpointInTurn(ctx, run, e, func(s *session.State) (n taskNote, err error) {
		task := s.Working(e.By)
		if task == nil {
			return n, nil
		}
		task.Steps++
		step, err := indentedJSON(struct {
			Type      string          `json:"type"`
			ToolUseID string          `json:"tool_use_id"`
			Timestamp time.Time       `json:"timestamp"`
			Data      json.RawMessage `json:"data,omitempty"`
		}{cmp.Or(e.Tool, "TodoWrite"), e.ToolUseID, run.Now().UTC(), run.Store.Secrets.Records(e.Input)})
		if err != nil {
			return n, err
		}
		name := fmt.Sprintf("checkpoints/%03d-%s.json", task.Steps, e.ToolUseID)
		id, err := writeTask(run.DB, run.Store, step)
		if err != nil {
			return n, err
		}
		n = taskNote{subject: shadow.StepSubject(line(run.Store, e.Todo), task.Steps, task.ToolUseID), task: task.ToolUseID}
		return n, putTask(run.DB, s, task.ToolUseID, map[string]gitexec.OID{name: id})
	})
}

func indentedJSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// writeTask stores a file of a task.
func writeTask(db *gitexec.ODB, store session.Store, content []byte) (gitexec.OID, error) {
	content, err := store.Readers.Seal(content)
	if err != nil {
		return "", err
	}
	return db.WriteBlob(content)
}

// putTask adds files to the session's recorded tasks.
func putTask(db *gitexec.ODB, s *session.State, toolUseID string, files map[string]gitexec.OID) error {
	root := s.TasksTree
	if !objectsExist(db, root) {
		root = ""
	}
	edits := gitexec.Edits{}
	for name, id := range files {
		edits[gitexec.Path(toolUseID+"/"+name)] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	tree, err := db.EditTree(root, edits)
	s.RecordedTasks(tree)
	return err
}

// taskNote is what to record of a task's event.
type taskNote struct {
	subject string // of the checkpoint; empty: none
	task    string // the ID of the tool use
	ends    bool
	worked  bool // there were checkpoints during the task
}

// kept decides what is written of a task's event beside the session's state: a checkpoint if files
// changed since the turn's start or the last one, or if a task ends that had some, to rewind to;
// but where each task's end makes a commit, only that.
func (n taskNote) kept(changed, commits bool) (checkpoint, unchanged bool) {
	if n.subject == "" || !changed && !n.worked || commits && (!n.ends || !changed) {
		return false, false
	}
	return true, !changed
}

// checkpointInTurn writes a checkpoint during a turn; the next one compares with this. record
// records the event in the session.
func checkpointInTurn(ctx context.Context, run *workspace.Run, e Event, record func(*session.State) (taskNote, error)) (string, error) {
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	return recordPart(ctx, run, snap, &taskPart{event: e, record: record})
}

// taskPart is what changed in a turn until an event of a subagent's task.
type taskPart struct {
	event     Event
	record    func(*session.State) (taskNote, error)
	note      taskNote
	unchanged bool // no file changed, and there is a checkpoint all the same
}

func (part *taskPart) load(_ context.Context, run *workspace.Run) (s *session.State, _ outcome, err error) {
	if s, err = loadSession(run, part.event); err == nil {
		part.note, err = part.record(s)
	}
	return s, outcome{"task noted, no file changed"}, err
}

func (part *taskPart) own(ctx context.Context, run *workspace.Run, s *session.State, t turn) (_ turn, more bool, err error) {
	t.subject, t.task = part.note.subject, part.note.task
	if part.mayBeAlone(s) && part.alone(s) {
		// In this order: a transcript that was there to its end before it is read has all.
		wrote, err := writtenSoFar(ctx, s)
		if err == nil && wrote.Prompt != "" {
			t.wrote, t.finished = &wrote, true
		}
	}
	more, part.unchanged = part.note.kept(len(t.touched) > 0, run.Settings.Strategy == settings.AutoCommit)
	return t, more, nil
}

// mayBeAlone reports whether the task's subagent has ended, and no other task of the session's is
// known to be at work.
func (part *taskPart) mayBeAlone(s *session.State) bool {
	e := part.event
	return part.note.ends && !e.Isolated && !e.Background && session.CheckID(e.AgentID) == nil && len(s.Tasks)+len(s.Background) == 0
}

// alone reports whether no subagent is at work in the turn, so that the transcripts beside the
// session's tell all that its agents wrote. Before a stop only its own transcript tells whether a
// subagent goes on in the background.
func (part *taskPart) alone(s *session.State) bool {
	var began time.Time // not known: it may be any
	if s.LastInteractionTime != nil {
		began = *s.LastInteractionTime
	}
	of := func(id string) string { return transcript.OfSubagent(s.TranscriptPath, id) }
	return transcript.EndedOfSubagent(of(part.event.AgentID), part.event.Answer) &&
		!slices.ContainsFunc(s.Subagents, func(called session.Subagent) bool { return transcript.SubagentGoesOn(of(called.ID), began) })
}

func (part *taskPart) finish(ctx context.Context, run *workspace.Run, s *session.State, t turn, done outcome) (outcome, error) {
	if len(t.touched) == 0 && !part.unchanged {
		startAgain(run.Head, s, t)
		return done, run.Store.Save(s)
	}
	kept, err := checkpointTask(ctx, run, s, t)
	return append(done, kept), err
}

// startAgain has what comes next in the turn be compared with its snapshot.
func startAgain(head gitexec.Head, s *session.State, t turn) {
	s.StartsAtSnapshot(t.snap.Tree, head.ID, t.snap.Index, t.snap.LeftOut)
}

// checkpointTask writes a checkpoint during a turn, in one ref transaction.
func checkpointTask(ctx context.Context, run *workspace.Run, s *session.State, t turn) (string, error) {
	listing, meta, err := beginCheckpoint(ctx, run, s)
	if err != nil {
		return "", err
	}
	changed := len(t.touched) > 0
	if t, err = withoutOthers(ctx, run, s, t, listing); err != nil {
		return "", err
	}
	if changed && len(t.touched) == 0 {
		startAgain(run.Head, s, t)
		return "task noted, what changed is others'", run.Store.Save(s)
	}
	refs, decision, err := writeParts(ctx, run, s, t, listing, meta)
	if err != nil {
		return "", err
	}
	startAgain(run.Head, s, t)
	if len(refs) == 0 {
		return "task noted, its work is on no stream here", run.Store.Save(s)
	}
	return "checkpoint of a task on " + describeDecision(run.Repo, run.Head, decision), shadow.Apply(ctx, run.DB, run.Store, refs, []*session.State{s})
}
