package commits

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
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
func branchDigest(repo *gitexec.Repo) string {
	if repo.Branch == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(repo.Branch))
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
func updateHeadRecord(ctx context.Context, run *workspace.Run, states []*session.State) (headRecord, []*session.State, error) {
	last := readHeadRecord(run.Repo.PrivateDir())
	rested := run.Store.Rested(run.Now().Add(-session.KeptFor))
	// Without any session nothing can have been reset. Where HEAD is as it was seen, the record
	// holds, and only its reset commits need the states of sessions at rest.
	switch seen := last.Head == run.Head.ID && last.Head != ""; {
	case len(states) == 0 && !rested, seen && !(len(last.Reset) > 0 && rested):
		return last, states, nil
	case seen:
		states, err := run.RecentSessions()
		return last, states, err
	}
	now := headRecord{Head: run.Head.ID, Branch: branchDigest(run.Repo), Declined: last.Declined}
	var err error
	// HEAD went back to a base with streams: their sessions' states name a later one.
	if now.Streams, err = sessionsAtHead(run); err != nil {
		return last, nil, err
	}
	if linked, _ := session.LinkedCommits(states, run.Now()); len(linked) > 0 || rested {
		if states, err = now.findReset(ctx, run, last, states, rested); err != nil {
			return last, nil, err
		}
	}
	return now, states, writeHeadRecord(run.Repo.PrivateDir(), now)
}

// findReset finds which of the sessions' linked commits were reset, and which are in HEAD's
// history.
func (r *headRecord) findReset(ctx context.Context, run *workspace.Run, last headRecord, states []*session.State, rested bool) ([]*session.State, error) {
	reset, err := resetCommits(ctx, run, last)
	if err != nil {
		return nil, err
	}
	// Sessions at rest may be hundreds: their states are read only if a commit of theirs may have
	// been reset.
	if rested && (len(reset) > 0 || run.Repo.Operation().RebasedBranch() != "") {
		if states, err = run.RecentSessions(); err != nil {
			return nil, err
		}
	}
	// Dropped ones count like reset ones: an amend left out work, which a later commit may take in.
	linked, dropped := session.LinkedCommits(states, run.Now())
	r.Reset = moves.Removed(linked, append(reset, dropped...))
	// A rebase that has stopped to edit a commit: the user may reset it and commit its content in
	// parts.
	if stopped := run.Repo.Operation().StoppedAt(); slices.Contains(linked, stopped) && !slices.Contains(r.Reset, stopped) {
		r.Reset = append(r.Reset, stopped)
	}
	*r, err = r.withHere(ctx, run.Repo, linked)
	return states, err
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
	// HEAD may have come back to it, as by `git reset --hard ORIG_HEAD`.
	r.Reset = slices.DeleteFunc(r.Reset, func(id gitexec.OID) bool { return slices.Contains(r.Here, id) })
	return r, nil
}

// withHistory adds the linked commits in the history of a commit that git replays here, as if they
// were reset, in the place of others that were and that have the same link. Nothing is written:
// they stay where they are. It also returns the sessions, with those at rest. Two processes at
// most.
func withHistory(
	ctx context.Context, run *workspace.Run, record headRecord, states []*session.State, replayed gitexec.OID,
) (headRecord, []*session.State, error) {
	if run.Store.Rested(run.Now().Add(-session.KeptFor)) {
		var err error
		if states, err = run.RecentSessions(); err != nil {
			return record, nil, err
		}
	}
	linked, _ := session.LinkedCommits(states, run.Now())
	if len(linked) == 0 {
		return record, states, nil
	}
	tips := []gitexec.OID{replayed}
	start, done := run.Repo.Operation().Rebased()
	if start != "" {
		tips = append(tips, start)
	}
	before, err := run.Repo.BeyondHistory(ctx, tips, mostResetCommits)
	if err != nil {
		return record, nil, err
	}
	// What the rebase has replayed already doesn't count again.
	before = slices.DeleteFunc(before, func(id gitexec.OID) bool { return slices.Contains(done, id) })
	record.Reset = moves.Removed(linked, append(before, session.WithOtherLinks(states, record.Reset, before)...))
	record, err = record.withHere(ctx, run.Repo, linked)
	return record, states, err
}

// mostResetCommits is how many commits that were reset are looked at, in one process: their IDs are
// compared with those of the sessions' links, 50 each. Those of which a longer reset took out more
// are older, and their links count as not reset: what is committed of them again has a new link.
const mostResetCommits = 500

