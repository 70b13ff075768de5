package commits

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
)

// replayed finds of what git made commits in turns.
type replayed struct {
	run    *workspace.Run
	states []*session.State
	near   map[string][]gitexec.Commit // by session: what was there when its turn began, or is judged
}

// sidesOf are the commits of which an agent had git make one: no more is known of them than that
// they have none of its new work. own is false where the commit has nothing of the agents', or what
// git made it of is not known: its lines may be anybody's. Two processes for each agent.
func (r *replayed) sidesOf(ctx context.Context, u moves.Unseen, agents []string) (sides []gitexec.OID, own bool, err error) {
	made := u.Commit()
	if !u.Replay {
		return nil, true, nil
	}
	if len(made.Parents) > 1 {
		sides = slices.Clone(made.Parents[1:])
	}
	for _, s := range r.states {
		if !slices.Contains(agents, s.SessionID) {
			continue
		}
		if _, read := r.near[s.SessionID]; !read {
			if r.near[s.SessionID], err = r.notOf(ctx, s); err != nil {
				return nil, false, err
			}
		}
		own = own || authoredIn(s, made)
		for _, c := range r.near[s.SessionID] {
			own = own || isReplayOf(made, c)
			sides = sets.With(sides, c.ID)
		}
	}
	return sides, own, nil
}

// notOf are the commits that have no new work of a session's turn: those that were there when it
// began, and those since that hooks ran for, in any worktree. What these have was compared then.
func (r *replayed) notOf(ctx context.Context, s *session.State) ([]gitexec.Commit, error) {
	near, err := PlaceOf(r.run).NearCommits(ctx, s)
	if err != nil || s.LastInteractionTime == nil {
		return near, err
	}
	entries, err := journal.Read(r.run.Repo.SharedDir())
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e journal.Entry) bool {
		return e.Hook != "post-commit" || e.Time.Before(*s.LastInteractionTime)
	})
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(ran(entries))), func(id gitexec.OID) bool { return !gitexec.ValidOID(string(id)) })
	judged, err := r.run.DB.Readable(ids...)
	return append(near, judged...), err
}

// authoredIn reports whether a commit has its author's time from a session's turn, as a merge has,
// and a pick or a rebase of what was committed in it.
func authoredIn(s *session.State, c gitexec.Commit) bool {
	seconds, _, _ := strings.Cut(c.AuthorDate, " ")
	when, err := strconv.ParseInt(seconds, 10, 64)
	return err == nil && s.LastInteractionTime != nil && when >= s.LastInteractionTime.Unix()
}

// isReplayOf reports whether a pick or a rebase made a commit of another one: it keeps the author,
// and the subject.
func isReplayOf(made, c gitexec.Commit) bool {
	return made.Author == c.Author && made.AuthorDate == c.AuthorDate && subjectOf(made) == subjectOf(c)
}
