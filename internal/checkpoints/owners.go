package checkpoints

import (
	"context"
	"fmt"
	"math"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// openLines is openHealthy for those that want to know whose the lines are: it tells which lists of
// them are missing, too.
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

// Line is whose a line is.
type Line struct {
	Session string `json:"session_id,omitempty"` // empty: no agent's
	Agent   string `json:"agent,omitempty"`
	Turn    string `json:"turn_id,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // one line, cut short
}

// FileOwners is what a checkpoint says of one version of a file.
type FileOwners struct {
	Blob    gitexec.OID
	ranges  []ownersRange // after cut in the order of their lines, none of which is in two
	unknown []span        // likewise
}

type ownersRange struct {
	span
	owner Line
	link  string // the checkpoint that has it, where a commit has several
}

// Spread gives the owners of the first lines, by their numbers from 1, nil for one that is no
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
			unknown[n] = owners[n] == nil
		}
	}
	return owners, unknown
}

// Count is how many lines are an agent's.
func (f FileOwners) Count() int {
	n := 0
	for _, r := range f.ranges {
		n += r.lines
	}
	return n
}

// Empty reports whether nothing of the file is an agent's, or of an unknown author.
func (f FileOwners) Empty() bool { return len(f.ranges)+len(f.unknown) == 0 }

// Owners is what a checkpoint says of the files of its commit.
type Owners map[gitexec.Path]FileOwners

// add adds one session's lines.
func (o Owners) add(owned OwnedLines, sessionID, agent string) {
	for _, file := range owned.Files {
		f := o[file.Path]
		f.Blob, f.unknown = file.Blob, append(f.unknown, file.lost()...)
		for _, r := range file.Ranges {
			if owned.valid(r) {
				f.ranges = append(f.ranges, ownersRange{span{r[0], r[1]}, Line{Session: sessionID, Agent: agent, Turn: owned.Turns[r[2]], Prompt: owned.Prompts[r[2]]}, ""})
			}
		}
		o[file.Path] = f
	}
}

// cut leaves each line to the first that has it.
func (o Owners) cut() {
	for path, f := range o {
		spans := make([]span, len(f.ranges))
		for i, r := range f.ranges {
			spans[i] = r.span
		}
		var cut []ownersRange
		for _, p := range disjoint(spans) {
			cut = append(cut, ownersRange{p.span, f.ranges[p.of].owner, f.ranges[p.of].link})
		}
		var lost []span
		for _, p := range disjoint(f.unknown) {
			lost = append(lost, p.span)
		}
		f.ranges, f.unknown = cut, lost
		o[path] = f
	}
}

// tag says of all lines which checkpoint has them.
func (o Owners) tag(link string) {
	for _, f := range o {
		for i := range f.ranges {
			f.ranges[i].link = link
		}
	}
}

// owned reads what a checkpoint says of its lines, in a version. A list of a form that is not known
// says nothing.
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

// ownersBefore reads what a checkpoint says of the lines of a commit that another one replaces. It
// is empty where the checkpoint isn't there.
func ownersBefore(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) (Owners, error) {
	c, err := open(db, b.Tree, id)
	if err != nil {
		return nil, err
	}
	return c.owned(db, c.version(db, commit))
}

// lines gives the owners of the version by their numbers; what no session has was there before, as
// far as this goes.
func (f FileOwners) lines(l *ledger) ownership.Lines {
	spans := make([]span, len(f.ranges))
	turns := make([]Turn, len(f.ranges))
	for i, r := range f.ranges {
		spans[i], turns[i] = r.span, Turn{Session: r.owner.Session, Turn: r.owner.Turn, Link: r.link}
		l.prompts[turns[i]] = r.owner.Prompt
	}
	lines, at := ownership.Lines{}, 1
	for _, p := range disjoint(spans) {
		lines = append(lines, ownership.Run{Owner: ownership.Base, Count: p.first - at}, ownership.Run{Owner: l.owner(turns[p.of]), Count: p.lines})
		at = p.end()
	}
	lines = append(lines, ownership.Run{Owner: ownership.Base, Count: math.MaxInt32})
	if len(f.unknown) == 0 {
		return lines
	}
	lost, at := ownership.Lines{}, 1
	for _, p := range disjoint(f.unknown) {
		lost = append(lost, ownership.Run{Owner: ownership.Base, Count: p.first - at}, ownership.Run{Owner: ownership.Unknown, Count: p.lines})
		at = p.end()
	}
	return lines.MarkUnknown(append(lost, ownership.Run{Owner: ownership.Base, Count: math.MaxInt32}))
}

// StreamOwners finds out whose the lines of a stream's work are up to its tip, as a commit of all
// of it would have them. agents names the agent of a session. One process.
func StreamOwners(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s shadow.Stream, base gitexec.OID, changes []gitexec.Change, agents map[string]string) (Owners, error) {
	r := Request{Tree: s.Tip.Tree, ParentTree: base, Changes: changes, Matches: []condense.Matched{{Session: &session.State{SessionID: s.Tip.Session}, Streams: []shadow.Stream{s}}}}
	wait, err := Attribute(ctx, repo, db, Branch{}, r)
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
	all.cut()
	return all, nil
}
