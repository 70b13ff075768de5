package query

import (
	"cmp"
	"context"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
	"entire-plumb/shadow"
)

// Completion is a name that may be meant, and what it stands for.
type Completion struct {
	Name, About string
	Session     bool // the name is a session's ID
}

// Nameable says which kinds of names are looked for.
type Nameable struct {
	Commits     bool // branches and tags
	Checkpoints bool // the latest committed ones
	Points      bool // the checkpoints that rewind lists
	Sessions    bool
}

// mostCompletions is how many checkpoints and sessions are listed, the latest.
const mostCompletions = 50

// Completions lists names that a user may go on to type, by kind. Nothing is written, no work of
// hooks is finished, and what can't be read in time is missing.
func (e Source) Completions(ctx context.Context, of Nameable) (all []Completion) {
	// The shell shows what a completion prints among the user's words.
	e.Stderr = io.Discard
	e = e.asItIs()
	if of.Commits {
		if repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer); err == nil {
			all = append(all, commitNames(ctx, repo)...)
		}
	}
	// The branches alone need no look at what was recorded, which takes longer.
	if !of.Checkpoints && !of.Points && !of.Sessions {
		return all
	}
	r, err := e.Open(ctx)
	if err != nil {
		return all
	}
	defer r.Close()
	r.still = true
	if of.Points {
		all = append(all, pointNames(ctx, r)...)
	}
	if !of.Checkpoints && !of.Sessions {
		return all
	}
	c, err := openCatalogue(ctx, r, false)
	if err != nil {
		// Names that are a little old are better than none while a key waits for an answer.
		c = outdated(r)
		defer c.close()
	}
	if of.Checkpoints {
		all = append(all, checkpointNames(c)...)
	}
	if of.Sessions {
		all = append(all, sessionNames(r, c)...)
	}
	return all
}

// outdated is the index as it is on disk.
func outdated(r *Reader) *catalogue {
	dir := filepath.Join(index.Home(r.Repo.CommonDir, r.Repo.SharedDir()), "checkpoints")
	return &catalogue{Index: index.Open(dir, indexedForm), db: r.DB, branch: r.Branch}
}

// commitNames are the branches and tags, without ours. One process.
func commitNames(ctx context.Context, repo *gitexec.Repo) (all []Completion) {
	kinds := []Completion{{Name: "refs/heads/", About: "branch"}, {Name: "refs/tags/", About: "tag"}, {Name: "refs/remotes/", About: "remote branch"}}
	refs, err := repo.RefIDs(ctx, kinds[0].Name, kinds[1].Name, kinds[2].Name)
	if err != nil {
		return nil
	}
	all = append(all, Completion{Name: "HEAD", About: "the current commit"})
	for _, kind := range kinds {
		for _, ref := range refs {
			name, ok := strings.CutPrefix(ref.Name, kind.Name)
			_, tracked := shadow.Tracked(ref.Name)
			// origin/HEAD is another name of a branch that is listed.
			if ok && !tracked && !strings.HasPrefix(ref.Name, shadow.Prefix) && !strings.HasSuffix(name, "/HEAD") {
				all = append(all, Completion{Name: name, About: kind.About})
			}
		}
	}
	return all
}

// pointNames are the checkpoints to which rewind goes back.
func pointNames(ctx context.Context, r *Reader) (all []Completion) {
	points, _ := r.RewindPoints(ctx, mostCompletions)
	for _, k := range points {
		name := k.ID
		// On a stream the point's name is that of a commit, in full.
		if k.CheckpointID == "" {
			name = gitexec.OID(k.ID).Short()
		}
		all = append(all, Completion{Name: name, About: k.Message})
	}
	return all
}

// checkpointNames are the latest checkpoints, with the last prompt of each.
func checkpointNames(c *catalogue) (all []Completion) {
	rows, _ := c.latest(mostCompletions, nil)
	for _, r := range rows {
		about := ""
		for _, p := range r.parts {
			if full, err := unpack(c.Get(keyPart+escaped(p.session)+end+p.order+r.id), partFields); err == nil {
				about = cmp.Or(full.last, about)
			}
		}
		all = append(all, Completion{Name: r.id, About: about})
	}
	return all
}

// sessionNames are the sessions, the last active first, with the title or the first prompt of each.
func sessionNames(r *Reader, c *catalogue) (all []Completion) {
	by, _, err := sessionsAsIndexed(c, "")
	if err != nil {
		by = map[string]*SessionInfo{}
	}
	states, _ := r.States().All()
	for _, state := range states {
		s := by[state.SessionID]
		if s == nil {
			s = newSession(state.SessionID)
			by[s.ID] = s
		}
		// The state is this machine's, and newer than what was committed.
		s.Title, s.FirstPrompt = cmp.Or(state.Title, s.Title), cmp.Or(state.FirstPrompt, s.FirstPrompt)
		s.lastAt(state.LastInteractionTime)
	}
	sessions := slices.SortedFunc(maps.Values(by), func(a, b *SessionInfo) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.ID, b.ID)) })
	for _, s := range sessions[:min(mostCompletions, len(sessions))] {
		all = append(all, Completion{Name: s.ID, About: cmp.Or(s.Title, s.FirstPrompt), Session: true})
	}
	return all
}
