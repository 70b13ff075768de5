package checkpoints

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// checkpoint is a committed checkpoint that is being changed: its sessions by index, each with its
// metadata and its files.
type checkpoint struct {
	id       string
	sessions []sessionDir
}

type sessionDir struct {
	meta  SessionMetadata
	files gitexec.Tree
	dir   string      // on the branch, where it was read
	tree  gitexec.OID // likewise
}

// open reads a checkpoint from the branch's tree; one that does not exist is empty. Sessions keep
// their index. Its errors are ErrDamaged with the reason.
func open(db *gitexec.ODB, root gitexec.OID, id string) (*checkpoint, error) {
	c, damaged := openReadable(db, root, id)
	return c, errors.Join(damaged...)
}

// openReadable reads what can be read of a checkpoint, for commands that only show it: it omits
// damaged sessions.
func openReadable(db *gitexec.ODB, root gitexec.OID, id string) (c *checkpoint, damaged []error) {
	c = &checkpoint{id: id}
	dir, there, err := directory(db, root, id)
	if err != nil {
		return c, []error{err}
	}
	if !there {
		return c, nil
	}
	indexes, err := sessionsIn(dir, place(id))
	if err != nil {
		damaged = append(damaged, err)
	}
	next := 0
	for _, index := range indexes {
		name := strconv.Itoa(index)
		// Where duplicates were left out, gaps are what they leave.
		if index > next && err == nil {
			damaged = append(damaged, fmt.Errorf("%w: %s/%d is missing, and %s is there", ErrDamaged, place(id), next, name))
		}
		next = index + 1
		if s, err := readSession(db, dir[name], place(id)+"/"+name); err != nil {
			damaged = append(damaged, err)
		} else {
			c.sessions = append(c.sessions, s)
		}
	}
	return c, damaged
}

// readShard reads the directory of the checkpoints whose IDs begin with two digits; it is empty
// where there is none. Its errors are ErrDamaged.
func readShard(db *gitexec.ODB, root gitexec.OID, shard string) (gitexec.Tree, error) {
	if root == "" {
		return nil, nil
	}
	top, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: root}, shadow.Checkpoints)
	if err != nil || !top[shard].Exists() {
		return nil, err
	}
	return conversation.Dir(db, top[shard], shard)
}

// find looks up a checkpoint; the zero value where there is none. Its errors are ErrDamaged.
func find(db *gitexec.ODB, root gitexec.OID, id string) (gitexec.Entry, error) {
	shard, err := readShard(db, root, id[:2])
	return shard[id[2:]], err
}

// directory reads a checkpoint's directory; there is false where the branch has none. ErrDamaged:
// it is not a directory, or cannot be read.
func directory(db *gitexec.ODB, root gitexec.OID, id string) (files gitexec.Tree, there bool, err error) {
	dir, err := find(db, root, id)
	if err != nil || !dir.Exists() {
		return nil, false, err
	}
	files, err = conversation.Dir(db, dir, place(id))
	return files, err == nil, err
}

// readSession reads a session's directory, which is at path on the branch.
func readSession(db *gitexec.ODB, dir gitexec.Entry, path string) (s sessionDir, err error) {
	files, err := conversation.Dir(db, dir, path)
	if err != nil {
		return s, err
	}
	// A copy: the tree is in a cache that others read, and the files are changed.
	s.files, s.dir, s.tree = maps.Clone(files), path, dir.ID
	err = conversation.JSON(db, s.files["metadata.json"], path+"/metadata.json", mostMetadata, &s.meta)
	if err != nil {
		return s, err
	}
	switch id := s.files["metadata.json"].ID; {
	case session.CheckID(s.meta.SessionID) != nil: // names that look alike, or lead elsewhere
		err = fmt.Errorf("%w: %s/metadata.json: %s names no session", ErrDamaged, path, id)
	case !s.meta.namesCommits():
		err = fmt.Errorf("%w: %s/metadata.json: %s names as a commit what is none", ErrDamaged, path, id)
	// Each may take a list of lines to be read.
	case len(s.meta.EarlierAttributions) > mostVersions:
		err = fmt.Errorf("%w: %s/metadata.json: %s names %d earlier commits", ErrDamaged, path, id, len(s.meta.EarlierAttributions))
	}
	return s, err
}

// index returns the index of a session, and whether it is in the checkpoint.
func (c *checkpoint) index(sessionID string) (int, bool) {
	for i, s := range c.sessions {
		if s.meta.SessionID == sessionID {
			return i, true
		}
	}
	return len(c.sessions), false
}

