package condense

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// SessionLines is what a checkpoint says of one session's part in its commit.
type SessionLines struct {
	SessionID   string              `json:"session_id"`
	Agent       string              `json:"agent,omitempty"`
	Model       string              `json:"model,omitempty"`
	Attribution *InitialAttribution `json:"initial_attribution"` // nil: not known
	Files       []FileLines         `json:"files"`
}

// FileLines is how many lines of a commit's are one session's, in a file.
type FileLines struct {
	Path  gitexec.Path `json:"path"`
	Agent int          `json:"agent_lines"`
	Lines int          `json:"lines"` // whoever's
	// The session's lines in the file as it was committed first: first line, counted from 1, and how many there are.
	Ranges [][2]int `json:"ranges"`
}

// ReadLines reads what a checkpoint says of the lines of a commit that links it, session by session; it is empty where there is no such
// checkpoint. With ErrDamaged it gives what can be read.
func ReadLines(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) ([]SessionLines, error) {
	c, damaged := openLines(db, b.root(db, id), id)
	v := c.version(db, commit)
	var all []SessionLines
	for _, s := range c.sessions {
		attribution, ok := s.meta.attribution(v)
		if !ok {
			continue
		}
		owned, err := readLines(db, id, s, v)
		if err != nil {
			damaged = append(damaged, err)
		}
		lines := SessionLines{SessionID: s.meta.SessionID, Agent: s.meta.Agent, Model: s.meta.Model, Attribution: attribution, Files: []FileLines{}}
		for _, f := range owned.Files {
			file := FileLines{Path: f.Path, Agent: f.Own(), Lines: f.Lines, Ranges: [][2]int{}}
			for _, r := range f.Ranges {
				file.Ranges = append(file.Ranges, [2]int{r[0], r[1]})
			}
			lines.Files = append(lines.Files, file)
		}
		all = append(all, lines)
	}
	return all, errors.Join(damaged...)
}

// openLines is openHealthy for those that want to know whose the lines are: it tells which lists of them are missing, too.
func openLines(db *gitexec.ODB, root gitexec.OID, id string) (c *checkpoint, damaged []error) {
	c, damaged = openHealthy(db, root, id)
	if !slices.ContainsFunc(c.sessions, func(s sessionDir) bool { return !s.files[linesFile].Exists() }) {
		return c, damaged
	}
	dir, _, err := directory(db, root, id)
	if err != nil {
		return c, damaged // told of already
	}
	summary, _ := readSummary(db, dir, id)
	for _, s := range c.sessions {
		if !s.files[linesFile].Exists() && summary.names(s.dir, linesFile) {
			damaged = append(damaged, fmt.Errorf("%w: %s/%s is missing", ErrDamaged, s.dir, linesFile))
		}
	}
	return c, damaged
}

// readLines reads a session's lines.json, or that of an earlier version, if it has one. Its errors are ErrDamaged.
func readLines(db *gitexec.ODB, id string, s sessionDir, v Version) (OwnedLines, error) {
	file := s.files[s.lines(v)]
	path := Dir(id) + "/…/" + s.lines(v) + " of session " + s.meta.SessionID
	owned := OwnedLines{}
	if !file.Exists() {
		return owned, nil
	}
	if err := readJSON(db, file, path, &owned); err != nil {
		return OwnedLines{}, err
	}
	if owned.Files == nil {
		return OwnedLines{}, fmt.Errorf("%w: %s: %s tells of no lines", ErrDamaged, path, file.ID)
	}
	return owned, nil
}

// Line is whose a line is.
type Line struct {
	Session string `json:"session_id,omitempty"` // empty: no agent's
	Agent   string `json:"agent,omitempty"`
	Turn    string `json:"turn_id,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // one line, cut short
}

// FileOwners is what a checkpoint says of one version of a file.
type FileOwners struct {
	Blob   gitexec.OID
	ranges []ownersRange
}

type ownersRange struct {
	first, lines int
	owner        Line
}

// Spread gives the owners of the first lines, by their numbers from 1; a nil one is no agent's.
func (f FileOwners) Spread(lines int) []*Line {
	all := make([]*Line, lines+1)
	for i := range f.ranges {
		r := &f.ranges[i]
		for n := r.first; n <= lines && n-r.first < r.lines; n++ {
			if all[n] == nil {
				all[n] = &r.owner
			}
		}
	}
	return all
}

// Count is how many lines are an agent's.
func (f FileOwners) Count() int {
	n := 0
	for _, r := range f.ranges {
		n += r.lines
	}
	return n
}

// At gives the owner of a line, counted from 1.
func (f FileOwners) At(line int) Line {
	for _, r := range f.ranges {
		if line >= r.first && line-r.first < r.lines {
			return r.owner
		}
	}
	return Line{}
}

// Owners is what a checkpoint says of the files of its commit.
type Owners map[gitexec.Path]FileOwners

// add adds one session's lines.
func (o Owners) add(owned OwnedLines, sessionID, agent string) {
	for _, file := range owned.Files {
		f := o[file.Path]
		f.Blob = file.Blob
		for _, r := range file.Ranges {
			if owned.valid(r) {
				f.ranges = append(f.ranges, ownersRange{r[0], r[1], Line{Session: sessionID, Agent: agent, Turn: owned.Turns[r[2]], Prompt: owned.Prompts[r[2]]}})
			}
		}
		o[file.Path] = f
	}
}

// ReadAllOwners reads whose the lines of all files are in a commit, by a checkpoint that it links; nil if it doesn't tell. Without a commit it is the
// last one that the checkpoint was brought to. With ErrDamaged it gives what can be read.
func ReadAllOwners(db *gitexec.ODB, b Branch, id string, commit *gitexec.Commit) (Owners, error) {
	c, damaged := openLines(db, b.root(db, id), id)
	var v Version
	if commit != nil {
		v = c.version(db, *commit)
	}
	var all Owners
	for _, s := range c.sessions {
		owned, err := readLines(db, id, s, v)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		if !s.files[s.lines(v)].Exists() {
			continue
		}
		if all == nil {
			all = Owners{}
		}
		all.add(owned, s.meta.SessionID, s.meta.Agent)
	}
	return all, errors.Join(damaged...)
}

// ReadOwners reads whose the lines of a file are, by a checkpoint; ok is false if it says nothing of the file. With ErrDamaged it gives what can be
// read.
func ReadOwners(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit, path gitexec.Path) (f FileOwners, ok bool, err error) {
	all, err := ReadAllOwners(db, b, id, &commit)
	f, ok = all[path]
	return f, ok, err
}

// StreamOwners finds out whose the lines of a stream's work are up to its tip, as a commit of all of it would have them. agents names the agent of a
// session. One process.
func StreamOwners(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s shadow.Stream, base gitexec.OID, changes []gitexec.Change, agents map[string]string) (Owners, error) {
	r := Request{Tree: s.Tip.Tree, ParentTree: base, Changes: changes, Matches: []Matched{{Session: &session.State{SessionID: s.Tip.Session}, Streams: []shadow.Stream{s}}}}
	wait, err := Attribute(ctx, repo, db, r, nil)
	if err != nil {
		return nil, err
	}
	a, err := wait()
	if err != nil {
		return nil, err
	}
	all, seen := Owners{}, map[string]bool{}
	for _, t := range append(a.turns, Turn{Session: s.Tip.Session}) {
		if !seen[t.Session] {
			seen[t.Session] = true
			all.add(a.OwnedBy(t.Session, ""), t.Session, agents[t.Session])
		}
	}
	return all, nil
}
