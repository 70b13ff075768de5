package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Request is a commit whose checkpoint is to be written.
type Request struct {
	ID      string    // the checkpoint's; required
	Branch  string    // short name of the branch committed to; empty when HEAD is detached
	Version string    // of this program; required
	Home    string    // the user's home directory; empty: not known
	Now     time.Time // required
	// Strategy is manual-commit (also empty) for the user's commit, or auto-commit for a turn's
	// end.
	Strategy string
	Matches  []condense.Matched // the sessions that it links; empty: none
	States   []*session.State   // that may have a part in the matched streams; empty: none
	Changes  []gitexec.Change   // all that the commit changes; empty: nothing

	Commit           gitexec.OID    // empty: the checkpoint is of no commit
	Tree, ParentTree gitexec.OID    // the commit's, and its first parent's: the empty tree for a root commit; required
	Lineage          lineage.Plan   // of the commits that it replaces; the zero value: none
	Sides            []gitexec.OID  // commits whose lines it has beside: see works.Fresh; empty: none
	OldNames         []gitexec.Path // that files of these have no more, beside those of the matches; empty: none

	Imported bool // the conversations are from before recording: no snapshot tells whose a line is
	// Wrote finds who wrote lines of a file in an older commit; nil: lines that come from there are
	// the human's. Of a line that it leaves out the author is unknown.
	Wrote func(commit gitexec.OID, path gitexec.Path, lines []int) (map[int]Wrote, error)

	// LinesOnly leaves the conversations out, of a commit that is only foreseen.
	LinesOnly bool

	readers *seal.Recipients // of the conversations
}

func (r Request) strategy() string { return cmp.Or(r.Strategy, shadow.Strategy) }

// WrittenPart is a session's part of a checkpoint: its directory, and the files that it names.
type WrittenPart struct {
	Tree  gitexec.OID
	Files []gitexec.Path
}

// Condensed is the result of a request.
type Condensed struct {
	Metadata map[string]shadow.Metadata        // of the matched sessions
	Also     []condense.Matched                // more sessions of the matched streams, whose lines the commit holds
	Parts    map[string]map[string]WrittenPart // of the written checkpoints: those of their sessions
	Dropped  map[string]bool                   // those that listed files that the commit does not change, or had more lines
	Troubles []error                           // warnings: what could not be recorded
}

