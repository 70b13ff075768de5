package checkpoints

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
)

// Attribution is the authors of a commit's new lines: those that its parent does not have.
type Attribution struct {
	Files     []AttributedFile // text files that the commit changes, by path
	NoText    []gitexec.Path   // the other files that it changes: binary files, symlinks, submodules
	Estimated bool             // another program recorded the work, and counts the human's edits between turns as the agent's
	turns     []Turn
	prompts   map[Turn]string
	began     map[Turn]time.Time
}

// AttributedFile is one file of a commit.
type AttributedFile struct {
	Path    gitexec.Path
	Blob    gitexec.OID
	Lines   ownership.Lines // the last run, of old lines, may be longer than the file
	Removed int             // old lines that the human removed without a replacement
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
// CalculateAttributionWithAccumulated; seed 000, Attribution Corruption). Each stream that the
// commit matches is a chain of the human's and the agent's steps, from the stream's base to the
// commit, and is replayed by git's own diffs; so are the known lines of each commit that it
// replaces. The returned function waits for the result. Beside an error the result may be partial
// or empty.
func Attribute(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, b Branch, r Request) (func() (Attribution, error), error) {
	l := &ledger{db: db, link: r.ID, prompts: map[Turn]string{}, unknown: r.Imported}
	if err := l.collect(b, r); err != nil {
		return nil, err
	}
	return l.attribute(ctx, repo, r), nil
}

// attribute starts to compare the chains' trees, and returns a function that waits for the result.
func (l *ledger) attribute(ctx context.Context, repo *gitexec.Repo, r Request) func() (Attribution, error) {
	if l.limitError != nil {
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
			// Some of the chain's objects may be missing: the commit's own lines can still be
			// listed.
			var err2 error
			if patches, err2 = l.compare(ctx, repo, l.pairs[whole:], r.Paths); err2 != nil {
				patches = nil
			}
		}
		done <- answer{patches, err}
	}()
	return sync.OnceValues(func() (Attribution, error) {
		result := <-done
		switch {
		case result.err == nil && l.limitError != nil:
			return r.unknown(result.patches[whole]), l.limitError
		case result.err == nil:
			return l.finish(r, result.patches, whole), nil
		case result.patches == nil:
			return Attribution{}, result.err
		}
		return r.unknown(result.patches[0]), result.err
	})
}

// unknown is the attribution of a commit whose lines have no known author.
func (r Request) unknown(patches []gitexec.FilePatch) Attribution {
	l := ledger{}
	h := ownership.NewHistory(nil)
	h.Step(patches, ownership.Unknown)
	return l.attributeFiles(r, h, func(f ownership.File, _ gitexec.Path) ownership.File { return f })
}

// baseOwners are the owners of the lines of the tree that a chain begins with, as a checkpoint
// records them.
type baseOwners struct {
	lines   map[gitexec.Path]ownership.Lines
	diff    int  // the pair from the recorded versions to the tree's
	hasDiff bool // they differ
}

// readBase reads those of a commit's tree. The commit may have been amended without our hooks: then
// the recorded lines are of other versions, and git's diff leads from those to the tree. Or it was
// cherry-picked to where a file has another name: then that diff shows a rename to one of the files
// that it changes.
func (l *ledger) readBase(commit gitexec.Commit, known Owners) (baseOwners, error) {
	base := baseOwners{}
	root := commit.Tree
	paths := slices.Sorted(maps.Keys(known))
	found, err := l.db.Lookup(root, paths...)
	if err != nil {
		return base, err
	}
	base.lines = map[gitexec.Path]ownership.Lines{}
	others := gitexec.Edits{}
	missing := false
	for i, path := range paths {
		blob := known[path].Blob
		if found[i].ID != blob {
			info, err := l.db.Info(blob)
			if err != nil {
				return base, err
			}
			if info[0].Type != "blob" {
				continue
			}
			others[path] = gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
			missing = missing || !found[i].Exists()
		}
		base.lines[path] = known[path].lines(l)
	}
	if missing {
		changes, err := l.changesOf(commit)
		if err != nil {
			return base, err
		}
		for _, c := range changes {
			if _, ok := known[c.Path]; !ok && c.New.Exists() {
				others[c.Path] = gitexec.Entry{}
			}
		}
	}
	if len(others) > 0 {
		before, err := l.db.EditTree(root, others)
		if err != nil {
			return base, err
		}
		base.diff, base.hasDiff = l.pair(before, root), true
	}
	return base, nil
}

// changesOf lists a commit's changes; none where its parent is missing.
func (l *ledger) changesOf(commit gitexec.Commit) ([]gitexec.Change, error) {
	if len(commit.Parents) > 0 {
		if info, err := l.db.Info(commit.Parents[0]); err != nil || info[0].Type != "commit" {
			return nil, err
		}
	}
	parent, err := l.db.ParentTree(commit)
	if err != nil {
		return nil, err
	}
	return l.db.DiffTrees(parent, commit.Tree)
}

// current returns the owners of the lines of the tree's versions.
func (b baseOwners) current(patches [][]gitexec.FilePatch) map[gitexec.Path]ownership.Lines {
	if !b.hasDiff {
		return b.lines
	}
	h := ownership.NewHistory(b.lines)
	h.Step(patches[b.diff], ownership.Added)
	lines := maps.Clone(b.lines)
	for _, p := range patches[b.diff] {
		if _, known := b.lines[p.Old]; known && p.New != "" {
			lines[p.New] = h.Files[p.New].Lines
		}
	}
	return lines
}

