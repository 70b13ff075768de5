package checkpoints

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// Attribution is the authors of a commit's new lines: those that its parent does not have.
type Attribution struct {
	Files     []AttributedFile     // text files that the commit changes, by path
	NoText    []gitexec.Path       // the other files that it changes: binary files, symlinks, submodules
	Estimated bool                 // another program recorded the work, and counts the human's edits between turns as the agent's
	weight    map[ledger.Owner]int // how much the turns' lines are evidence
	turns     []Turn
	prompts   map[Turn]string
	began     map[Turn]time.Time
}

// AttributedFile is one file of a commit.
type AttributedFile struct {
	Path    gitexec.Path
	Blob    gitexec.OID
	Lines   ledger.Lines
	Removed int // old lines that the human removed without a replacement
}

// InitialAttribution is one session's part in its commit (seed 004, InitialAttribution). Lines of
// other sessions count neither as the agent's here nor as the human's: agent_lines + human_added +
// human_modified = total_committed.
type InitialAttribution struct {
	CalculatedAt    time.Time      `json:"calculated_at"`
	AgentLines      int            `json:"agent_lines"`
	HumanAdded      int            `json:"human_added"`
	HumanModified   int            `json:"human_modified"` // replacing other lines
	HumanRemoved    int            `json:"human_removed"`  // old lines without a replacement
	TotalCommitted  int            `json:"total_committed"`
	AgentPercentage float64        `json:"agent_percentage"`
	OtherSessions   int            `json:"other_sessions_lines,omitempty"`
	Unknown         int            `json:"unknown_lines,omitempty"` // no known author
	NoText          []gitexec.Path `json:"files_without_lines,omitempty"`
	Estimated       bool           `json:"estimated,omitempty"`
}

// Attribute finds the authors of a commit's lines, in one process (seed 004,
// CalculateAttributionWithAccumulated; seed 000, Attribution Corruption): from the streams that it
// matches, which are the human's and the agents' steps in turns, and from what is recorded of the
// commits that it replaces. The returned function waits for the result. Beside an error the result
// may be partial or empty.
func Attribute(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, b Branch, r Request) func() (Attribution, error) {
	g := &gathering{db: db, tree: r.Tree, parent: r.ParentTree, before: parentOf(db, r.Commit), large: map[gitexec.OID]bool{}, book: ledger.New(), link: r.ID, unknown: r.Imported, owners: map[Turn]ledger.Owner{}, prompts: map[Turn]string{},
		began: map[Turn]time.Time{}, streams: map[gitexec.OID]bool{}, read: map[gitexec.OID]bool{}, baseOf: map[gitexec.OID]gitexec.OID{}, nextPlace: ledger.FirstPlace, taken: map[gitexec.Path]map[ledger.ID]int{}, dropped: map[gitexec.Path]map[ledger.ID]int{},
		seen: map[*ledger.Version]time.Time{}}
	// Git compares the trees while the streams are read.
	diff := gitexec.InBackground(func() (patches []gitexec.FilePatch, err error) {
		err = repo.PatchTrees(ctx, [][2]gitexec.OID{{r.ParentTree, r.Tree}}, nil, func(p gitexec.FilePatch) error {
			patches = append(patches, p)
			return nil
		})
		return patches, err
	})
	trouble := g.collect(b, r)
	if trouble == nil {
		trouble = g.enter(r)
	}
	return sync.OnceValues(func() (Attribution, error) {
		patches, err := diff()
		if err != nil {
			return Attribution{}, fmt.Errorf("the authors of the commit's lines: %w", err)
		}
		if trouble == nil {
			trouble = g.enterCommit(r, patches)
		}
		if trouble != nil {
			// A book that is filled in part would give lines to the human that it has not come to.
			g.book, g.unknown = ledger.New(), true
			trouble = fmt.Errorf("the authors of the commit's lines: %w", trouble)
		}
		return g.attribution(r, patches), trouble
	})
}

// parentOf is a commit's first parent; empty: there is none, or the commit is not known.
func parentOf(db *gitexec.ODB, id gitexec.OID) gitexec.OID {
	of, err := db.Commit(id)
	if err != nil || len(of.Parents) == 0 {
		return ""
	}
	return of.Parents[0]
}

// attribution lists the commit's files by path, with the owners of their new lines.
func (g *gathering) attribution(r Request, patches []gitexec.FilePatch) Attribution {
	changes := gitexec.ByPath(r.Changes)
	slices.SortFunc(patches, func(a, b gitexec.FilePatch) int { return cmp.Compare(a.New, b.New) })
	wrote := g.wroteOlder(r, patches, changes)
	a := Attribution{weight: map[ledger.Owner]int{}, turns: g.turns, prompts: g.prompts, began: g.began, Estimated: g.estimated}
	for _, p := range patches {
		switch {
		// A deleted file has no new lines.
		case p.New == "":
		case p.Binary || p.Mode == gitexec.ModeSymlink || p.Mode == gitexec.ModeGitlink:
			a.NoText = append(a.NoText, p.New)
		default:
			a.Files = append(a.Files, g.attributedFile(p, changes[p.New].New.ID, wrote, a.weight))
		}
	}
	return a
}

