package attribution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// Sum counts lines by kind of author.
type Sum struct {
	Agent   int `json:"agent"`
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
}

// All is the number of lines.
func (s Sum) All() int { return s.Agent + s.Human + s.Unknown }

// Share is the agents' share of the lines with a known author, and the number of those without, as
// all views print it: "67 %", "67 %, 2 unknown", "? (2 unknown)" where no author is known, "-" of
// no line.
func (s Sum) Share() string {
	known, text := s.Agent+s.Human, "-"
	switch {
	case known == 0 && s.Unknown > 0:
		return fmt.Sprintf("? (%d unknown)", s.Unknown)
	case known > 0:
		text = amount.Percent(ledger.Percent(s.Agent, known))
	}
	if s.Unknown > 0 {
		text += fmt.Sprintf(", %d unknown", s.Unknown)
	}
	return text
}

// Plus is the sum of two.
func (s Sum) Plus(o Sum) Sum { return Sum{s.Agent + o.Agent, s.Human + o.Human, s.Unknown + o.Unknown} }

// Less is their difference.
func (s Sum) Less(o Sum) Sum { return Sum{s.Agent - o.Agent, s.Human - o.Human, s.Unknown - o.Unknown} }

func (s *Sum) add(kind Kind, lines int) {
	switch kind {
	case Agent:
		s.Agent += lines
	case Human:
		s.Human += lines
	default:
		s.Unknown += lines
	}
}

// Part is a session's part in a checkpoint.
type Part struct{ Checkpoint, Session string }

// Counted is the lines of a commit by author: those that it has and its first parent doesn't.
type Counted struct {
	Lines Sum
	Parts map[Part]int // of the agents' lines
	// Kept are the parts of checkpoints that the commit doesn't link: it only moves or formats
	// their lines. Each has its agent.
	Kept   map[Part]string
	Files  []CountedFile
	NoText []gitexec.Path // changed files without lines: binary ones, symlinks, submodules
	Links  []checkpoints.Recorded
	// Reasons are why lines are unknown, each once.
	Reasons []string
	// NotCounted is why nothing could be counted; empty: it could.
	NotCounted string
}

// CountedFile is one file of a commit.
type CountedFile struct {
	Path  gitexec.Path
	Lines Sum
	Parts map[Part][][2]int // the agents' lines: first line, counted from 1, and number of lines
	Turns map[Turn][][2]int // likewise, by turn
	Human [][2]int          // likewise, those of humans
	// Unknown are, likewise, those without a known author.
	Unknown [][2]int
	// Generated says that totals count the lines apart, as those of a generated or vendored file.
	// Count doesn't set it.
	Generated bool
	// Again are those of Lines that an older commit brings, too: totals count a line once. Count
	// doesn't set it.
	Again Sum
	again map[int]Author // their numbers
}

// First is how many lines of ranges no older commit brings.
func (f CountedFile) First(ranges [][2]int) int { return linesIn(ranges) - Among(ranges, f.again) }

// OfParts is the file with no other lines of agents than those of its parts.
func (f CountedFile) OfParts() CountedFile {
	f.Lines.Agent, f.Again.Agent = 0, 0
	for _, ranges := range f.Parts {
		f.Lines.Agent += linesIn(ranges)
		f.Again.Agent += Among(ranges, f.again)
	}
	return f
}

// Apart are the lines that totals leave out: those that an older commit brings, too, and others in
// files that are generated or vendored.
func (n Counted) Apart() (again, generated Sum) {
	for _, f := range n.Files {
		if again = again.Plus(f.Again); f.Generated {
			generated = generated.Plus(f.Lines.Less(f.Again))
		}
	}
	return again, generated
}

// MarkAgain sets which lines of commits, newest first, older ones of them bring, too. counted is in
// the order of the commits.
func MarkAgain(db *gitexec.ODB, commits []gitexec.OID, counted []Counted) error {
	var all []Brought
	for i, id := range slices.Backward(commits) {
		all = append(all, counted[i].Brought(id)...)
	}
	again, err := AgainIn(db, all)
	for i, id := range commits {
		counted[i].MarkAgain(again[id])
	}
	return err
}

