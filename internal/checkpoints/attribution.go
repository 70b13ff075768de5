package checkpoints

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
)

// Attribution says whose the lines of a commit are: those that it has and its parent hasn't.
type Attribution struct {
	Files     []AttributedFile // texts that the commit changes, by path
	NoText    []gitexec.Path   // what it changes beside them: binary files, symlinks, submodules
	Estimated bool             // another program recorded the work, which keeps the human's edits between turns with the agent's
	turns     []Turn
	prompts   map[Turn]string
}

// AttributedFile is one file of a commit.
type AttributedFile struct {
	Path    gitexec.Path
	Blob    gitexec.OID
	Lines   ownership.Lines // the last run, of lines that were there before, may be longer than the file
	Removed int             // lines that were there before and that the human took out, putting none in their place
}

// InitialAttribution is what a checkpoint says of one session's part in its commit (seed 004,
// InitialAttribution). Lines of other sessions count neither as the agent's here nor as the
// human's: agent_lines + human_added + human_modified = total_committed.
type InitialAttribution struct {
	CalculatedAt    time.Time      `json:"calculated_at"`
	AgentLines      int            `json:"agent_lines"`
	HumanAdded      int            `json:"human_added"`
	HumanModified   int            `json:"human_modified"` // in the place of other lines
	HumanRemoved    int            `json:"human_removed"`  // were there before, and have no others in their place
	TotalCommitted  int            `json:"total_committed"`
	AgentPercentage float64        `json:"agent_percentage"`
	OtherSessions   int            `json:"other_sessions_lines,omitempty"`
	Unknown         int            `json:"unknown_lines,omitempty"` // nobody can tell whose
	NoText          []gitexec.Path `json:"files_without_lines,omitempty"`
	Estimated       bool           `json:"estimated,omitempty"`
}

// Attribute finds out whose the lines of a commit are, in one process (seed 004,
// CalculateAttributionWithAccumulated; seed 000, Attribution Corruption). Each stream that the
// commit matches is a chain of the human's and the agent's steps, from what was there before to the
// commit, and is replayed by git's own diffs; so is what is known of each commit that it replaces.
// The returned function waits for the answer, which is of some use, and may be none at all, also
// beside an error.
func Attribute(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, b Branch, r Request) (func() (Attribution, error), error) {
	l := &ledger{db: db, link: r.ID, prompts: map[Turn]string{}}
	if err := l.collect(b, r); err != nil {
		return nil, err
	}
	return l.attribute(ctx, repo, r), nil
}

// attribute starts to play the chains, and gives what waits for the answer.
func (l *ledger) attribute(ctx context.Context, repo *gitexec.Repo, r Request) func() (Attribution, error) {
	if l.tooMany != nil {
		l.pairs = nil
	}
	whole := l.pair(r.ParentTree, r.Tree)
	type answer struct {
		patches [][]gitexec.FilePatch
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		patches, err := l.compare(ctx, repo, l.pairs, r.Paths)
		if err != nil {
			// Some of the chain's objects are gone, perhaps: then it can still be told which lines
			// the commit has.
			var err2 error
			if patches, err2 = l.compare(ctx, repo, l.pairs[whole:], r.Paths); err2 != nil {
				patches = nil
			}
		}
		done <- answer{patches, err}
	}()
	return sync.OnceValues(func() (Attribution, error) {
		answered := <-done
		switch {
		case answered.err == nil && l.tooMany != nil:
			return r.unknown(answered.patches[whole]), l.tooMany
		case answered.err == nil:
			return l.finish(r, answered.patches, whole), nil
		case answered.patches == nil:
			return Attribution{}, answered.err
		}
		return r.unknown(answered.patches[0]), answered.err
	})
}

// unknown is the attribution of a commit of which nobody can tell whose its lines are.
func (r Request) unknown(patches []gitexec.FilePatch) Attribution {
	l := ledger{}
	h := ownership.NewHistory(nil)
	h.Step(patches, ownership.Unknown)
	return l.counted(r, h, func(f ownership.File, _ gitexec.Path) ownership.File { return f })
}

// beginning is what is known of the files that a chain begins with.
type beginning struct {
	lines   map[gitexec.Path]ownership.Lines
	bridge  int  // the pair from the versions that the lines are of to those there
	bridged bool // they are not the same
}

// begun reads what is known. A commit may have been amended since by somebody who had nothing to do
// with us: then the lines are of other versions, from which git's diff leads on.
func (l *ledger) begun(c *chain) (beginning, error) {
	begun := beginning{}
	known, root := c.known, c.root
	if len(known) == 0 {
		return begun, nil
	}
	paths := slices.Sorted(maps.Keys(known))
	found, err := l.db.Lookup(root, paths...)
	if err != nil {
		return begun, err
	}
	begun.lines = map[gitexec.Path]ownership.Lines{}
	others := gitexec.Edits{}
	for i, path := range paths {
		blob := known[path].Blob
		if found[i].ID != blob {
			info, err := l.db.Info(blob)
			if err != nil {
				return begun, err
			}
			if info[0].Type != "blob" {
				continue
			}
			others[path] = gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
		}
		begun.lines[path] = known[path].lines(l)
	}
	if len(others) > 0 {
		before, err := l.db.EditTree(root, others)
		if err != nil {
			return begun, err
		}
		begun.bridge, begun.bridged = l.pair(before, root), true
	}
	return begun, nil
}