// attributedFile is a file's new lines, as git's diff of the commit has them. An old line that git
// takes for new is the human's. It adds what the lines weigh to the weight of their owners.
func (g *gathering) attributedFile(
	p gitexec.FilePatch, blob gitexec.OID, wrote map[ledger.Owner]ledger.Owner, weight map[ledger.Owner]int,
) AttributedFile {
	v := g.book.Known(string(p.New), string(blob))
	known := 0
	if v != nil {
		known = len(v.Owners)
	}
	isNew, replaces := newLinesOf(p.Hunks, known)
	owners := make([]ledger.Owner, len(isNew))
	if v != nil {
		for line, o := range v.Owners {
			if owners[line] = g.book.Resolve(o); owners[line].IsPlace() {
				owners[line] = wrote[owners[line]]
			}
		}
		v.Align(owners, isNew)
	}
	for line, o := range owners {
		// Of a file that is too large to be compared nothing says whose its lines are.
		owners[line] = ownerInCommit(o, isNew[line], replaces[line], g.unknown || g.large[blob])
		// The diff may have more lines than the version that is known, which then has no text for
		// them.
		if owners[line].IsTurn() && line < known {
			weight[o] += g.book.Letters(v.Text[line])
		}
	}
	return AttributedFile{Path: p.New, Blob: blob, Lines: ledger.Runs(owners), Removed: g.removed(p)}
}

// newLinesOf reports, for at least so many lines, which of them are new by git's diff, and which of
// these stand in place of others.
func newLinesOf(hunks []gitexec.Hunk, lines int) (isNew, replaces []bool) {
	for _, h := range hunks {
		lines = max(lines, h.NewStart+h.NewLines-1)
	}
	isNew, replaces = make([]bool, lines), make([]bool, lines)
	for _, h := range hunks {
		for i := range h.NewLines {
			// So many old lines are replaced as the hunk takes out.
			isNew[h.NewStart-1+i], replaces[h.NewStart-1+i] = true, i < h.OldLines
		}
	}
	return isNew, replaces
}

// ownerInCommit is the owner of a line in a commit: the base's where it is old in the commit's
// diff; of a new one that has no owner, the human, unless nothing says whose it is.
func ownerInCommit(o ledger.Owner, isNew, replaces, unknown bool) ledger.Owner {
	switch {
	case !isNew:
		return ledger.Base
	case o != ledger.Base:
		return o
	case unknown:
		return ledger.Unknown
	case replaces:
		return ledger.Modified
	}
	return ledger.Human
}

// Of is a session's part, as in its metadata. Where the commit has several links, it is the part in
// the checkpoint of one.
func (a Attribution) Of(session, link string, now time.Time) *InitialAttribution {
	out := &InitialAttribution{CalculatedAt: now.UTC().Truncate(time.Second), NoText: a.NoText, Estimated: a.Estimated}
	for _, f := range a.Files {
		out.HumanRemoved += f.Removed
		for owner, n := range f.Lines.Count() {
			switch {
			case owner == ledger.Human:
				out.HumanAdded += n
			case owner == ledger.Modified:
				out.HumanModified += n
			case owner == ledger.Unknown:
				out.Unknown += n
			case a.turn(owner).Session == session && a.turn(owner).Link == link:
				out.AgentLines += n
			default:
				out.OtherSessions += n
			}
		}
	}
	out.Total()
	return out
}

// Total adds up the lines of the session and of the human, and computes the session's share of
// them. Lines of other sessions and of unknown authors are in neither.
func (a *InitialAttribution) Total() {
	a.TotalCommitted = a.AgentLines + a.HumanAdded + a.HumanModified
	a.AgentPercentage = ledger.Percent(a.AgentLines, a.TotalCommitted)
}

// filesOf lists the files with lines that a session wrote, by a checkpoint, sorted.
func (a Attribution) filesOf(session, link string) []gitexec.Path {
	var files []gitexec.Path
	for _, f := range a.Files {
		for owner := range f.Lines.Count() {
			if owner.IsTurn() && a.turn(owner).Session == session && a.turn(owner).Link == link {
				files = append(files, f.Path)
				break
			}
		}
	}
	return condense.Union(nil, files)
}

// weighs is how much the lines of a session's turns, in one of the commit's checkpoints, are
// evidence.
func (a Attribution) weighs(session, link string) (n int) {
	for owner, weight := range a.weight {
		if a.turn(owner).Session == session && a.turn(owner).Link == link {
			n += weight
		}
	}
	return n
}

// firstBegan is when the first of some turns of a session began, or of all whose time is known
// where these are none; zero: it is not known.
func (a Attribution) firstBegan(session string, turns []string) (first time.Time) {
	for t, began := range a.began {
		if t.Session == session && (len(turns) == 0 || slices.Contains(turns, t.Turn)) && (first.IsZero() || began.Before(first)) {
			first = began
		}
	}
	return first
}

func (a Attribution) turn(o ledger.Owner) Turn { return a.turns[o-ledger.FirstTurn] }

// Share is the agents' share of the commit's lines with a known author, as text, and how many have
// none; empty where no author is known.
func (a Attribution) Share() string {
	agents, known, unknown := 0, 0, 0
	for _, f := range a.Files {
		for owner, n := range f.Lines.Count() {
			switch {
			case owner == ledger.Unknown:
				unknown += n
			case owner.IsTurn():
				agents, known = agents+n, known+n
			default:
				known += n
			}
		}
	}
	if known == 0 {
		return ""
	}
	text := fmt.Sprintf("%.0f%% agent (%d/%d lines)", ledger.Percent(agents, known), agents, known)
	if unknown > 0 {
		text += fmt.Sprintf(", %d unknown", unknown)
	}
	return text
}