// Brought is the lines that the commit with this ID brings, by file.
func (n Counted) Brought(id gitexec.OID) []Brought {
	links := make([]string, len(n.Links))
	for i, link := range n.Links {
		links[i] = link.ID
	}
	all := make([]Brought, len(n.Files))
	for i, f := range n.Files {
		by := map[Author][][2]int{{Kind: Human}: f.Human, {Kind: Unknown}: f.Unknown}
		for turn, ranges := range f.Turns {
			by[Author{Kind: Agent, Line: turn.Line, Checkpoint: turn.Checkpoint}] = ranges
		}
		all[i] = Brought{id, links, f.Path, by}
	}
	return all
}

// MarkAgain sets which lines of the commit's files older commits bring, too, with their authors.
func (n Counted) MarkAgain(lines map[gitexec.Path]map[int]Author) {
	for i := range n.Files {
		f := &n.Files[i]
		f.again = lines[f.Path]
		for _, author := range f.again {
			f.Again.add(author.Kind, 1)
		}
	}
}

// OfTurn are the lines of a turn, and those of them in files that are generated or vendored.
func (n Counted) OfTurn(turn string) (all, generated Sum) {
	for _, f := range n.Files {
		for of, ranges := range f.Turns {
			if of.Turn != turn {
				continue
			}
			all.Agent += f.First(ranges)
			if f.Generated {
				generated.Agent += f.First(ranges)
			}
		}
	}
	return all, generated
}

// Turn is a turn's part in a checkpoint.
type Turn struct {
	Checkpoint string
	checkpoints.Line
}

// OfTurns are the files in which turns have lines, with their numbers.
func (n Counted) OfTurns(is func(checkpoints.Line) bool) map[gitexec.Path]int {
	all := map[gitexec.Path]int{}
	for _, f := range n.Files {
		for turn, ranges := range f.Turns {
			if is(turn.Line) {
				all[f.Path] += linesIn(ranges)
			}
		}
	}
	return all
}

func linesIn(ranges [][2]int) (sum int) {
	for _, r := range ranges {
		sum += r[1]
	}
	return sum
}

// Only is the count of the files in which a turn has lines, with those alone as parts. All other
// lines of these files are counted, and are of no part.
func (n Counted) Only(turn string) Counted {
	files := n.Files
	n.Files, n.Parts, n.Lines, n.NoText = nil, map[Part]int{}, Sum{}, nil
	for _, f := range files {
		turns := f.Turns
		f.Parts, f.Turns = map[Part][][2]int{}, map[Turn][][2]int{}
		for of, ranges := range turns {
			if of.Turn == turn {
				part := Part{of.Checkpoint, of.Session}
				f.Turns[of] = ranges
				f.Parts[part] = append(f.Parts[part], ranges...)
				n.Parts[part] += linesIn(ranges)
			}
		}
		if len(f.Parts) > 0 {
			n.Files, n.Lines = append(n.Files, f), n.Lines.Plus(f.Lines)
		}
	}
	return n
}

// Count counts the lines of commits, in order; with pathspecs only those of the files that they
// select. A commit whose parent, or whose files, are not here has NotCounted. One process for all,
// with pathspecs two; in a partial clone that can fetch nothing one for each commit.
func (r *Reader) Count(ctx context.Context, repo *gitexec.Repo, commits []gitexec.Commit, paths gitexec.Pathspecs) ([]Counted, error) {
	all := make([]Counted, len(commits))
	trees, err := r.parentTrees(commits)
	if err != nil {
		return nil, err
	}
	var pairs [][2]gitexec.OID
	var of []int
	read := make([]*Commit, len(commits))
	r.readAhead(commits)
	for i, c := range commits {
		read[i] = r.read(c)
		all[i].Links, all[i].Parts, all[i].Kept = read[i].Links, map[Part]int{}, map[Part]string{}
		if len(c.Parents) > 0 && trees[i] == "" {
			all[i].NotCounted = notHere(c.Parents[0])
			continue
		}
		pairs, of = append(pairs, [2]gitexec.OID{trees[i], c.Tree}), append(of, i)
	}
	if err := r.DB.Canceled(); err != nil || len(pairs) == 0 {
		return all, err
	}
	selected, err := Selected(ctx, repo, pairs, paths)
	if err != nil {
		return all, err
	}
	return all, Patches(ctx, repo, pairs, func(p gitexec.FilePatch) error {
		if p.Pair < 0 || p.Pair >= len(pairs) {
			return errors.New("git printed more than expected")
		}
		if !selected(p) {
			return nil
		}
		i := of[p.Pair]
		return all[i].file(read[i], p)
	}, func(pair int) {
		i := of[pair]
		all[i] = Counted{Links: all[i].Links, Parts: map[Part]int{}, Kept: map[Part]string{}, NotCounted: unfetched}
	})
}

