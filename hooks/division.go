package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
)

// evidence is what is known of who wrote in a turn.
type evidence struct {
	own    condense.Written
	others map[gitexec.Path][]string // texts that tools of turns beside it were given
}

// matters reports whether a file may have lines of others.
func (e evidence) matters(path gitexec.Path) bool {
	return len(e.others[path]) > 0 || e.mayBeBrought(path)
}

// mayBeBrought reports whether a command of the turn's may have brought lines of a file by git. Of a
// file that a tool names whose texts are not known, all is its own.
func (e evidence) mayBeBrought(path gitexec.Path) bool {
	return !e.own.All && (len(e.own.Texts[path]) > 0 || !slices.Contains(e.own.Files, path))
}

// division is what of a turn's files isn't its own work: the versions from which that began, and the
// commits from which git brought lines.
type division struct {
	began   gitexec.Edits
	sources []gitexec.OID
}

// largestDivided is the most bytes of a file whose lines are divided, mostDivided the most such files.
const largestDivided, mostDivided = 1 << 20, 200

// divide finds the lines in a turn's files that others wrote, or git brought, by the texts that tools
// were given. One process, if git may have brought some.
func (p *history) divide(ctx context.Context, s *session.State, e evidence, changes []gitexec.Change) (division, error) {
	d := division{began: gitexec.Edits{}}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return !e.matters(c.Path) })
	if len(changes) == 0 || len(changes) > mostDivided {
		return d, nil
	}
	files := make([]divide.File, len(changes))
	var open []int // in which git may have brought something
	for i, c := range changes {
		now, ok, err := p.textOf(c.New)
		if err != nil || !ok {
			continue
		}
		was, ok, err := p.textOf(c.Old)
		if err != nil || !ok && c.Old.Exists() {
			continue
		}
		files[i] = divide.File{Was: was, Now: now, Own: e.own.Texts[c.Path], Others: e.others[c.Path]}
		if e.mayBeBrought(c.Path) && files[i].Unexplained() {
			open = append(open, i)
		}
	}
	from, err := p.sourcesOf(ctx, s, changes, open, files)
	if err != nil {
		return d, err
	}
	blames := 0
	var tips []gitexec.OID
	for i, f := range files {
		before, used, ok := f.Before()
		if f.Now == nil || !ok {
			continue
		}
		e := changes[i].New
		if !bytes.Equal(before, f.Now) {
			if e.ID, err = p.DB.WriteBlob(before); err != nil {
				return d, err
			}
		}
		d.began[changes[i].Path] = e
		for _, b := range used {
			if !slices.Contains(tips, from[i][b.Source]) {
				tips = append(tips, from[i][b.Source])
			}
			ids, err := p.introduced(from[i][b.Source], changes[i].Path, b.Lines, &blames)
			if err != nil {
				return d, err
			}
			for _, id := range ids {
				if !slices.Contains(d.sources, id) {
					d.sources = append(d.sources, id)
				}
			}
		}
	}
	return d, p.deletedIn(&d, e, changes, tips)
}

// deletedIn adds the files that are gone and that commits from which git brought others don't have.
func (p *history) deletedIn(d *division, e evidence, changes []gitexec.Change, tips []gitexec.OID) error {
	trees, err := p.treesOf(tips)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		for _, c := range changes {
			if c.New.Exists() || !e.mayBeBrought(c.Path) {
				continue
			}
			found, err := p.DB.Lookup(tree, c.Path)
			if err != nil {
				return err
			}
			if !found[0].Exists() {
				d.began[c.Path] = gitexec.Entry{}
			}
		}
	}
	return nil
}

// mostBlamed is how often git is asked which commits introduced lines, and in how many ranges.
const mostBlamed, mostBlamedRanges = 10, 100

// introduced are the commits that introduced lines of a file that another commit has; that one itself
// where that isn't asked. One process.
func (p *history) introduced(by gitexec.OID, path gitexec.Path, lines []int, blames *int) ([]gitexec.OID, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if *blames++; *blames > mostBlamed {
		return []gitexec.OID{by}, nil
	}
	var ranges []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end] == lines[end-1]+1 {
			end++
		}
		ranges = append(ranges, fmt.Sprintf("%d,%d", lines[i], lines[end-1]))
		i = end
	}
	if len(ranges) > mostBlamedRanges {
		ranges = nil
	}
	found, err := p.DB.Blame(by, path, ranges)
	if fault := new(gitexec.Error); errors.As(err, &fault) {
		return []gitexec.OID{by}, nil // as of a path that git's options cannot name
	}
	var ids []gitexec.OID
	for _, line := range found {
		if slices.Contains(lines, line.Final) && !slices.Contains(ids, line.Commit) {
			ids = append(ids, line.Commit)
		}
	}
	return ids, err
}

