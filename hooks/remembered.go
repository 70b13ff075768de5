package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// watch is where HEAD was seen last in this worktree, and which of the sessions' linked commits were in no branch then:
// as long as HEAD only moves by commits that our hooks see, nobody needs to be asked.
type watch struct {
	Head gitexec.OID `json:"head"`
	// Branch tells what HEAD stood for then, as branchDigest does; empty where that isn't known, or it was detached.
	Branch string        `json:"branch,omitempty"`
	Away   []gitexec.OID `json:"away,omitempty"`
	Here   []gitexec.OID `json:"here,omitempty"` // and which were in HEAD's history; empty where none is away
	// Streams are the sessions that had work on HEAD's streams when HEAD got there otherwise than by a commit that our hooks saw: it is not where their
	// states say that they are.
	Streams []string `json:"streams,omitempty"`
	// Declined is the commit at HEAD if the user took the link out of it that it was to have.
	Declined gitexec.OID `json:"declined,omitempty"`
}

// branchDigest stands for the name of the branch in files of ours: a name may hold a secret, and all that is asked is whether it is the same.
func (p *place) branchDigest() string {
	if p.repo.Branch == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.repo.Branch))
	return hex.EncodeToString(sum[:8])
}

func watchFile(privateDir string) string { return filepath.Join(privateDir, "head.json") }

func readWatch(privateDir string) watch { return readPrivate[watch](watchFile(privateDir)) }

func writeWatch(privateDir string, w watch) error { return writePrivate(watchFile(privateDir), w) }

// memory tells of the commits that hold the sessions' work and have a link: which are away, in no branch any more nor in
// HEAD's history, since the user took them back, as with git reset, and may commit what they held anew; and of the others, which
// are in HEAD's history. Those that reset has just taken out of the branch are away, too, whatever other branch has them. No process as long
// as HEAD has moved only by commits; else one that tells what streams there are at HEAD, one more if there is such a commit, and a third where some are away.
func (p *place) memory(ctx context.Context, states []*session.State) (watch, error) {
	var linked, rewritten []gitexec.OID
	for _, s := range states {
		for _, l := range s.Linked {
			switch {
			case p.Now().Sub(l.When) > session.Memory:
			case l.Rewritten && !l.Dropped:
				rewritten = append(rewritten, l.Commit)
			default:
				linked = append(linked, l.Commit)
			}
		}
	}
	w := readWatch(p.repo.PrivateDir())
	if len(states) == 0 || w.Head == p.repo.Head && w.Head != "" {
		return w, nil
	}
	now := watch{Head: p.repo.Head, Branch: p.branchDigest(), Declined: w.Declined}
	var err error
	if now.Streams, err = p.onStreams(); err != nil {
		return w, err
	}
	if len(linked) == 0 {
		return now, writeWatch(p.repo.PrivateDir(), now)
	}
	if now.Away, err = p.repo.Unreachable(ctx, linked, true, p.rebased()); err != nil {
		return w, err
	}
	if stopped := p.stoppedAt(); slices.Contains(append(linked, rewritten...), stopped) && !slices.Contains(now.Away, stopped) {
		now.Away = append(now.Away, stopped)
	}
	back, err := p.takenBack(ctx, w)
	if err != nil {
		return w, err
	}
	for _, id := range linked {
		if slices.Contains(back, id) && !slices.Contains(now.Away, id) {
			now.Away = append(now.Away, id)
		}
	}
	if len(now.Away) > 0 {
		elsewhere, err := p.repo.Unreachable(ctx, linked, false, "")
		if err != nil {
			return w, err
		}
		now.Here = slices.DeleteFunc(linked, func(id gitexec.OID) bool { return slices.Contains(elsewhere, id) })
	}
	return now, writeWatch(p.repo.PrivateDir(), now)
}

// onStreams names the sessions that are on a stream of this worktree at HEAD.
func (p *place) onStreams() ([]string, error) {
	listing, err := shadow.Probe(p.db, p.repo.WorktreeID(), p.repo.Head)
	if err != nil {
		return nil, err
	}
	streams, err := listing.Streams(p.db, p.repo.Head, p.repo.WorktreeID())
	return p.sessionsOf(streams), err
}

// onAnyStream names the sessions that are on a stream, whatever its base and worktree.
func (p *place) onAnyStream(ctx context.Context) ([]string, error) {
	streams, err := shadow.ListTemporary(ctx, p.repo, p.db)
	return p.sessionsOf(streams), err
}

