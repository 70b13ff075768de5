package share

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// leaving is what of the branch here goes to the target, and what stays.
type leaving struct {
	tip     gitexec.OID // the commit of the branch to which all may leave: what is pushed
	commits int         // that the target's branch lacks of it
	changes []gitexec.Change
	goes    map[gitexec.Path]bool // of the entries that differ from the target's: whether they may leave

	graph [][]gitexec.OID // the commits of the branch that the target's lacks, before it was reordered
}

// stays are the entries that stay here.
func (l leaving) stays() (entries []gitexec.Path) {
	for _, c := range l.changes {
		if !l.goes[c.Path] {
			entries = append(entries, c.Path)
		}
	}
	return entries
}

// ahead are the commits of the branch that the target's lacks, and of which it is not known that
// they may leave.
type ahead struct {
	graph [][]gitexec.OID // each followed by its parents, oldest first
	onto  gitexec.OID     // the last one before them; empty: none
	tree  gitexec.OID     // of that one
	now   gitexec.OID     // of the branch here

	commits []past
	began   map[gitexec.Path]time.Time // the time of the first commit that touches an entry
}

// lookedAt is how many commits are read one by one, without a process for them: about as long as
// some processes take. Tests make it smaller.
var lookedAt = 200

// choose finds what may leave, and puts it first on the branch here, so that a commit of it has
// that and no more. write: the branch moves if it must; else it is only found what would leave.
func (s *Sharing) choose(ctx context.Context, write bool) (err error) {
	for range mostTries {
		heads, _ := s.View.sides()
		c := &chooser{view: &s.View, sent: s.Sent, report: &s.report, settling: s.settling, heads: heads, looksAtAll: s.View.byHand}
		remembers := !c.looksAtAll && !c.pushesAll() // else the user decided, and may decide otherwise
		if remembers {
			c.cleared = s.View.readHeld().Cleared
		}
		err = c.choose(ctx, write)
		s.leaving = c.leaving
		// Fewer are looked at again without a process.
		if err == nil && write && remembers && s.leaving.commits > lookedAt && s.leaving.tip != c.cleared {
			s.View.clear(s.leaving.tip)
		}
		if !errors.As(err, new(*gitexec.RefMovedError)) {
			break
		}
		if err := s.Unite(ctx); err != nil {
			return err
		}
	}
	s.report.New = s.leaving.commits
	s.report.Goes, s.report.Stays = leavingOf(s.leaving.changes, s.leaving.goes)
	return err
}

// chooser chooses what leaves.
type chooser struct {
	view     *View
	sent     Sent
	report   *Report
	settling func()        // is called when the branch here has moved
	heads    []gitexec.OID // the target's branch as far as it is known here
	cleared  gitexec.OID   // up to here all may leave, as an earlier push found; empty: it is not known
	leaving  leaving

	// looksAtAll says that all commits are looked at, whatever time they claim to be of, whatever
	// was found earlier, and wherever the remote was then.
	looksAtAll bool
}

func (s *chooser) choose(ctx context.Context, write bool) error {
	local := s.view.refs[shadow.Checkpoints]
	s.leaving = leaving{tip: local}
	// The target has all of it.
	if local == "" || slices.Contains(s.heads, local) {
		return nil
	}
	a, err := s.ahead(ctx, local)
	if err != nil {
		return err
	}
	earlier := 0 // commits that were cleared, and did not arrive
	if s.leaving.graph = a.graph; a.onto != "" && a.onto == s.cleared {
		s.leaving.graph, err = gitexec.Outgoing{Tips: []gitexec.OID{local}, Has: s.heads}.FirstParents(ctx, s.view.w.Repo)
		earlier = max(0, len(s.leaving.graph)-len(a.graph))
	}
	if s.leaving.commits = earlier + len(a.graph); err != nil || len(a.graph) == 0 || s.pushesAll() {
		return err
	}
	if s.leaving.changes, err = checkpoints.ChangedEntries(s.view.w.DB, a.tree, a.now); err != nil {
		return err
	}
	f, err := s.facts(ctx, a, s.leaving.changes)
	if err != nil {
		return err
	}
	s.leaving.goes = f.goes(s.leaving.changes)
	p, err := s.planned(ctx, a)
	if err != nil {
		return err
	}
	s.leaving.tip, s.leaving.commits = a.at(p.kept), earlier+p.kept+len(p.goes)
	if len(p.goes) == 0 || !write {
		return nil
	}
	return s.reorder(ctx, a, p)
}

