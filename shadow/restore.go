package shadow

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
)

// Sessions names the sessions with metadata in a stream's tip, sorted: all that have a checkpoint
// on it.
func (s Stream) Sessions(db *gitexec.ODB) ([]string, error) {
	found, err := db.Lookup(s.Tip.Tree, MetadataDir)
	if err != nil {
		return nil, err
	}
	if !found[0].IsTree() { // as in the entire CLI's remainder of a partial commit
		return []string{s.Tip.Session}, nil
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(trees[0])), nil
}

// RestoreSession restores a session's state from a stream with its work, if its state file is
// missing (seed 003, Conflict Handling, Orphaned shadow branch). The seed deletes such a branch;
// its record is complete, except for the tokens and the transcript's path. The session counts as
// ended; nil if nothing on the stream is its. prompts is the content of its file of prompts.
func RestoreSession(db *gitexec.ODB, stream Stream, id string) (state *session.State, prompts []byte, err error) {
	if err := session.CheckID(id); err != nil {
		return nil, nil, err
	}
	history, err := stream.History(db)
	if err != nil {
		return nil, nil, err
	}
	s := &session.State{SessionID: id, Place: session.Place{ShadowBranchSuffix: stream.Suffix, Phase: session.Ended}}
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
		return nil, nil, nil // the stream has its metadata and none of its work
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
	stored, err := conversation.Open(db, found[0], string(dir))
	if err != nil {
		return nil, nil, err
	}
	s.Chunks = stored.Chunks
	s.SummaryID, s.TasksTree = stored.Files[conversation.SummaryFile].ID, stored.Files[conversation.TasksDir].ID
	if err := hashStored(db, s); err != nil {
		return nil, nil, err
	}
	text, err := stream.prompts(db, id)
	if err != nil {
		return nil, nil, err
	}
	if text != "" {
		prompts = []byte(text)
	}
	if all := strings.Split(text, session.PromptSeparator); len(all) > 0 {
		s.FirstPrompt, s.LastPrompt = Describe(all[0]), Describe(all[len(all)-1])
	}
	page, err := stored.Context()
	if err != nil && !conversation.IsSealed(err) {
		return nil, nil, err
	}
	s.AgentType, s.ModelName = conversation.AgentNamed(page)
	return s, prompts, nil
}

// ImportConversation takes from a stream's tip what the state lacks of a session's conversation,
// since another program began the session: the prompts before those in the session's file,
// subagents' tasks, and, until the transcript is read, its stored part.
func ImportConversation(db *gitexec.ODB, store session.Store, stream Stream, state *session.State) error {
	if state.Recorded.Bytes > 0 || len(state.Chunks) > 0 || state.CheckpointCount == 0 {
		return nil
	}
	found, err := db.Lookup(stream.Tip.Tree, gitexec.Path(MetadataDir+"/"+state.SessionID))
	if err != nil {
		return err
	}
	if found[0].IsTree() {
		stored, err := conversation.Open(db, found[0], MetadataDir+"/"+state.SessionID)
		if err != nil {
			return err
		}
		state.Chunks = append(state.Chunks, stored.Chunks...)
		state.SummaryID = cmp.Or(state.SummaryID, stored.Files[conversation.SummaryFile].ID)
		state.TasksTree = cmp.Or(state.TasksTree, stored.Files[conversation.TasksDir].ID)
	}
	text, err := stream.prompts(db, state.SessionID)
	if text == "" && err == nil && stream.Tip.Foreign() && stream.Tip.Session == state.SessionID {
		text = store.Secrets.Text(state.FirstPrompt) // of its remainder no other is known
	}
	if err != nil || text == "" {
		return err
	}
	before := []byte(text)
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

// prompts are a session's prompts on a stream. The entire CLI's checkpoints each have those of one
// turn; ours all up to then, perhaps without those of before.
func (s Stream) prompts(db *gitexec.ODB, id string) (string, error) {
	history, err := s.History(db)
	if err != nil {
		return "", err
	}
	theirs, own := "", false
	for _, k := range history {
		if k.Session != id || k.Task != "" || !k.Foreign() {
			own = own || k.Session == id && !k.Foreign()
			continue
		}
		text, err := promptsIn(db, k.Tree, id)
		if err != nil {
			return "", err
		}
		if theirs != "" && text != "" && !strings.HasPrefix(text, theirs+session.PromptSeparator) {
			text = theirs + session.PromptSeparator + text
		}
		theirs = cmp.Or(text, theirs)
	}
	if !own && theirs != "" {
		return theirs, nil
	}
	ours, err := promptsIn(db, s.Tip.Tree, id)
	if err == nil && theirs != "" && !strings.HasPrefix(ours, theirs) {
		ours = theirs + session.PromptSeparator + ours
	}
	return ours, err
}

// promptsIn are those that a checkpoint's tree has.
func promptsIn(db *gitexec.ODB, tree gitexec.OID, id string) (string, error) {
	dir := gitexec.Path(MetadataDir + "/" + id)
	found, err := db.Lookup(tree, dir)
	if err != nil || !found[0].IsTree() {
		return "", err
	}
	stored, err := conversation.Open(db, found[0], string(dir))
	if err != nil || !stored.Files[conversation.PromptFile].Exists() {
		return "", err
	}
	prompts, err := stored.Prompts()
	if conversation.IsSealed(err) {
		return "", nil
	}
	return prompts, err
}