// resetCommits lists the commits that reset, or a rebase that is under way, removed from HEAD's
// history, newest first. Where git keeps no reflog of HEAD, it compares with the last record of the
// same branch.
func resetCommits(ctx context.Context, run *workspace.Run, last headRecord) ([]gitexec.OID, error) {
	reflog, err := run.HeadMoves(ctx)
	if err != nil {
		return nil, err
	}
	from := moves.ResetFrom(reflog)
	start, replayed := run.Repo.Operation().Rebased()
	if start != "" {
		from = append(from, start)
	}
	// core.logAllRefUpdates is off. On another branch the last HEAD says nothing: it was left, and
	// not reset.
	if len(reflog) == 0 && last.Branch == branchDigest(run.Repo) && last.Head != "" && !last.Head.IsZero() {
		from = []gitexec.OID{last.Head}
	}
	if len(from) == 0 {
		return nil, nil
	}
	removed, err := run.Repo.BeyondHistory(ctx, from, mostResetCommits)
	return slices.DeleteFunc(removed, func(id gitexec.OID) bool { return slices.Contains(replayed, id) }), err
}

// sessionsAtHead names the sessions with work on a stream of this worktree at HEAD.
func sessionsAtHead(run *workspace.Run) ([]string, error) {
	listing, err := shadow.Probe(run.Repo, run.DB, run.Head.ID)
	if err != nil {
		return nil, err
	}
	streams, err := listing.Streams(run.DB, run.Head.ID, run.Repo.WorktreeID())
	return sessionsOf(run.DB, streams), err
}

// SessionsOnStreams names the sessions with work on any stream, of any base and worktree.
func SessionsOnStreams(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) ([]string, error) {
	streams, err := shadow.ListTemporary(ctx, repo, db)
	return sessionsOf(db, streams), err
}

func sessionsOf(db *gitexec.ODB, streams []shadow.Stream) []string {
	var all []string
	for _, s := range streams {
		if sessions, err := s.Sessions(db); err == nil { // an unreadable stream is skipped
			all = append(all, sessions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// recordCommit records that HEAD moved by the commit that a hook is called for, so that the next
// hook need not ask git, and whether the user removed the link from its message.
func recordCommit(repo *gitexec.Repo, head gitexec.Commit, pending PendingLink, linked bool) error {
	before := readHeadRecord(repo.PrivateDir())
	expected := pending.ID != "" && pending.Head == ParentOf(repo, head)
	after := before.moveTo(head.ID, ParentOf(repo, head), branchDigest(repo), expected, linked)
	if after.Head == before.Head && after.Branch == before.Branch && after.Declined == before.Declined {
		return nil
	}
	return writeHeadRecord(repo.PrivateDir(), after)
}

// moveTo is the record once HEAD has moved by a commit from its parent. expected says that
// prepare-commit-msg gave out a link for it, and linked that it has one.
func (r headRecord) moveTo(head, parent gitexec.OID, branch string, expected, linked bool) headRecord {
	// The record goes on where it knows what HEAD was. If not, prepare-commit-msg has just seen
	// HEAD: nothing was reset since, if nothing was then.
	if r.Head == parent && r.Head != "" || expected && len(r.Reset) == 0 {
		r.Head, r.Branch, r.Streams = head, branch, nil
		if len(r.Reset) > 0 && linked {
			r.Here = append(slices.Clone(r.Here), head)
		}
	}
	switch {
	// The user deleted the trailer in the editor. An amend of the commit asks for none again.
	case expected && !linked:
		r.Declined = head
	case linked, r.Declined == parent: // an amended commit stays declined: see rewritten
		r.Declined = ""
	}
	return r
}

// rewritten is the record once git has rewritten commits. changed is false where it names none of
// them.
func (r headRecord) rewritten(successors map[gitexec.OID]gitexec.OID) (after headRecord, changed bool) {
	if to := successors[r.Declined]; to != "" {
		r.Declined, changed = to, true
	}
	if successors[r.Head] != "" { // a reset may go back there: then the successors are unreachable
		r.Head, r.Branch, changed = "", "", true
	}
	return r, changed
}

func (r headRecord) wasReset(id gitexec.OID) bool { return slices.Contains(r.Reset, id) }

// workOffStreams is the sessions' work that is on no stream: that of reset commits, and discarded
// work.
func workOffStreams(db *gitexec.ODB, states []*session.State, parent gitexec.OID, record headRecord, changes []gitexec.Change) ([]condense.Work, error) {
	var all []condense.Work
	for _, s := range states {
		reset, err := works.OfResets(db, s, parent, record.wasReset, func(id gitexec.OID) bool { return slices.Contains(record.Here, id) })
		if err != nil {
			return nil, err
		}
		discarded, err := works.OfDiscarded(db, s, changes)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, reset, condense.RestoredContent(s, changes), discarded)
	}
	return all, nil
}
