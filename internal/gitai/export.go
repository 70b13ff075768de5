package gitai

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/query"
)

// ExportRequest says what to write into notes.
type ExportRequest struct {
	Selection query.Selection     // the commits; the zero value: that at HEAD
	Prompts   bool                // with the first line of each turn's prompt
	Force     bool                // replace notes that say otherwise
	Preview   bool                // only say what would be written
	Redact    func(string) string // removes secrets from prompts and names; required
}

// Exported is what was written.
type Exported struct {
	Ref     string        `json:"ref"`
	Tip     gitexec.OID   `json:"tip,omitempty"` // the ref's new commit; empty: nothing was written
	Written []gitexec.OID `json:"written"`       // the commits whose notes were written
	Same    []gitexec.OID `json:"unchanged"`     // those whose notes say the same already
	Kept    []gitexec.OID `json:"kept"`          // those that have other notes, which were not replaced
	LeftOut []NoName      `json:"left_out"`      // files that no note can name
}

// NoName is a file that no note can name.
type NoName struct {
	Commit gitexec.OID  `json:"commit"`
	Path   gitexec.Path `json:"path"`
}

// attempts is how often notes are written again where another process moved the ref.
const attempts = 4

// Export writes a note for each selected commit in which lines of an agent are recorded.
func Export(ctx context.Context, e query.Source, q ExportRequest) (done Exported, err error) {
	r, err := e.Open(ctx)
	if err != nil {
		return done, err
	}
	defer r.Close()
	conversation.WithoutIdentity(r.DB) // what is encrypted is not for those who get the notes
	commits, err := query.AttributionBy(ctx, r, q.Selection)
	if err != nil {
		return done, err
	}
	for range attempts {
		if done, err = q.write(ctx, r, commits); !errors.As(err, new(*gitexec.RefMovedError)) {
			break
		}
	}
	return done, err
}

// write writes what is new.
func (q ExportRequest) write(ctx context.Context, r *query.Reader, commits []query.CommitLines) (done Exported, err error) {
	done = Exported{Ref: ainote.Ref, Written: []gitexec.OID{}, Same: []gitexec.OID{}, Kept: []gitexec.OID{}, LeftOut: []NoName{}}
	var all []wanted
	for _, c := range commits {
		n, leftOut := q.note(c)
		done.LeftOut = append(done.LeftOut, leftOut...)
		if len(n.Metadata.Sessions) == 0 {
			continue
		}
		text, err := n.Text()
		if err != nil {
			return done, err
		}
		all = append(all, wanted{c, text})
	}
	there, err := readNotes(ctx, r.Repo, r.DB)
	if err != nil {
		return done, err
	}
	edits, err := q.edits(there, all, &done)
	if err != nil || len(edits) == 0 {
		return done, err
	}
	done.Tip, err = there.write(ctx, r.Repo, r.Env.Now(), edits)
	return done, err
}

// wanted is a commit, and the note that it is to get.
type wanted struct {
	commit query.CommitLines
	text   []byte
}

// from reports whether what is recorded of the commit was imported from a note.
func (w wanted) from(blob gitexec.OID) bool {
	of := checkpoints.Noted{Commit: gitexec.Commit{ID: w.commit.Commit}, Note: blob}
	return slices.ContainsFunc(w.commit.Checkpoints, func(k query.CheckpointLines) bool { return k.ID == of.ID() })
}