// current joins what several checkpoints record of one tree's lines.
func current(bases []baseOwners, patches [][]gitexec.FilePatch) map[gitexec.Path]ownership.Lines {
	all := map[gitexec.Path]ownership.Lines{}
	for _, b := range bases {
		for path, lines := range b.current(patches) {
			if known, ok := all[path]; ok {
				lines = ownership.Merge(known, lines)
			}
			all[path] = lines
		}
	}
	return all
}

// finish replays all chains and joins their owners for the commit's files.
func (l *ledger) finish(r Request, patches [][]gitexec.FilePatch, whole int) Attribution {
	same := !l.foreignRoots // chains that all begin with the commit's parent agree on which lines are new
	estimated := false
	var histories []*ownership.History
	var base []map[gitexec.Path]ownership.Lines
	for _, c := range l.chains {
		base = append(base, current(c.base, patches))
		histories = append(histories, c.replay(patches, base[len(base)-1], versions{l.db}))
		same = same && c.root == r.ParentTree && len(c.base) == 0
		estimated = estimated || c.estimated
	}
	added := ownership.NewHistory(nil)
	added.Step(patches[whole], ownership.Added)
	moved := newMoved(l, r, base)
	a := l.attributeFiles(r, added, func(isNew ownership.File, path gitexec.Path) ownership.File {
		f, first := isNew, true
		for i, h := range histories {
			known, ok := h.Files[path]
			if lines, before := base[i][path]; !ok && before {
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
		f.Lines = f.Lines.Align(isNew.Lines, func(a, b, lines int) bool { return l.sameLines(r.Tree, path, a, b, lines) })
		// Lines that a chain deletes and adds again are new in it, and not in the commit.
		isUnknown := func(r ownership.Run) bool { return r.Owner == ownership.Unknown }
		if !same || f.Lines.New() != isNew.Lines.New() || slices.ContainsFunc(f.Lines, isUnknown) {
			f.Lines = f.Lines.Within(isNew.Lines)
		}
		f.Lines = moved.give(path, f.Lines)
		return f
	})
	a.Estimated = estimated
	return a
}

// largestCompared is the most bytes of a file of which two places are compared.
const largestCompared = 8 << 20

// sameLines reports whether two places of a file have the same lines.
func (l *ledger) sameLines(tree gitexec.OID, path gitexec.Path, a, b, lines int) bool {
	found, err := l.db.Lookup(tree, path)
	if err != nil {
		return false
	}
	content, err := l.db.Blob(found[0].ID, largestCompared)
	text := strings.SplitAfter(string(content), "\n")
	return err == nil && max(a, b)+lines <= len(text) && slices.Equal(text[a:a+lines], text[b:b+lines])
}

// attributeFiles lists the commit's files by path, given their new lines and a function that adds
// the known owners.
func (l *ledger) attributeFiles(r Request, added *ownership.History, known func(ownership.File, gitexec.Path) ownership.File) Attribution {
	a := Attribution{turns: l.turns, prompts: l.prompts, began: l.began}
	blobs := map[gitexec.Path]gitexec.OID{}
	for _, c := range r.Changes {
		blobs[c.Path] = c.New.ID
	}
	for _, path := range slices.Sorted(maps.Keys(added.Files)) {
		isNew := added.Files[path]
		if isNew.NoText {
			a.NoText = append(a.NoText, path)
			continue
		}
		f := known(isNew, path)
		a.Files = append(a.Files, AttributedFile{Path: path, Blob: blobs[path], Lines: f.Lines, Removed: f.Removed})
	}
	return a
}

// Of is a session's part, as in its metadata. Where the commit has several links, it is the part in
// the checkpoint of one.
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
	out.Total()
	return out
}

// Total adds up the lines of the session and of the human, and computes the session's share of
// them. Lines of other sessions and of unknown authors are in neither.
func (a *InitialAttribution) Total() {
	a.TotalCommitted = a.AgentLines + a.HumanAdded + a.HumanModified
	a.AgentPercentage = ownership.Percent(a.AgentLines, a.TotalCommitted)
}

// filesOf lists the files with lines that a session wrote, by a checkpoint, sorted.
func (a Attribution) filesOf(session, link string) []gitexec.Path {
	var files []gitexec.Path
	for _, f := range a.Files {
		for owner := range f.Lines.Count() {
			if owner.IsAgent() && a.turn(owner).Session == session && a.turn(owner).Link == link {
				files = append(files, f.Path)
				break
			}
		}
	}
	return condense.Union(nil, files)
}

// firstBegan is when the first of some turns of a session began, or of all whose time is known where
// these are none; zero: it is not known.
func (a Attribution) firstBegan(session string, turns []string) (first time.Time) {
	for t, began := range a.began {
		if t.Session == session && (len(turns) == 0 || slices.Contains(turns, t.Turn)) && (first.IsZero() || began.Before(first)) {
			first = began
		}
	}
	return first
}

func (a Attribution) turn(o ownership.Owner) Turn { return a.turns[o-ownership.FirstTurn] }

// Share is the agents' share of the commit's lines with a known author, as text, and how many have
// none; empty where no author is known.
func (a Attribution) Share() string {
	agents, known, unknown := 0, 0, 0
	for _, f := range a.Files {
		for owner, n := range f.Lines.Count() {
			switch {
			case owner == ownership.Unknown:
				unknown += n
			case owner.IsAgent():
				agents, known = agents+n, known+n
			default:
				known += n
			}
		}
	}
	if known == 0 {
		return ""
	}
	text := fmt.Sprintf("%.0f%% agent (%d/%d lines)", ownership.Percent(agents, known), agents, known)
	if unknown > 0 {
		text += fmt.Sprintf(", %d unknown", unknown)
	}
	return text
}
