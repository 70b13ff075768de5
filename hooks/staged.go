package hooks

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
)

// staged is what is staged, and whose work is in it.
type staged struct {
	base    gitexec.OID // the tree that it is compared with: the parent's of the commit to be
	changes []gitexec.Change
	matches []condense.Matched
	memory  watch
}

// linkStaged gives the message a link if the sessions' work is in what is staged. base is the tree
// that the commit's parent will have.
func (p *linker) linkStaged(ctx context.Context, d draft, base gitexec.OID) (string, error) {
	mine, err := p.Sessions()
	if err != nil {
		return "", err
	}
	found := staged{base: base}
	if found.memory, mine, err = p.watched(ctx, mine); err != nil {
		return "", err
	}
	states := slices.DeleteFunc(mine, func(s *session.State) bool {
		return !condense.MayHaveWork(s, found.memory.Streams, found.memory.reset, p.Now())
	})
	switch {
	case len(states) == 0 && len(d.keep) == 0:
		return journal.NoWork, nil
	case len(states) == 0:
		return p.keepLinks(ctx, d, "the commits' links are kept")
	}
	style := gitexec.InBackground(func() (message.Style, error) { return p.style(ctx) })
	agents := p.committers(states)
	left, err := p.sessionsStaged(ctx, states, agents, &found)
	chosen, err2 := style() // in any case: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil {
		return "", err
	}
	ids := d.keep
	if left.ID != "" {
		ids = union([]string{left.ID}, union(left.links(), d.keep))
	}
	if len(ids) == 0 {
		return "nothing staged is a session's", nil
	}
	if d.source == "template" {
		chosen.Template = d.text
	}
	share := ""
	if p.Settings.StrategyOptions.AttributionTrailer && left.ID != "" {
		if share, err = p.share(ctx, found); err != nil {
			p.WarnLater(explain.OneLine(err)) // the link counts for more
		}
	}
	return p.addLink(ctx, d, ids, share, chosen, left)
}

// sessionsStaged finds the sessions whose work is staged, and chooses the link: a new one, or,
// where the commit holds nothing but what had links before, the first of those. An agent's own
// commit is its session's, whatever is in it.
func (p *linker) sessionsStaged(ctx context.Context, states []*session.State, agents []string, found *staged) (pending, error) {
	left := pending{Head: p.Head.ID, Agents: agents, Only: p.onlyPaths()}
	if len(agents) == 0 || len(found.memory.Reset) > 0 || p.Settings.StrategyOptions.AttributionTrailer {
		if err := p.workStaged(ctx, states, agents, found); err != nil {
			return left, err
		}
	}
	links := condense.LinksFor(found.matches, agents)
	left.Sessions, left.Replaces = links.Sessions, links.Replaces
	switch taken := left.links(); {
	case len(left.Sessions) > 0:
		left.ID = p.NewID()
	case len(taken) > 0:
		left.ID = taken[0]
	}
	return left, nil
}

// resetStaged finds the commits that were reset and that an amend takes into the amended one: git
// reset --soft, then git commit --amend, is a squash by hand.
func (p *linker) resetStaged(ctx context.Context, states []*session.State, agents []string) ([]lineage.Predecessor, error) {
	found := staged{base: p.Head.Tree}
	var err error
	if found.memory, states, err = p.watched(ctx, states); err != nil || len(found.memory.Reset) == 0 {
		return nil, err
	}
	err = p.workStaged(ctx, states, agents, &found)
	return condense.ResetsIn(found.matches), err
}

// workStaged holds what is staged against the sessions' work.
func (p *linker) workStaged(ctx context.Context, states []*session.State, agents []string, found *staged) error {
	diff := gitexec.InBackground(func() ([]gitexec.Change, error) { return p.Repo.DiffStaged(ctx, p.Repo.IndexFile, found.base) })
	defer diff() // no process may outlive the hook
	if err := p.DB.Objects.Warm(); err != nil {
		return err
	}
	var err error
	if found.changes, err = diff(); err != nil || len(found.changes) == 0 {
		return err
	}
	bases := condense.Bases(p.Head.ID, states)
	listing, err := shadow.Probe(p.Repo, p.DB, bases...)
	if err == nil && listing.HasLegacy() {
		err = p.Locked(ctx, func() (err error) {
			listing, err = p.adopt(ctx, listing, states...)
			return err
		})
	}
	if err != nil {
		return err
	}
	of, err := p.worksOf(ctx, bases, listing, states, found.changes, agents, found.memory)
	if err != nil {
		return err
	}
	var overlaps []condense.Overlap
	found.matches, overlaps, err = condense.Match(found.changes, of.all(), &shadow.Texts{DB: p.DB}, p.Settings.Match())
	p.Entry.Works = journalWorks(overlaps)
	return err
}

// onlyPaths reports whether git commits some paths alone: then it hands the hook an index of its
// own making.
func (p *linker) onlyPaths() bool {
	return strings.HasPrefix(filepath.Base(p.Repo.IndexFile), "next-index-")
}

// gathered is what sessions did and a commit may hold.
type gathered struct {
	onStreams []condense.Work
	others    []condense.Work // of the turn that is going on, or remembered
}

func (w gathered) all() []condense.Work { return append(slices.Clone(w.onStreams), w.others...) }

// worksOf collects the sessions' work that changes, which are a commit's or will be, may hold.
func (p *memory) worksOf(ctx context.Context, bases []gitexec.OID, listing shadow.Listing, states []*session.State, changes []gitexec.Change, agents []string, memory watch) (gathered, error) {
	var w gathered
	var troubles []error
	var err error
	w.onStreams, troubles, err = works.Gather(p.DB, bases, states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return listing.Streams(p.DB, base, p.Repo.WorktreeID())
	})
	if err != nil {
		return w, err
	}
	p.WarnLaterOf(troubles)
	if w.others, err = works.InProgress(p.DB, states, changes, agents, p.written(ctx, states, agents)); err != nil {
		return w, err
	}
	remembered, err := p.remembered(states, memory, changes)
	w.others = append(w.others, remembered...)
	return w, err
}

// written lists the files that agents are known to have written in turns that are going on, as
// their transcripts tell, some sessions left out. A transcript that cannot be read tells nothing.
func (p *memory) written(ctx context.Context, states []*session.State, but []string) map[string][]gitexec.Path {
	named := map[string][]gitexec.Path{}
	for _, s := range states {
		if s.Phase == session.Active && !slices.Contains(but, s.SessionID) {
			if files := p.writtenBy(ctx, s); files != nil {
				named[s.SessionID] = files
			}
		}
	}
	return named
}

// writtenBy gives the files that a session's tools were told to write since the last prompt, nil if
// its transcript doesn't tell.
func (p *memory) writtenBy(ctx context.Context, s *session.State) []gitexec.Path {
	if s.TranscriptPath == "" {
		return nil
	}
	wrote, err := transcript.Written(ctx, s.TranscriptPath)
	if err != nil {
		return nil
	}
	return append([]gitexec.Path{}, p.allInWorktree(wrote.Files)...)
}

func (p *memory) allInWorktree(files []string) []gitexec.Path {
	var paths []gitexec.Path
	for _, file := range files {
		if path, ok := p.inWorktree(file); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// inWorktree gives a file's path in the worktree, of which agents may know another name, through a
// symlink.
func (p *memory) inWorktree(file string) (gitexec.Path, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Repo.Top, file)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		dir = filepath.Dir(file)
	}
	path, err := filepath.Rel(p.Repo.Top, filepath.Join(dir, filepath.Base(file)))
	if err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return "", false
	}
	return gitexec.Path(filepath.ToSlash(path)), true
}