// textOf reads a version whose lines can be divided.
func (p *hook) textOf(e gitexec.Entry) (data []byte, ok bool, err error) {
	if !e.Exists() || e.Mode == gitexec.ModeSymlink || e.Mode == gitexec.ModeGitlink {
		return nil, false, nil
	}
	data, err = p.DB.Blob(e.ID, largestDivided)
	large, missing := new(gitexec.TooLargeError), new(gitexec.MissingError)
	if errors.As(err, &large) || errors.As(err, &missing) {
		return nil, false, nil
	}
	return data, err == nil && bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0, err
}

// mostVersions is how many versions of a file are looked at for lines that git may have brought.
const mostVersions = 40

// sourcesOf adds to files the versions in other commits from which git may have brought lines, and
// returns by file the commits that have them.
func (p *history) sourcesOf(ctx context.Context, s *session.State, changes []gitexec.Change, open []int, files []divide.File,
) (from [][]gitexec.OID, err error) {
	from = make([][]gitexec.OID, len(files))
	if len(open) == 0 {
		return from, nil
	}
	commits, err := p.nearCommits(ctx, s)
	if err != nil {
		return nil, err
	}
	sought := make([]gitexec.Path, len(open))
	known := make([]map[gitexec.OID]bool, len(open))
	for k, i := range open {
		sought[k], known[k] = changes[i].Path, map[gitexec.OID]bool{changes[i].Old.ID: true}
	}
	for _, c := range commits {
		found, err := p.DB.Lookup(c.Tree, sought...)
		if missing := new(gitexec.MissingError); errors.As(err, &missing) { // of a partial clone
			continue
		}
		if err != nil {
			return nil, err
		}
		for k, i := range open {
			if known[k][found[k].ID] || len(known[k]) > mostVersions {
				continue
			}
			known[k][found[k].ID] = true
			data, ok, err := p.textOf(found[k])
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			at := len(files[i].Sources)
			if found[k].ID == changes[i].New.ID {
				at = 0 // it explains all
			}
			files[i].Sources, from[i] = slices.Insert(files[i].Sources, at, data), slices.Insert(from[i], at, c.ID)
		}
	}
	return from, nil
}

// mostTips is how many branches, and how many of HEAD's ancestors, may have what git brings.
const mostTips = 50

// nearCommits are those from which a command may have brought lines: what git is in the middle of, the
// stash when the turn began, the branches that changed last, and HEAD's ancestors; none that was made
// since.
func (p *history) nearCommits(ctx context.Context, s *session.State) ([]gitexec.Commit, error) {
	op := p.Repo.Operation()
	ids := op.Merged()
	if squashed := op.Squashed(); len(squashed) > 0 {
		ids = append(ids, squashed[0])
	}
	if picked := op.Picked(); picked != "" {
		ids = append(ids, picked)
	}
	ids = append(ids, s.TurnStartStashes...)
	tips, err := p.Repo.LatestBranches(ctx, mostTips)
	if err != nil {
		return nil, err
	}
	for _, tip := range tips {
		if !strings.HasPrefix(tip.Name, "refs/heads/entire/") && tip.ID != p.Head.ID {
			ids = append(ids, tip.ID)
		}
	}
	found, err := p.DB.Any(ids...)
	if err != nil {
		return nil, err
	}
	var commits []gitexec.Commit
	for _, o := range found {
		if o.Type != "commit" {
			continue
		}
		commit, err := gitexec.ParseCommit(o.ID, o.Data)
		if err != nil {
			continue // it is damaged: nothing comes from there
		}
		commits = append(commits, commit)
	}
	if !p.Head.ID.IsZero() {
		past, err := p.DB.Ancestors(p.Head.ID, mostTips)
		if missing := new(gitexec.MissingError); err != nil && !errors.As(err, &missing) { // else of a shallow clone
			return nil, err
		}
		commits = append(commits, past...)
	}
	return slices.DeleteFunc(commits, func(c gitexec.Commit) bool {
		return s.LastInteractionTime == nil || !c.When.Before(s.LastInteractionTime.Truncate(time.Second))
	}), nil
}

