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

// headRecord is what HEAD was last in this worktree, and which of the sessions' linked commits were
// not in its history any more, because of a reset or of an amend that left work out. While HEAD
// only moves by commits that our hooks see, git need not be asked.
type headRecord struct {
	Head gitexec.OID `json:"head"`
	// Branch is the branchDigest of HEAD's branch; empty where it is not known or HEAD was
	// detached.
	Branch string        `json:"branch,omitempty"`
	Reset  []gitexec.OID `json:"reset,omitempty"`
	Here   []gitexec.OID `json:"here,omitempty"` // linked commits in HEAD's history; empty where none was reset
	// Streams names the sessions with work on HEAD's streams when HEAD moved there otherwise than
	// by a commit that our hooks saw. Their states name another base.
	Streams []string `json:"streams,omitempty"`
	// Declined is the commit at HEAD if the user removed its link from the message.
	Declined gitexec.OID `json:"declined,omitempty"`
}

// branchDigest replaces the branch's name in our files: a name may hold a secret, and it only needs
// to be compared.
func (p *history) branchDigest() string {
	if p.Repo.Branch == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.Repo.Branch))
	return hex.EncodeToString(sum[:8])
}

func headRecordFile(privateDir string) string { return filepath.Join(privateDir, "head.json") }

func readHeadRecord(privateDir string) headRecord {
	return readPrivate[headRecord](headRecordFile(privateDir))
}

func writeHeadRecord(privateDir string, record headRecord) error {
	return writePrivate(headRecordFile(privateDir), record)
}

// updateHeadRecord finds the linked commits that git reset removed from HEAD's history, since the
// user may commit their content again, and those that are in it. That no branch contains a commit
// is no evidence: its branch may have been merged on a server and deleted. It also returns the
// sessions, with those at rest where any commit was reset. It starts no process while HEAD has
// moved only by commits; else one that reads HEAD's reflog, a second where that shows a reset, and
// a third where a linked commit was reset.
func (p *history) updateHeadRecord(ctx context.Context, states []*session.State) (headRecord, []*session.State, error) {
	last := readHeadRecord(p.Repo.PrivateDir())
	rested := p.Store.Rested(p.Now().Add(-session.KeptFor))
	switch {
	case len(states) == 0 && !rested:
		return last, states, nil
	case last.Head == p.Head.ID && last.Head != "" && len(last.Reset) > 0 && rested:
		states, err := p.RecentSessions()
		return last, states, err
	case last.Head == p.Head.ID && last.Head != "":
		return last, states, nil
	}
	now := headRecord{Head: p.Head.ID, Branch: p.branchDigest(), Declined: last.Declined}
	var err error
	if now.Streams, err = p.sessionsAtHead(); err != nil {
		return last, nil, err
	}
	if linked, _ := session.LinkedCommits(states, p.Now()); len(linked) == 0 && !rested {
		return now, states, writeHeadRecord(p.Repo.PrivateDir(), now)
	}
	reset, err := p.resetCommits(ctx, last)
	if err != nil {
		return last, nil, err
	}
	if rested && (len(reset) > 0 || p.Repo.Operation().RebasedBranch() != "") {
		if states, err = p.RecentSessions(); err != nil {
			return last, nil, err
		}
	}
	linked, dropped := session.LinkedCommits(states, p.Now())
	now.Reset = lineage.Removed(linked, append(reset, dropped...))
	if stopped := p.Repo.Operation().StoppedAt(); slices.Contains(linked, stopped) && !slices.Contains(now.Reset, stopped) {
		now.Reset = append(now.Reset, stopped)
	}
	if now, err = now.withHere(ctx, p.Repo, linked); err != nil {
		return last, nil, err
	}
	return now, states, writeHeadRecord(p.Repo.PrivateDir(), now)
}

// withHere adds those of the linked commits that are in HEAD's history. One process, if any commit
// was reset.
func (r headRecord) withHere(ctx context.Context, repo *gitexec.Repo, linked []gitexec.OID) (headRecord, error) {
	if len(r.Reset) == 0 {
		return r, nil
	}
	elsewhere, err := repo.BeyondHistory(ctx, linked, 0)
	if err != nil {
		return r, err
	}
	r.Here = slices.DeleteFunc(linked, func(id gitexec.OID) bool { return slices.Contains(elsewhere, id) })
	r.Reset = slices.DeleteFunc(r.Reset, func(id gitexec.OID) bool { return slices.Contains(r.Here, id) })
	return r, nil
}

