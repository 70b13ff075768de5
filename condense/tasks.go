package condense

import (
	"encoding/json"
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

// ReadTasks reads what is stored of a session's tasks, by their IDs; dir is its path, for errors, which are ErrDamaged.
func ReadTasks(db *gitexec.ODB, tasks gitexec.Entry, dir string) ([]Task, error) {
	if !tasks.IsTree() {
		return nil, nil
	}
	trees, err := db.Trees(tasks.ID)
	if err != nil {
		return nil, damage(dir, err)
	}
	var all []Task
	for _, id := range slices.Sorted(maps.Keys(trees[0])) {
		if !trees[0][id].IsTree() {
			continue
		}
		files, err := db.Trees(trees[0][id].ID)
		if err != nil {
			return all, damage(dir+"/"+id, err)
		}
		one := Task{ToolUseID: id}
		if about := files[0]["checkpoint.json"]; about.Exists() {
			data, err := readFile(db, about, dir+"/"+id+"/checkpoint.json")
			if err != nil {
				return all, err
			}
			_ = json.Unmarshal(data, &one) // what isn't JSON names nothing
			one.ToolUseID = id
		}
		for name, file := range files[0] {
			if strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl") {
				one.Transcript, one.Transcripts = true, append(one.Transcripts, file.ID)
			}
		}
		if steps := files[0]["checkpoints"]; steps.IsTree() {
			versions, err := db.Trees(steps.ID)
			if err != nil {
				return all, damage(dir+"/"+id+"/checkpoints", err)
			}
			one.Steps = len(versions[0])
		}
		all = append(all, one)
	}
	return all, nil
}