// unfetched is why a commit is not counted.
const unfetched = "this partial clone lacks files that it changes"

// Patches passes on the patches of pairs of trees. Where a partial clone lacks something of them,
// each pair is compared by itself, and lacking has those that cannot be.
func Patches(ctx context.Context, repo *gitexec.Repo, pairs [][2]gitexec.OID, each func(gitexec.FilePatch) error, lacking func(pair int)) error {
	if !repo.Unfetched() {
		return repo.PatchTrees(ctx, pairs, nil, each)
	}
	for i := range pairs {
		err := repo.PatchTrees(ctx, pairs[i:i+1], nil, func(p gitexec.FilePatch) error {
			p.Pair = i
			return each(p)
		})
		if gitexec.IsUnfetched(err) {
			lacking(i)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Selected reports which patches of pairs of trees pathspecs select. Patches themselves are
// without pathspecs, since a renamed file would count as a new one. One process, or none without
// pathspecs.
func Selected(ctx context.Context, repo *gitexec.Repo, pairs [][2]gitexec.OID, paths gitexec.Pathspecs) (func(gitexec.FilePatch) bool, error) {
	if len(paths.All) == 0 {
		return func(gitexec.FilePatch) bool { return true }, nil
	}
	names := make([]map[gitexec.Path]bool, len(pairs))
	err := repo.DiffPairs(ctx, pairs, paths, func(pair int, changes []gitexec.Change) error {
		names[pair] = sets.Of(gitexec.PathsOf(changes))
		return nil
	})
	return func(p gitexec.FilePatch) bool { return names[p.Pair][cmp.Or(p.New, p.Old)] }, err
}

// readAhead reads the objects of commits ahead, to save time.
func (r *Reader) readAhead(commits []gitexec.Commit) {
	// The trees of all are in memory at once. Those of more commits are read when they are asked
	// for, each by a round trip of its own.
	const most = 200
	r.Ahead(commits, false)
	var links []string
	var trees []gitexec.OID
	for _, c := range commits[:min(most, len(commits))] {
		links, trees = append(links, r.Branch.Links(r.DB, c)...), append(trees, c.Tree)
	}
	checkpoints.ReadAhead(r.DB, r.Branch, links)
	_, _ = r.DB.Trees(trees...)
}

// parentTrees returns the trees of the commits' first parents; empty for a commit whose parent is
// missing.
func (r *Reader) parentTrees(commits []gitexec.Commit) ([]gitexec.OID, error) {
	trees := make([]gitexec.OID, len(commits))
	var ask []gitexec.OID
	var of []int
	for i, c := range commits {
		if len(c.Parents) > 0 {
			ask, of = append(ask, c.Parents[0]), append(of, i)
		}
	}
	found, err := commitTrees(r.DB, ask)
	for i, tree := range found {
		trees[of[i]] = tree
	}
	return trees, err
}

// file counts one file.
func (n *Counted) file(c *Commit, p gitexec.FilePatch) error {
	if !hasText(p) {
		if p.New != "" {
			n.NoText = append(n.NoText, p.New)
		}
		return nil
	}
	f := CountedFile{Path: p.New, Parts: map[Part][][2]int{}, Turns: map[Turn][][2]int{}}
	var run [2]int // first line and number of lines with one author
	var of Author
	add := func() {
		if run[1] > 0 {
			n.add(&f, run, of)
		}
	}
	_, err := c.Lines(p, func(line int, a Author) {
		if line != run[0]+run[1] || a != of {
			add()
			run, of = [2]int{line, 0}, a
		}
		run[1]++
	})
	if err != nil {
		return err
	}
	add()
	if f.Lines.All() > 0 {
		n.Files = append(n.Files, f)
	}
	return nil
}

// add adds lines with one author, which stand one after another in a file.
func (n *Counted) add(f *CountedFile, lines [2]int, by Author) {
	f.Lines.add(by.Kind, lines[1])
	n.Lines.add(by.Kind, lines[1])
	switch by.Kind {
	case Human:
		f.Human = extended(f.Human, lines)
	case Unknown:
		f.Unknown = extended(f.Unknown, lines)
		if !slices.Contains(n.Reasons, by.Reason) {
			n.Reasons = append(n.Reasons, by.Reason)
		}
	case Agent:
		part := Part{by.Checkpoint, by.Session}
		n.Parts[part] += lines[1]
		// git blame led to the checkpoint of an earlier commit: this one only moved the line.
		if !slices.ContainsFunc(n.Links, func(l checkpoints.Recorded) bool { return l.ID == part.Checkpoint }) {
			n.Kept[part] = by.Agent
		}
		f.Parts[part] = extended(f.Parts[part], lines)
		turn := Turn{by.Checkpoint, by.Line}
		f.Turns[turn] = extended(f.Turns[turn], lines)
	}
}

// hasText reports whether a change is one of lines: binary files, symlinks and submodules have
// none.
func hasText(p gitexec.FilePatch) bool {
	return !p.Binary && p.Mode != gitexec.ModeSymlink && p.Mode != gitexec.ModeGitlink
}

// newLines are the numbers of the lines that a change of a file with lines adds, from 1.
func newLines(p gitexec.FilePatch) (lines []int) {
	if !hasText(p) || p.New == "" {
		return nil
	}
	for _, h := range p.Hunks {
		for i := range h.NewLines {
			lines = append(lines, h.NewStart+i)
		}
	}
	return lines
}

// Lines passes on the new lines of a change in the commit, counted from 1, with their authors. All
// views count these. moved reports that lines were matched with another version of the file.
func (c *Commit) Lines(p gitexec.FilePatch, each func(line int, a Author)) (moved bool, err error) {
	lines, err := c.own(p.New, newLines(p))
	if err != nil || len(lines) == 0 {
		return false, err
	}
	here, err := c.db.Lookup(c.tree, p.New)
	if err != nil {
		return false, err
	}
	authors, err := c.File(p.New, here[0], lines)
	if err != nil {
		return false, err
	}
	for _, line := range lines {
		each(line, authors.Author(line))
	}
	return authors.Moved, nil
}

// own are those of a file's lines that no other parent of a merge has: git blame gives the merge no
// others. One process for a merge.
func (c *Commit) own(path gitexec.Path, lines []int) ([]int, error) {
	if len(lines) == 0 || len(c.of.Parents) < 2 {
		return lines, nil
	}
	if c.others == nil {
		if err := c.readOthers(); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(lines, func(line int) bool { return c.others[path][line] < c.sides }), nil
}

// readOthers finds the lines of a merge that are new for its other parents.
func (c *Commit) readOthers() error {
	c.others = map[gitexec.Path]map[int]int{}
	trees, err := commitTrees(c.db, c.of.Parents[1:])
	if err != nil {
		return err
	}
	var pairs [][2]gitexec.OID
	for _, tree := range trees {
		if tree != "" {
			pairs = append(pairs, [2]gitexec.OID{tree, c.tree})
		}
	}
	c.sides = len(pairs)
	return c.db.PatchTrees(pairs, func(p gitexec.FilePatch) error {
		if c.others[p.New] == nil {
			c.others[p.New] = map[int]int{}
		}
		for _, line := range newLines(p) {
			c.others[p.New][line]++
		}
		return nil
	})
}

// extended appends a range of lines to others.
func extended(ranges [][2]int, lines [2]int) [][2]int {
	if i := len(ranges) - 1; i >= 0 && ranges[i][0]+ranges[i][1] == lines[0] {
		ranges[i][1] += lines[1]
		return ranges
	}
	return append(ranges, lines)
}

// Of is a session's part in the form of a checkpoint's metadata (seed 004, InitialAttribution),
// with the commit's own numbers; nil if nothing could be counted. agent_lines + human_added +
// human_modified = total_committed.
func (n Counted) Of(checkpoint string, s checkpoints.RecordedSession) *checkpoints.InitialAttribution {
	if n.NotCounted != "" {
		return nil
	}
	a := &checkpoints.InitialAttribution{AgentLines: n.Parts[Part{checkpoint, s.SessionID}], Unknown: n.Lines.Unknown, NoText: n.NoText}
	a.OtherSessions = n.Lines.Agent - a.AgentLines
	if s.Claimed != nil {
		a.CalculatedAt, a.Estimated = s.Claimed.CalculatedAt, s.Claimed.Estimated
		a.HumanModified, a.HumanRemoved = min(max(0, s.Claimed.HumanModified), n.Lines.Human), s.Claimed.HumanRemoved
	}
	a.HumanAdded = n.Lines.Human - a.HumanModified
	a.Total()
	return a
}
