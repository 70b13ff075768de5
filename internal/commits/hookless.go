package commits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// mostHookless is how much of HEAD's history is searched for such commits, whenever HEAD is another
// one than was seen last. Each commit is an object that is read. A client without hooks that
// commits more often between two events of an agent, or two commands, loses the links of the first
// ones.
const mostHookless = 100

// LinkHookless finds the commits that were made without hooks since HEAD was last seen, compares
// them with the sessions' work, and writes a checkpoint and a side link for those that hold some.
// It returns how many these are. No process while HEAD moves only by commits that our hooks see;
// else one that reads HEAD's reflog, and those of post-commit for each commit.
func LinkHookless(ctx context.Context, run *workspace.Run) (linked int, err error) {
	brought, err := finishIdle(ctx, run)
	if err != nil {
		return brought, err
	}
	linked, err = linkUnseen(ctx, run)
	return brought + linked, err
}

// linkUnseen is LinkHookless for the commits that no stub saw either.
func linkUnseen(ctx context.Context, run *workspace.Run) (linked int, err error) {
	dir := run.Repo.PrivateDir()
	seen := ReadSeenHead(dir)
	// In the middle of a rebase, a pick or a merge git's hooks are still to run.
	if op := run.Repo.Operation(); !seen.movedTo(run.Head.ID) || op.Replays() || op.Concludes() {
		return 0, nil
	}
	states, err := run.Sessions()
	from, err2 := mayComeHere(run.Repo, run.Store)
	if err = errors.Join(err, err2); err != nil {
		return 0, err
	}
	// HEAD was never seen, as right after enable: what is there by now is not compared.
	if seen.Head == "" || !mayHoldWork(readHeadRecord(dir), run.Now(), states, from) {
		return 0, seen.Write(dir, run.Head.ID)
	}
	found, err := hooklessSince(ctx, run, sets.Union(states, from), seen)
	if err != nil {
		return 0, err
	}
	if hooksMayRun(run, found) {
		return 0, nil
	}
	linked, waits, err := linkEach(ctx, run, states, found)
	if err != nil || waits {
		return linked, err
	}
	// HEAD counts as seen only when all commits up to it were compared: an error, or a turn whose
	// transcript isn't written yet, leaves them for the next event.
	return linked, seen.Write(dir, run.Head.ID)
}

// hooksMayRun reports whether another git process may be about to run the hooks of the commits.
func hooksMayRun(run *workspace.Run, found []moves.Unseen) bool {
	return len(found) > 0 && len(ancestry.Commands(run.Ancestors())) == 0 && run.ConcurrentGit() != ""
}

// linkEach compares the commits in their order, and returns how many it linked. waits says that one
// is to be compared again, since the transcript of a turn in progress may not say yet who makes it.
func linkEach(ctx context.Context, run *workspace.Run, states []*session.State, found []moves.Unseen) (linked int, waits bool, err error) {
	replays := replayed{run, states, map[string][]gitexec.Commit{}}
	for i, by := range committersOf(ctx, states, found) {
		sides, own, err := replays.sidesOf(ctx, found[i], by.agents)
		done := false
		if err == nil && own { // else it has the links of what git made it of, and brings no work
			done, err = linkBeside(ctx, run, found[i], by, sides)
		}
		if gitexec.IsMissing(err) {
			// Retrying does not bring the objects back.
			run.WarnLater(fmt.Sprintf("commit %s ran no hook, and cannot be compared: %s", found[i].Commit().ID.Short(), explain.OneLine(err)))
			continue
		}
		if err != nil {
			return linked, false, err
		}
		if done {
			linked++
		}
		// A commit that was found not to be a session's, in its turn: once the transcript has the
		// command, it may be. What git made of others is compared once.
		waits = waits || !done && by.inTurn && !found[i].Replay
	}
	return linked, waits, nil
}

