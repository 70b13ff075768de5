package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// transcriptPatience is how long a turn's end waits for the transcript's last lines to reach the disk.
const transcriptPatience = 150 * time.Millisecond

// TurnEvent is what an agent says about a session, whichever agent it is.
type TurnEvent struct {
	SessionID      string
	TranscriptPath string // absolute, may be empty
	Prompt         string
	Model          string
	Agent          string // for people: "Claude Code"
}

// sessionStart notes that a session exists, and who the user is. Two processes.
func (p *place) sessionStart(ctx context.Context, e TurnEvent) (string, error) {
	name, email, err := p.repo.User(ctx)
	if err != nil {
		p.warn(oneLine(err)) // no identity is set: commits of ours get one of our own
	}
	err = p.locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		s.AuthorName, s.AuthorEmail = name, email
		s.Apply(session.SessionStart, p.Now())
		return p.store.Save(s)
	})
	return "session known", err
}

// turnStart takes the snapshot that tells the agent's work from what was there before. Six processes, one if the worktree is clean.
func (p *place) turnStart(ctx context.Context, e TurnEvent) (string, error) {
	if err := p.settle(ctx); err != nil {
		p.warn(oneLine(err))
	}
	snap, err := shadow.TakeSnapshot(ctx, p.repo, p.db, p.settings.MaxUntrackedBytes)
	if err != nil {
		return "", err
	}
	outcome := "turn started"
	err = p.locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			// The agent died, or was stopped, after it had made commits: they get their transcript now.
			if err := p.finalize(ctx, s); err != nil {
				return err
			}
		}
		interrupted := s.Phase == session.Active && s.TurnStartTree != ""
		s.Apply(session.TurnStart, p.Now())
		s.TurnID = p.NewID()
		if interrupted {
			// No stop came for the turn before, and what the agent did in it is in no checkpoint: it goes on.
			outcome = "turn started; the interrupted one before it goes on in it"
		} else {
			s.TurnStartTree, s.TurnStartCommit = snap.Tree, p.repo.Head
		}
		s.LeftOut = snap.LeftOut
		if e.Prompt != "" {
			if err := p.store.AddPrompt(s.SessionID, e.Prompt); err != nil {
				return err
			}
			s.LastPrompt = shadow.Describe(e.Prompt)
			if s.FirstPrompt == "" {
				s.FirstPrompt = s.LastPrompt
			}
		}
		return p.store.Save(s)
	})
	return outcome, err
}

// turnEnd writes the turn's checkpoint: the human's part, if there is one, and the agent's, on the stream that the work
// belongs to; and gives the checkpoints that were committed in the middle of the turn their whole transcript.
func (p *place) turnEnd(ctx context.Context, e TurnEvent, event session.Event) (string, error) {
	if err := p.settle(ctx); err != nil {
		p.warn(oneLine(err))
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		if e.TranscriptPath != "" {
			transcript.Wait(ctx, e.TranscriptPath, transcriptPatience)
		}
	}()
	snap, err := shadow.TakeSnapshot(ctx, p.repo, p.db, p.settings.MaxUntrackedBytes)
	<-waited
	if err != nil {
		return "", err
	}
	outcome := ""
	err = p.locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		turn, err := p.turnOf(s, snap)
		if err != nil {
			return err
		}
		if len(turn.touched) == 0 && len(s.TurnCheckpointIDs) == 0 {
			outcome = "turn ended, nothing changed"
			p.ended(s, snap, event)
			return p.store.Save(s)
		}
		outcome, err = p.checkpointTurn(ctx, s, turn, event)
		return err
	})
	return outcome, err
}

// turn is what a turn did.
type turn struct {
	snap    shadow.Snapshot
	before  gitexec.OID    // the worktree as it was when the turn began, on the present HEAD
	touched []gitexec.Path // by the agent, and not committed
}

