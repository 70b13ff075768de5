package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// stagedWork is the staged changes, and the sessions' work in them.
type stagedWork struct {
	base    gitexec.OID   // the tree to compare with: that of the commit's parent
	since   gitexec.OID   // of an amend of which only what it adds is compared: the amended commit's tree
	sides   []gitexec.OID // trees of which a merge, a pick, a squash or a revert puts it together; nil: it is none
	changes []gitexec.Change
	matches []condense.Matched
	head    headRecord
	amends  gitexec.OID // the tree of the commit that it replaces: what that has isn't brought; empty: none
	replays bool        // git replays a commit whose lines are known: it brings none back
}

// linkStaged adds a link to the message if the staged changes hold the sessions' work.
func (p *linker) linkStaged(ctx context.Context, d draft, found stagedWork) (string, error) {
	if lost, err := p.Store.LostState(); err == nil && lost {
		if err := p.Locked(ctx, func() error { return p.restoreLost(p.Head.ID) }); err != nil {
			p.WarnLater(explain.OneLine(err))
		}
	}
	mine, err := p.Sessions()
	if err != nil {
		return "", err
	}
	if found.head, mine, err = p.updateHeadRecord(ctx, mine); err != nil {
		return "", err
	}
	states := slices.DeleteFunc(mine, func(s *session.State) bool {
		return !condense.MayHaveWork(s, found.head.Streams, found.head.wasReset, p.Now())
	})
	from, err := p.mayComeHere()
	if err != nil {
		return "", err
	}
	if len(states)+len(from) == 0 && len(d.keep) == 0 {
		return journal.NoWork, nil
	}
	if d.amend && found.since == "" {
		moves, err := p.headMoves(ctx)
		if err != nil {
			return "", err
		}
		if lineage.Replayed(moves, p.Head.ID) {
			found.since = p.Head.Tree
		}
	}
	if d.amend {
		found.amends = p.Head.Tree
	}
	style := gitexec.InBackground(func() (message.Style, error) { return p.style(ctx) })
	agents := p.committers(states)
	pending, err := p.chooseLink(ctx, states, agents, &found)
	chosen, err2 := style() // always: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil {
		return "", err
	}
	pending.Amends, pending.Since = d.amend, found.since
	ids := d.keep
	if pending.ID != "" {
		ids = union([]string{pending.ID}, union(pending.replacedLinks(), d.keep))
	}
	if len(ids) == 0 {
		return "nothing staged is a session's", nil
	}
	if d.source == "template" {
		chosen.Template = d.text
	}
	share := ""
	if p.Settings.StrategyOptions.AttributionTrailer && pending.ID != "" {
		if share, err = p.stagedShare(ctx, found); err != nil {
			p.WarnLater(explain.OneLine(err)) // the link is added all the same
		}
	}
	if len(d.replaces) > 0 {
		pending.ID = cmp.Or(pending.ID, ids[0])
		pending.Replaces = append(d.replaces, pending.Replaces...)
	}
	return p.addLink(ctx, d, ids, share, chosen, pending)
}

// chooseLink finds the sessions whose work is staged, and chooses the link: a new one, or the first
// link of the replaced commits where the commit holds nothing else.
func (p *linker) chooseLink(ctx context.Context, states []*session.State, agents []string, found *stagedWork) (pendingLink, error) {
	pending := pendingLink{Head: p.Head.ID, Agents: agents, Partial: onlyPaths(p.Repo)}
	p.Entry.MadeBy = agents
	if err := p.matchStaged(ctx, states, agents, found); err != nil {
		return pending, err
	}
	links := condense.LinksFor(found.matches)
	pending.Sessions, pending.Replaces = links.Sessions, links.Replaces
	switch taken := pending.replacedLinks(); {
	case len(pending.Sessions) > 0:
		pending.ID = p.NewID()
	case len(taken) > 0:
		pending.ID = taken[0]
	}
	return pending, nil
}

// resetStaged finds the reset commits that an amend takes into the amended one: git reset --soft,
// then git commit --amend, is a squash by hand.
func (p *linker) resetStaged(ctx context.Context, states []*session.State, agents []string) ([]lineage.Predecessor, error) {
	matches, err := p.matchReset(ctx, states, agents)
	return condense.ResetsIn(matches), err
}

// matchReset compares what is staged with the sessions' work, if any commit was reset.
func (p *linker) matchReset(ctx context.Context, states []*session.State, agents []string) ([]condense.Matched, error) {
	found := stagedWork{base: p.Head.Tree}
	var err error
	if found.head, states, err = p.updateHeadRecord(ctx, states); err != nil || len(found.head.Reset) == 0 {
		return nil, err
	}
	err = p.matchStaged(ctx, states, agents, &found)
	return found.matches, err
}

