package hooks

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
)

// withoutOthersLines removes from a turn what others wrote in its files, and what git brought
// there.
func withoutOthersLines(ctx context.Context, run *Run, s *session.State, t turn) (turn, error) {
	if len(t.touched) == 0 || s.TranscriptPath == "" || t.estimated {
		return t, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	e := works.Evidence{Others: textsBeside(ctx, run, s, states)}
	if t.wrote == nil && len(e.Others) == 0 {
		return t, nil
	}
	e.Own = condense.Written{All: true}
	if t.wrote != nil {
		e.Own = condense.Written{Files: pathsInWorktree(run.Repo, t.wrote.Files), Texts: textsIn(t.wrote.Texts, func(file string) (gitexec.Path, bool) { return pathInWorktree(run.Repo, file) }), All: t.wrote.All}
	} else if own, ok := writtenBy(ctx, run.Repo, s, nil); ok {
		e.Own = own
	}
	began, err := run.DB.Files(t.before, t.touched...)
	if err != nil {
		return t, err
	}
	ends, err := run.DB.Files(t.snap.Tree, t.touched...)
	if err != nil {
		return t, err
	}
	changes := make([]gitexec.Change, len(t.touched))
	for i, path := range t.touched {
		changes[i] = gitexec.Change{Path: path, Old: began[i], New: ends[i]}
	}
	d, err := placeOf(run).Divide(ctx, s, e, changes)
	if err != nil || len(d.Began) == 0 {
		return t, err
	}
	t.start = cmp.Or(t.start, t.before)
	if t.before, err = run.DB.EditTree(t.before, d.Began); err != nil {
		return t, err
	}
	var touched []gitexec.Path
	for i, path := range t.touched {
		if began, divided := d.Began[path]; !divided || began != ends[i] {
			touched = append(touched, path)
		}
	}
	t.touched, t.sources = touched, d.Sources
	s.TookFrom(d.Sources...)
	return t, nil
}

// divideTurns divides the files of turns in progress that a commit may hold, for works.OfTurns.
func divideTurns(ctx context.Context, run *Run, q workQuery, wrote map[string]condense.Written) (map[string]gitexec.Edits, []gitexec.OID, error) {
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
			own, read = writtenBy(ctx, run.Repo, s, nil)
		}
		if !read {
			continue
		}
		e := works.Evidence{Own: own, Others: textsBeside(ctx, run, s, q.states)}
		found, err := run.DB.Files(s.TurnStartTree, paths...)
		if err != nil {
			return nil, nil, err
		}
		var changes []gitexec.Change
		for i, c := range q.changes {
			if (commits || slices.Contains(own.Files, c.Path)) && found[i] != c.New {
				changes = append(changes, gitexec.Change{Path: c.Path, Old: found[i], New: c.New})
			}
		}
		d, err := placeOf(run).Divide(ctx, s, e, changes)
		if err != nil {
			return nil, nil, err
		}
		began[s.SessionID], sources = d.Began, append(sources, d.Sources...)
	}
	return began, sources, nil
}

func placeOf(p *Run) works.Place { return works.Place{Repo: p.Repo, DB: p.DB, Head: p.Head.ID} }

// textsBeside are what tools of the turns beside a session's were given for files.
func textsBeside(ctx context.Context, run *Run, s *session.State, states []*session.State) map[gitexec.Path]transcript.Texts {
	texts := map[gitexec.Path]transcript.Texts{}
	for _, o := range turnsBeside(run, s, states) {
		wrote, ok := writtenBy(ctx, run.Repo, o, nil)
		if !ok {
			continue
		}
		for path, of := range wrote.Texts {
			texts[path] = texts[path].With(of)
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