// turnOf tells the agent's part of the turn: the difference between the snapshots at its start and its end, less what
// HEAD holds just so when HEAD has moved in between, since that was committed, or came with a pull or another branch.
func (p *place) turnOf(s *session.State, snap shadow.Snapshot) (turn, error) {
	start, commit := s.TurnStartTree, s.TurnStartCommit
	if !p.exist(start, commit) {
		start, commit = p.repo.HeadTree, p.repo.Head // no start was heard of: all that isn't committed counts as the turn's
	}
	t := turn{snap: snap, before: start}
	diff, err := p.db.DiffTrees(start, snap.Tree)
	if err != nil {
		return t, err
	}
	if commit == p.repo.Head {
		for _, c := range diff {
			t.touched = append(t.touched, c.Path)
		}
		return t, nil
	}
	return p.turnOverCommits(t, commit, diff)
}

// exist reports whether objects are there: no ref keeps a snapshot, and after weeks git may have pruned it.
func (p *place) exist(ids ...gitexec.OID) bool {
	if slices.Contains(ids, "") {
		return false
	}
	info, err := p.db.Info(ids...)
	return err == nil && !slices.ContainsFunc(info, func(o gitexec.Object) bool { return o.Type == "" })
}

func (p *place) turnOverCommits(t turn, commit gitexec.OID, diff []gitexec.Change) (turn, error) {
	paths := make([]gitexec.Path, len(diff))
	for i, c := range diff {
		paths[i] = c.Path
	}
	old, err := p.db.Commits(commit)
	if err != nil {
		return t, err
	}
	then, err := p.db.Lookup(old[0].Tree, paths...)
	if err != nil {
		return t, err
	}
	now, err := p.db.Lookup(p.repo.HeadTree, paths...)
	if err != nil {
		return t, err
	}
	undo := gitexec.Edits{}
	for i, c := range diff {
		if c.New == now[i] {
			continue
		}
		t.touched = append(t.touched, c.Path)
		undo[c.Path] = now[i]
		if c.Old != then[i] {
			undo[c.Path] = c.Old // the human had changed it already
		}
	}
	t.before, err = p.db.EditTree(t.snap.Tree, undo)
	return t, err
}

// checkpointTurn writes what the turn left, in one ref transaction.
func (p *place) checkpointTurn(ctx context.Context, s *session.State, t turn, event session.Event) (string, error) {
	listing, err := shadow.List(ctx, p.repo)
	if err != nil {
		return "", err
	}
	meta, err := shadow.Record(ctx, p.db, p.store, s)
	if err != nil {
		if meta.Prompts.ID == "" {
			return "", err
		}
		p.warn(oneLine(err))
	}
	var refs []shadow.RefChange
	outcome := "turn ended"
	if len(t.touched) > 0 {
		changes, decision, err := p.writeTurn(ctx, s, t, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, changes...)
		outcome = "checkpoint on " + shadow.NewName(p.repo.Head, p.repo.WorktreeID(), decision.Suffix).String() + ": " + decision.Reason
	}
	if len(s.TurnCheckpointIDs) > 0 {
		change, err := p.writeFinal(ctx, s, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, change...)
		outcome += "; commits of the turn finalised"
	}
	p.ended(s, t.snap, event)
	return outcome, shadow.Apply(ctx, p.repo, p.store, refs, []*session.State{s})
}