// at is the tip of the branch with so many of its commits that the target's lacks.
func (a *ahead) at(n int) gitexec.OID {
	if n == 0 {
		return a.onto
	}
	return a.graph[n-1][0]
}

// pushesAll reports whether the user lets the whole branch leave.
func (s *chooser) pushesAll() bool { return s.view.w.Settings.StrategyOptions.PushAll }

// ahead finds the commits of the branch that the target's lacks. No process where these are few, in
// one line.
func (s *chooser) ahead(ctx context.Context, local gitexec.OID) (a *ahead, err error) {
	a = &ahead{}
	if a.graph, a.onto, err = s.line(local); err == nil && a.graph == nil {
		a.graph, err = gitexec.Outgoing{Tips: []gitexec.OID{local}, Has: s.heads}.Parents(ctx, s.view.w.Repo)
		known := false
		if a.onto, known = a.stands(s.heads); err == nil && !known {
			a.onto, err = s.common(ctx, local)
		}
	}
	if err != nil {
		return a, err
	}
	ends, err := s.view.w.DB.Commits(a.onto, local)
	if err != nil {
		return a, err
	}
	a.tree, a.now = ends[0].Tree, ends[1].Tree
	return a, nil
}

// stands finds the last commit that both have without a process, where the commits stand on the
// target's branch, or on nothing. So the merge-base of the ordinary case, which takes a process, is
// not asked for.
func (a *ahead) stands(heads []gitexec.OID) (onto gitexec.OID, known bool) {
	mine := map[gitexec.OID]bool{}
	for _, line := range a.graph {
		mine[line[0]] = true
	}
	for _, line := range a.graph {
		for _, parent := range line[1:] {
			if mine[parent] || parent == onto {
				continue
			}
			if onto != "" || len(heads) != 1 || parent != heads[0] {
				return "", false
			}
			onto = parent
		}
	}
	return onto, len(a.graph) > 0 && (onto != "" || len(heads) == 0)
}

// line follows the branch from its tip to one of the heads, to what was cleared, or to its
// beginning, as long as each commit has one parent; nil: it is no such line, or a longer one.
func (s *chooser) line(local gitexec.OID) (graph [][]gitexec.OID, onto gitexec.OID, err error) {
	// A push mostly brings a few checkpoints, whose commits are read in one round trip. Four, 16,
	// 64 and then all: at most four round trips, and at most four times what is needed.
	for n := 4; ; n *= 4 {
		commits, err := s.view.w.DB.Ancestors(local, min(n, lookedAt+1))
		if err != nil {
			return nil, "", err
		}
		graph = [][]gitexec.OID{}
		for _, c := range commits {
			if c.ID == s.cleared || slices.Contains(s.heads, c.ID) {
				slices.Reverse(graph)
				return graph, c.ID, nil
			}
			// Of a merge the other parents' histories may be the target's: that takes git's own
			// walk.
			if len(c.Parents) > 1 || len(graph) == lookedAt {
				return nil, "", nil
			}
			if graph = append(graph, append([]gitexec.OID{c.ID}, c.Parents...)); len(c.Parents) == 0 {
				slices.Reverse(graph)
				return graph, "", nil
			}
		}
		if len(commits) < min(n, lookedAt+1) { // what is missing, git names
			return nil, "", nil
		}
	}
}

// common is the latest commit that the branch here has in common with the heads; empty: none.
func (s *chooser) common(ctx context.Context, local gitexec.OID) (onto gitexec.OID, err error) {
	for _, head := range s.heads {
		base, err := s.view.w.Repo.MergeBase(ctx, local, head)
		if err != nil {
			return "", err
		}
		if onto != "" && base != "" {
			first, err := s.view.w.Repo.MergeBase(ctx, onto, base)
			if err != nil {
				return "", err
			}
			// Of two heads' merge bases the later one counts: more of the branch is known to be
			// there.
			if first != onto {
				continue
			}
		}
		if base != "" {
			onto = base
		}
	}
	return onto, nil
}

