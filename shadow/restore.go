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
	// It is the name of a directory on a branch, and becomes that of a file.
	if err := session.CheckID(id); err != nil {
		return nil, nil, err
	}
	history, err := stream.History(db)
	if err != nil {
		return nil, nil, err
	}
	s := stateFrom(history, id)
	if s == nil {
		return nil, nil, nil // the stream has its metadata and none of its work
	}
	s.ShadowBranchSuffix = stream.Suffix
	changes, err := stream.AgentChanges(db)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if c.Session == id {
			s.FilesTouched = append(s.FilesTouched, c.Path)
		}
	}
	slices.Sort(s.FilesTouched)
	s.FilesTouched = slices.Compact(s.FilesTouched)
	stored, found, err := storedIn(db, stream.Tip.Tree, id)
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return s, nil, nil
	}
	prompts, err = restoreConversation(db, stream, s, stored)
	return s, prompts, err
}

// restoreConversation sets what the state has of a conversation that is stored, and returns the
// prompts.
func restoreConversation(db *gitexec.ODB, stream Stream, s *session.State, stored *conversation.Conversation) (prompts []byte, err error) {
	s.Chunks = stored.Chunks
	s.SummaryID, s.TasksTree = stored.Files[conversation.SummaryFile].ID, stored.Files[conversation.TasksDir].ID
	if err := hashStored(db, s); err != nil {
		return nil, err
	}
	text, err := stream.prompts(db, s.SessionID)
	if err != nil {
		return nil, err
	}
	if text != "" {
		prompts = []byte(text)
	}
	all := strings.Split(text, session.PromptSeparator)
	s.FirstPrompt, s.LastPrompt = Describe(all[0]), Describe(all[len(all)-1])
	// context.md is where a stream says which agent it was: see contextPage.
	page, err := stored.Context()
	if err != nil && !conversation.IsSealed(err) {
		return nil, err
	}
	s.AgentType, s.ModelName = conversation.AgentNamed(page)
	return prompts, nil
}

// stateFrom is an ended session as its checkpoints have it; nil: none is its.
func stateFrom(history []Checkpoint, id string) *session.State {
	s := &session.State{SessionID: id, Place: session.Place{Phase: session.Ended}}
	for _, k := range history {
		if k.Session != id {
			continue
		}
		if s.StartedAt.IsZero() {
			s.StartedAt = k.When
		}
		when := k.When
		s.EndedAt, s.LastInteractionTime, s.TurnID = &when, &when, k.Turn
		// The human's parts are no checkpoints of the session.
		if k.Part == Agent {
			s.CheckpointCount++
		}
	}
	if s.StartedAt.IsZero() {
		return nil
	}
	return s
}

// storedIn opens a session's conversation in a checkpoint's tree, if it has one.
func storedIn(db *gitexec.ODB, tree gitexec.OID, id string) (stored *conversation.Conversation, found bool, err error) {
	dir := gitexec.Path(MetadataDir + "/" + id)
	entries, err := db.Lookup(tree, dir)
	if err != nil || !entries[0].IsTree() {
		return stored, false, err
	}
	stored, err = conversation.Open(db, entries[0], string(dir))
	return stored, err == nil, err
}

// ImportConversation takes from a stream's tip what the state lacks of a session's conversation,
// since another program began the session: the prompts before those in the session's file,
// subagents' tasks, and, until the transcript is read, its stored part.
func ImportConversation(db *gitexec.ODB, store session.Store, stream Stream, state *session.State) error {
	if state.Recorded.Bytes > 0 || len(state.Chunks) > 0 || state.CheckpointCount == 0 {
		return nil
	}
	stored, found, err := storedIn(db, stream.Tip.Tree, state.SessionID)
	if err != nil {
		return err
	}
	if found {
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
	return putBefore(store, state.SessionID, []byte(text))
}

// putBefore puts prompts before those in a session's file, unless it begins with them.
func putBefore(store session.Store, id string, before []byte) error {
	own, err := store.ReadPrompts(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// It was done before.
	if bytes.HasPrefix(own, before) {
		return nil
	}
	if len(own) > 0 {
		before = append(append(before, session.PromptSeparator...), own...)
	}
	return store.SavePrompts(id, before)
}

// prompts are a session's prompts on a stream. The entire CLI's checkpoints each have those of one
// turn; ours all up to then, perhaps without those of before.
func (s Stream) prompts(db *gitexec.ODB, id string) (string, error) {
	history, err := s.History(db)
	if err != nil {
		return "", err
	}
	theirs, err := theirPrompts(db, history, id)
	own := slices.ContainsFunc(history, func(k Checkpoint) bool { return k.Session == id && !k.Foreign() })
	if err != nil || !own && theirs != "" {
		return theirs, err
	}
	ours, err := promptsIn(db, s.Tip.Tree, id)
	if err == nil && theirs != "" && !strings.HasPrefix(ours, theirs) {
		ours = theirs + session.PromptSeparator + ours
	}
	return ours, err
}

// theirPrompts are those in the entire CLI's checkpoints of a session, of all turns.
func theirPrompts(db *gitexec.ODB, history []Checkpoint, id string) (theirs string, err error) {
	for _, k := range history {
		if k.Session != id || k.Task != "" || !k.Foreign() {
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
	return theirs, nil
}

// promptsIn are those that a checkpoint's tree has.
func promptsIn(db *gitexec.ODB, tree gitexec.OID, id string) (string, error) {
	stored, found, err := storedIn(db, tree, id)
	if err != nil || !found || !stored.Files[conversation.PromptFile].Exists() {
		return "", err
	}
	prompts, err := stored.Prompts()
	if conversation.IsSealed(err) {
		return "", nil
	}
	return prompts, err
}
