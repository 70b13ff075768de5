package query

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
)

// UncommittedLines counts uncommitted lines by author.
type UncommittedLines struct {
	Agent    int                  `json:"agent_lines"`
	Human    int                  `json:"human_lines"`
	Unknown  int                  `json:"unknown_lines"`
	Files    int                  `json:"files"`    // with such lines
	Sessions []UncommittedSession `json:"sessions"` // most lines first
	Reasons  []string             `json:"unknown,omitempty"`

	changed []gitexec.Path // the files with such lines, and changed ones that have no lines
}

// Has reports whether the worktree's version of a file is known to differ from HEAD's.
func (l UncommittedLines) Has(path gitexec.Path) bool { return slices.Contains(l.changed, path) }

// UncommittedSession is a session's part of them.
type UncommittedSession struct {
	SessionID string `json:"session_id"`
	Agent     string `json:"agent,omitempty"`
	Lines     int    `json:"agent_lines"`
}

// UncommittedLines counts the uncommitted lines of a worktree that is open already, and in which
// hooks left nothing undone, by author; see Uncommitted for what that costs.
func (e Source) UncommittedLines(ctx context.Context, repo *gitexec.Repo) (UncommittedLines, error) {
	r := &Reader{Env: e.Env, Repo: repo, DB: repo.ODB(ctx), foresee: e.Foresee, located: e.Whereabouts}
	defer r.Close()
	u, err := r.Uncommitted(ctx)
	if err != nil {
		return UncommittedLines{Sessions: []UncommittedSession{}}, err
	}
	n, err := u.Count(ctx)
	return uncommittedLines(n), err
}

// uncommittedLines are counted lines by session.
func uncommittedLines(n attribution.Counted) UncommittedLines {
	l := UncommittedLines{Agent: n.Lines.Agent, Human: n.Lines.Human, Unknown: n.Lines.Unknown, Files: len(n.Files),
		Sessions: []UncommittedSession{}, Reasons: n.Reasons, changed: n.NoText}
	for _, f := range n.Files {
		l.changed = append(l.changed, f.Path)
	}
	agents := map[string]string{}
	for _, link := range n.Links {
		for _, s := range link.Sessions {
			agents[s.SessionID] = cmp.Or(agents[s.SessionID], s.Agent)
		}
	}
	lines := map[string]int{}
	for part, count := range n.Parts {
		lines[part.Session] += count
		// Lines that are only moved or formatted are of sessions that the commit would not link.
		agents[part.Session] = cmp.Or(agents[part.Session], n.Kept[part])
	}
	for _, id := range slices.Sorted(maps.Keys(lines)) {
		l.Sessions = append(l.Sessions, UncommittedSession{SessionID: id, Agent: agents[id], Lines: lines[id]})
	}
	slices.SortStableFunc(l.Sessions, func(a, b UncommittedSession) int { return cmp.Compare(b.Lines, a.Lines) })
	return l
}
