package turns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Question asks which stream the next checkpoint would go to.
type Question struct {
	Base    string // a revision; empty: HEAD
	Session string // an ID or a unique prefix; empty: the session of this worktree with the latest event
	All     bool   // judge every stream, even where the answer does not need it
}

// Answer is the decision and its evidence. Its JSON is documented in docs/streams.md and stays
// stable.
type Answer struct {
	suffix.Decision
	Stream    string          `json:"stream"` // the branch that the checkpoint would go to
	Base      gitexec.OID     `json:"base"`
	Match     string          `json:"match"`                // how lines are compared: always fuzzy
	Session   string          `json:"session_id,omitempty"` // if one is known here
	Former    string          `json:"session,omitempty"`    // the former name of session_id; it goes with the next version
	Evidence  string          `json:"evidence"`             // EvidenceWorktree or EvidenceTurn
	Streams   []StreamVerdict `json:"streams"`              // lowest suffix first
	Otherwise string          `json:"otherwise"`            // what would change the answer
}

// The evidence of a decision: the worktree now, or, during a turn of the session, at the turn's
// start.
const (
	EvidenceWorktree = "worktree"
	EvidenceTurn     = "start of the turn"
)

// StreamVerdict is the verdict on one stream.
type StreamVerdict struct {
	Branch string `json:"branch"`
	suffix.Verdict
}

// DecideSuffix answers for the worktree as it is. It writes nothing into the repository. texts
// reads file versions, until done is called, which is nil where there is an error. That nothing is
// recorded here is one, too.
func DecideSuffix(ctx context.Context, e workspace.Env, q Question) (answer *Answer, texts suffix.Texts, done func(), err error) {
	run, off, done, err := OpenReadOnly(ctx, e)
	if err != nil {
		return nil, nil, nil, err
	}
	if off != nil {
		done()
		return nil, nil, nil, off
	}
	if answer, err = answerQuestion(ctx, run, q); err != nil {
		done()
		return nil, nil, nil, err
	}
	return answer, &shadow.Texts{DB: run.DB}, done, nil
}

// OpenReadOnly opens the workspace so that nothing is written into the repository. off says why
// nothing is recorded, and is nil where something is.
func OpenReadOnly(ctx context.Context, e workspace.Env) (run *workspace.Run, off error, done func(), err error) {
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return nil, nil, nil, err
	}
	w, off, done, err := e.OpenAside(ctx, repo)
	if err != nil {
		return nil, nil, nil, err
	}
	return w.Run(), off, done, nil
}

func answerQuestion(ctx context.Context, run *workspace.Run, q Question) (*Answer, error) {
	s, err := SessionOf(run, q.Session)
	if err != nil {
		return nil, err
	}
	a := &Answer{Match: "fuzzy", Session: s.SessionID, Former: s.SessionID, Evidence: EvidenceWorktree, Streams: []StreamVerdict{}}
	tree, err := evidenceTree(ctx, run, s, a)
	if err != nil {
		return nil, err
	}
	if run, err = AtRevision(ctx, run, q.Base); err != nil {
		return nil, err
	}
	a.Base = run.Head.ID
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return nil, err
	}
	var streams []shadow.Stream
	// The same streams as a checkpoint would be compared with.
	if q.Base == "" {
		streams, err = candidates(run, s, listing)
	} else { // streams on other bases do not matter
		streams, err = listing.Streams(run.DB, run.Head.ID, run.Repo.WorktreeID())
	}
	if err != nil {
		return nil, err
	}
	legacy, err := listing.Legacy(run.DB, run.Repo.WorktreeID())
	if err != nil {
		return nil, err
	}
	next := listing.Highest(run.Head.ID, run.Repo.WorktreeID()) + 1
	for _, m := range legacy { // they would be renamed first
		if m.To.Base == run.Head.ID.Short() {
			streams = append(streams, shadow.Stream{Name: m.To, Tip: m.Tip})
			next = max(next, m.To.Suffix+1)
		}
	}
	return a, fill(run, a, streams, tree, next, q.All)
}

