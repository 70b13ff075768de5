package query

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// streamTranscript is a transcript as a stream has it.
type streamTranscript struct {
	db     *gitexec.ODB
	dir    string // that it is in, as git names it
	only   string // its file there; empty: there is one for each chunk
	chunks []gitexec.OID
}

// WriteTranscript writes it chunk by chunk.
func (s *streamTranscript) WriteTranscript(w io.Writer) error {
	if err := s.db.Allow(s.chunks...); err != nil {
		return damagedOn(s.dir, err)
	}
	for i, id := range s.chunks {
		if i > 0 {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		if err := s.db.Copy(w, id, "blob"); err != nil {
			return damagedOn(s.dir+"/"+cmp.Or(s.only, transcript.ChunkName(i)), err)
		}
	}
	return nil
}

// metadataOn names the directory of a session's metadata in a checkpoint as git does.
func metadataOn(k shadow.Checkpoint, session string) string {
	return k.ID.Short() + ":" + shadow.MetadataDir + "/" + session
}

// OnStream gives a session's part as a checkpoint on a stream has it: all that was said and asked
// up to there. With checkpoints.ErrDamaged it gives what can be read.
func (r *Reader) OnStream(k shadow.Checkpoint, id string) (ShownPart, error) {
	part := ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: id}, Prompts: []string{}}
	found, err := r.DB.Lookup(k.Tree, gitexec.Path(shadow.MetadataDir+"/"+id))
	named := metadataOn(k, id)
	if err != nil || !found[0].IsTree() {
		return part, damagedOn(named, err)
	}
	trees, err := r.DB.TreesUpTo(1<<20, found[0].ID)
	if err != nil {
		return part, damagedOn(named, err)
	}
	files := trees[0]
	stored := &streamTranscript{db: r.DB, dir: named}
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		stored.chunks = append(stored.chunks, files[transcript.ChunkName(i)].ID)
	}
	part.Stored = stored
	var damaged []error
	read := func(name string) string {
		if !files[name].Exists() {
			return ""
		}
		text, err := r.DB.Blob(files[name].ID, shadow.MostPrompts)
		if err != nil {
			damaged = append(damaged, damagedOn(named+"/"+name, err))
		}
		return string(text)
	}
	part.Prompts = Prompts(read("prompt.txt"))
	part.Agent, part.Model = shadow.AgentNamed(read("context.md"))
	if part.Tasks, err = checkpoints.ReadTasks(r.DB, files["tasks"], named+"/tasks"); err != nil {
		damaged = append(damaged, err)
	}
	return part, errors.Join(damaged...)
}

// spentOnStream is what the session had taken up to there, by its transcript and its subagents';
// dir is that of its metadata, as git names it.
func (r *Reader) spentOnStream(part ShownPart, dir string) (*transcript.Usage, error) {
	if part.Stored == nil {
		return nil, nil
	}
	sum, err := tokensIn(part.Stored)
	for _, task := range part.Tasks {
		for _, id := range task.Transcripts {
			own, damaged := tokensIn(&streamTranscript{db: r.DB, dir: dir + "/tasks/" + task.ToolUseID, only: "agent-" + task.AgentID + ".jsonl", chunks: []gitexec.OID{id}})
			sum, err = sum.Add(own.BySubagent()), errors.Join(err, damaged)
		}
	}
	if sum == (transcript.Usage{}) {
		return nil, err
	}
	return &sum, err
}

func tokensIn(from transcript.Stored) (used transcript.Usage, err error) {
	err = transcript.ReadStored(from, func(in io.Reader) (err error) { used, err = transcript.Spent(in); return err })
	return used, err
}

// damagedOn makes an error of reading what a stream's commit holds one that names it.
func damagedOn(name string, err error) error {
	if gitexec.Unread(err) {
		return fmt.Errorf("%w: %s: %w", checkpoints.ErrDamaged, name, err)
	}
	return err
}
