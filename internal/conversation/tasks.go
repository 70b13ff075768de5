package conversation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// mostTasks is how many subagents' tasks a session has.
const mostTasks = 1000

// Task is a subagent's task in a session's part of a checkpoint (seed 004, TaskCheckpoint).
type Task struct {
	ToolUseID   string `json:"tool_use_id"`
	AgentID     string `json:"agent_id,omitempty"`
	AgentType   string `json:"subagent_type,omitempty"` // not in what other programs write
	Description string `json:"description,omitempty"`
	Steps       int    `json:"incremental_checkpoints"` // versions of its list of things to do
	Transcript  bool   `json:"transcript"`              // its own is stored, as agent-<agent-id>.jsonl

	Transcripts []gitexec.OID `json:"-"` // the blobs of those
}

// readTasks reads what is stored of a session's tasks, by their IDs; dir is its path, for errors,
// which are ErrDamaged.
func readTasks(db *gitexec.ODB, tasks gitexec.Entry, dir string) ([]Task, error) {
	if !tasks.IsTree() {
		return nil, nil
	}
	tree, err := Dir(db, tasks, dir)
	if err != nil {
		return nil, err
	}
	if len(tree) > mostTasks {
		return nil, fmt.Errorf("%w: %s has %d tasks, and at most %d are read", ErrDamaged, dir, len(tree), mostTasks)
	}
	var all []Task
	for _, id := range slices.Sorted(maps.Keys(tree)) {
		if !tree[id].IsTree() {
			continue
		}
		one, err := readTask(db, tree[id], dir+"/"+id, id)
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, nil
}

// readTask reads the directory of one task.
func readTask(db *gitexec.ODB, task gitexec.Entry, dir, id string) (Task, error) {
	one := Task{}
	files, err := Dir(db, task, dir)
	if err != nil {
		return one, err
	}
	if about := files["checkpoint.json"]; about.Exists() {
		data, err := File(db, about, dir+"/checkpoint.json", mostSmall)
		if err != nil && !IsSealed(err) {
			return one, err
		}
		_ = Unmarshal(data, &one) // what isn't JSON, or is encrypted for others, names nothing
	}
	one.ToolUseID = id
	for name, file := range files {
		if strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl") {
			one.Transcript, one.Transcripts = true, append(one.Transcripts, file.ID)
		}
	}
	if steps := files["checkpoints"]; steps.IsTree() {
		versions, err := Dir(db, steps, dir+"/checkpoints")
		one.Steps = len(versions)
		return one, err
	}
	return one, nil
}