// writeTurn decides on the stream and writes the commits.
func (p *place) writeTurn(ctx context.Context, s *session.State, t turn, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, suffix.Decision, error) {
	target, err := p.target(s, t, listing)
	if err != nil {
		return nil, target.Decision, err
	}
	steps := []shadow.Step{
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Human, Subject: "Before: " + s.LastPrompt, Tree: t.before},
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Agent, Subject: s.LastPrompt, Tree: t.snap.Tree, Overlay: meta.Files()},
	}
	id, err := shadow.Write(ctx, p.repo, p.db, p.repo.Head, target.tip, p.author(s), steps)
	if err != nil {
		return nil, target.Decision, err
	}
	if target.Suffix != s.ShadowBranchSuffix || s.BaseCommit != p.repo.Head {
		if s.FilesTouched, s.CheckpointCount, err = p.sessionOn(s, target.stream); err != nil {
			return nil, target.Decision, err
		}
	}
	s.ShadowBranchSuffix, s.BaseCommit = target.Suffix, p.repo.Head
	s.CheckpointCount++
	s.FilesTouched = condense.Union(s.FilesTouched, t.touched)
	name := shadow.NewName(p.repo.Head, p.repo.WorktreeID(), target.Suffix)
	return append(target.moved, shadow.RefChange{Ref: name.Ref(), Old: target.old, New: id}), target.Decision, nil
}

// target is where a turn's checkpoint goes.
type target struct {
	suffix.Decision                    // its suffix is the one on the present base
	stream          *shadow.Stream     // nil: a new one
	tip             shadow.Checkpoint  // to write on top of; zero for a new stream
	old             gitexec.OID        // what the target ref holds; empty: nothing yet
	moved           []shadow.RefChange // the stream's name on its old base goes
}

// target decides which stream the turn's work belongs to. Evidence is the worktree as it was when the turn began: what
// the turn itself has changed says nothing about work before it.
func (p *place) target(s *session.State, t turn, listing shadow.Listing) (target, error) {
	streams, err := p.candidates(s, listing)
	if err != nil {
		return target{}, err
	}
	worktree := suffix.Worktree{}
	diff, err := p.db.DiffTrees(p.repo.HeadTree, t.before)
	if err != nil {
		return target{}, err
	}
	for _, c := range diff {
		worktree[c.Path] = c.New
	}
	next := listing.Highest(p.repo.Head, p.repo.WorktreeID()) + 1
	to := target{Decision: suffix.Decide(p.plain(streams), worktree, &shadow.Texts{DB: p.db})}
	if to.IsNew {
		to.Suffix = next
		return to, nil
	}
	to.stream = &streams[to.Suffix-1]
	to.tip = to.stream.Tip
	if to.stream.Base == p.repo.Head.Short() {
		to.Suffix, to.old = to.stream.Suffix, to.tip.ID
	} else { // HEAD moved, and the work is still there: its stream moves along
		to.Suffix = next
		to.moved = []shadow.RefChange{{Ref: to.stream.Ref(), Old: to.tip.ID}}
	}
	return to, nil
}

