package checkpoints

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Request is what one commit asks to be condensed.
type Request struct {
	ID      string // the checkpoint's
	Branch  string // short name of the branch committed to; empty when HEAD is detached
	Version string
	Now     time.Time
	// Strategy is what made the commit: the user, manual-commit, which the empty one stands for, or
	// a turn's end, auto-commit.
	Strategy string
	Matches  []condense.Matched
	Changes  []gitexec.Change // all that the commit changes

	Tree, ParentTree gitexec.OID    // the commit's, and its first parent's: the empty tree for a root commit
	Amended          gitexec.OID    // the tree of the commit that it replaces, if there is one
	Commit, Before   gitexec.OID    // the commit, and the linked one that it stands for; empty: there is none, or it isn't known
	Links            []string       // of the commit, that one among them
	Paths            []gitexec.Path // beside which nothing needs to be looked at to tell whose the lines are; nil: all must be
}

func (r Request) strategy() string { return cmp.Or(r.Strategy, shadow.Strategy) }

// Condensed is what came of a request.
type Condensed struct {
	Metadata map[string]shadow.Metadata // by session
	Trees    map[string]gitexec.OID     // the sessions' directories in the checkpoint, all of them
	Dropped  bool                       // it had files that the commit doesn't change any more
	Troubles []error                    // what could not be recorded: no reason to fail
}

// WriteCommitted (seed 003, Checkpoint Storage) puts the matched sessions' conversations and
// metadata into the checkpoint of the request, as edits to the branch's tree, and notes in their
// states what is committed now. A checkpoint that is there already is added to.
func WriteCommitted(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, store session.Store, b Branch, r Request, edits gitexec.Edits) (Condensed, error) {
	out := Condensed{Metadata: map[string]shadow.Metadata{}}
	checkpoint, err := open(db, b.Tree, r.ID)
	if err != nil {
		return out, err
	}
	beside, err := r.beside(db, b)
	if err != nil {
		return out, err
	}
	attributed := checkpoint.attribute(ctx, repo, db, r, beside)
	defer attributed() // no process may outlive the hook
	checkpoint.bringTo(r.Commit, r.Before)
	for _, m := range CondensedFor(r.ID, r.Matches) {
		for _, stream := range m.Streams {
			if err := shadow.Recall(db, store, stream, m.Session); err != nil {
				return out, err
			}
		}
		meta, trouble, err := shadow.Record(ctx, db, store, m.Session)
		if err != nil {
			return out, err
		}
		if trouble != nil {
			out.Troubles = append(out.Troubles, trouble)
		}
		files, err := sessionFiles(db, m.Session, meta)
		if err != nil {
			return out, err
		}
		checkpoint.put(checkpoint.amended(metadataOf(r, m)), files)
		out.Metadata[m.Session.SessionID] = meta
		m.Session.Committed(r.ID, meta.Asked)
	}
	out.Dropped = checkpoint.trim(r.Changes)
	if trouble, err := checkpoint.finish(db, attributed, r, beside); err != nil {
		return out, err
	} else if trouble != nil {
		out.Troubles = append(out.Troubles, trouble)
	}
	for _, c := range append(beside, checkpoint) {
		if err := c.edits(db, edits); err != nil {
			return out, err
		}
	}
	out.Trees = map[string]gitexec.OID{}
	for i, s := range checkpoint.sessions {
		out.Trees[s.meta.SessionID] = edits[checkpoint.place(i)].ID
	}
	return out, nil
}

// attribute starts to find out whose the commit's lines are. Where that cannot be known, the
// checkpoint is made all the same.
func (c *checkpoint) attribute(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, r Request, beside []*checkpoint) func() (Attribution, error) {
	var known Owners
	var err error
	if !r.redone() { // else that commit is known better
		known, err = c.ownedBefore(db, r.Before)
		for _, other := range beside {
			var theirs Owners
			if err == nil {
				theirs, err = other.ownedBefore(db, r.Before)
			}
			theirs.tag(other.id)
			known.join(theirs)
		}
	}
	if err == nil {
		var wait func() (Attribution, error)
		if wait, err = Attribute(ctx, repo, db, r, known); err == nil {
			return wait
		}
	}
	return func() (Attribution, error) {
		return Attribution{}, fmt.Errorf("the authors of the commit's lines: %w", err)
	}
}

// CondensedFor gives the sessions that a commit's checkpoint is of, each with its files: where the
// commit also takes links of commits that were reset, without what those stand for.
func CondensedFor(id string, matches []condense.Matched) []condense.Matched {
	var own []condense.Matched
	for _, m := range matches {
		switch {
		case slices.Contains(m.Links, id):
			return matches // the checkpoint is one of those
		case len(m.Links) == 0:
			own = append(own, m)
		case len(m.Own) > 0:
			m.Files = m.Own
			own = append(own, m)
		}
	}
	if len(own) == 0 {
		return matches // a link without a checkpoint must not be
	}
	return own
}

func (r Request) redone() bool {
	return slices.ContainsFunc(r.Matches, func(m condense.Matched) bool { return len(m.Redone) > 0 })
}