// planned is the order of the branch. Where it leaves as a whole, it stays as it is.
func (s *chooser) planned(ctx context.Context, a *ahead) (plan, error) {
	// Nothing in the tree stays. A history can still hold what was deleted since: of many commits,
	// only such commits are asked for.
	if len(s.leaving.stays()) == 0 && len(a.graph) > lookedAt {
		dropped, err := gitexec.Outgoing{Tips: []gitexec.OID{a.at(len(a.graph))}, Has: s.heads}.Containing(ctx, s.view.w.Repo, droppedHere, time.Time{})
		if err != nil || len(dropped) == 0 {
			return plan{kept: len(a.graph)}, err
		}
	}
	if err := s.readPast(ctx, a); err != nil {
		return plan{}, err
	}
	there, err := s.thereOf(a)
	if err != nil {
		return plan{}, err
	}
	return order(a.commits, s.leaving.goes, there), nil
}

// droppedHere is in the message of commits by which earlier versions deleted checkpoints: their
// history still has them.
const droppedHere = "checkpoints that no commit links"

// readPast reads which entries each commit touches. One process for many.
func (s *chooser) readPast(ctx context.Context, a *ahead) error {
	if a.commits != nil {
		return nil
	}
	several := map[gitexec.OID][]gitexec.Path{}
	if len(a.graph) > lookedAt {
		err := gitexec.Outgoing{Tips: []gitexec.OID{a.at(len(a.graph))}, Has: s.heads}.Changed(ctx, s.view.w.Repo, func(t gitexec.Touched) {
			all := several[t.Commit]
			// Git names files in order, so that those of an entry follow each other.
			if entry := checkpoints.EntryOf(t.Name); len(all) == 0 || all[len(all)-1] != entry {
				several[t.Commit] = append(all, entry)
			}
		})
		if err != nil {
			return err
		}
	}
	before := a.onto
	a.commits = make([]past, len(a.graph))
	for i, line := range a.graph {
		a.commits[i].follows = len(line) < 3 && (len(line) == 1 && before == "" || len(line) == 2 && line[1] == before)
		before = line[0]
		// Git's list leaves out merges: what these change beside their first parent is read from
		// their trees.
		if len(a.graph) > lookedAt && len(line) < 3 {
			a.commits[i].touched = several[line[0]]
			continue
		}
		// Before a first commit there is the empty tree.
		commits, err := s.view.w.DB.Commits(line[0], gitexec.OID(append(line, "")[1]))
		if err != nil {
			return err
		}
		changes, err := checkpoints.ChangedEntries(s.view.w.DB, commits[1].Tree, commits[0].Tree)
		if err != nil {
			return err
		}
		a.commits[i].touched = gitexec.PathsOf(changes)
		for _, c := range changes {
			a.note(c.Path, commits[0].When)
		}
	}
	return nil
}

func (a *ahead) note(entry gitexec.Path, when time.Time) {
	if a.began == nil {
		a.began = map[gitexec.Path]time.Time{}
	}
	if _, known := a.began[entry]; !known {
		a.began[entry] = when
	}
}

// thereOf tells whether the target's branch has an entry that a commit touches.
func (s *chooser) thereOf(a *ahead) (func(gitexec.Path) bool, error) {
	var paths []gitexec.Path
	for _, c := range a.commits {
		for _, entry := range c.touched {
			if _, differs := s.leaving.goes[entry]; !differs {
				paths = append(paths, entry)
			}
		}
	}
	found, err := s.view.w.DB.Lookup(a.tree, paths...)
	there := map[gitexec.Path]bool{}
	for i, e := range found {
		there[paths[i]] = e.Exists()
	}
	return func(entry gitexec.Path) bool { return there[entry] }, err
}

