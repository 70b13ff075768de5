package shadow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// Sessions names the sessions whose metadata a stream's tip has, sorted: all that have a checkpoint
// on it.
func (s Stream) Sessions(db *gitexec.ODB) ([]string, error) {
	found, err := db.Lookup(s.Tip.Tree, MetadataDir)
	if err != nil || !found[0].IsTree() {
		return nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(trees[0])), nil
}

// Revive makes a session's state anew from a stream that holds its work, for one whose state file
// is gone (seed 003, Conflict Handling, Orphaned shadow branch). The seed throws such a branch
// away; what it records is all there, but for the tokens and where the agent keeps the transcript.
// The session counts as ended; nil if nothing on the stream is its. prompts is what its file of
// prompts is to hold.
func Revive(db *gitexec.ODB, stream Stream, id string) (state *session.State, prompts []byte, err error) {
	if err := session.CheckID(id); err != nil {
		return nil, nil, err
	}
	history, err := stream.History(db)
	if err != nil {
		return nil, nil, err
	}
	s := &session.State{SessionID: id, ShadowBranchSuffix: stream.Suffix, Phase: session.Ended}
	for _, k := range history {
		if k.Session != id {
			continue
		}
		if s.StartedAt.IsZero() {
			s.StartedAt = k.When
		}
		when := k.When
		s.EndedAt, s.LastInteractionTime, s.TurnID = &when, &when, k.Turn
		if k.Part == Agent {
			s.CheckpointCount++
		}
	}
	if s.StartedAt.IsZero() {
		return nil, nil, nil // its metadata came along, and its work is elsewhere
	}
	changes, err := stream.AgentChanges(db)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if c.Session == id && !slices.Contains(s.FilesTouched, c.Path) {
			s.FilesTouched = append(s.FilesTouched, c.Path)
		}
	}
	slices.Sort(s.FilesTouched)
	dir := gitexec.Path(MetadataDir + "/" + id)
	found, err := db.Lookup(stream.Tip.Tree, dir)
	if err != nil || !found[0].IsTree() {
		return s, nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, nil, err
	}
	files := trees[0]
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		s.Chunks = append(s.Chunks, files[transcript.ChunkName(i)].ID)
	}
	s.SummaryID, s.TasksTree = files["summary.txt"].ID, files["tasks"].ID
	if err := sumStored(db, s); err != nil {
		return nil, nil, err
	}
	if files["prompt.txt"].Exists() {
		if prompts, err = db.Blob(files["prompt.txt"].ID, MostPrompts); err != nil {
			return nil, nil, err
		}
	}
	if all := strings.Split(string(prompts), session.PromptSeparator); len(all) > 0 {
		s.FirstPrompt, s.LastPrompt = Describe(all[0]), Describe(all[len(all)-1])
	}
	if files["context.md"].Exists() {
		page, err := db.Blob(files["context.md"].ID, MostPrompts)
		if err != nil {
			return nil, nil, fmt.Errorf("context.md of session %s: %w", id, err)
		}
		s.AgentType, s.ModelName = agentOf(string(page))
	}
	return s, prompts, nil
}

// agentOf reads the agent's and the model's name from the page that contextPage writes.
func agentOf(page string) (agent, model string) {
	for line := range strings.Lines(page) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "Agent: "); ok {
			agent, model, _ = strings.Cut(said, " (")
			return agent, strings.TrimSuffix(model, ")")
		}
	}
	return "", ""
}

// Recall takes from a stream what its tip has of a session's conversation and the state doesn't
// know, since another program began the session: the prompts before those in the session's file,
// subagents' tasks, and, until the transcript is read, what is stored of that.
func Recall(db *gitexec.ODB, store session.Store, stream Stream, state *session.State) error {
	if state.Recorded.Bytes > 0 || len(state.Chunks) > 0 || state.CheckpointCount == 0 {
		return nil
	}
	found, err := db.Lookup(stream.Tip.Tree, gitexec.Path(MetadataDir+"/"+state.SessionID))
	if err != nil || !found[0].IsTree() {
		return err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return err
	}
	files := trees[0]
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		state.Chunks = append(state.Chunks, files[transcript.ChunkName(i)].ID)
	}
	state.SummaryID = cmp.Or(state.SummaryID, files["summary.txt"].ID)
	state.TasksTree = cmp.Or(state.TasksTree, files["tasks"].ID)
	if !files["prompt.txt"].Exists() {
		return nil
	}
	before, err := db.Blob(files["prompt.txt"].ID, MostPrompts)
	if err != nil {
		return err
	}
	own, err := store.ReadPrompts(state.SessionID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.HasPrefix(own, before) {
		return nil
	}
	if len(own) > 0 {
		before = append(append(before, session.PromptSeparator...), own...)
	}
	return store.SavePrompts(state.SessionID, before)
}
