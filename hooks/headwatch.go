package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
)

// watch is where HEAD was seen last in this worktree, and which of the sessions' linked commits
// reset, or an amend that left work out, had taken out of its history by then: as long as HEAD only
// moves by commits that our hooks see, git needn't be asked.
type watch struct {
	Head gitexec.OID `json:"head"`
	// Branch tells what HEAD stood for then, as branchDigest does; empty where that isn't known, or
	// it was detached.
	Branch string        `json:"branch,omitempty"`
	Reset  []gitexec.OID `json:"reset,omitempty"`
	Here   []gitexec.OID `json:"here,omitempty"` // and which were in HEAD's history; empty where none was reset
	// Streams are the sessions that had work on HEAD's streams when HEAD got there otherwise than
	// by a commit that our hooks saw: it is not where their states say that they are.
	Streams []string `json:"streams,omitempty"`
	// Declined is the commit at HEAD if the user took the link out of it that it was to have.
	Declined gitexec.OID `json:"declined,omitempty"`
}

// branchDigest stands for the name of the branch in files of ours: a name may hold a secret, and
// all that is asked is whether it is the same.
func (p *memory) branchDigest() string {
	if p.Repo.Branch == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.Repo.Branch))
	return hex.EncodeToString(sum[:8])
}

func watchFile(privateDir string) string { return filepath.Join(privateDir, "head.json") }

func readWatch(privateDir string) watch { return readPrivate[watch](watchFile(privateDir)) }

func writeWatch(privateDir string, w watch) error { return writePrivate(watchFile(privateDir), w) }

// watched tells which commits that hold the sessions' work and have a link were taken out of HEAD's
// history by git reset, since the user may commit again what they held, and which are in HEAD's
// history. That a commit is in no branch any more says nothing: its branch may have been merged on
// a server, and deleted. It gives the sessions, too, those at rest among them where any commit was
// reset. No process as long as HEAD has moved only by commits; else one that reads HEAD's reflog,
// one more where that tells of a reset, and a third where a linked commit was reset.
func (p *memory) watched(ctx context.Context, states []*session.State) (watch, []*session.State, error) {
	w := readWatch(p.Repo.PrivateDir())
	rested := p.Store.Rested(p.Now().Add(-session.Memory))
	switch {
	case len(states) == 0 && !rested:
		return w, states, nil
	case w.Head == p.Head.ID && w.Head != "" && len(w.Reset) > 0 && rested:
		states, err := p.RecentSessions()
		return w, states, err
	case w.Head == p.Head.ID && w.Head != "":
		return w, states, nil
	}
	now := watch{Head: p.Head.ID, Branch: p.branchDigest(), Declined: w.Declined}
	var err error
	if now.Streams, err = p.onStreams(); err != nil {
		return w, nil, err
	}
	if linked, _ := p.linkedCommits(states); len(linked) == 0 && !rested {
		return now, states, writeWatch(p.Repo.PrivateDir(), now)
	}
	reset, err := p.resetCommits(ctx, w)
	if err != nil {
		return w, nil, err
	}
	if rested && (len(reset) > 0 || p.Repo.Operation().RebasedBranch() != "") {
		if states, err = p.RecentSessions(); err != nil {
			return w, nil, err
		}
	}
	linked, dropped := p.linkedCommits(states)
	for _, id := range append(reset, dropped...) {
		if slices.Contains(linked, id) && !slices.Contains(now.Reset, id) && len(now.Reset) < mostReset {
			now.Reset = append(now.Reset, id)
		}
	}
	if stopped := p.Repo.Operation().StoppedAt(); slices.Contains(linked, stopped) && !slices.Contains(now.Reset, stopped) {
		now.Reset = append(now.Reset, stopped)
	}
	if len(now.Reset) > 0 {
		elsewhere, err := p.Repo.BeyondHistory(ctx, linked, 0)
		if err != nil {
			return w, nil, err
		}
		now.Here = slices.DeleteFunc(linked, func(id gitexec.OID) bool { return slices.Contains(elsewhere, id) })
		now.Reset = slices.DeleteFunc(now.Reset, func(id gitexec.OID) bool { return slices.Contains(now.Here, id) })
	}
	return now, states, writeWatch(p.Repo.PrivateDir(), now)
}

