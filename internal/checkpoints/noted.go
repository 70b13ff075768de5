package checkpoints

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
)

// noteStrategy is the strategy of a checkpoint that a note of another program was imported to. Such
// a checkpoint has lines and at most the first lines of prompts, and what is recorded outranks it.
const noteStrategy = "git-ai"

// noted reports whether a checkpoint was imported from a note.
func (c *checkpoint) noted() bool {
	recorded := func(s sessionDir) bool { return s.meta.Strategy != noteStrategy }
	return len(c.sessions) > 0 && !slices.ContainsFunc(c.sessions, recorded)
}

// Noted is what a note says of a commit, checked.
type Noted struct {
	Commit   gitexec.Commit
	Note     gitexec.OID // its blob
	Version  string      // of this program
	Sessions []NotedSession
	Files    []OwnedFile // each with the commit's lines in it and the unknown ones; the ranges are the sessions'
}

// NotedSession is a session that a note names.
type NotedSession struct {
	ID, Agent, Model string
	Turns, Prompts   []string                  // as in OwnedLines
	Ranges           map[gitexec.Path][][3]int // likewise
}

// ID is that of the checkpoint: the same in each clone that imports the note.
func (n Noted) ID() string {
	// A random one would make a checkpoint in each clone that imports the note.
	return fmt.Sprintf("%x", sha256.Sum256([]byte("note "+string(n.Commit.ID)+" "+string(n.Note))))[:12]
}

// Write adds the edits that store it as a checkpoint, with a link beside the commit.
func (n Noted) Write(db *gitexec.ODB, b Branch, edits gitexec.Edits) error {
	texts, err := n.texts(db)
	if err != nil {
		return err
	}
	c := &checkpoint{id: n.ID()}
	link := SideLink{Commit: n.Commit.ID, Checkpoints: []string{c.id}, How: FromNote, CreatedAt: n.Commit.When,
		Reason: "a note of Git AI says that an agent has lines in it"}
	all := n.count()
	for i, s := range n.Sessions {
		owned := OwnedLines{Turns: s.Turns, Prompts: s.Prompts, Files: []OwnedFile{}, Fingerprint: Fingerprint{Commit: n.Commit.ID}}
		for _, f := range n.Files {
			f.Ranges = s.Ranges[f.Path]
			switch {
			case f.Ranges == nil && i > 0: // the first session lists all, with the unknown lines
				continue
			case f.Ranges == nil:
				f.Ranges = [][3]int{}
			}
			f.addHashes(texts[f.Blob])
			owned.Files = append(owned.Files, f)
		}
		files := gitexec.Tree{}
		if err := owned.put(db, files); err != nil {
			return err
		}
		if err := s.putPrompts(db, files); err != nil {
			return err
		}
		c.put(n.metadata(s, c.id, all), files)
	}
	if err := c.edits(db, edits); err != nil {
		return err
	}
	return WriteSideLink(db, b, link, edits)
}

// putPrompts adds the file of the session's prompts, where the note has some.
func (s NotedSession) putPrompts(db *gitexec.ODB, files gitexec.Tree) error {
	asked := slices.DeleteFunc(slices.Clone(s.Prompts), func(prompt string) bool { return prompt == "" })
	if len(asked) == 0 {
		return nil
	}
	var err error
	files[conversation.PromptFile], err = db.WriteFile([]byte(strings.Join(asked, session.PromptSeparator)))
	return err
}

// count counts the lines of all sessions; its AgentLines are theirs.
func (n Noted) count() (a InitialAttribution) {
	a.CalculatedAt = n.Commit.When.UTC().Truncate(time.Second)
	for _, s := range n.Sessions {
		a.AgentLines += s.lines()
	}
	lines := 0
	for _, f := range n.Files {
		lines += f.Lines
		for _, r := range f.Unknown {
			a.Unknown += r[1]
		}
	}
	// A note says nothing of lines that replace others.
	a.HumanAdded = lines - a.AgentLines - a.Unknown
	return a
}

func (s NotedSession) lines() (n int) {
	for _, ranges := range s.Ranges {
		for _, r := range ranges {
			n += r[1]
		}
	}
	return n
}

func (n Noted) metadata(s NotedSession, id string, all InitialAttribution) SessionMetadata {
	own := all
	own.AgentLines = s.lines()
	// Of several sessions each has the commit's numbers from its own side.
	own.OtherSessions = all.AgentLines - own.AgentLines
	own.Total()
	turn := ""
	if len(s.Turns) > 0 {
		turn = s.Turns[len(s.Turns)-1]
	}
	return SessionMetadata{CLIVersion: n.Version, CheckpointID: id, SessionID: s.ID, Strategy: noteStrategy, CheckpointsCount: 1,
		CreatedAt: n.Commit.When.UTC().Truncate(time.Millisecond), FilesTouched: slices.Sorted(maps.Keys(s.Ranges)), Agent: s.Agent, Model: s.Model,
		TurnID: turn, InitialAttribution: &own}
}

// texts reads the lines of the files, of those that are not too large.
func (n Noted) texts(db *gitexec.ODB) (map[gitexec.OID][]string, error) {
	texts, blobs := map[gitexec.OID][]string{}, []gitexec.OID{}
	for _, f := range n.Files {
		blobs = append(blobs, f.Blob)
	}
	err := db.EachBlob(largestHashed, blobs, func(at []int, data []byte, err error) error {
		if err == nil {
			texts[blobs[at[0]]] = slices.Collect(strings.Lines(string(data)))
		}
		return nil
	})
	return texts, err
}
