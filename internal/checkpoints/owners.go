package checkpoints

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// missingLists are errors for the sessions of a checkpoint whose lists of lines are missing.
func missingLists(db *gitexec.ODB, root gitexec.OID, id string, sessions []sessionDir) (damaged []error) {
	if !slices.ContainsFunc(sessions, func(s sessionDir) bool { return !s.files[linesFile].Exists() }) {
		return nil
	}
	dir, _, err := directory(db, root, id)
	if err != nil {
		return nil // openReadable has reported it
	}
	summary, _ := readSummary(db, dir, id)
	for _, s := range sessions {
		if !s.files[linesFile].Exists() && summary.names(s.dir, linesFile) {
			damaged = append(damaged, fmt.Errorf("%w: %s/%s is missing", ErrDamaged, s.dir, linesFile))
		}
	}
	return damaged
}

// Line is the owner of a line.
type Line struct {
	Session string `json:"session_id,omitempty"` // empty: not an agent's
	Agent   string `json:"agent,omitempty"`
	Turn    string `json:"turn_id,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // one line, shortened
}

// FileOwners are the recorded owners of one version of a file.
type FileOwners struct {
	Blob    gitexec.OID
	ranges  []ownersRange // after split: in order, and disjoint
	unknown []span        // likewise
}

type ownersRange struct {
	span
	owner Line
	link  string        // the checkpoint that records it, where a commit has several
	marks []ledger.Mark // of its lines; nil: they were not recorded
}

// Spread returns the owners of the first lines, by their numbers from 1, nil for one that is not an
// agent's, and which of those have no known author.
func (f FileOwners) Spread(lines int) (owners []*Line, unknown []bool) {
	owners, unknown = make([]*Line, lines+1), make([]bool, lines+1)
	for i := range f.ranges {
		r := &f.ranges[i]
		for n := r.first; n <= min(lines, r.end()-1); n++ {
			owners[n] = &r.owner
		}
	}
	for _, r := range f.unknown {
		for n := r.first; n <= min(lines, r.end()-1); n++ {
			// An agent's line is known, even if another session's list calls it unknown.
			unknown[n] = owners[n] == nil
		}
	}
	return owners, unknown
}

// Marks returns the numbers, from 1, and what is recorded of the agents' lines; nil if there are
// none, or nothing is.
func (f FileOwners) Marks() (lines []int, marks []ledger.Mark) {
	for _, r := range f.ranges {
		// Lines and marks must fit each other: where one range has none, the file has none.
		if r.marks == nil {
			return nil, nil
		}
		for i := range r.lines {
			lines, marks = append(lines, r.first+i), append(marks, r.marks[i])
		}
	}
	return lines, marks
}

// Count is the number of agents' lines.
func (f FileOwners) Count() int {
	n := 0
	for _, r := range f.ranges {
		n += r.lines
	}
	return n
}

// Prompt is the prompt of a turn that has lines of the file.
func (f FileOwners) Prompt(session, turn string) (prompt string, ok bool) {
	for _, r := range f.ranges {
		if r.owner.Session == session && r.owner.Turn == turn {
			return r.owner.Prompt, true
		}
	}
	return "", false
}

// HasUnknown reports whether lines of the file have no known author.
func (f FileOwners) HasUnknown() bool { return len(f.unknown) > 0 }

// Empty reports whether no line of the file is an agent's, or of an unknown author.
func (f FileOwners) Empty() bool { return len(f.ranges)+len(f.unknown) == 0 }

// Owners are the recorded owners of a commit's files.
type Owners map[gitexec.Path]FileOwners

// add adds one session's lines.
func (o Owners) add(owned OwnedLines, sessionID, agent string) {
	for _, file := range owned.Files {
		f := o[file.Path]
		f.Blob, f.unknown = file.Blob, append(f.unknown, file.unknownSpans()...)
		marks := file.marks()
		for _, r := range file.Ranges {
			one := ownersRange{span: span{r[0], r[1]}}
			// Marks stand in one row for all ranges of the file, in their order. There are as many
			// marks as lines: hashes has checked it.
			if marks != nil {
				one.marks, marks = marks[:r[1]], marks[r[1]:]
			}
			one.owner = Line{Session: owned.session(r[2], sessionID), Agent: agent, Turn: owned.Turns[r[2]], Prompt: owned.Prompts[r[2]]}
			if one.owner.Session != sessionID {
				one.owner.Agent = "" // not recorded
			}
			f.ranges = append(f.ranges, one)
		}
		o[file.Path] = f
	}
}

// split leaves each line to the first range that has it.
func (o Owners) split() {
	for path, f := range o {
		spans := make([]span, len(f.ranges))
		for i, r := range f.ranges {
			spans[i] = r.span
		}
		var ranges []ownersRange
		for _, p := range splitSpans(spans) {
			r := f.ranges[p.index]
			// Of a range that others cut, the marks of the lines that are left to it.
			if from := p.first - r.first; r.marks != nil {
				r.marks = r.marks[from : from+p.lines]
			}
			r.span = p.span
			ranges = append(ranges, r)
		}
		var unknown []span
		for _, p := range splitSpans(f.unknown) {
			unknown = append(unknown, p.span)
		}
		f.ranges, f.unknown = ranges, unknown
		o[path] = f
	}
}

// tag sets the checkpoint of all lines.
func (o Owners) tag(link string) {
	for _, f := range o {
		for i := range f.ranges {
			f.ranges[i].link = link
		}
	}
}

// owned reads the owners that a checkpoint records, in a version. It skips lists of an unknown
// format.
func (c *checkpoint) owned(db *gitexec.ODB, v Version) (Owners, error) {
	all := Owners{}
	for _, s := range c.sessions {
		owned, form, err := s.readLines(db, v)
		if err != nil {
			return nil, err
		}
		if form == nil {
			all.add(owned, s.meta.SessionID, s.meta.Agent)
		}
	}
	return all, nil
}

// ownersBefore reads the owners that a checkpoint records of a replaced commit. It is empty where
// there is no such checkpoint.
func ownersBefore(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) (Owners, error) {
	// Not what can be read alone: a new checkpoint is made of it, and would lack the rest for good.
	c, err := open(db, b.Tree, id)
	if err != nil {
		return nil, err
	}
	c, _ = b.linesFor(db, c, commit)
	return c.owned(db, c.version(db, commit))
}

// spread are the owners of the version's lines, as numbers. Lines of no session are the base's, as
// are those after the last one.
func (f FileOwners) spread(g *gathering) []ledger.Owner {
	last := 0
	for _, r := range f.ranges {
		last = max(last, r.end()-1)
	}
	for _, r := range f.unknown {
		last = max(last, r.end()-1)
	}
	// The last entry is for all lines after the last recorded one: it stays the base's. A damaged
	// list may name any line number.
	owners := make([]ledger.Owner, min(last, LargestCompared)+1)
	each := func(s span, o ledger.Owner) {
		for line := s.first; line < min(s.end(), len(owners)); line++ {
			owners[line-1] = o
		}
	}
	// Ranges come after, and outrank it.
	for _, u := range f.unknown {
		each(u, ledger.Unknown)
	}
	for _, r := range f.ranges {
		t := Turn{Session: r.owner.Session, Turn: r.owner.Turn, Link: r.link}
		g.prompts[t] = r.owner.Prompt
		each(r.span, g.owner(t))
	}
	return owners
}

func nobody(string) bool { return false }

// StreamOwners finds the owners of the lines of a stream's work up to its tip, as if all of it were
// committed. agents names the agent of a session. One process.
func StreamOwners(
	ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s shadow.Stream, base gitexec.OID,
	changes []gitexec.Change, agents map[string]string,
) (Owners, error) {
	// A commit that isn't made: the same computation as for a real one, so that the answer is the
	// same later.
	matched := condense.Matched{Session: &session.State{SessionID: s.Tip.Session}, Streams: []shadow.Stream{s}}
	r := Request{Tree: s.Tip.Tree, ParentTree: base, Changes: changes, Matches: []condense.Matched{matched}}
	a, err := Attribute(ctx, repo, db, Branch{}, r)()
	if err != nil {
		return nil, err
	}
	all, seen := Owners{}, map[string]bool{}
	for _, t := range append(a.turns, Turn{Session: s.Tip.Session}) {
		if !seen[t.Session] {
			seen[t.Session] = true
			all.add(a.OwnedBy(t.Session, "", nobody), t.Session, agents[t.Session])
		}
	}
	all.split()
	return all, nil
}