// withStates adds the states that are not among others.
func withStates(states, more []*session.State) []*session.State {
	states = slices.Clone(states)
	for _, s := range more {
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	return states
}

// matchStaged compares the staged changes with the sessions' work.
func (p *linker) matchStaged(ctx context.Context, states []*session.State, agents []string, found *stagedWork) error {
	diff := gitexec.InBackground(func() ([]gitexec.Change, error) { return p.Repo.DiffStaged(ctx, p.Repo.IndexFile, found.base) })
	defer diff() // no process may outlive the hook
	if err := p.DB.Objects.Warm(); err != nil {
		return err
	}
	var err error
	if found.changes, err = diff(); err != nil || len(found.changes) == 0 {
		return err
	}
	if len(found.sides) > 0 {
		if found.changes, err = works.Fresh(p.DB, found.changes, found.sides); err != nil || len(found.changes) == 0 {
			return err
		}
	}
	judged := found.changes
	if found.since != "" {
		amend, err := p.Repo.DiffStaged(ctx, p.Repo.IndexFile, found.since)
		if err != nil {
			return err
		}
		if judged = addedBy(amend, found.changes); len(judged) == 0 {
			return nil
		}
	}
	came, err := p.comeHere(judged, "", states)
	if err != nil {
		return err
	}
	states = withStates(states, came.states)
	bases := condense.Bases(p.Head.ID, states)
	listing, err := shadow.Probe(p.Repo, p.DB, bases...)
	if err == nil && listing.HasLegacy() {
		err = p.Locked(ctx, func() (err error) {
			listing, err = p.renameLegacy(ctx, listing, states...)
			return err
		})
	}
	if err != nil {
		return err
	}
	var brings []gitexec.Change
	if !found.replays {
		if brings, err = works.BroughtSince(p.DB, found.amends, judged); err != nil {
			return err
		}
	}
	of, err := p.worksOf(ctx, workQuery{p.Head.ID, bases, listing, states, judged, agents, found.head, came.works, brings})
	if err != nil {
		return err
	}
	var overlaps []condense.Overlap
	found.matches, overlaps, err = p.matchWorks(ctx, of)
	p.Entry.Works = journalWorks(overlaps)
	return err
}

// addedBy lists the changes of an amend in files that the new commit changes: what it takes back is
// not in that.
func addedBy(amend, commit []gitexec.Change) []gitexec.Change {
	return slices.DeleteFunc(slices.Clone(amend), func(a gitexec.Change) bool {
		return !slices.ContainsFunc(commit, func(c gitexec.Change) bool { return c.Path == a.Path })
	})
}

// onlyPaths reports whether git commits given paths only: then the hook's index is a temporary one
// of git's.
func onlyPaths(repo *gitexec.Repo) bool {
	return strings.HasPrefix(filepath.Base(repo.IndexFile), "next-index-")
}

// sessionWork is the sessions' work that a commit may hold.
type sessionWork struct {
	onStreams []condense.Work
	others    []condense.Work  // of turns in progress, reset commits, or discarded
	sources   []gitexec.OID    // commits from which turns in progress have lines by git
	changes   []gitexec.Change // in which a rename goes from the old file's version
}

func (w sessionWork) all() []condense.Work { return append(slices.Clone(w.onStreams), w.others...) }

// workQuery asks for the work of sessions that changes, of a commit or staged, may hold.
type workQuery struct {
	parent  gitexec.OID   // the commit's
	bases   []gitexec.OID // of streams
	listing shadow.Listing
	states  []*session.State
	changes []gitexec.Change
	agents  []string // the sessions whose agent makes the commit
	head    headRecord
	came    []condense.Work  // from other worktrees
	brings  []gitexec.Change // of these: what may bring lines of older commits
}

// worksOf collects the sessions' work.
func (p *history) worksOf(ctx context.Context, q workQuery) (sessionWork, error) {
	var w sessionWork
	var troubles []error
	var err error
	w.onStreams, troubles, err = works.OnStreams(p.DB, q.bases, q.states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return q.listing.Streams(p.DB, base, p.Repo.WorktreeID())
	})
	if err != nil {
		return w, err
	}
	p.WarnLaterAll(troubles)
	condense.MarkElsewhere(w.onStreams, q.parent, func(base gitexec.OID) bool { return condense.Left(p.lineOf(q.parent), p.lineOf(base)) })
	err = condense.MarkSince(w.onStreams, q.parent, q.changes, func(s *shadow.Stream, paths []gitexec.Path) ([]gitexec.Entry, error) {
		return works.AtBase(p.DB, *s, paths)
	})
	if err != nil {
		return w, err
	}
	wrote := p.writtenBeside(ctx, q)
	var began map[string]gitexec.Edits
	if began, w.sources, err = p.divideTurns(ctx, q, wrote); err != nil {
		return w, err
	}
	w.others, err = works.OfTurns(p.DB, works.Turns{States: q.states, Changes: q.changes, Agents: q.agents, Began: began,
		Wrote: wrote, Streams: w.onStreams})
	if err != nil {
		return w, err
	}
	ignored, err := works.OfIgnored(p.DB, q.states, q.changes, func(s *session.State) map[gitexec.Path]transcript.Texts {
		wrote, err := transcript.WrittenEver(ctx, s.TranscriptPath, s.Recorded.Copied)
		if err != nil {
			return nil // an unreadable transcript is no evidence
		}
		return textsIn(wrote.Texts, p.pathInWorktree)
	})
	if err != nil {
		return w, err
	}
	w.others = append(w.others, ignored...)
	if q, w.sources, err = withSources(p.Workspace, q, w); err != nil {
		return w, err
	}
	kept, err := p.workOffStreams(q.states, q.parent, q.head, q.changes)
	if err != nil {
		return w, err
	}
	changed := map[gitexec.Path]bool{}
	for _, c := range q.changes {
		changed[c.Path] = true
	}
	matters := func(path gitexec.Path) bool { return changed[path] || p.notInWorktree(path) }
	if kept, err = ownWork(p.DB, kept, w.sources, matters); err != nil {
		return w, err
	}
	w.others = append(append(w.others, kept...), q.came...)
	added, err := works.Added(p.DB, w.onStreams, q.changes, p.notInWorktree)
	if err != nil {
		return w, err
	}
	all, changes, err := condense.FollowRenames(w.all(), suffix.Renaming{
		Version: q.changes, Since: added, Gone: p.notInWorktree, Texts: &shadow.Texts{DB: p.DB},
		Back: func(path gitexec.Path, version gitexec.Entry) bool { return isBack(p.DB, p.Repo.Top, path, version) }})
	w.onStreams, w.others, w.changes = all[:len(w.onStreams)], all[len(w.onStreams):], changes
	return w, err
}

