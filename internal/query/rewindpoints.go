package query

import (
	"context"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// RewindPoint is a checkpoint to rewind to (seed 004, RewindPoint).
type RewindPoint struct {
	ID               string      `json:"id"` // of the checkpoint's commit on a stream, or of a committed checkpoint
	Message          string      `json:"message"`
	Date             time.Time   `json:"date"`
	Part             shadow.Part `json:"part,omitempty"` // of a checkpoint on a stream
	Stream           string      `json:"stream,omitempty"`
	IsTaskCheckpoint bool        `json:"is_task_checkpoint"`
	ToolUseID        string      `json:"tool_use_id,omitempty"`
	IsLogsOnly       bool        `json:"is_logs_only"` // only the conversation is restored; git has the files
	CheckpointID     string      `json:"checkpoint_id,omitempty"`
	Commit           gitexec.OID `json:"commit,omitempty"` // the latest that links it
	Agent            string      `json:"agent,omitempty"`
	SessionID        string      `json:"session_id"`
	SessionPrompt    string      `json:"session_prompt,omitempty"` // the first of the session, likewise in a line of at most 60 characters
	TurnID           string      `json:"turn_id,omitempty"`
	// Files are those that differ from the checkpoint before, or that a committed one lists.
	Files []gitexec.Path `json:"files"`
	Here  bool           `json:"-"` // the worktree is as it was then; see MarkHere

	trees gitexec.Trees // before it, and at it; zero of a committed one
}

// PointOnStream is the point of a checkpoint on a stream.
func PointOnStream(k shadow.Checkpoint) RewindPoint {
	return RewindPoint{ID: string(k.ID), Message: k.Subject, Date: k.When, Part: k.Part,
		IsTaskCheckpoint: k.Task != "", ToolUseID: k.Task, SessionID: k.Session, TurnID: k.Turn,
		Files: []gitexec.Path{}, trees: gitexec.Trees{Old: k.Before, New: k.Tree}}
}

// RewindPoints opens the repository, and lists the checkpoints as Reader.RewindPoints does.
func (e Source) RewindPoints(ctx context.Context, most int) ([]RewindPoint, error) {
	r, err := e.OpenFor(ctx, Selection{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.RewindPoints(ctx, most)
}

// RewindPoints lists the checkpoints of this worktree's streams on HEAD, and then those of the
// latest commits in HEAD's history; newest first.
func (r *Reader) RewindPoints(ctx context.Context, most int) ([]RewindPoint, error) {
	listing, err := shadow.List(ctx, r.Repo)
	if err == nil {
		listing, err = listing.WithLegacy(r.DB)
	}
	if err != nil {
		return nil, err
	}
	streams, err := listing.Streams(r.DB, r.Repo.Head.ID, r.Repo.WorktreeID())
	if err != nil {
		return nil, err
	}
	firstPrompts, agents := promptsAndAgents(r.States())
	points := []RewindPoint{}
	for _, s := range streams {
		history, err := s.History(r.DB)
		if err != nil {
			return nil, err
		}
		// The sort below is stable.
		for _, k := range slices.Backward(history) { // within a second, the later one first
			one := PointOnStream(k)
			one.Stream, one.SessionPrompt, one.Agent = s.String(), firstPrompts[k.Session], agents[k.Session]
			points = append(points, one)
		}
	}
	committed, err := committedPoints(ctx, r, most)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(points, func(a, b RewindPoint) int { return b.Date.Compare(a.Date) })
	points = append(points, committed...)
	if most > 0 {
		points = points[:min(most, len(points))]
	}
	return points, addFiles(r.DB, points)
}

// addFiles lists the files of checkpoints on streams.
func addFiles(db *gitexec.ODB, points []RewindPoint) error {
	var at []int
	var trees []gitexec.Trees
	for i, k := range points {
		if k.trees.New != "" {
			at, trees = append(at, i), append(trees, k.trees)
		}
	}
	all, err := db.DiffEach(shadow.MetadataDir, trees...)
	for i, changes := range all {
		for _, c := range changes {
			points[at[i]].Files = append(points[at[i]].Files, c.Path)
		}
	}
	return err
}

// MarkHere marks the latest checkpoint at which the worktree was as it is: tree, of the snapshot of
// now.
func MarkHere(r *Reader, points []RewindPoint, tree gitexec.OID) error {
	for i := range points {
		if points[i].trees.New == "" {
			// Nothing is uncommitted: the worktree is as HEAD's commit.
			points[i].Here = points[i].Commit == r.Repo.Head.ID && tree == r.Repo.Head.Tree
		} else {
			// The metadata of the session is in the stream's trees, and not in the worktree.
			changes, err := r.DB.DiffEach(shadow.MetadataDir, gitexec.Trees{Old: points[i].trees.New, New: tree})
			if err != nil {
				return err
			}
			points[i].Here = len(changes[0]) == 0
		}
		if points[i].Here {
			// The latest one alone: earlier ones may be the same, as after an undo.
			break
		}
	}
	return nil
}

// promptsAndAgents reads the sessions' first prompts and agents from their states.
func promptsAndAgents(from session.Store) (prompts, agents map[string]string) {
	prompts, agents = map[string]string{}, map[string]string{}
	states, _ := from.All() // an unreadable one has no prompt
	for _, s := range states {
		prompts[s.SessionID], agents[s.SessionID] = s.FirstPrompt, s.AgentType
	}
	return prompts, agents
}

func committedPoints(ctx context.Context, r *Reader, most int) ([]RewindPoint, error) {
	commits, err := r.Select(ctx, Selection{Walk: true, Most: most})
	if err != nil {
		return nil, err
	}
	usual, err := r.Repo.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	var points []RewindPoint
	listed := map[string]bool{}
	for _, c := range commits {
		for _, id := range r.Branch.Links(r.DB, c) {
			// Newest first: of several commits that link it, this is the latest.
			if listed[id] {
				continue
			}
			listed[id] = true
			content, _ := checkpoints.ReadFirst(r.DB, r.Branch, id)
			if content == nil {
				continue // missing or damaged: show reports it
			}
			one := committedPoint(c, id, content)
			// A commit of the user's own is not undone by a rewind: git has other commands for
			// that.
			one.IsLogsOnly = !MayMoveBack(r.Repo.Branch, usual, content.Metadata.Strategy)
			if summary, _ := checkpoints.ReadCommitted(r.DB, r.Branch, id); summary != nil {
				one.Files = append(one.Files, summary.FilesTouched...)
			}
			points = append(points, one)
		}
	}
	return points, nil
}

// committedPoint is the point of a committed checkpoint, by its first session's part.
func committedPoint(c gitexec.Commit, id string, content *checkpoints.SessionContent) RewindPoint {
	m := content.Metadata
	one := RewindPoint{ID: id, CheckpointID: id, Commit: c.ID, Message: subject(c), Date: c.When, SessionID: m.SessionID,
		Agent: m.Agent, TurnID: m.TurnID, Files: []gitexec.Path{}}
	one.Prompted(content)
	return one
}

// Prompted describes the checkpoint by its last prompt: commits of several have one subject.
func (k *RewindPoint) Prompted(content *checkpoints.SessionContent) {
	if words := conversation.Split(content.Prompts); len(words) > 0 {
		k.Message, k.SessionPrompt = shadow.Describe(words[len(words)-1]), shadow.Describe(words[0])
	}
}

// MayMoveBack reports whether a rewind to a committed checkpoint may move the branch, a ref: a turn
// made its commit, and the branch is not the default one, whose short name is empty if it is not
// known.
func MayMoveBack(branch, usual, strategy string) bool {
	return strategy == settings.AutoCommit && branch != "" && usual != "" && branch != "refs/heads/"+usual
}