// Bounds of what is looked for: how many moves of HEAD, how many commits that reset took out, and
// how many linked ones of them.
const mostMoves, mostResetCommits, mostReset = 200, 500, 40

// linkedCommits lists the commits with links that are remembered, also those that git has rewritten
// since, which reset may bring back; and of them the ones that an amend took work out of.
func (p *memory) linkedCommits(states []*session.State) (linked, dropped []gitexec.OID) {
	for _, s := range states {
		for _, l := range s.Linked {
			if l.Dropped {
				dropped = append(dropped, l.Commit)
			}
			if p.Now().Sub(l.When) <= session.Memory {
				linked = append(linked, l.Commit)
			}
		}
	}
	return linked, dropped
}

// resetCommits lists the commits that reset took out of HEAD's history, newest first. Where git
// keeps no reflog of HEAD it follows from where HEAD was seen last on the same branch.
func (p *memory) resetCommits(ctx context.Context, w watch) ([]gitexec.OID, error) {
	moves, err := p.Repo.HeadMoves(ctx, mostMoves)
	if err != nil {
		return nil, err
	}
	from := lineage.ResetFrom(moves)
	if len(moves) == 0 && w.Branch == p.branchDigest() && w.Head != "" && !w.Head.IsZero() {
		from = []gitexec.OID{w.Head}
	}
	if len(from) == 0 {
		return nil, nil
	}
	return p.Repo.BeyondHistory(ctx, from, mostResetCommits)
}

// onStreams names the sessions that are on a stream of this worktree at HEAD.
func (p *memory) onStreams() ([]string, error) {
	listing, err := shadow.Probe(p.Repo, p.DB, p.Head.ID)
	if err != nil {
		return nil, err
	}
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	return p.sessionsOf(streams), err
}

// onAnyStream names the sessions that are on a stream, whatever its base and worktree.
func (p *memory) onAnyStream(ctx context.Context) ([]string, error) {
	streams, err := shadow.ListTemporary(ctx, p.Repo, p.DB)
	return p.sessionsOf(streams), err
}

func (p *memory) sessionsOf(streams []shadow.Stream) []string {
	var all []string
	for _, s := range streams {
		if sessions, err := s.Sessions(p.DB); err == nil { // a stream that cannot be read is left as it is
			all = append(all, sessions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// follow notes that HEAD moved by the commit that a hook is called for, so that the next one
// needn't ask, and whether the user took the link out of its message.
func (p *memory) follow(head gitexec.Commit, left pending, linked bool) error {
	w := readWatch(p.Repo.PrivateDir())
	was := w
	onward := left.ID != "" && left.Head == p.parentOf(head)
	if w.Head == p.parentOf(head) && w.Head != "" || onward && len(w.Reset) == 0 {
		w.Head, w.Branch, w.Streams = head.ID, p.branchDigest(), nil
		if len(w.Reset) > 0 && linked {
			w.Here = append(w.Here, head.ID)
		}
	}
	switch {
	case onward && !linked:
		w.Declined = head.ID
	case linked, w.Declined == p.parentOf(head): // an amended one stays declined: see postRewrite
		w.Declined = ""
	}
	if w.Head == was.Head && w.Branch == was.Branch && w.Declined == was.Declined {
		return nil
	}
	return writeWatch(p.Repo.PrivateDir(), w)
}

// reset reports whether reset took a commit out of HEAD's history.
func (w watch) reset(id gitexec.OID) bool { return slices.Contains(w.Reset, id) }

// remembered is the sessions' work that is on no stream: of commits that were reset, and what was
// gone.
func (p *memory) remembered(states []*session.State, w watch, changes []gitexec.Change) ([]condense.Work, error) {
	var all []condense.Work
	for _, s := range states {
		reset, err := works.OfReset(p.DB, s, w.reset, func(id gitexec.OID) bool { return slices.Contains(w.Here, id) })
		if err != nil {
			return nil, err
		}
		all = append(append(all, reset...), condense.BackAgain(s, changes)...)
	}
	return all, nil
}
