package commits

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
)

// replayed finds of what git made commits in turns.
type replayed struct {
	run    *workspace.Run
	states []*session.State
	near   map[string][]gitexec.Commit // by session: what was there when its turn began
}

// sidesOf are the commits of which an agent had git make one: no more is known of them than that
// they were there before. own is false where the commit has nothing of the agents', or what git
// made it of is not known: its lines may be anybody's. Two processes for each agent.
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
			near, err := PlaceOf(r.run).NearCommits(ctx, s)
			if err != nil {
				return nil, false, err
			}
			r.near[s.SessionID] = near
		}
		own = own || authoredIn(s, made)
		for _, c := range r.near[s.SessionID] {
			own = own || isReplayOf(made, c)
			sides = sets.With(sides, c.ID)
		}
	}
	return sides, own, nil
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