// edits are the changes of the notes' tree: none, and no object, in a preview.
func (q ExportRequest) edits(there notes, all []wanted, done *Exported) (gitexec.Edits, error) {
	var ids []gitexec.OID
	for _, one := range all {
		ids = append(ids, one.commit.Commit)
	}
	before, err := there.of(ids)
	if err != nil {
		return nil, err
	}
	fan, err := there.fansOut(len(ids))
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	for i, id := range ids {
		old := before[id]
		same, err := there.says(old, all[i].text)
		if err != nil {
			return nil, err
		}
		switch {
		// The second: what was imported from this very note says no more than the note does, and
		// may say less, since names and prompts are cut.
		case same, old.blob != "" && all[i].from(old.blob):
			done.Same = append(done.Same, id)
			continue
		case old.blob != "" && !q.Force:
			done.Kept = append(done.Kept, id)
			continue
		}
		done.Written = append(done.Written, id)
		if q.Preview {
			continue
		}
		blob, err := there.db.WriteBlob(all[i].text)
		if err != nil {
			return nil, err
		}
		path := cmp.Or(old.path, names(id)[0])
		if fan && old.path == "" {
			path = names(id)[1]
		}
		edits[path] = gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
	}
	return edits, nil
}

// note is what is recorded of a commit.
func (q ExportRequest) note(c query.CommitLines) (n ainote.Note, leftOut []NoName) {
	w := noteWriter{request: q, commit: c, at: map[gitexec.Path]int{}}
	w.note.Metadata = ainote.Metadata{Commit: string(c.Commit), Sessions: map[string]ainote.Session{}, Humans: map[string]ainote.Human{}}
	for _, k := range slices.Concat(c.Checkpoints, c.Kept) {
		for _, s := range k.Sessions {
			w.session(s)
		}
	}
	for _, f := range c.Files {
		if len(f.Human) > 0 && ainote.Named(f.Path) {
			key := ainote.HumanKey(c.Author)
			w.note.Metadata.Humans[key] = ainote.Human{Author: c.Author}
			w.add(f.Path, key, f.Human)
		}
	}
	return w.note, w.leftOut
}

// noteWriter makes one note.
type noteWriter struct {
	request ExportRequest
	commit  query.CommitLines
	note    ainote.Note
	at      map[gitexec.Path]int
	leftOut []NoName
}

func (w *noteWriter) add(path gitexec.Path, key string, ranges [][2]int) {
	if _, ok := w.at[path]; !ok {
		w.at[path] = len(w.note.Files)
		w.note.Files = append(w.note.Files, ainote.File{Path: path})
	}
	f := &w.note.Files[w.at[path]]
	f.Entries = append(f.Entries, ainote.Entry{Key: key, Ranges: ranges})
}

// attribute is the name under which a session's record says which turn a key is of: the ID, and
// behind a blank the prompt, if it is there.
func attribute(key string) string { return "entire-plumb." + key[len(key)-len("t_00000000000000"):] }

// session adds a session's lines.
func (w *noteWriter) session(s query.SessionLines) {
	redact := w.request.Redact
	who := ainote.Agent{Tool: toolOf(redact(s.Agent)), ID: s.SessionID, Model: redact(s.Model)}
	key := ainote.SessionKey(who)
	for _, f := range s.Files {
		if len(f.Turns) == 0 {
			continue
		}
		if !ainote.Named(f.Path) {
			w.leftOut = append(w.leftOut, NoName{w.commit.Commit, f.Path})
			continue
		}
		record, known := w.note.Metadata.Sessions[key]
		if !known {
			record = ainote.Session{Agent: who, Human: w.commit.Author, Attributes: map[string]string{}}
		}
		for _, t := range f.Turns {
			turn := ainote.TurnKey(key, t.Turn)
			about := t.Turn
			if w.request.Prompts && t.Prompt != "" {
				about += " " + redact(t.Prompt)
			}
			record.Attributes[attribute(turn)] = about
			w.add(f.Path, turn, t.Ranges)
		}
		w.note.Metadata.Sessions[key] = record
	}
}

// toolOf is what Git AI calls an agent, by the title that metadata has.
func toolOf(title string) string {
	if a, ok := agent.ByTitle(title); ok && a.Command != "" {
		return a.Command
	}
	return cmp.Or(title, "unknown")
}

// titleOf is what metadata calls an agent of Git AI's.
func titleOf(tool string) string {
	for _, a := range agent.All {
		if a.Command == tool && tool != "" {
			return a.Title
		}
	}
	return tool
}