// mayHoldWork reports whether a commit since HEAD was seen may concern the sessions: it may hold
// their work, or lines of their linked commits, or be an amend of one. elsewhere are the sessions
// with work in other worktrees.
func mayHoldWork(record headRecord, now time.Time, states, elsewhere []*session.State) bool {
	return len(elsewhere) > 0 || slices.ContainsFunc(states, func(s *session.State) bool {
		return len(s.Linked) > 0 || condense.MayHaveWork(s, record.Streams, record.wasReset, now)
	})
}

// hooklessSince lists the commits, oldest first. Of those that git made of others, an agent in its
// turn may have made some: their own lines, as what resolves a conflict, are new there.
func hooklessSince(ctx context.Context, run *workspace.Run, states []*session.State, seen SeenHead) ([]moves.Unseen, error) {
	reflog, err := run.HeadMoves(ctx)
	if err != nil {
		return nil, err
	}
	made, replays := moves.MadeSince(reflog, seen.First, seen.Head, run.Head.ID), moves.ReplaysSince(reflog, seen.Head)
	ran, err := HooksRan(run.Repo.SharedDir())
	if err != nil {
		return nil, err
	}
	// The common case ends here: each commit that the reflog names had its hooks.
	made = slices.DeleteFunc(made, func(m moves.Made) bool { return m.Known && ran[m.Commit] })
	replays = slices.DeleteFunc(replays, func(id gitexec.OID) bool { return ran[id] })
	if len(made)+len(replays) == 0 {
		return nil, nil
	}
	line, err := run.DB.Ancestors(run.Head.ID, mostHookless)
	if err != nil {
		return nil, err
	}
	found := append(moves.InHistory(made, line, seen.Head), moves.ReplaysIn(line, replays)...)
	slices.SortFunc(found, func(a, b moves.Unseen) int { return b.At - a.At })
	return withoutHooks(found, states, ran), nil
}

// madeSinceSeen lists what moved HEAD and may be commits that no hook ran for. One process, once.
func madeSinceSeen(ctx context.Context, run *workspace.Run, seen SeenHead) ([]moves.Made, error) {
	reflog, err := run.HeadMoves(ctx)
	if err != nil {
		return nil, err
	}
	return moves.MadeSince(reflog, seen.First, seen.Head, run.Head.ID), nil
}

// withoutHooks leaves of the commits of a history those that no hook ran for, and before which a
// session had begun. A merge is one that was concluded here.
func withoutHooks(unseen []moves.Unseen, states []*session.State, ran map[gitexec.OID]bool) []moves.Unseen {
	return slices.DeleteFunc(unseen, func(u moves.Unseen) bool {
		return beforeAll(states, u.Commit()) || len(u.Commit().Parents) > 1 && !u.Replay || ran[u.Commit().ID]
	})
}

// beforeAll reports whether all sessions started after a commit: no work of theirs can be in it.
func beforeAll(states []*session.State, c gitexec.Commit) bool {
	return !slices.ContainsFunc(states, func(s *session.State) bool { return !startedAfter(s, c) })
}

// startedAfter reports whether a session started after a commit, whose time is in seconds.
func startedAfter(s *session.State, c gitexec.Commit) bool { return s.StartedAt.Unix() > c.When.Unix() }

// HooksRan lists the commits that post-commit ran for without an error, that were compared later,
// or that we made ourselves, as far as the journal goes back: two files of 1 MB.
func HooksRan(sharedDir string) (map[gitexec.OID]bool, error) {
	entries, err := journal.Read(sharedDir)
	return ran(entries), err
}

func ran(entries []journal.Entry) map[gitexec.OID]bool {
	ran := map[gitexec.OID]bool{}
	for _, e := range entries {
		// A post-commit that failed is as none: the commit is compared again.
		if e.Hook == "post-commit" && e.Error == "" || e.Hook == journal.NoHook {
			ran[gitexec.OID(e.Commit)] = true
		}
		if e.Made != "" {
			ran[gitexec.OID(e.Made)] = true
		}
	}
	return ran
}