// ownWork leaves of linked commits the sessions' own lines, where lines are brought from these, or
// where several sessions were in one: a file that both changed may have lines of one alone.
func ownWork(
	db *gitexec.ODB, kept []condense.Work, sources []gitexec.OID, matters func(gitexec.Path) bool,
) ([]condense.Work, error) {
	own := slices.Clone(kept)
	for i, of := range kept {
		if of.Link == nil {
			continue
		}
		shared := slices.ContainsFunc(kept, func(w condense.Work) bool {
			return w.Link != nil && w.Link.Commit == of.Link.Commit && w.Session.SessionID != of.Session.SessionID
		})
		if of.Brought = slices.Contains(sources, of.Link.Commit); of.Brought || shared {
			var err error
			if of, err = works.OwnLines(db, of, matters); err != nil {
				return nil, err
			}
		}
		own[i] = of
	}
	return slices.DeleteFunc(own, func(w condense.Work) bool { return w.Link != nil && len(w.Changes) == 0 }), nil
}

// withSources adds the linked commits from which lines come here, by commands of agents or by
// whatever else: what they hold of sessions' work is compared as that of a commit that was reset.
// It returns them.
func withSources(p *workspace.Workspace, q workQuery, w sessionWork) (workQuery, []gitexec.OID, error) {
	states, err := p.Sessions()
	if err != nil {
		return q, nil, err
	}
	sources := slices.Clone(w.sources)
	for _, s := range q.states {
		sources = append(sources, s.Sources...)
	}
	if len(sources) > 0 {
		if states, err = p.RecentSessions(); err != nil {
			return q, nil, err
		}
	}
	brought, err := works.Brought(p.DB, states, q.brings, w.onStreams)
	if err != nil {
		return q, nil, err
	}
	for _, id := range brought {
		if !q.head.wasReset(id) && !slices.Contains(sources, id) {
			sources = append(sources, id)
		}
	}
	if len(sources) == 0 {
		return q, nil, nil
	}
	q.states = withStates(q.states, slices.DeleteFunc(states, func(s *session.State) bool {
		return slices.ContainsFunc(q.states, func(known *session.State) bool { return known.SessionID == s.SessionID }) ||
			!slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(sources, l.Commit) })
	}))
	q.head.Reset = append(slices.Clone(q.head.Reset), sources...)
	return q, sources, nil
}

// lineOf lists a commit and the nearest of its first-parent history, newest first.
func (p *history) lineOf(commit gitexec.OID) []gitexec.OID {
	const near = 32
	if commit == "" || commit.IsZero() {
		return nil
	}
	line, err := p.DB.Ancestors(commit, near)
	if err != nil {
		return nil // it is missing, which tells nothing
	}
	ids := make([]gitexec.OID, len(line))
	for i, c := range line {
		ids[i] = c.ID
	}
	return ids
}

// notInWorktree reports whether the worktree lacks a file. What can't be looked at is there.
func (p *history) notInWorktree(path gitexec.Path) bool {
	_, err := os.Lstat(filepath.Join(p.Repo.Top, filepath.FromSlash(string(path))))
	return errors.Is(err, fs.ErrNotExist)
}

// largestBack is the size in bytes up to which a file of the worktree is compared with a version.
const largestBack = 1 << 20

// isBack reports whether a worktree has a file in a version. It compares the bytes, except for the
// ends of lines: what a filter changes is another version.
func isBack(db *gitexec.ODB, top string, path gitexec.Path, version gitexec.Entry) bool {
	now, err := safefile.ReadInside(top, string(path), largestBack)
	if err != nil {
		return false
	}
	was, err := db.Blob(version.ID, largestBack)
	ends := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
	return err == nil && bytes.Equal(ends(now), ends(was))
}