// WriteCommitted (seed 003, Checkpoint Storage) adds the edits to the branch's tree that move
// checkpoints to a commit: those of the commits that it replaces, and that of the matched sessions'
// work, with their conversations and metadata. It records the commit in their states. An existing
// checkpoint is added to.
func WriteCommitted(
	ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, store session.Store, b Branch, r Request, edits gitexec.Edits,
) (Condensed, error) {
	out := Condensed{Metadata: map[string]shadow.Metadata{}, Parts: map[string]map[string]WrittenPart{}, Dropped: map[string]bool{}}
	r.readers = store.Readers
	all, err := r.checkpoints(db, b)
	if err != nil {
		return out, err
	}
	wait := func() (Attribution, error) { return Attribution{}, nil }
	if len(all) > 0 {
		wait = Attribute(ctx, repo, db, b, r)
		defer wait() // no process may outlive the hook
	}
	if len(r.Matches) > 0 {
		if err := out.condense(ctx, db, store, b, r, CondensedFor(r.ID, r.Matches), all[len(all)-1]); err != nil {
			return out, err
		}
	}
	for _, c := range all {
		// The other commit is still there with its files: the checkpoint lists those of both.
		stays := func(m lineage.Move) bool { return m.Link == c.id && m.Stays }
		out.Dropped[c.id] = !slices.ContainsFunc(r.Lineage.Move, stays) && c.trim(db, r)
	}
	a, trouble := wait() // the checkpoints are written even where that fails
	if trouble != nil {
		out.Troubles = append(out.Troubles, trouble)
	}
	if len(r.Matches) > 0 && trouble == nil {
		if out.Also, err = r.owners(db, a, all[len(all)-1]); err != nil {
			return out, err
		}
		if err := out.condense(ctx, db, store, b, r, out.Also, all[len(all)-1]); err != nil {
			return out, err
		}
	}
	for _, c := range all {
		// Beside an error the files may still be known, with lines of unknown authors.
		if trouble == nil || len(a.Files)+len(a.NoText) > 0 {
			dropped, err := c.setAttribution(db, b, a, r)
			if err != nil {
				return out, err
			}
			out.Dropped[c.id] = out.Dropped[c.id] || dropped
		}
		if err := c.edits(db, edits); err != nil {
			return out, err
		}
		out.Parts[c.id] = c.written(edits)
	}
	for _, id := range r.Lineage.Trim {
		if out.Parts[id] == nil {
			if err := trim(db, b, id, r, edits, &out); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// written are the sessions' parts that edits write.
func (c *checkpoint) written(edits gitexec.Edits) map[string]WrittenPart {
	parts := map[string]WrittenPart{}
	for i, s := range c.sessions {
		parts[s.meta.SessionID] = WrittenPart{edits[c.path(i)].ID, s.meta.FilesTouched}
	}
	return parts
}

// checkpoints opens the checkpoints that move to the commit, that of the matched sessions' work
// last.
func (r Request) checkpoints(db *gitexec.ODB, b Branch) ([]*checkpoint, error) {
	var all []*checkpoint
	var own *checkpoint
	for _, m := range r.Lineage.Move {
		c, err := open(db, b.Tree, m.Link)
		if err != nil {
			return nil, err
		}
		// The link names a checkpoint that is not here: there is nothing to move.
		if len(c.sessions) == 0 {
			continue
		}
		c.moveTo(db, r.Commit, m.From)
		if c.id == r.ID {
			own = c
		} else {
			all = append(all, c)
		}
	}
	if own == nil && len(r.Matches) > 0 {
		var err error
		if own, err = open(db, b.Tree, r.ID); err != nil {
			return nil, err
		}
		own.moveTo(db, r.Commit, "")
	}
	if own != nil {
		all = append(all, own)
	}
	return all, nil
}

// owners are the sessions that have lines in the commit by the steps of the matched streams, and
// that content alone did not match: few of their lines are left, or they are under another name. Of
// lines that come from elsewhere it takes enough to be evidence.
func (r Request) owners(db *gitexec.ODB, a Attribution, into *checkpoint) ([]condense.Matched, error) {
	var found []condense.Matched
	for _, s := range r.States {
		files := a.filesOf(s.SessionID, r.ID)
		if _, has := into.index(s.SessionID); has || len(files) == 0 {
			continue
		}
		m := condense.Matched{Session: s, Files: files, Reason: condense.ContentMatches}
		seen := map[string]bool{}
		for _, other := range r.Matches {
			for _, stream := range other.Streams {
				if seen[stream.Ref()] {
					continue
				}
				seen[stream.Ref()] = true
				sessions, err := stream.Sessions(db)
				if err != nil {
					return nil, err
				}
				if slices.Contains(sessions, s.SessionID) {
					m.Streams = append(m.Streams, stream)
				}
			}
		}
		// On a matched stream the session has a part by its snapshots. Without one, everyday lines
		// prove nothing.
		if len(m.Streams) > 0 || a.weighs(s.SessionID, r.ID) >= ledger.Evidence {
			found = append(found, m)
		}
	}
	return found, nil
}

// condense writes matched sessions' work into their checkpoint.
func (out *Condensed) condense(
	ctx context.Context, db *gitexec.ODB, store session.Store, b Branch, r Request, matches []condense.Matched, into *checkpoint,
) error {
	for _, m := range matches {
		if r.LinesOnly {
			into.put(into.merged(metadataOf(r, m)), gitexec.Tree{})
			continue
		}
		// The entire CLI may have begun the session: what it kept on the stream comes first.
		for _, stream := range m.Streams {
			if err := shadow.ImportConversation(db, store, stream, m.Session); err != nil {
				return err
			}
		}
		meta, trouble, err := shadow.Record(ctx, db, store, m.Session)
		if err != nil {
			return err
		}
		// Where the agent keeps no transcript, its stop has said so.
		if none := errors.Is(trouble, fs.ErrNotExist) && len(m.Session.Chunks) == 0; trouble != nil && !none {
			out.Troubles = append(out.Troubles, trouble)
		}
		countOnce(db, b, r.Commit, m.Session, meta)
		files, err := sessionFiles(db, m.Session, meta)
		if err != nil {
			return err
		}
		into.put(into.merged(metadataOf(r, m)), files)
		out.Metadata[m.Session.SessionID] = meta
		m.Session.Committed(r.ID, meta.Asked)
	}
	return nil
}

// holder is the checkpoint that has the lines of a replaced commit's checkpoint now: the same one
// if the commit links it; else that of the commit's own work.
func (r Request) holder(link string) string {
	if slices.ContainsFunc(r.Lineage.Move, func(m lineage.Move) bool { return m.Link == link }) {
		return link
	}
	return r.ID
}

// CondensedFor returns the sessions of a commit's checkpoint, each with its files; without the work
// whose links the commit takes from reset commits.
func CondensedFor(id string, matches []condense.Matched) []condense.Matched {
	var condensed []condense.Matched
	for _, m := range matches {
		switch {
		case slices.Contains(m.Links, id):
			return matches // the checkpoint is one of those
		case len(m.Links) == 0:
			condensed = append(condensed, m)
		case len(m.Unlinked) > 0:
			m.Files = m.Unlinked
			condensed = append(condensed, m)
		}
	}
	if len(condensed) == 0 {
		return matches // every link needs a checkpoint
	}
	return condensed
}

// setAttribution writes the attribution into the sessions' directories. It reports whether a commit
// that the new one replaces had more of a session's lines.
func (c *checkpoint) setAttribution(db *gitexec.ODB, b Branch, a Attribution, r Request) (dropped bool, err error) {
	several := len(c.versions()) > 0
	hashed, texts, err := a.hashedLines(db, replacedVersions(r.Changes))
	if err != nil {
		return false, err
	}
	moved := a.moves(r.Changes, hashed)
	linked, after := linkedBefore(db, b, r.Commit, []string{c.id})
	for i := range c.sessions {
		s := &c.sessions[i]
		if files := a.filesOf(s.meta.SessionID, c.id); len(files) > 0 { // under the names that they have in the commit
			s.meta.FilesTouched = condense.Union(s.meta.FilesTouched, files)
		}
		s.meta.InitialAttribution = a.Of(s.meta.SessionID, c.id, r.Now)
		// A checkpoint of one commit alone names none.
		if several {
			s.meta.AttributedCommit = r.Commit
		}
		also := nobody
		if i == 0 { // what no session's own list has
			also = func(session string) bool {
				_, own := c.index(session)
				return !own
			}
		}
		owned := a.OwnedBy(s.meta.SessionID, c.id, also)
		dropped = dropped || s.hadMore(db, owned, c.id, r.Lineage.Move)
		for i, prompt := range owned.Prompts {
			if owned.Prompts[i], err = r.readers.Line(prompt); err != nil {
				return false, err
			}
		}
		for i := range owned.Files {
			f := &owned.Files[i]
			f.addHashes(texts[f.Blob])
			f.addMoved(moved[f.Path])
		}
		owned.Fingerprint = s.sinceFirst(db, Fingerprint{Before: linked, Others: owned.withoutLines(s.meta.FilesTouched, r.Changes), Commit: r.Commit,
			After: after, Began: a.firstBegan(s.meta.SessionID, owned.Turns).UTC().Truncate(time.Second)})
		if err := owned.put(db, s.files); err != nil {
			return false, err
		}
	}
	return dropped, nil
}

// hadMore reports whether a commit from which a checkpoint moves had more of the session's lines
// than a list has.
func (s sessionDir) hadMore(db *gitexec.ODB, owned OwnedLines, id string, moves []lineage.Move) bool {
	return slices.ContainsFunc(moves, func(m lineage.Move) bool {
		if m.Link != id || m.Stays {
			return false
		}
		replaced, form, err := s.readLines(db, Version(m.From))
		return form == nil && err == nil && owned.fewer(replaced)
	})
}

// sinceFirst is a commit's fingerprint with what those have of the first commit that it replaces:
// when the work began, that commit, and those before it. Those before the new one may hold the
// work, as a squash to which it was rebased.
func (s sessionDir) sinceFirst(db *gitexec.ODB, f Fingerprint) Fingerprint {
	n := len(s.meta.EarlierAttributions)
	if n == 0 {
		return f
	}
	earlier, _, err := s.readLines(db, Version(s.meta.EarlierAttributions[n-1].Commit)) // which has it of the one before
	if err != nil {
		return f
	}
	if !earlier.Began.IsZero() && (f.Began.IsZero() || earlier.Began.Before(f.Began)) {
		f.Began = earlier.Began
	}
	if earlier.Commit != "" {
		f.Commit, f.After = earlier.Commit, earlier.After
	}
	return f
}

func metadataOf(r Request, m condense.Matched) SessionMetadata {
	s := m.Session
	title := s.Title
	if r.readers != nil { // the agent takes it from the conversation
		title = ""
	}
	return SessionMetadata{
		CLIVersion: r.Version, CheckpointID: r.ID, SessionID: s.SessionID, Strategy: r.strategy(),
		CreatedAt: r.Now.UTC().Truncate(time.Millisecond), Branch: r.Branch, CheckpointsCount: s.CheckpointCount,
		FilesTouched: append([]gitexec.Path{}, m.Files...), Agent: s.AgentType, Model: s.ModelName, Title: title, TurnID: s.TurnID,
		IsTask: s.CheckpointTask != "", ToolUseID: s.CheckpointTask,
		CheckpointTranscriptStart: s.CheckpointTranscriptStart, CheckpointPromptStart: s.CheckpointPromptStart, TokenUsage: s.TokenUsage,
		CheckpointTokenUsage: s.CheckpointTokenUsage, TranscriptPath: belowHome(r.Home, s.TranscriptPath),
	}
}

// sessionFiles are the files of a session's directory, without metadata.json.
func sessionFiles(db *gitexec.ODB, s *session.State, meta shadow.Metadata) (gitexec.Tree, error) {
	files := gitexec.Tree{"prompt.txt": meta.Prompts, "context.md": meta.Context}
	maps.Copy(files, meta.Transcript)
	if meta.Tasks.Exists() {
		files["tasks"] = meta.Tasks
	}
	if files[transcript.ChunkName(0)].Exists() {
		sum := s.Recorded.SHA256
		var err error
		if s.Stored != nil {
			if sum, err = s.Stored.Hex(); err != nil {
				return nil, err
			}
		}
		if files["content_hash.txt"], err = db.WriteFile([]byte("sha256:" + sum)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// UpdateCommitted (seed 003) writes the whole transcript into the checkpoints of commits made
// during the session's turn, as edits to the branch's tree, and returns their IDs. The last of them
// gets the tokens since. meta is the conversation at the turn's end.
func UpdateCommitted(db *gitexec.ODB, b Branch, s *session.State, meta shadow.Metadata, edits gitexec.Edits) ([]string, error) {
	var done []string
	for i, id := range s.TurnCheckpointIDs {
		checkpoint, err := open(db, b.Tree, id)
		if err != nil {
			return nil, err
		}
		index, found := checkpoint.index(s.SessionID)
		if !found {
			continue // another program rewrote or deleted it
		}
		files, err := sessionFiles(db, s, meta)
		if err != nil {
			return nil, err
		}
		// The lines are the commit's: a turn's end changes none of them.
		if lines := checkpoint.sessions[index].files[linesFile]; lines.Exists() {
			files[linesFile] = lines
		}
		m := checkpoint.sessions[index].meta
		m.TokenUsage, m.Model = s.TokenUsage, s.ModelName
		if i == len(s.TurnCheckpointIDs)-1 {
			m.CheckpointTokenUsage = sum(m.CheckpointTokenUsage, s.CheckpointTokenUsage)
		}
		checkpoint.put(m, files)
		if err := checkpoint.edits(db, edits); err != nil {
			return nil, err
		}
		done = append(done, id)
	}
	s.Finalized()
	return done, nil
}