// besideOf is the commit that the new one stands for as another of its links has it; empty: the
// link is none of those to be brought up to date.
func (r Request) besideOf(id string) gitexec.OID {
	if !slices.Contains(r.Links, id) {
		return ""
	}
	return r.replacedIn(id)
}

// replacedIn is so for a link of the commit.
func (r Request) replacedIn(id string) gitexec.OID {
	if id == r.ID {
		return ""
	}
	if !r.redone() {
		return r.Before
	}
	for _, m := range r.Matches {
		for _, l := range m.Redone {
			if l.ID == id {
				return l.Commit
			}
		}
	}
	return ""
}

// beside are the checkpoints of the other links of a commit that was amended, as a squash, or that
// is made anew from several with more work in it.
func (r Request) beside(db *gitexec.ODB, b Branch) ([]*checkpoint, error) {
	var all []*checkpoint
	for _, id := range r.Links {
		if r.replacedIn(id) == "" {
			continue
		}
		c, err := open(db, b.Tree, id)
		if err != nil {
			return nil, err
		}
		if len(c.sessions) > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// finish puts what was found into the sessions' metadata: of all that are in the checkpoint, and in
// those beside it, since a commit that is amended may have other lines of each.
func (c *checkpoint) finish(db *gitexec.ODB, attributed func() (Attribution, error), r Request, beside []*checkpoint) (trouble, err error) {
	for _, other := range beside {
		other.trim(r.Changes)
	}
	a, trouble := attributed()
	if trouble != nil && len(a.Files)+len(a.NoText) == 0 {
		return trouble, nil
	}
	for _, other := range beside {
		other.bringTo(r.Commit, r.besideOf(other.id))
		if err := other.attributed(db, a, other.id, r); err != nil {
			return trouble, err
		}
	}
	return trouble, c.attributed(db, a, "", r)
}

// attributed puts what was found into the sessions' metadata.
func (c *checkpoint) attributed(db *gitexec.ODB, a Attribution, link string, r Request) error {
	several := len(c.versions()) > 0
	for i := range c.sessions {
		s := &c.sessions[i]
		s.meta.InitialAttribution = a.Of(s.meta.SessionID, link, r.Now)
		if several {
			s.meta.AttributedCommit = r.Commit
		}
		data, err := a.OwnedBy(s.meta.SessionID, link).encode()
		if err != nil {
			return err
		}
		id, err := db.WriteBlob(data)
		if err != nil {
			return err
		}
		s.files[linesFile] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	return nil
}

func metadataOf(r Request, m condense.Matched) SessionMetadata {
	s := m.Session
	return SessionMetadata{
		CLIVersion: r.Version, CheckpointID: r.ID, SessionID: s.SessionID, Strategy: r.strategy(),
		CreatedAt: r.Now.UTC().Truncate(time.Millisecond), Branch: r.Branch, CheckpointsCount: s.CheckpointCount,
		FilesTouched: append([]gitexec.Path{}, m.Files...), Agent: s.AgentType, Model: s.ModelName, TurnID: s.TurnID,
		CheckpointTranscriptStart: s.CheckpointTranscriptStart, CheckpointPromptStart: s.CheckpointPromptStart, TokenUsage: s.TokenUsage,
		CheckpointTokenUsage: s.CheckpointTokenUsage, TranscriptPath: s.TranscriptPath,
	}
}

// sessionFiles are the files of a session's directory, metadata.json aside.
func sessionFiles(db *gitexec.ODB, s *session.State, meta shadow.Metadata) (gitexec.Tree, error) {
	files := gitexec.Tree{"prompt.txt": meta.Prompts, "context.md": meta.Context}
	for name, e := range meta.Transcript {
		files[name] = e
	}
	if meta.Tasks.Exists() {
		files["tasks"] = meta.Tasks
	}
	if files[transcript.ChunkName(0)].Exists() {
		sum := s.Recorded.SHA256
		if s.Stored != nil {
			var err error
			if sum, err = s.Stored.Hex(); err != nil {
				return nil, err
			}
		}
		id, err := db.WriteBlob([]byte("sha256:" + sum))
		if err != nil {
			return nil, err
		}
		files["content_hash.txt"] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	return files, nil
}

// UpdateCommitted (seed 003) gives the checkpoints that were made in the middle of the session's
// turn the whole transcript, as edits to the branch's tree, and gives their IDs. The tokens since
// the last of them are that one's. meta is the session's conversation as it is at the turn's end.
func UpdateCommitted(db *gitexec.ODB, b Branch, s *session.State, meta shadow.Metadata, edits gitexec.Edits) ([]string, error) {
	var done []string
	for i, id := range s.TurnCheckpointIDs {
		checkpoint, err := open(db, b.Tree, id)
		if err != nil {
			return nil, err
		}
		index, there := checkpoint.index(s.SessionID)
		if !there {
			continue // rewritten or dropped by somebody since
		}
		files, err := sessionFiles(db, s, meta)
		if err != nil {
			return nil, err
		}
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
