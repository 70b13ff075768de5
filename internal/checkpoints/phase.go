package checkpoints

import (
	"maps"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// phase is a turn's last part, as far as no stream has it: its session, and the tree that it begins
// with.
type phase struct {
	session, turn, prompt string
	began                 *time.Time
	from                  gitexec.OID
}

// inProgress is that of a session's turn in progress.
func inProgress(s *session.State, from gitexec.OID) phase {
	return phase{s.SessionID, s.TurnID, s.LastPrompt, s.LastInteractionTime, from}
}

// phasesOf are the last parts of turns before the commit. An agent that commits has all changes
// since its turn began; else each session has the files that are known to be its own, all of the
// turn, or what it did before the turn of the agent that commits.
func phasesOf(g *gathering, r Request) ([]phase, error) {
	db := g.db
	var phases []phase
	// Phases are found from the commit backward: to is the tree that the last one found begins
	// with, and that the one before it ends with. So each is put in front of the others.
	to := r.Tree
	for _, m := range slices.Backward(r.Matches) {
		for _, file := range m.Ignored {
			var err error
			if to, err = db.EditTree(to, gitexec.Edits{file.Path: m.Began[file.Path]}); err != nil {
				return nil, err
			}
			phases = append([]phase{{m.Session.SessionID, file.Turn, file.Prompt, &file.Began, to}}, phases...)
		}
	}
	began := func(m condense.Matched) (at time.Time) {
		if t := m.Session.LastInteractionTime; t != nil {
			at = *t
		}
		return at
	}
	matches := slices.SortedStableFunc(slices.Values(r.Matches), func(a, b condense.Matched) int { return began(a).Compare(began(b)) })
	for _, m := range slices.Backward(matches) {
		// What was done in a turn without making the commit: by turns that began last first.
		if len(m.InTurn) == 0 {
			continue
		}
		others, err := before(g, r, to, m.Began)
		if err != nil {
			return nil, err
		}
		if to, err = asBegan(db, to, m.Session, m.InTurn, others); err != nil {
			return nil, err
		}
		phases = append([]phase{inProgress(m.Session, to)}, phases...)
	}
	// The agent that commits has all that changed since its turn began, but for what is known to be
	// others'.
	committing := committingSession(r)
	if committing == nil {
		return phases, nil
	}
	others, err := before(g, r, to, committing.Began)
	if err != nil {
		return nil, err
	}
	if to, err = withStaged(db, committing.Session, r.Changes, others); err != nil {
		return nil, err
	}
	phases = append([]phase{inProgress(committing.Session, to)}, phases...)
	for _, m := range slices.Backward(matches) {
		// What an earlier turn did before that one began.
		if len(m.Early) == 0 {
			continue
		}
		if to, err = asBegan(db, to, m.Session, m.Early, nil); err != nil {
			return nil, err
		}
		phases = append([]phase{inProgress(m.Session, to)}, phases...)
	}
	return phases, nil
}

// before are the versions that a turn's own work began from, without the lines of the turns whose
// phases come after it: to is the tree that these begin with.
func before(g *gathering, r Request, to gitexec.OID, began gitexec.Edits) (gitexec.Edits, error) {
	if len(began) == 0 {
		return nil, nil
	}
	paths := slices.Collect(maps.Keys(began))
	now, err := g.db.Lookup(r.Tree, paths...)
	if err != nil {
		return nil, err
	}
	then, err := g.db.Lookup(to, paths...)
	if err != nil {
		return nil, err
	}
	edits := maps.Clone(began)
	for i, path := range paths {
		// No later phase has the file: then the version is right as it is.
		if now[i] == then[i] {
			continue
		}
		if edits[path], err = lackingBoth(g, now[i], then[i], began[path]); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// lackingBoth is a version without the lines that one or the other of two lacks; the last, where
// lines cannot be compared.
func lackingBoth(g *gathering, version, one, other gitexec.Entry) (gitexec.Entry, error) {
	var texts [][]byte
	for _, e := range []gitexec.Entry{version, one, other} {
		// A file that is gone, or a symlink, has no lines to take out.
		if !e.IsFile() {
			return other, nil
		}
		data, ok, err := g.text(e.ID)
		if err != nil || !ok {
			return other, err
		}
		texts = append(texts, data)
	}
	var err error
	other.ID, err = g.db.WriteBlob(divide.LackingBoth(texts[0], texts[1], texts[2]))
	return other, err
}

// withStaged is the worktree when the committing session's turn began, with the versions that were
// staged then and that the commit has, and with what others have written since.
func withStaged(db *gitexec.ODB, s *session.State, changes []gitexec.Change, others gitexec.Edits) (gitexec.OID, error) {
	paths := gitexec.PathsOf(changes)
	began, err := db.Lookup(s.TurnStartTree, paths...)
	if err != nil {
		return "", err
	}
	staged, err := shadow.StagedBefore(db, s.TurnStartIndex, changes, began)
	if err != nil || len(staged)+len(others) == 0 {
		return s.TurnStartTree, err
	}
	edits := maps.Clone(others)
	if edits == nil {
		edits = gitexec.Edits{}
	}
	// What was staged when the turn began, and is committed so, is not the turn's: the version is
	// as if it had been there.
	for _, i := range staged {
		edits[changes[i].Path] = changes[i].New
	}
	return db.EditTree(s.TurnStartTree, edits)
}

// asBegan is a tree with some files as they were when a session's turn began, and with what others
// have written since.
func asBegan(db *gitexec.ODB, tree gitexec.OID, s *session.State, files []gitexec.Path, others gitexec.Edits) (gitexec.OID, error) {
	began, err := db.Lookup(s.TurnStartTree, files...)
	if err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	for i, path := range files {
		edits[path] = began[i]
		if e, divided := others[path]; divided {
			edits[path] = e
		}
	}
	return db.EditTree(tree, edits)
}

// enterCommit enters the last steps: what was done since the last look, and the commit.
func (g *gathering) enterCommit(r Request, patches []gitexec.FilePatch) error {
	phases, err := phasesOf(g, r)
	if err != nil {
		return err
	}
	// The steps go on from the last look. Without one nothing is known but the parent.
	last := r.ParentTree
	var tips []gitexec.OID
	for i, l := range g.looks { // the last looks of streams
		if l.side {
			continue
		}
		last = l.tree
		// A tip is a look that no other goes on from. The commit may have lines of each stream.
		if !slices.ContainsFunc(g.looks[i+1:], func(next look) bool { return next.known == nil && next.before == l.tree }) {
			tips = append(tips, l.tree)
		}
	}
	// Between the last look and the first phase the human answers, unless no snapshot tells.
	by := ledger.Human
	if g.unknown {
		by = ledger.Unknown
	}
	// Another turn may have brought what was there when the one began whose agent commits.
	next := look{before: last, by: by, others: tips, when: r.Now, doubtful: len(phases) > 1}
	// Each round enters what came before a phase, and prepares the look of the phase itself.
	for _, p := range phases {
		next.tree = p.from
		if err := g.enterBetween(r, patches, next); err != nil {
			return err
		}
		t := Turn{Session: p.session, Turn: p.turn, Link: g.link}
		g.prompts[t] = p.prompt
		next = look{before: p.from, by: g.owner(t), session: t.Session, others: tips, when: r.Now}
		if p.began != nil {
			g.turnBegan(t, *p.began)
			next.began = *p.began
		}
	}
	// The last phase ends with the commit; without a phase this is the human's step.
	next.tree = r.Tree
	if err := g.enterBetween(r, patches, next); err != nil {
		return err
	}
	for _, c := range r.Changes { // what it has as the last look had it, in versions that are not known
		next.changes = append(next.changes, gitexec.Change{Path: c.Path, New: c.New})
	}
	// A partial commit has versions that no worktree had: git put them together from the parent's
	// and the worktree's.
	next.by, next.names, next.others = by, namesOf(patches), append([]gitexec.OID{r.ParentTree}, tips...)
	return g.enterLook(next)
}

// namesOf are the names in a commit's parent, by those in the commit.
func namesOf(patches []gitexec.FilePatch) map[gitexec.Path]gitexec.Path {
	names := map[gitexec.Path]gitexec.Path{}
	for _, p := range patches {
		names[p.New] = p.Old
	}
	return names
}

// enterBetween enters a step between two looks, of the commit's files and those that are gone.
func (g *gathering) enterBetween(r Request, patches []gitexec.FilePatch, l look) error {
	changes, err := g.db.DiffEach(shadow.MetadataDir, gitexec.Trees{Old: l.before, New: l.tree})
	if err != nil {
		return err
	}
	own := sets.Of(gitexec.PathsOf(r.Changes))
	l.names = namesOf(patches)
	for _, c := range changes[0] {
		// Other files matter only where they go away: lines may have moved from them, or they were
		// renamed.
		if own[c.Path] || !c.New.Exists() {
			l.changes = append(l.changes, c)
		}
	}
	l.others = append([]gitexec.OID{r.ParentTree}, l.others...)
	for _, name := range oldNames(r) {
		found, err := g.db.Lookup(l.before, name)
		if err != nil {
			return err
		}
		// The old name is still in the tree, since the rename isn't staged or is in another commit:
		// it counts as gone.
		if found[0].Exists() && !slices.ContainsFunc(l.changes, func(c gitexec.Change) bool { return c.Path == name }) {
			l.changes = append(l.changes, gitexec.Change{Path: name, Old: found[0]})
		}
	}
	return g.enterLook(l)
}

// oldNames are those that renamed files have no more.
func oldNames(r Request) []gitexec.Path {
	names := slices.Clone(r.OldNames)
	for _, m := range r.Matches {
		names = append(names, m.OldNames...)
	}
	return names
}

// removed counts the lines that the human takes out of a file without putting others in their
// place.
func (g *gathering) removed(p gitexec.FilePatch) (n int) {
	var text ledger.Text
	if v := g.book.Known(string(p.Old), string(p.OldBlob)); v != nil {
		text = v.Text
	}
	for _, h := range p.Hunks {
		// gone: so many more lines are taken out than put in. Of those, lines that an agent took
		// out are not the human's. dropped: lines that the human is known to have dropped.
		gone, dropped := h.OldLines-h.NewLines, 0
		for line := h.OldStart; line < h.OldStart+h.OldLines && line <= len(text); line++ {
			id := text[line-1]
			if g.dropped[p.New][id] > 0 {
				g.dropped[p.New][id]--
				dropped++
			} else if gone > 0 && g.taken[p.New][id] > 0 {
				g.taken[p.New][id]--
				gone--
			}
		}
		// The two count the same lines by other evidence: the larger number is right, not the sum.
		n += max(0, gone, dropped)
	}
	return n
}

// committingSession is the session whose agent made the commit in its turn: of several, the one
// with the latest event.
func committingSession(r Request) *condense.Matched {
	var found *condense.Matched
	for i, m := range r.Matches {
		s := m.Session
		if !m.Commits || s.TurnStartTree == "" {
			continue
		}
		if found == nil || found.Session.LastInteractionTime == nil ||
			s.LastInteractionTime != nil && s.LastInteractionTime.After(*found.Session.LastInteractionTime) {
			found = &r.Matches[i]
		}
	}
	return found
}
