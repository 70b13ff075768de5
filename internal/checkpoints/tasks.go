package checkpoints

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

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

// ReadTasks reads what is stored of a session's tasks, by their IDs; dir is its path, for errors,
// which are ErrDamaged.
func ReadTasks(db *gitexec.ODB, tasks gitexec.Entry, dir string) ([]Task, error) {
	if !tasks.IsTree() {
		return nil, nil
	}
	tree, err := readDir(db, tasks, dir)
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
		files, err := readDir(db, tree[id], dir+"/"+id)
		if err != nil {
			return all, err
		}
		one := Task{ToolUseID: id}
		if about := files["checkpoint.json"]; about.Exists() {
			data, err := readFile(db, about, dir+"/"+id+"/checkpoint.json")
			if err != nil {
				return all, err
			}
			_ = unmarshal(data, &one) // what isn't JSON names nothing
			one.ToolUseID = id
		}
		for name, file := range files {
			if strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl") {
				one.Transcript, one.Transcripts = true, append(one.Transcripts, file.ID)
			}
		}
		if steps := files["checkpoints"]; steps.IsTree() {
			versions, err := readDir(db, steps, dir+"/"+id+"/checkpoints")
			if err != nil {
				return all, err
			}
			one.Steps = len(versions)
		}
		all = append(all, one)
	}
	return all, nil
}