// withHistory adds the linked commits in the history of a commit that git replays here, as if they
// were reset, in the place of others that were and that have the same link. Nothing is written:
// they stay where they are. It also returns the sessions, with those at rest. Two processes at
// most.
func (p *history) withHistory(
	ctx context.Context, record headRecord, states []*session.State, replayed gitexec.OID,
) (headRecord, []*session.State, error) {
	if p.Store.Rested(p.Now().Add(-session.KeptFor)) {
		var err error
		if states, err = p.RecentSessions(); err != nil {
			return record, nil, err
		}
	}
	linked, _ := session.LinkedCommits(states, p.Now())
	if len(linked) == 0 {
		return record, states, nil
	}
	tips := []gitexec.OID{replayed}
	start, done := p.Repo.Operation().Rebased()
	if start != "" {
		tips = append(tips, start)
	}
	before, err := p.Repo.BeyondHistory(ctx, tips, mostResetCommits)
	if err != nil {
		return record, nil, err
	}
	before = slices.DeleteFunc(before, func(id gitexec.OID) bool { return slices.Contains(done, id) })
	record.Reset = lineage.Removed(linked, append(before, session.WithOtherLinks(states, record.Reset, before)...))
	record, err = record.withHere(ctx, p.Repo, linked)
	return record, states, err
}

// Limits: moves of HEAD that are read, and commits that were reset.
const mostMoves, mostResetCommits = 200, 500

// reflog is HEAD's reflog while HEAD was a commit.
type reflog struct {
	head  gitexec.OID
	moves []gitexec.HeadMove
}

// headMoves reads HEAD's reflog, newest entry first. One process, once.
func (p *history) headMoves(ctx context.Context) ([]gitexec.HeadMove, error) {
	if p.reflog.head == p.Head.ID {
		return p.reflog.moves, nil
	}
	moves, err := p.Repo.HeadMoves(ctx, mostMoves)
	if err == nil {
		p.reflog = reflog{p.Head.ID, moves}
	}
	return moves, err
}

// resetCommits lists the commits that reset, or a rebase that is under way, removed from HEAD's
// history, newest first. Where git keeps no reflog of HEAD, it compares with the last record of the
// same branch.
func (p *history) resetCommits(ctx context.Context, last headRecord) ([]gitexec.OID, error) {
	moves, err := p.headMoves(ctx)
	if err != nil {
		return nil, err
	}
	from := lineage.ResetFrom(moves)
	start, replayed := p.Repo.Operation().Rebased()
	if start != "" {
		from = append(from, start)
	}
	if len(moves) == 0 && last.Branch == p.branchDigest() && last.Head != "" && !last.Head.IsZero() {
		from = []gitexec.OID{last.Head}
	}
	if len(from) == 0 {
		return nil, nil
	}
	removed, err := p.Repo.BeyondHistory(ctx, from, mostResetCommits)
	return slices.DeleteFunc(removed, func(id gitexec.OID) bool { return slices.Contains(replayed, id) }), err
}

// sessionsAtHead names the sessions with work on a stream of this worktree at HEAD.
func (p *history) sessionsAtHead() ([]string, error) {
	listing, err := shadow.Probe(p.Repo, p.DB, p.Head.ID)
	if err != nil {
		return nil, err
	}
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	return p.sessionsOf(streams), err
}

// sessionsOnStreams names the sessions with work on any stream, of any base and worktree.
func (p *history) sessionsOnStreams(ctx context.Context) ([]string, error) {
	streams, err := shadow.ListTemporary(ctx, p.Repo, p.DB)
	return p.sessionsOf(streams), err
}

func (p *history) sessionsOf(streams []shadow.Stream) []string {
	var all []string
	for _, s := range streams {
		if sessions, err := s.Sessions(p.DB); err == nil { // an unreadable stream is skipped
			all = append(all, sessions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// recordCommit records that HEAD moved by the commit that a hook is called for, so that the next
// hook need not ask git, and whether the user removed the link from its message.
func (p *history) recordCommit(head gitexec.Commit, pending pendingLink, linked bool) error {
	record := readHeadRecord(p.Repo.PrivateDir())
	before := record
	expected := pending.ID != "" && pending.Head == p.parentOf(head)
	if record.Head == p.parentOf(head) && record.Head != "" || expected && len(record.Reset) == 0 {
		record.Head, record.Branch, record.Streams = head.ID, p.branchDigest(), nil
		if len(record.Reset) > 0 && linked {
			record.Here = append(record.Here, head.ID)
		}
	}
	switch {
	case expected && !linked:
		record.Declined = head.ID
	case linked, record.Declined == p.parentOf(head): // an amended commit stays declined: see postRewrite
		record.Declined = ""
	}
	if record.Head == before.Head && record.Branch == before.Branch && record.Declined == before.Declined {
		return nil
	}
	return writeHeadRecord(p.Repo.PrivateDir(), record)
}

func (r headRecord) wasReset(id gitexec.OID) bool { return slices.Contains(r.Reset, id) }

// workOffStreams is the sessions' work that is on no stream: that of reset commits, and discarded
// work.
func (p *history) workOffStreams(states []*session.State, parent gitexec.OID, record headRecord, changes []gitexec.Change) ([]condense.Work, error) {
	var all []condense.Work
	for _, s := range states {
		reset, err := works.OfResets(p.DB, s, parent, record.wasReset, func(id gitexec.OID) bool { return slices.Contains(record.Here, id) })
		if err != nil {
			return nil, err
		}
		all = append(append(all, reset...), condense.RestoredContent(s, changes)...)
	}
	return all, nil
}