// fill takes the decision and names the streams.
func fill(run *workspace.Run, a *Answer, streams []shadow.Stream, tree gitexec.OID, next int, all bool) error {
	decision, verdicts, err := decideStream(run, streams, tree)
	if err != nil {
		return err
	}
	// Until here a suffix is a stream's place among the candidates, from 1: two bases may have
	// streams of the same number. OnBase makes it the number on HEAD.
	own := 0
	if !decision.IsNew {
		own = suffixHere(run.Head, streams[decision.Suffix-1])
	}
	here := decision.OnBase(next, own)
	decision.Reason = here.Reason
	// Without a stream, or with a clean worktree, nothing had to be compared for the answer.
	if verdicts == nil && all {
		worktree, err := worktree(run.DB, run.Head, tree)
		if err != nil {
			return err
		}
		for _, s := range StreamValues(run.Repo, run.DB, streams, worktree) {
			verdicts = append(verdicts, suffix.Judge(s, worktree, &shadow.Texts{DB: run.DB}))
		}
	}
	for i, v := range verdicts {
		v.Suffix = streams[i].Suffix
		a.Streams = append(a.Streams, StreamVerdict{Branch: streams[i].String(), Verdict: v})
	}
	a.Otherwise = otherwise(decision, streams, verdicts)
	a.Decision, a.Stream = here, shadow.NewName(run.Head.ID, run.Repo.WorktreeID(), here.Suffix).String()
	return nil
}

// SessionOf finds the session that a question is about, by an ID or a unique prefix; for an empty
// one it is that of this worktree with the latest event, or the zero state where there is none.
func SessionOf(run *workspace.Run, id string) (*session.State, error) {
	if id != "" {
		return commits.SessionNamed(run.Repo, run.Store, id)
	}
	mine, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	latest := &session.State{}
	for _, s := range mine {
		if s.LastInteractionTime != nil && (latest.LastInteractionTime == nil || s.LastInteractionTime.After(*latest.LastInteractionTime)) {
			latest = s
		}
	}
	return latest, nil
}

// evidenceTree returns the tree of the worktree that the decision is based on.
func evidenceTree(ctx context.Context, run *workspace.Run, s *session.State, a *Answer) (gitexec.OID, error) {
	// During a turn the decision is made by what was there before its own lines. git may have
	// pruned that tree.
	if s.Phase == session.Active && objectsExist(run.DB, s.TurnStartTree) {
		a.Evidence = EvidenceTurn
		return s.TurnStartTree, nil
	}
	snap, err := shadow.TakeSnapshot(ctx, run.Repo, run.DB, run.Settings.MaxUntrackedBytes)
	return snap.Tree, err
}

// AtRevision is the run on another commit, of any name; on its own for an empty one.
func AtRevision(ctx context.Context, run *workspace.Run, rev string) (*workspace.Run, error) {
	if rev == "" {
		return run, nil
	}
	branch, err := checkpoints.ReadBranches(ctx, run.Repo, run.DB)
	if err != nil {
		return nil, err
	}
	id, err := (&query.Reader{Env: run.Env, Repo: run.Repo, DB: run.DB, Branch: branch}).Base(ctx, rev)
	if err != nil {
		return nil, err
	}
	c, err := run.DB.Commit(id)
	return run.On(gitexec.Head{ID: id, Tree: c.Tree}), err
}

// otherwise says what would change the answer.
func otherwise(d suffix.Decision, streams []shadow.Stream, verdicts []suffix.Verdict) string {
	switch d.Reason {
	case suffix.NoStream:
		return "nothing: there is no stream on this base, and the first checkpoint begins one"
	case suffix.Clean:
		return "if the worktree held a stream's work again, for example from a stash, that stream would be continued"
	case suffix.Present, suffix.EarlierPresent:
		chosen := verdicts[d.Suffix-1]
		return fmt.Sprintf("if %s held no line of the agent's, another stream would be continued, or a new one begun",
			pathsIn(chosen.Files, true))
	case suffix.NoOverlap:
		return fmt.Sprintf("if the worktree held the agent's changes of %s again, it would be continued", streams[len(streams)-1].Name)
	case suffix.Absent:
		return fmt.Sprintf("if %[2]s held lines that the agent added on %[1]s, it would be continued",
			streams[len(streams)-1].Name, pathsIn(verdicts[len(verdicts)-1].Files, false))
	}
	return "if " + streams[len(streams)-1].String() + " could be read and compared: " + verdicts[len(verdicts)-1].Err
}

func pathsIn(files []suffix.File, present bool) string {
	var names []string
	for _, f := range files {
		if f.Present == present {
			names = append(names, f.Path.Display())
		}
	}
	slices.Sort(names)
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more files", len(names)-3))
	}
	return strings.Join(names, ", ")
}