func (p *place) sessionsOf(streams []shadow.Stream) []string {
	var all []string
	for _, s := range streams {
		if sessions, err := s.Sessions(p.db); err == nil { // a stream that cannot be read is left as it is
			all = append(all, sessions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// takenBack lists the commits from where HEAD was seen last, back to where it is, if the branch was moved back there: the one that HEAD stood for then, or
// one that was there, too, as a new one that was begun for what the other should not have. No process, but to ask where such a one was.
func (p *place) takenBack(ctx context.Context, w watch) ([]gitexec.OID, error) {
	back := p.sinceHead(w.Head)
	if len(back) == 0 || w.Branch == "" || p.repo.Branch == "" {
		return nil, nil
	}
	if w.Branch != p.branchDigest() {
		if was, err := p.repo.WasAt(ctx, p.repo.Branch, w.Head, mostTakenBack); err != nil || !was {
			return nil, err
		}
	}
	return back, nil
}

// mostTakenBack is how many commits reset may take out of a branch for them to be looked for.
const mostTakenBack = 500

// sinceHead lists the commits from one back to HEAD, none if HEAD is not behind it. No process.
func (p *place) sinceHead(from gitexec.OID) []gitexec.OID {
	if from == "" || from.IsZero() || p.repo.Head.IsZero() {
		return nil
	}
	known, err := p.db.Info(from, p.repo.Head)
	if err != nil || known[0].Type != "commit" || known[1].Type != "commit" {
		return nil // git has pruned it
	}
	head, err := p.db.Commits(p.repo.Head)
	if err != nil {
		return nil
	}
	var back []gitexec.OID
	for id := from; len(back) < mostTakenBack; {
		if id == p.repo.Head {
			return back
		}
		c, err := p.db.Commits(id)
		if err != nil || len(c[0].Parents) == 0 || c[0].When.Before(head[0].When) {
			return nil // it is not behind
		}
		back, id = append(back, id), c[0].Parents[0]
	}
	return nil
}

// rebased is the branch that a rebase in progress will move; it still names the commits as they were.
func (p *place) rebased() string {
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		if name := p.gitFile(dir + "/head-name"); name != "" {
			return strings.TrimPrefix(strings.TrimSpace(name), "refs/heads/")
		}
	}
	return ""
}

// stoppedAt is the commit that a rebase has stopped at for the user to edit: what they make of it stands for it.
func (p *place) stoppedAt() gitexec.OID {
	if p.rebased() == "" {
		return "" // it may be one of an earlier rebase
	}
	return gitexec.OID(strings.TrimSpace(p.gitFile("REBASE_HEAD")))
}

// follow notes that HEAD moved by the commit that a hook is called for, so that the next one needn't ask, and whether the user took
// the link out of its message.
func (p *place) follow(head gitexec.Commit, left pending, linked bool) error {
	w := readWatch(p.repo.PrivateDir())
	was := w
	onward := left.ID != "" && left.Head == p.parentOf(head)
	if w.Head == p.parentOf(head) && w.Head != "" || onward && len(w.Away) == 0 {
		w.Head, w.Branch, w.Streams = head.ID, p.branchDigest(), nil
		if len(w.Away) > 0 && linked {
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
	return writeWatch(p.repo.PrivateDir(), w)
}

// remembers reports whether a session has work that its state doesn't tell of: on a stream to which the user has come back, or on none, which may come back.
func (p *place) remembers(s *session.State, w watch) bool {
	return slices.Contains(w.Streams, s.SessionID) || slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(w.Away, l.Commit) }) ||
		slices.ContainsFunc(s.Dismissed, func(d session.Dismissed) bool { return p.Now().Sub(d.When) <= session.Memory })
}

// remembered is the sessions' work that is on no stream: of commits that were taken back, and what was gone.
func (p *place) remembered(states []*session.State, w watch, changes []gitexec.Change) ([]condense.Work, error) {
	var works []condense.Work
	for _, s := range states {
		redone, err := condense.Redone(p.db, s,
			func(id gitexec.OID) bool { return slices.Contains(w.Away, id) },
			func(id gitexec.OID) bool { return slices.Contains(w.Here, id) })
		if err != nil {
			return nil, err
		}
		works = append(append(works, redone...), condense.BackAgain(s, changes)...)
	}
	return works, nil
}