// plain gives the streams to package suffix as values. Their suffixes are places in the list, from 1: streams of two
// bases may have the same ones.
func (p *place) plain(streams []shadow.Stream) []suffix.Stream {
	plain := make([]suffix.Stream, len(streams))
	for i, s := range streams {
		plain[i].Suffix = i + 1
		changes, err := s.AgentChanges(p.db)
		plain[i].Err = err
		for _, c := range changes {
			plain[i].Changes = append(plain[i].Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
		}
	}
	return plain
}

// candidates are the streams that the work may belong to: those of the present base, and, if HEAD has moved since, those
// that the session left on the old one.
func (p *place) candidates(s *session.State, listing shadow.Listing) ([]shadow.Stream, error) {
	var streams []shadow.Stream
	if s.BaseCommit != "" && s.BaseCommit != p.repo.Head {
		old, err := listing.Streams(p.db, s.BaseCommit, p.repo.WorktreeID())
		if err != nil {
			return nil, err
		}
		streams = old
	}
	here, err := listing.Streams(p.db, p.repo.Head, p.repo.WorktreeID())
	return append(streams, here...), err
}

// sessionOn is what a session has on a stream that it goes to: files that it touched, and checkpoints.
func (p *place) sessionOn(s *session.State, stream *shadow.Stream) ([]gitexec.Path, int, error) {
	if stream == nil {
		return nil, 0, nil
	}
	changes, err := stream.AgentChanges(p.db)
	if err != nil {
		return nil, 0, err
	}
	var files []gitexec.Path
	turns := map[string]bool{}
	for _, c := range changes {
		if c.Session == s.SessionID {
			files = condense.Union(files, []gitexec.Path{c.Path})
			turns[c.Turn] = true
		}
	}
	return files, len(turns), nil
}

// ended notes the turn's end. The snapshot stays: an agent that is sent on by another hook stops again without a prompt.
func (p *place) ended(s *session.State, snap shadow.Snapshot, event session.Event) {
	s.TurnStartTree, s.TurnStartCommit = snap.Tree, p.repo.Head
	s.LeftOut = snap.LeftOut
	s.Apply(event, p.Now())
}

// finalize gives the checkpoints of a turn that never ended their transcript, in a transaction of its own.
func (p *place) finalize(ctx context.Context, s *session.State) error {
	listing, err := shadow.List(ctx, p.repo)
	if err != nil {
		return err
	}
	meta, err := shadow.Record(ctx, p.db, p.store, s)
	if err != nil {
		if meta.Prompts.ID == "" {
			return err
		}
		p.warn(oneLine(err))
	}
	refs, err := p.writeFinal(ctx, s, listing, meta)
	if err != nil {
		return err
	}
	return shadow.Apply(ctx, p.repo, p.store, refs, []*session.State{s})
}

// writeFinal writes the turn's checkpoints again, whole, in one commit.
func (p *place) writeFinal(ctx context.Context, s *session.State, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, error) {
	branch, err := condense.ReadBranch(p.db, listing.Checkpoints)
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	ids, err := condense.Finalize(p.db, branch, s, meta, edits)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	commits, err := branch.Commits(p.db, edits, p.author(s), condense.FinalizeMessage(s, ids))
	if err != nil {
		return nil, err
	}
	written, err := p.repo.CommitTree(ctx, commits...)
	if err != nil {
		return nil, err
	}
	return []shadow.RefChange{{Ref: shadow.Checkpoints, Old: branch.Tip, New: written[len(written)-1]}}, nil
}

// sessionEnd notes that a session is over. If its turn was not, that ends first, so that nothing of it is lost.
func (p *place) sessionEnd(ctx context.Context, e TurnEvent) (string, error) {
	s, err := p.store.Load(e.SessionID)
	if errors.Is(err, session.ErrNotFound) {
		return "session not known", nil
	}
	if err != nil {
		return "", err
	}
	if s.Phase == session.Active {
		return p.turnEnd(ctx, e, session.SessionStop)
	}
	err = p.locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		s.Apply(session.SessionStop, p.Now())
		return p.store.Save(s)
	})
	return "session ended", err
}

// ErrOtherWorktree says that a session belongs to another worktree (seed 003, Conflict Handling).
var ErrOtherWorktree = errors.New("the session belongs to another worktree")

// load reads the session of an event, or begins it.
func (p *place) load(e TurnEvent) (*session.State, error) {
	s, err := p.store.Load(e.SessionID)
	if errors.Is(err, session.ErrNotFound) {
		s = &session.State{SessionID: e.SessionID, StartedAt: p.Now().UTC(), BaseCommit: p.repo.Head, AttributionBaseCommit: p.repo.Head,
			WorktreePath: p.repo.Top, WorktreeID: p.repo.WorktreeID()}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if s.WorktreeID != p.repo.WorktreeID() {
		return nil, fmt.Errorf("%w: %s began in the worktree %s, and this is %s\nhint: go on with it there, or start a new session here",
			ErrOtherWorktree, s.SessionID, s.WorktreePath, p.repo.Top)
	}
	s.CLIVersion = p.Version
	if e.Agent != "" {
		s.AgentType = e.Agent
	}
	if e.TranscriptPath != "" {
		s.TranscriptPath = e.TranscriptPath
	}
	if e.Model != "" {
		s.ModelName = e.Model
	}
	return s, nil
}
