package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Question asks which stream the next checkpoint would go to.
type Question struct {
	Base    string       // a revision; empty: HEAD
	Session string       // an ID, or its beginning; empty: the session of this worktree that was heard of last, if there is one
	Match   suffix.Match // empty: as the settings say
	All     bool         // judge every stream, also where the answer doesn't need it
}

// Answer is the decision with what it rests on. Its JSON is documented in docs/streams.md and stays
// as it is.
type Answer struct {
	suffix.Decision
	Stream    string          `json:"stream"` // the branch that the checkpoint would go to
	Base      gitexec.OID     `json:"base"`
	Match     suffix.Match    `json:"match"`
	Session   string          `json:"session,omitempty"`
	Evidence  string          `json:"evidence"`  // EvidenceWorktree or EvidenceTurn
	Streams   []StreamVerdict `json:"streams"`   // lowest suffix first
	Otherwise string          `json:"otherwise"` // what would make the answer another one
}

// What a decision is taken on: the present worktree, or, while the session's turn is going on, the
// worktree at its start.
const (
	EvidenceWorktree = "worktree"
	EvidenceTurn     = "start of the turn"
)

// StreamVerdict is what was found of one stream.
type StreamVerdict struct {
	Branch string `json:"branch"`
	suffix.Verdict
}

// DecideSuffix answers for the present worktree. It writes nothing into the repository. texts reads
// file versions for whoever wants to show them, until done is called.
func (e Env) DecideSuffix(ctx context.Context, q Question) (answer *Answer, texts suffix.Texts, done func(), err error) {
	p, off, done, err := e.ask(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if off != nil {
		done()
		return nil, nil, nil, off
	}
	if answer, err = p.answer(ctx, q); err != nil {
		done()
		return nil, nil, nil, err
	}
	return answer, &shadow.Texts{DB: p.DB}, done, nil
}

// ask opens the place so that nothing is written into the repository. off says why nothing is
// recorded, if that is so.
func (e Env) ask(ctx context.Context) (p *recorder, off error, done func(), err error) {
	w, off, err := e.OpenToRead(ctx, e.Dir)
	if err != nil {
		return nil, nil, nil, err
	}
	p = &in(w).recorder
	aside, remove, err := p.Repo.Scratch()
	if err != nil {
		return nil, nil, nil, err
	}
	p.Repo, p.DB, p.Store.ReadOnly = aside, aside.ODB(ctx), true
	return p, off, func() { p.DB.Close(); remove() }, nil
}

func (p *recorder) answer(ctx context.Context, q Question) (*Answer, error) {
	s, err := p.sessionOf(q.Session)
	if err != nil {
		return nil, err
	}
	a := &Answer{Match: q.Match, Session: s.SessionID, Evidence: EvidenceWorktree, Streams: []StreamVerdict{}}
	if a.Match == "" {
		a.Match = p.Settings.Match()
	}
	tree, err := p.evidence(ctx, s, a)
	if err != nil {
		return nil, err
	}
	if p, err = p.at(ctx, q.Base); err != nil {
		return nil, err
	}
	a.Base = p.Head.ID
	listing, err := shadow.List(ctx, p.Repo)
	if err != nil {
		return nil, err
	}
	var streams []shadow.Stream
	if q.Base == "" {
		streams, err = p.candidates(s, listing)
	} else { // what sessions left on other bases is beside the question
		streams, err = listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	}
	if err != nil {
		return nil, err
	}
	legacy, err := listing.Legacy(p.DB, p.Repo.WorktreeID())
	if err != nil {
		return nil, err
	}
	next := listing.Highest(p.Head.ID, p.Repo.WorktreeID()) + 1
	for _, m := range legacy { // they would be adopted first
		if m.To.Base == p.Head.ID.Short() {
			streams = append(streams, shadow.Stream{Name: m.To, Tip: m.Tip})
			next = max(next, m.To.Suffix+1)
		}
	}
	return a, p.fill(a, streams, tree, next, q.All)
}

// fill decides, and gives the streams their names.
func (p *recorder) fill(a *Answer, streams []shadow.Stream, tree gitexec.OID, next int, all bool) error {
	decision, verdicts, err := p.decide(streams, tree, a.Match)
	if err != nil {
		return err
	}
	own := 0
	if !decision.IsNew {
		own = p.suffixHere(streams[decision.Suffix-1])
	}
	here := decision.On(next, own)
	decision.Reason = here.Reason
	if verdicts == nil && all {
		worktree, err := p.worktree(tree)
		if err != nil {
			return err
		}
		for _, s := range p.plain(streams) {
			verdicts = append(verdicts, suffix.Judge(s, worktree, &shadow.Texts{DB: p.DB}, a.Match))
		}
	}
	for i, v := range verdicts {
		v.Suffix = streams[i].Suffix
		a.Streams = append(a.Streams, StreamVerdict{Branch: streams[i].String(), Verdict: v})
	}
	a.Otherwise = otherwise(decision, streams, verdicts)
	a.Decision, a.Stream = here, shadow.NewName(p.Head.ID, p.Repo.WorktreeID(), here.Suffix).String()
	return nil
}

// sessionOf finds the session that a question is about.
func (p *recorder) sessionOf(id string) (*session.State, error) {
	if id != "" {
		return p.sessionNamed(id)
	}
	mine, err := p.Sessions()
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

// sessionNamed finds a session by its ID, or by what only its ID begins with.
func (p *recorder) sessionNamed(id string) (*session.State, error) {
	known, err := p.Store.Load(id)
	if !errors.Is(err, session.ErrNotFound) {
		return known, err
	}
	all, err := p.Store.All()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.SessionID)
	}
	if id, err = query.Session(ids, id); err != nil {
		return nil, err
	}
	return all[slices.Index(ids, id)], nil
}

