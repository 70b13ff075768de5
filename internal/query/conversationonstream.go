package query

import (
	"errors"
	"io"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// metadataOn names the directory of a session's metadata as COMMIT:PATH.
func metadataOn(k shadow.Checkpoint, session string) string {
	return k.ID.Short() + ":" + shadow.MetadataDir + "/" + session
}

// OnStream reads a session's part in a checkpoint on a stream: the whole conversation up to there.
// With checkpoints.ErrDamaged it returns what can be read.
func OnStream(db *gitexec.ODB, k shadow.Checkpoint, id string) (ShownPart, error) {
	part := ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: id}, Prompts: []string{}}
	found, err := db.Lookup(k.Tree, gitexec.Path(shadow.MetadataDir+"/"+id))
	named := metadataOn(k, id)
	if err != nil || !found[0].IsTree() {
		return part, conversation.Damage(named, err)
	}
	stored, err := conversation.Open(db, found[0], named)
	if err != nil {
		return part, err
	}
	part.Stored = stored
	prompts, err := conversation.Shown(stored.Prompts())
	page, err2 := conversation.Shown(stored.Context())
	part.Prompts = conversation.Split(prompts)
	part.Agent, part.Model = conversation.AgentNamed(page)
	var err3 error
	part.Tasks, err3 = stored.Tasks()
	return part, errors.Join(err, err2, err3)
}

// tokensOnStream is the session's token usage up to there, by its transcript and its subagents'.
func tokensOnStream(part ShownPart, states session.Store) (*transcript.Usage, error) {
	stored, ok := part.Stored.(*conversation.Conversation)
	if !ok {
		return nil, nil
	}
	copied := 0
	// What a fork copied from another session's transcript is counted there.
	if state, err := states.Load(part.SessionID); err == nil {
		copied = state.Recorded.Copied
	}
	sum, err := tokensIn(stored, copied)
	for _, task := range part.Tasks {
		for _, id := range task.Transcripts {
			own, damaged := tokensIn(stored.TaskTranscript(task, id), 0)
			sum, err = sum.Add(own.BySubagent()), errors.Join(err, damaged)
		}
	}
	// A transcript may tell no tokens, as Cursor's doesn't: 0 would say that none were used.
	if sum == (transcript.Usage{}) {
		return nil, err
	}
	return &sum, err
}

func tokensIn(from transcript.Stored, copied int) (used transcript.Usage, err error) {
	err = transcript.ReadStored(from, func(in io.Reader) (err error) { used, err = transcript.Spent(in, copied); return err })
	return used, err
}