// crossed gives the owners of the lines of the versions that are there.
func (b beginning) crossed(patches [][]gitexec.FilePatch) map[gitexec.Path]ownership.Lines {
	if !b.bridged {
		return b.lines
	}
	h := ownership.NewHistory(b.lines)
	h.Step(patches[b.bridge], ownership.Added)
	lines := maps.Clone(b.lines)
	for path, f := range h.Files {
		lines[path] = f.Lines
	}
	return lines
}

// finish plays all chains and joins what they say of the commit's files.
func (l *ledger) finish(r Request, patches [][]gitexec.FilePatch, whole int) Attribution {
	same := !l.within // chains that all begin with the commit's parent need no second opinion on what is new
	estimated := false
	var histories []*ownership.History
	var begun []map[gitexec.Path]ownership.Lines
	for _, c := range l.chains {
		begun = append(begun, c.begun.crossed(patches))
		histories = append(histories, c.replay(patches, begun[len(begun)-1]))
		same = same && c.root == r.ParentTree && len(c.known) == 0
		estimated = estimated || c.estimated
	}
	added := ownership.NewHistory(nil)
	added.Step(patches[whole], ownership.Added)
	a := l.counted(r, added, func(isNew ownership.File, path gitexec.Path) ownership.File {
		f, first := isNew, true
		for i, h := range histories {
			known, ok := h.Files[path]
			if lines, before := begun[i][path]; !ok && before {
				known, ok = ownership.File{Lines: lines}, true
			}
			switch {
			case !ok || known.NoText:
			case first:
				f, first = known, false
			default:
				f.Lines, f.Removed = ownership.Merge(f.Lines, known.Lines), min(f.Removed, known.Removed)
			}
		}
		f.Lines = f.Lines.Align(isNew.Lines, func(a, b, lines int) bool { return l.alike(r.Tree, path, a, b, lines) })
		// Lines that went and came back in a chain are new in it, and not in the commit.
		if !same || f.Lines.New() != isNew.Lines.New() || slices.ContainsFunc(f.Lines, func(r ownership.Run) bool { return r.Owner == ownership.Unknown }) {
			f.Lines = f.Lines.Within(isNew.Lines)
		}
		return f
	})
	a.Estimated = estimated
	return a
}

// largestCompared is up to how many bytes two places of a file are compared.
const largestCompared = 8 << 20

// alike reports whether two places of a file have the same lines.
func (l *ledger) alike(tree gitexec.OID, path gitexec.Path, a, b, lines int) bool {
	found, err := l.db.Lookup(tree, path)
	if err != nil {
		return false
	}
	content, err := l.db.Blob(found[0].ID, largestCompared)
	text := strings.SplitAfter(string(content), "\n")
	return err == nil && max(a, b)+lines <= len(text) && slices.Equal(text[a:a+lines], text[b:b+lines])
}

// counted lists the commit's files, given which of their lines are new, and what is known of each.
func (l *ledger) counted(r Request, added *ownership.History, known func(ownership.File, gitexec.Path) ownership.File) Attribution {
	a := Attribution{turns: l.turns, prompts: l.prompts}
	blobs := map[gitexec.Path]gitexec.OID{}
	for _, c := range r.Changes {
		blobs[c.Path] = c.New.ID
	}
	for path, isNew := range added.Files {
		if isNew.NoText {
			a.NoText = append(a.NoText, path)
			continue
		}
		f := known(isNew, path)
		a.Files = append(a.Files, AttributedFile{Path: path, Blob: blobs[path], Lines: f.Lines, Removed: f.Removed})
	}
	slices.Sort(a.NoText)
	slices.SortFunc(a.Files, func(x, y AttributedFile) int { return cmp.Compare(x.Path, y.Path) })
	return a
}

// Of is a session's part, as it stands in its metadata. Where the commit has several links, it is
// the part in one of their checkpoints.
func (a Attribution) Of(session, link string, now time.Time) *InitialAttribution {
	out := &InitialAttribution{CalculatedAt: now.UTC().Truncate(time.Second), NoText: a.NoText, Estimated: a.Estimated}
	for _, f := range a.Files {
		out.HumanRemoved += f.Removed
		for owner, n := range f.Lines.Count() {
			switch {
			case owner == ownership.Added:
				out.HumanAdded += n
			case owner == ownership.Modified:
				out.HumanModified += n
			case owner == ownership.Unknown:
				out.Unknown += n
			case a.turn(owner).Session == session && a.turn(owner).Link == link:
				out.AgentLines += n
			default:
				out.OtherSessions += n
			}
		}
	}
	out.TotalCommitted = out.AgentLines + out.HumanAdded + out.HumanModified
	if out.TotalCommitted > 0 {
		out.AgentPercentage = 100 * float64(out.AgentLines) / float64(out.TotalCommitted)
	}
	return out
}

func (a Attribution) turn(o ownership.Owner) Turn { return a.turns[o-ownership.FirstTurn] }

// Share is how many of the commit's lines are the agents', in words; empty where it has none, or
// nobody can tell.
func (a Attribution) Share() string {
	agents, all := 0, 0
	for _, f := range a.Files {
		for owner, n := range f.Lines.Count() {
			if owner == ownership.Unknown {
				return ""
			}
			if all += n; owner.IsAgent() {
				agents += n
			}
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%% agent (%d/%d lines)", 100*float64(agents)/float64(all), agents, all)
}