// evidence is the worktree that the decision is taken on, as a tree.
func (p *recorder) evidence(ctx context.Context, s *session.State, a *Answer) (gitexec.OID, error) {
	if s.Phase == session.Active && p.exist(s.TurnStartTree) {
		a.Evidence = EvidenceTurn
		return s.TurnStartTree, nil
	}
	snap, err := shadow.TakeSnapshot(ctx, p.Repo, p.DB, p.Settings.MaxUntrackedBytes)
	return snap.Tree, err
}

// at is the run where it acts on a revision; an empty one is where it is.
func (p *recorder) at(ctx context.Context, rev string) (*recorder, error) {
	if rev == "" {
		return p, nil
	}
	id, err := p.Repo.Resolve(ctx, rev)
	if err != nil {
		var fault *gitexec.Error
		if errors.As(err, &fault) {
			return nil, fmt.Errorf("%q names no commit: %s\nhint: git log lists commits; a branch or a tag will do as well", rev, strings.ReplaceAll(fault.Stderr, "\n", "; "))
		}
		return nil, err
	}
	commits, err := p.DB.Commits(id)
	if err != nil {
		return nil, err
	}
	return p.on(gitexec.Head{ID: id, Tree: commits[0].Tree}), nil
}

// otherwise says what would have to be different for another answer.
func otherwise(d suffix.Decision, streams []shadow.Stream, verdicts []suffix.Verdict) string {
	switch d.Reason {
	case suffix.NoStream:
		return "nothing: there is no stream on this base yet, and the first checkpoint begins one"
	case suffix.Clean:
		return "if work of a stream came back into the worktree, say from a stash, its stream would be continued"
	case suffix.Present, suffix.EarlierIsBack:
		chosen := verdicts[d.Suffix-1]
		return fmt.Sprintf("if nothing of the agent's were left in %s, another stream would be looked for, or a new one begun", pathsIn(chosen.Files, true))
	case suffix.NoOverlap:
		return fmt.Sprintf("if the worktree held the agent's changes of %s again, it would be continued", streams[len(streams)-1].Name)
	case suffix.Absent:
		return fmt.Sprintf("if lines that the agent added on %s were back in %s, it would be continued", streams[len(streams)-1].Name, pathsIn(verdicts[len(verdicts)-1].Files, false))
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