// facts finds what decides which of some changes may leave. No process where the push explains all.
func (s *chooser) facts(ctx context.Context, a *ahead, changes []gitexec.Change) (f facts, err error) {
	f = facts{there: map[gitexec.Path]bool{}, links: maps.Clone(s.sent.Links), public: map[gitexec.OID]bool{}}
	if f.links == nil {
		f.links = map[string]bool{}
	}
	for _, c := range changes {
		if commit := checkpoints.EntryCommit(c.Path); commit != "" && (c.Old.Exists() || s.sent.Commits[commit]) {
			f.public[commit] = true
		}
	}
	// What costs least comes first. Links beside commits are read again at last: more commits are
	// known to be public then.
	for _, find := range []func() error{
		func() error { return s.addNamed(&f, changes) },
		func() error { return s.addInboxes(&f, changes) },
		func() error { return s.addKnown(ctx, a, &f, changes) },
		func() error { return s.addNamed(&f, changes) },
	} {
		if len(f.unexplained(changes)) == 0 {
			break
		}
		if err := find(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// addNamed adds the checkpoints that links name beside commits which the remote has or gets.
func (s *chooser) addNamed(f *facts, changes []gitexec.Change) error {
	links := slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return !f.public[checkpoints.EntryCommit(c.Path)] })
	named, err := checkpoints.NamedBeside(s.view.w.DB, links)
	for _, ids := range named {
		for _, id := range ids {
			f.links[id] = true
		}
	}
	return err
}

// addInboxes adds what inboxes have, and what the target's branch has beside the history here.
func (s *chooser) addInboxes(f *facts, changes []gitexec.Change) error {
	_, inboxes := s.view.sides()
	// Others may have pushed them: what cannot be read there decides nothing.
	commits, err := s.view.w.DB.Readable(slices.Concat(s.heads, inboxes)...)
	if err != nil {
		return err
	}
	paths := gitexec.PathsOf(f.unexplained(changes))
	for _, c := range commits {
		found, err := s.view.w.DB.Lookup(c.Tree, paths...)
		if err != nil {
			return err
		}
		for i, e := range found {
			f.there[paths[i]] = f.there[paths[i]] || e.Exists()
		}
	}
	return nil
}

// addKnown looks at the commits that the remote is known to have, as far as an earlier look did
// not.
func (s *chooser) addKnown(ctx context.Context, a *ahead, f *facts, changes []gitexec.Change) error {
	h := s.view.readHeld()
	tips, uncounted, err := s.publicTips(ctx, &h)
	if err != nil {
		return err
	}
	if s.looksAtAll {
		h.Examined, h.Stays = nil, nil
	}
	known, examined := sets.Of(h.Stays), sets.Of(h.Examined)
	// With such that don't count the push has counted commits as there already that only another
	// repository has.
	if s.sent.complete() && len(uncounted) == 0 { // its commits are known, beside those of remote-tracking branches
		for _, tip := range s.sent.Tips {
			examined[tip] = true
		}
	}
	sought, fresh := f.unexplained(changes), []gitexec.Change(nil)
	for _, c := range sought {
		if !known[c.Path] {
			fresh = append(fresh, c)
		}
	}
	// What is sought for the first time is sought in all histories, and the rest in those that are
	// new.
	if len(fresh) > 0 {
		since, err := s.since(ctx, a, fresh)
		if err != nil {
			return err
		}
		if err := s.seek(ctx, f, gitexec.Outgoing{Tips: tips}, since, fresh); err != nil {
			return err
		}
	}
	news := slices.DeleteFunc(slices.Clone(tips), func(id gitexec.OID) bool { return examined[id] })
	if len(fresh) < len(sought) && len(news) > 0 {
		if err := s.seek(ctx, f, gitexec.Outgoing{Tips: news, Has: h.Examined}, time.Time{}, sought); err != nil {
			return err
		}
	}
	stays := f.unexplained(changes)
	if h.Hides, err = s.hide(ctx, f, gitexec.Outgoing{Tips: uncounted, Has: tips}, stays); err != nil {
		return err
	}
	h.Examined, h.Uncounted, h.Stays, h.Files, h.Remotes = tips, uncounted, gitexec.PathsOf(stays), "", nil
	s.view.writeHeld(h)
	return nil
}

// hide reports whether histories that don't count have a commit that anything is about which stays.
func (s *chooser) hide(ctx context.Context, f *facts, in gitexec.Outgoing, stays []gitexec.Change) (bool, error) {
	there := facts{links: map[string]bool{}, public: maps.Clone(f.public)}
	if len(stays) == 0 {
		return false, nil
	}
	err := s.seek(ctx, &there, in, time.Time{}, stays)
	return len(there.unexplained(stays)) < len(stays), err
}

// since is when the commits of some entries are looked for from: a history may be long, and a push
// waits for it.
func (s *chooser) since(ctx context.Context, a *ahead, entries []gitexec.Change) (time.Time, error) {
	if s.looksAtAll || len(a.graph) > lookedAt { // of so many no times are read
		return time.Time{}, nil
	}
	err := s.readPast(ctx, a)
	return a.since(entries), err
}

// since is when the commits of some entries may be the oldest.
func (a *ahead) since(changes []gitexec.Change) (when time.Time) {
	for _, c := range changes {
		if at, known := a.began[c.Path]; !known {
			return time.Time{}
		} else if when.IsZero() || at.Before(when) {
			when = at
		}
	}
	return when.AddDate(0, 0, -1)
}

// publicTips are the commits and tags whose histories the remote has or gets, as far as it is known
// here, and the remote-tracking branches that don't count. Of those that are doubted it keeps what
// is still tracked. One process.
func (s *chooser) publicTips(ctx context.Context, h *held) (tips, uncounted []gitexec.OID, err error) {
	refs, err := s.view.tracked(ctx)
	doubted, tracked := sets.Of(slices.Concat(h.Lacks, s.view.doubted)), sets.Of(idsOf(refs))
	h.Lacks = slices.DeleteFunc(h.Lacks, func(id gitexec.OID) bool { return !tracked[id] })
	// Beside a repository of the checkpoints' own they say what the elected remote has.
	none := s.view.unsure || s.view.apart() && !s.view.Target.Own
	for _, r := range refs {
		switch {
		case OfCheckpoints(r.Name): // it has none of the user's commits
		case none || doubted[r.ID] && !s.looksAtAll || s.view.remotes.another(s.view.Target.Elected, r.Name):
			uncounted = append(uncounted, r.ID)
		default:
			tips = append(tips, r.ID)
		}
	}
	tips = slices.Concat(tips, s.sent.Tips, s.sent.Had, s.view.says, h.Pushed)
	slices.Sort(tips)
	return slices.DeleteFunc(slices.Compact(tips), gitexec.OID.IsZero), uncounted, err
}

// tracked are the remote-tracking branches of the elected remote. One process.
func (s *View) tracked(ctx context.Context) ([]gitexec.Ref, error) {
	if s.Target.Elected == "" {
		return nil, nil
	}
	return s.w.Repo.RefIDs(ctx, "refs/remotes/"+s.Target.Elected+"/")
}

func idsOf(refs []gitexec.Ref) (ids []gitexec.OID) {
	for _, r := range refs {
		ids = append(ids, r.ID)
	}
	return ids
}

// seek adds what of some entries is linked by commits. Two processes at most.
func (s *chooser) seek(ctx context.Context, f *facts, in gitexec.Outgoing, since time.Time, entries []gitexec.Change) error {
	if len(in.Tips) == 0 {
		return nil
	}
	found, err := in.Containing(ctx, s.view.w.Repo, message.LinkKey+": ", since)
	if err != nil {
		return err
	}
	if err := checkpoints.EachTrailer(s.view.w.DB, found, func(_ gitexec.OID, link string) { f.links[link] = true }); err != nil {
		return err
	}
	var beside []gitexec.OID
	for _, c := range entries {
		if commit := checkpoints.EntryCommit(c.Path); commit != "" && !f.public[commit] {
			beside = append(beside, commit)
		}
	}
	return s.seekBeside(ctx, f, in.Tips, beside)
}

// seekBeside adds those of some commits that are in the histories of tips.
func (s *chooser) seekBeside(ctx context.Context, f *facts, tips, commits []gitexec.OID) error {
	if len(commits) == 0 {
		return nil
	}
	// A commit that is not here is in no history that could be walked: its link stays.
	there, err := s.view.w.DB.Readable(commits...)
	if err != nil || len(there) == 0 {
		return err
	}
	here := gitexec.IDsOf(there)
	outside, err := gitexec.Outgoing{Tips: here, Has: tips}.Commits(ctx, s.view.w.Repo)
	for _, id := range here {
		f.public[id] = err == nil && !slices.Contains(outside, id)
	}
	return err
}
