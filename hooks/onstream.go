package hooks

import (
	"errors"
	"fmt"
	"io"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// streamTranscript is a transcript as a stream has it.
type streamTranscript struct {
	db     *gitexec.ODB
	dir    string // of the session's metadata, as git names it
	chunks []gitexec.OID
}

// WriteTranscript writes it chunk by chunk.
func (s *streamTranscript) WriteTranscript(w io.Writer) error {
	for i, id := range s.chunks {
		if i > 0 {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		if err := s.db.Copy(w, id, "blob"); err != nil {
			return damagedOn(s.dir+"/"+transcript.ChunkName(i), err)
		}
	}
	return nil
}

// onStream gives a session's part as a checkpoint on a stream has it: all that was said and asked up to there. With condense.ErrDamaged it gives what can
// be read.
func (r *reading) onStream(k shadow.Checkpoint, id string) (ShownPart, error) {
	part := ShownPart{SessionMetadata: condense.SessionMetadata{SessionID: id}, Prompts: []string{}}
	dir := shadow.MetadataDir + "/" + id
	found, err := r.db.Lookup(k.Tree, gitexec.Path(dir))
	named := string(k.ID.Short()) + ":" + dir
	if err != nil || !found[0].IsTree() {
		return part, damagedOn(named, err)
	}
	trees, err := r.db.Trees(found[0].ID)
	if err != nil {
		return part, damagedOn(named, err)
	}
	files := trees[0]
	stored := &streamTranscript{db: r.db, dir: named}
	for i := 0; files[transcript.ChunkName(i)].Exists(); i++ {
		stored.chunks = append(stored.chunks, files[transcript.ChunkName(i)].ID)
	}
	part.teller = stored
	var damaged []error
	read := func(name string) string {
		if !files[name].Exists() {
			return ""
		}
		text, err := r.db.Content(files[name].ID, "blob")
		if err != nil {
			damaged = append(damaged, damagedOn(named+"/"+name, err))
		}
		return string(text)
	}
	part.Prompts = prompts(read("prompt.txt"))
	part.Agent, part.Model = shadow.AgentNamed(read("context.md"))
	if part.Tasks, err = condense.ReadTasks(r.db, files["tasks"], named+"/tasks"); err != nil {
		damaged = append(damaged, err)
	}
	return part, errors.Join(damaged...)
}

// spentOnStream is what the session had taken up to there, by its transcript.
func spentOnStream(part ShownPart) (*transcript.Usage, error) {
	if part.teller == nil {
		return nil, nil
	}
	var sum transcript.Usage
	err := turnsOf(part.teller, func(t transcript.Turn) error { sum = sum.Add(t.Usage); return nil })
	if sum == (transcript.Usage{}) {
		return nil, err
	}
	return &sum, err
}

// damagedOn makes an error of reading what a stream's commit holds one that names it.
func damagedOn(name string, err error) error {
	var missing *gitexec.MissingError
	var kind *gitexec.KindError
	if errors.As(err, &missing) || errors.As(err, &kind) {
		return fmt.Errorf("%w: %s: %w", condense.ErrDamaged, name, err)
	}
	return err
}