// withoutOthersLines removes from a turn what others wrote in its files, and what git brought there.
func (p *divider) withoutOthersLines(ctx context.Context, s *session.State, t turn) (turn, error) {
	if len(t.touched) == 0 || s.TranscriptPath == "" || t.estimated {
		return t, nil
	}
	states, err := p.Sessions()
	if err != nil {
		return t, err
	}
	e := evidence{others: p.textsBeside(ctx, s, states)}
	if t.wrote == nil && len(e.others) == 0 {
		return t, nil
	}
	e.own = condense.Written{All: true}
	if t.wrote != nil {
		e.own = condense.Written{Files: p.pathsInWorktree(t.wrote.Files), Texts: p.textsInWorktree(t.wrote.Texts), All: t.wrote.All}
	} else if own, ok := p.writtenBy(ctx, s, nil); ok {
		e.own = own
	}
	began, err := p.DB.Lookup(t.before, t.touched...)
	if err != nil {
		return t, err
	}
	ends, err := p.DB.Lookup(t.snap.Tree, t.touched...)
	if err != nil {
		return t, err
	}
	changes := make([]gitexec.Change, len(t.touched))
	for i, path := range t.touched {
		changes[i] = gitexec.Change{Path: path, Old: began[i], New: ends[i]}
	}
	d, err := p.divide(ctx, s, e, changes)
	if err != nil || len(d.began) == 0 {
		return t, err
	}
	t.start = cmp.Or(t.start, t.before)
	if t.before, err = p.DB.EditTree(t.before, d.began); err != nil {
		return t, err
	}
	var touched []gitexec.Path
	for i, path := range t.touched {
		if began, divided := d.began[path]; !divided || began != ends[i] {
			touched = append(touched, path)
		}
	}
	t.touched, t.sources = touched, d.sources
	s.TookFrom(d.sources...)
	return t, nil
}

// divideTurns divides the files of turns in progress that a commit may hold, for works.OfTurns.
func (p *history) divideTurns(ctx context.Context, q workQuery, wrote map[string]condense.Written) (map[string]gitexec.Edits, []gitexec.OID, error) {
	began := map[string]gitexec.Edits{}
	var sources []gitexec.OID
	paths := make([]gitexec.Path, len(q.changes))
	for i, c := range q.changes {
		paths[i] = c.Path
	}
	for _, s := range q.states {
		if s.Phase != session.Active || s.TurnStartTree == "" || s.TranscriptPath == "" {
			continue
		}
		own, read := wrote[s.SessionID]
		commits := slices.Contains(q.agents, s.SessionID)
		if commits && !read {
			own, read = p.writtenBy(ctx, s, nil)
		}
		if !read {
			continue
		}
		e := evidence{own: own, others: p.textsBeside(ctx, s, q.states)}
		found, err := p.DB.Lookup(s.TurnStartTree, paths...)
		if err != nil {
			return nil, nil, err
		}
		var changes []gitexec.Change
		for i, c := range q.changes {
			if (commits || slices.Contains(own.Files, c.Path)) && found[i] != c.New {
				changes = append(changes, gitexec.Change{Path: c.Path, Old: found[i], New: c.New})
			}
		}
		d, err := p.divide(ctx, s, e, changes)
		if err != nil {
			return nil, nil, err
		}
		began[s.SessionID], sources = d.began, append(sources, d.sources...)
	}
	return began, sources, nil
}

// textsBeside are what tools of the turns beside a session's were given for files.
func (p *history) textsBeside(ctx context.Context, s *session.State, states []*session.State) map[gitexec.Path][]string {
	texts := map[gitexec.Path][]string{}
	for _, o := range p.turnsBeside(s, states) {
		wrote, ok := p.writtenBy(ctx, o, nil)
		if !ok {
			continue
		}
		for path, of := range wrote.Texts {
			texts[path] = append(texts[path], of...)
		}
	}
	return texts
}

// stashed are the user's stash entries, newest first. No process: in reftables they are not known.
func stashed(repo *gitexec.Repo) (ids []gitexec.OID) {
	const most, largest = 10, 1 << 20
	data, err := safefile.Read(filepath.Join(repo.CommonDir, "logs", "refs", "stash"), largest)
	if err != nil || len(data) == 0 {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && gitexec.ValidOID(f[1]) {
			ids = append(ids, gitexec.OID(f[1]))
		}
	}
	slices.Reverse(ids)
	return ids[:min(most, len(ids))]
}