// put adds a session, or replaces its content.
func (c *checkpoint) put(meta SessionMetadata, files gitexec.Tree) {
	i, there := c.index(meta.SessionID)
	if !there {
		c.sessions = append(c.sessions, sessionDir{})
	}
	// Other branches may still have the commits of those versions.
	c.sessions[i].keepEarlier(files)
	c.sessions[i] = sessionDir{meta: meta, files: files}
}

// merged adds what the checkpoint already holds of the session: a commit that is amended with more
// of its work keeps its link, and still lists what its first version held.
func (c *checkpoint) merged(meta SessionMetadata) SessionMetadata {
	i, there := c.index(meta.SessionID)
	if !there {
		return meta
	}
	old := c.sessions[i].meta
	meta.FilesTouched = condense.Union(meta.FilesTouched, old.FilesTouched)
	meta.CheckpointsCount += old.CheckpointsCount
	meta.CheckpointTranscriptStart = min(old.CheckpointTranscriptStart, meta.CheckpointTranscriptStart)
	// It goes on from where the first version began.
	meta.CheckpointPromptStart = old.CheckpointPromptStart
	meta.CheckpointTokenUsage = sum(old.CheckpointTokenUsage, meta.CheckpointTokenUsage)
	meta.AttributedCommit, meta.EarlierAttributions = old.AttributedCommit, old.EarlierAttributions
	return meta
}

// trim removes the files that the commit does not change from the sessions' lists, and reports
// whether there were any. Where the checkpoint was last of another commit of the same history, both
// have the link: the files stay in which the session has lines there.
func (c *checkpoint) trim(db *gitexec.ODB, r Request) (any bool) {
	for i := range c.sessions {
		s := &c.sessions[i]
		changed := condense.ChangedFiles(r.Changes, s.meta.FilesTouched)
		// The commit changes all of them.
		if len(changed) == len(s.meta.FilesTouched) {
			continue
		}
		if other := s.meta.lastBefore(r.Commit); other != "" && inLine(db, other, r.Commit) {
			owned, _, _ := s.readLines(db, Version(other))
			has := map[gitexec.Path]bool{}
			for _, f := range owned.Files {
				has[f.Path] = has[f.Path] || len(f.Ranges) > 0
			}
			also := slices.DeleteFunc(slices.Clone(s.meta.FilesTouched), func(p gitexec.Path) bool { return !has[p] })
			changed = condense.Union(changed, also)
		}
		any = any || len(changed) < len(s.meta.FilesTouched)
		s.meta.FilesTouched = changed
	}
	return any
}

// edits adds the edits that write the checkpoint to the branch.
func (c *checkpoint) edits(db *gitexec.ODB, edits gitexec.Edits) error {
	root := Summary{CheckpointID: c.id, FilesTouched: []gitexec.Path{}}
	for i, s := range c.sessions {
		var err error
		if s.files["metadata.json"], err = writeJSON(db, s.meta); err != nil {
			return err
		}
		id, err := db.WriteTree(s.files)
		if err != nil {
			return err
		}
		edits[c.path(i)] = gitexec.Entry{Mode: gitexec.ModeTree, ID: id}
		root.add(i, s)
	}
	var err error
	edits[gitexec.Path(Dir(c.id)+"/metadata.json")], err = writeJSON(db, root)
	return err
}

// path is a session's directory on the branch.
func (c *checkpoint) path(index int) gitexec.Path {
	return gitexec.Path(fmt.Sprintf("%s/%d", Dir(c.id), index))
}

// trim removes the files that a commit does not change from a checkpoint's lists; its lines stay.
func trim(db *gitexec.ODB, b Branch, id string, r Request, edits gitexec.Edits, out *Condensed) error {
	c, err := open(db, b.Tree, id)
	if err != nil || !c.trim(db, r) {
		return err
	}
	out.Dropped[id] = true
	return c.edits(db, edits)
}

// add adds a session to the summary.
func (r *Summary) add(index int, s sessionDir) {
	r.CLIVersion, r.Strategy, r.Branch = s.meta.CLIVersion, s.meta.Strategy, s.meta.Branch
	r.CheckpointsCount += s.meta.CheckpointsCount
	r.FilesTouched = append([]gitexec.Path{}, condense.Union(r.FilesTouched, s.meta.FilesTouched)...)
	r.Sessions = append(r.Sessions, paths(r.CheckpointID, index, s.files))
	r.TokenUsage = sum(r.TokenUsage, s.meta.TokenUsage)
	r.CheckpointTokenUsage = sum(r.CheckpointTokenUsage, s.meta.CheckpointTokenUsage)
}

func sum(a, b *transcript.Usage) *transcript.Usage {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	s := a.Add(*b)
	return &s
}
