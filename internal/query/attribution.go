package query

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
)

// CommitLines counts the lines of a commit by author.
type CommitLines struct {
	Commit      gitexec.OID       `json:"commit"`
	Subject     string            `json:"subject"`
	When        time.Time         `json:"when"`
	Lines       *attribution.Sum  `json:"lines"`             // nil: not countable
	Unknown     []string          `json:"unknown,omitempty"` // why lines have no known author
	Files       []FileSum         `json:"files"`
	Checkpoints []CheckpointLines `json:"checkpoints"`
	// Kept are those that it doesn't link: it only moves or formats their lines.
	Kept []CheckpointLines `json:"kept,omitempty"`
	// OnStream says that the commit is a checkpoint on a stream, of what is not committed.
	OnStream bool `json:"on_stream,omitempty"`

	Author string `json:"-"` // "Name <email>"
	// Again and Generated are those of Lines that totals leave out, see attribution.Counted.
	Again, Generated attribution.Sum `json:"-"`
	Spent            []SpentBy       `json:"-"` // for its checkpoints; of a turn alone it is not known
}

// FileSum counts a commit's lines in one file by author.
type FileSum struct {
	Path  gitexec.Path    `json:"path"`
	Lines attribution.Sum `json:"lines"`
	// Generated says that the file is generated or vendored: totals count its lines apart.
	Generated bool `json:"generated,omitempty"`
	// Again are those of Lines that an older one of the commits brings, too: totals count a line
	// once.
	Again attribution.Sum `json:"again,omitzero"`

	Human, Unknown [][2]int `json:"-"` // lines: the first, counted from 1, and how many
	Text           []string `json:"-"` // the file's lines; nil: not asked for, or too large
}

// CheckpointLines is one link of a commit.
type CheckpointLines struct {
	ID       string         `json:"checkpoint_id"`
	Former   string         `json:"id"` // the former name of checkpoint_id; it goes with the next version
	Found    bool           `json:"found"`
	Purged   string         `json:"purged,omitempty"` // the day on which it was purged
	Sessions []SessionLines `json:"sessions"`
	Error    string         `json:"error,omitempty"`      // what is damaged
	Lacking  bool           `json:"incomplete,omitempty"` // a partial clone lacks objects of it: that is the damage
}

// Missing reports whether the checkpoint is not here, though it may be elsewhere.
func (k CheckpointLines) Missing() bool { return !k.Found && k.Purged == "" }

// SessionLines is one session's part in a commit.
type SessionLines struct {
	SessionID   string                          `json:"session_id"`
	Agent       string                          `json:"agent,omitempty"`
	Model       string                          `json:"model,omitempty"`
	Attribution *checkpoints.InitialAttribution `json:"initial_attribution"` // with the commit's own numbers; nil: not countable
	Files       []FileLines                     `json:"files"`
}

// FileLines is one session's part of a commit's lines in a file.
type FileLines struct {
	Path    gitexec.Path `json:"path"`
	Agent   int          `json:"agent_lines"`
	Lines   int          `json:"lines"`         // of all authors, other sessions included
	Unknown int          `json:"unknown_lines"` // of these, without a known author
	Ranges  [][2]int     `json:"ranges"`        // of the session: first line, counted from 1, and number of lines
	Turns   []TurnLines  `json:"-"`             // the same, by turn
}

// TurnLines are a turn's lines in a file.
type TurnLines struct {
	Turn, Prompt string
	Ranges       [][2]int // the first line, counted from 1, and how many
}