// committer says who made a commit.
type committer struct {
	agents []string // the sessions whose agent did
	inTurn bool     // a turn was in progress
}

// turnCommands are the commands that a transcript has of a session's turn in progress; err is why
// they can't be read.
type turnCommands struct {
	session string
	ran     transcript.Commands
	err     error
}

// committersOf finds out who made the commits, by the transcripts of the turns in progress.
func committersOf(ctx context.Context, states []*session.State, found []moves.Unseen) []committer {
	turns := make([][]turnCommands, len(found))
	for _, s := range states {
		var turn *turnCommands
		for i, h := range found {
			if !madeIn(h, s) {
				continue
			}
			// A transcript is read once for all commits of its turn.
			if turn == nil {
				ran, err := transcript.CommandsRun(ctx, s.TranscriptPath, subjectsSince(h.Line, s.TurnStartCommit))
				turn = &turnCommands{s.SessionID, ran, err}
			}
			turns[i] = append(turns[i], *turn)
		}
	}
	all := make([]committer, len(found))
	for i, h := range found {
		all[i] = madeBy(h, turns[i])
	}
	return all
}

// madeBy says who made the commit, of the turns that it was made in. An agent made it if the
// transcript has it: its subject in a command that commits, or what git printed of it. Where none
// has it, a transcript that has such commands, and names no commit of the turn, says that the agent
// made all of them: of another one such a command may be about to commit. Where no transcript
// tells, what was done in the turn is the agent's, as at the turn's end.
func madeBy(h moves.Unseen, turns []turnCommands) committer {
	by := committer{inTurn: len(turns) > 0}
	var likely, unknown []string
	for _, turn := range turns {
		switch ran := turn.ran; {
		// It can't be read, or has neither a prompt nor an answer: then it tells nothing.
		case turn.err != nil || !ran.Told && !ran.Prompt:
			unknown = append(unknown, turn.session)
		case slices.Contains(ran.Named, string(h.Commit().ID)):
			by.agents = append(by.agents, turn.session)
		case ran.Commit && len(ran.Named) == 0, h.Replay && ran.Replay:
			likely = append(likely, turn.session)
		}
	}
	if len(by.agents) == 0 {
		by.agents = likely
	}
	// Only of a commit that the reflog calls one: what a pull brought is no agent's for want of a
	// transcript.
	if len(by.agents) == 0 && h.Known {
		by.agents = unknown
	}
	return by
}

// subjectsSince lists the subjects of the commits after one of a history, or of all, by their IDs.
func subjectsSince(line []gitexec.Commit, id gitexec.OID) map[string]string {
	subjects := map[string]string{}
	for _, c := range line {
		if c.ID == id {
			break
		}
		subjects[string(c.ID)] = subjectOf(c)
	}
	return subjects
}

func subjectOf(c gitexec.Commit) string {
	subject, _, _ := strings.Cut(string(c.Message), "\n")
	return subject
}

// madeIn reports whether the commit was made in a session's turn in progress.
func madeIn(h moves.Unseen, s *session.State) bool {
	if h.Replay && (s.LastInteractionTime == nil || s.LastInteractionTime.Unix() > h.Commit().When.Unix()) {
		return false // it may have been on another branch before
	}
	return s.Phase == session.Active && !startedAfter(s, h.Commit()) && madeSince(h, s)
}

// madeSince reports whether the commit was made after the session's turn began.
func madeSince(h moves.Unseen, s *session.State) bool {
	switch {
	// It comes after what HEAD was when the turn began, or replaces it.
	case h.IsAfter(s.TurnStartCommit) || h.Amends == s.TurnStartCommit && h.Amends != "":
		return true
	case h.NotYet(s.TurnStartCommit) || s.LastInteractionTime == nil:
		return false
	}
	return s.LastInteractionTime.Unix() <= h.Commit().When.Unix() // HEAD was on another branch
}