// Attribution counts the lines of the selected commits by author. It skips commits without a link,
// but for those with which a shallow clone ends: of these, and of what is before them, nothing is
// known. Of one name of which nothing is committed it counts what is on streams.
// Five processes, with paths six.
func (e Source) Attribution(ctx context.Context, s Selection) ([]CommitLines, error) {
	r, err := e.OpenFor(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := AttributionBy(ctx, r, s)
	if errors.As(err, new(*NotCommittedError)) && len(s.Names) == 1 {
		return onStreams(ctx, r, s.Names[0], s.Paths)
	}
	return all, err
}

// AttributionWithText is Attribution with the lines of the files.
func (e Source) AttributionWithText(ctx context.Context, s Selection) ([]CommitLines, error) {
	r, err := e.OpenFor(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := AttributionBy(ctx, r, s)
	for _, c := range all {
		if err == nil {
			err = c.readText(r.DB)
		}
	}
	return all, err
}

// mostOfText is how many bytes of a file are read for its lines.
const mostOfText = 4 << 20

// readText reads the files, those that are not too large.
func (c CommitLines) readText(db *gitexec.ODB) error {
	commit, err := db.Commit(c.Commit)
	if err != nil {
		return err
	}
	var paths []gitexec.Path
	for _, f := range c.Files {
		paths = append(paths, f.Path)
	}
	found, err := db.Files(commit.Tree, paths...)
	if err != nil {
		return err
	}
	var blobs []gitexec.OID
	for _, e := range found {
		blobs = append(blobs, e.ID)
	}
	return db.EachBlob(mostOfText, blobs, func(at []int, data []byte, err error) error {
		for _, i := range at {
			if err == nil {
				c.Files[i].Text = slices.Collect(strings.Lines(string(data)))
			}
		}
		return nil
	})
}

// AttributionBy is Attribution in a repository that is open.
func AttributionBy(ctx context.Context, r *Reader, s Selection) ([]CommitLines, error) {
	commits, err := SelectCommitted(ctx, r, s)
	if err != nil {
		return nil, err
	}
	cut := r.Repo.CutOff()
	// A commit with which a shallow clone ends stays in the list although it has no link: it shows
	// as one whose lines can't be counted, and not as the human's.
	linked := slices.DeleteFunc(commits, func(c gitexec.Commit) bool { return len(r.Branch.Links(r.DB, c)) == 0 && !ends(cut, c) })
	counted, err := r.authors(ctx).Count(ctx, r.Repo, linked, s.pathspecs(r.Env.Dir))
	if err != nil {
		return nil, err
	}
	if err := markApart(ctx, r, gitexec.IDsOf(linked), counted); err != nil {
		return nil, err
	}
	all, turn := []CommitLines{}, turnMeant(ctx, r, s)
	for i, n := range counted {
		if turn == "" {
			one := commitLines(linked[i], n)
			one.Spent = spentFor(n)
			all = append(all, one)
		} else if n = n.Only(turn); len(n.Parts) > 0 {
			all = append(all, commitLines(linked[i], n).ofParts(n))
		}
	}
	return all, nil
}

// ends reports whether a shallow clone, by its last commits, ends with a commit.
func ends(cut map[gitexec.OID]bool, c gitexec.Commit) bool { return cut[c.ID] && len(c.Parents) > 0 }

// turnMeant is the turn that a selection is about; empty: it is about something else.
func turnMeant(ctx context.Context, r *Reader, s Selection) string {
	// A turn's ID is hexadecimal and short: for other names the look-up in all checkpoints, which
	// is slow, is left out.
	if len(s.Names) != 1 || !isHex(s.Names[0]) || len(s.Names[0]) > wholeID {
		return ""
	}
	if found, err := r.Resolve(ctx, s.Names[0]); err == nil && found.Turn != nil {
		// Not more than the turn's own lines were asked for: the commit's other sessions are left
		// out.
		return found.Turn.ID
	}
	return ""
}

// ofParts has a commit show the sessions alone that have lines in it, and count no other lines of
// agents.
func (c CommitLines) ofParts(n attribution.Counted) CommitLines {
	own := []CheckpointLines{}
	for _, k := range c.Checkpoints {
		// Attribution is nil where the commit's lines can't be counted: then no session is known to
		// have any.
		k.Sessions = slices.DeleteFunc(k.Sessions, func(s SessionLines) bool { return s.Attribution == nil || s.Attribution.AgentLines == 0 })
		if len(k.Sessions) > 0 {
			own = append(own, k)
		}
	}
	c.Checkpoints, c.Lines.Agent = own, 0
	for i := range n.Files {
		f, to := n.Files[i].OfParts(), &c.Files[i]
		n.Files[i], to.Lines, to.Again = f, f.Lines, f.Again
		c.Lines.Agent += f.Lines.Agent
	}
	c.Again, c.Generated = n.Apart()
	return c
}

func commitLines(c gitexec.Commit, n attribution.Counted) CommitLines {
	one := CommitLines{Commit: c.ID, Subject: subject(c), When: c.When, Files: []FileSum{}, Author: c.Author}
	one.Lines, one.Unknown = linesIn(n)
	one.Again, one.Generated = n.Apart()
	for _, f := range n.Files {
		one.Files = append(one.Files, FileSum{Path: f.Path, Lines: f.Lines, Generated: f.Generated, Again: f.Again, Human: f.Human, Unknown: f.Unknown})
	}
	for _, link := range n.Links {
		k := CheckpointLines{ID: link.ID, Former: link.ID, Found: link.Found, Purged: link.Purged, Sessions: []SessionLines{}}
		if link.Damage != nil {
			k.Error, k.Lacking = explain.OneLine(link.Damage), gitexec.IsUnfetched(link.Damage)
		}
		for _, s := range link.Sessions {
			k.Sessions = append(k.Sessions, sessionLines(n, link.ID, s, link.Owners))
		}
		one.Checkpoints = append(one.Checkpoints, k)
	}
	// In a fixed order: Kept is a map, and the answer is printed, and compared by those who parse
	// it.
	kept := slices.SortedFunc(maps.Keys(n.Kept), func(a, b attribution.Part) int {
		return cmp.Or(cmp.Compare(a.Checkpoint, b.Checkpoint), cmp.Compare(a.Session, b.Session))
	})
	for _, part := range kept {
		s := checkpoints.RecordedSession{SessionID: part.Session, Agent: n.Kept[part]}
		one.Kept = append(one.Kept, CheckpointLines{ID: part.Checkpoint, Former: part.Checkpoint, Found: true,
			Sessions: []SessionLines{sessionLines(n, part.Checkpoint, s, nil)}})
	}
	return one
}

// sessionLines is a session's part in a commit by a checkpoint: in the files in which it has lines,
// and in those that the checkpoint names.
func sessionLines(n attribution.Counted, checkpoint string, s checkpoints.RecordedSession, named checkpoints.Owners) SessionLines {
	lines := SessionLines{SessionID: s.SessionID, Agent: s.Agent, Model: s.Model, Attribution: n.Of(checkpoint, s), Files: []FileLines{}}
	for _, f := range n.Files {
		ranges := f.Parts[attribution.Part{Checkpoint: checkpoint, Session: s.SessionID}]
		// A file that the checkpoint names is listed with no lines, too: the session changed it,
		// and others have rewritten its lines, or it only deleted some.
		if _, ok := named[f.Path]; !ok && len(ranges) == 0 {
			continue
		}
		file := FileLines{Path: f.Path, Lines: f.Lines.All(), Unknown: f.Lines.Unknown, Ranges: append([][2]int{}, ranges...)}
		for _, r := range ranges {
			file.Agent += r[1]
		}
		for of, ranges := range f.Turns {
			if of.Checkpoint == checkpoint && of.Session == s.SessionID {
				file.Turns = append(file.Turns, TurnLines{of.Turn, of.Prompt, ranges})
			}
		}
		slices.SortFunc(file.Turns, func(a, b TurnLines) int { return cmp.Or(a.Ranges[0][0]-b.Ranges[0][0], cmp.Compare(a.Turn, b.Turn)) })
		lines.Files = append(lines.Files, file)
	}
	return lines
}
