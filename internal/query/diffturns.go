package query

import (
	"cmp"
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// ofStreamCheckpoint is the part that a checkpoint on a stream records.
func (g *diffing) ofStreamCheckpoint(ctx context.Context, k shadow.Checkpoint) error {
	g.diff.Kind = "checkpoint"
	// The stream may have moved on, or be deleted: its history up to this checkpoint is enough.
	history, err := shadow.Stream{Tip: k}.History(g.r.DB) // which knows the tree before each
	if err != nil {
		return err
	}
	k = history[len(history)-1]
	part, err := g.partOnStream(ctx, k, k)
	if err != nil {
		return err
	}
	return g.read(ctx, g.r.Repo, part)
}

// partOnStream is what changed on a stream from before one checkpoint to the last of a turn's.
func (g *diffing) partOnStream(ctx context.Context, first, last shadow.Checkpoint) (*DiffPart, error) {
	stream := shadow.Stream{Tip: last}
	history, err := stream.History(g.r.DB)
	if err != nil {
		return nil, err
	}
	base := history[0].Before
	if history[0].Parent == "" {
		// A stream that began before the first commit has no tree before it.
		base = g.r.Repo.Format.EmptyTree()
	}
	changes, err := g.r.DB.DiffTrees(base, last.Tree)
	var owners checkpoints.Owners
	if err == nil {
		// By all of the stream, and not by this turn alone: lines that others wrote before it are
		// theirs.
		owners, err = checkpoints.StreamOwners(ctx, g.r.Repo, g.r.DB, stream, base, changes, g.agents(history))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	of := attribution.Of(g.r.DB, last.Tree, owners)
	if err != nil {
		g.damaged(err)
		// The changes are shown all the same; of their lines no author is known then.
		of.Doubts = []string{explain.OneLine(err)}
	}
	from := first.Before
	if first.Parent == "" {
		from = g.r.Repo.Format.EmptyTree()
	}
	return &DiffPart{Session: last.Session, Turn: last.Turn, Prompt: last.Prompt, from: from, to: last.Tree, last: last,
		authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
			_, err := of.Lines(p, func(line int, a attribution.Author) { each(line, a, "") })
			return err
		}}, nil
}

// agents names the agents of the sessions on a stream.
func (g *diffing) agents(history []shadow.Checkpoint) map[string]string {
	agents := map[string]string{}
	for _, k := range history {
		if _, seen := agents[k.Session]; seen {
			continue
		}
		agents[k.Session] = ""
		if state, err := g.r.States().Load(k.Session); err == nil && state != nil {
			agents[k.Session] = state.AgentType
		}
	}
	return agents
}

// ofTurn is what a turn changed: its lines in commits, and what is on streams.
func (g *diffing) ofTurn(ctx context.Context, t *Turn) error {
	g.diff.Kind = "turn"
	commits, err := g.commitsOf(ctx, t.Checkpoints)
	if err != nil {
		return err
	}
	for _, c := range commits {
		part, err := g.partOf(ctx, c)
		if err != nil {
			return err
		}
		// A turn's ID is enough: it is of one session.
		part.Turn, part.only = t.ID, haveLinesOf("", t.ID)
		if err := g.read(ctx, g.r.Repo, part); err != nil {
			return err
		}
	}
	on := func(k shadow.Checkpoint) bool { return k.Turn == t.ID }
	if err := g.addStreams(ctx, on); err != nil {
		return err
	}
	if last := len(t.OnStreams) - 1; last >= 0 && len(g.diff.Parts) == 0 { // the stream was deleted
		tip, _, err := shadow.ReadCheckpoint(g.r.DB, t.OnStreams[last])
		if err == nil {
			err = g.addStream(ctx, shadow.Stream{Tip: tip}, on)
		}
		if err != nil {
			return err
		}
	}
	g.name()
	return nil
}

// ofSession is what the turns of a session changed, one after the other.
func (g *diffing) ofSession(ctx context.Context, id string) error {
	g.diff.Kind = "session"
	by, damaged, err := g.r.CommittedSessions(ctx, id)
	if err != nil {
		return err
	}
	for _, k := range damaged {
		// A checkpoint that can't be read may have turns of this session. Of others it is known
		// that they don't, or what they have is shown.
		if k.Unreadable && k.Error != "" {
			g.broke = sets.With(g.broke, k.Error)
		}
	}
	if s := by[id]; s != nil {
		// A session may have nothing committed yet.
		if err := g.committedTurns(ctx, s); err != nil {
			return err
		}
	}
	if err := g.addStreams(ctx, func(k shadow.Checkpoint) bool { return k.Session == id }); err != nil {
		return err
	}
	g.name()
	return nil
}

// committedTurns adds the turns of a session in commits.
func (g *diffing) committedTurns(ctx context.Context, s *SessionInfo) error {
	commits, err := g.commitsOf(ctx, s.Checkpoints)
	if err != nil {
		return err
	}
	order := g.turnOrder(s)
	for _, c := range commits {
		whole, err := g.partOf(ctx, c)
		if err != nil {
			return err
		}
		whole.Session, whole.only = s.ID, haveLinesOf(s.ID, "")
		before := len(g.diff.Parts)
		if err := g.read(ctx, g.r.Repo, whole); err != nil {
			return err
		}
		// read appends what it finds as one part: that is taken off again, and split.
		read := slices.Clone(g.diff.Parts[before:])
		g.diff.Parts = g.diff.Parts[:before]
		for _, part := range read {
			g.diff.Parts = append(g.diff.Parts, part.byTurn(order)...)
		}
	}
	return nil
}

// byTurn splits the part of a session's commit: one for each of its turns, in their order. A change
// in which several have lines is in the part of the last of them.
func (part *DiffPart) byTurn(order map[string]int) (parts []*DiffPart) {
	var turns []*DiffOwner
	for _, f := range part.Files {
		for _, o := range f.owners {
			if o != nil && o.Kind == attribution.Agent && o.Session == part.Session && !slices.Contains(turns, o) {
				turns = append(turns, o)
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b *DiffOwner) int { return cmp.Compare(order[a.Prompt], order[b.Prompt]) })
	for _, o := range turns {
		one := &DiffPart{Session: part.Session, Turn: o.Turn, Prompt: o.Prompt, Commit: part.Commit, Files: part.Files}
		one.only = func(owners []*DiffOwner) bool { return lastOf(turns, owners) == o }
		parts = append(parts, one.limited()...)
	}
	return parts
}

// lastOf is the last of some owners in their order; nil: none of them.
func lastOf(order, owners []*DiffOwner) *DiffOwner {
	for _, o := range slices.Backward(order) {
		if slices.Contains(owners, o) {
			return o
		}
	}
	return nil
}

// turnOrder is the order of a session's prompts, as turns name them.
func (g *diffing) turnOrder(s *SessionInfo) map[string]int {
	order := map[string]int{}
	for _, id := range s.Checkpoints {
		contents, _ := checkpoints.ReadSessions(g.r.DB, g.r.Branch, id) // what is damaged is in no order
		for _, content := range contents {
			if content.Metadata.SessionID != s.ID {
				continue
			}
			for _, prompt := range PartOf(content).Prompts {
				// A prompt that is asked again keeps its first place: lines don't tell which time
				// it was.
				if line := shadow.Describe(prompt); order[line] == 0 {
					order[line] = len(order) + 1
				}
			}
		}
	}
	return order
}

// commitsOf are the newest commits that link each of some checkpoints, in the order of these, each
// once.
func (g *diffing) commitsOf(ctx context.Context, ids []string) (all []gitexec.Commit, err error) {
	by, err := g.r.LinkingEach(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if len(by[id]) == 0 {
			g.diff.Notes = append(g.diff.Notes, "no commit on a branch or a tag links checkpoint "+id+" any more")
			continue
		}
		// Amended and rebased commits link the checkpoint, too: the newest is the one that is left,
		// or that was made last.
		newest := by[id][0]
		if !slices.ContainsFunc(all, func(c gitexec.Commit) bool { return c.ID == newest.ID }) {
			all = append(all, newest)
		}
	}
	all = g.comparable(all)
	g.r.authors(ctx).Ahead(all, false)
	return all, nil
}

// comparable are the commits that a shallow clone can compare, with a note on the others; all,
// where it can compare none.
func (g *diffing) comparable(commits []gitexec.Commit) (some []gitexec.Commit) {
	cut := g.r.Repo.CutOff()
	for _, c := range commits {
		if !ends(cut, c) {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		// The first of them fails then, with a hint how to bring its parent.
		return commits
	}
	for _, c := range commits {
		if ends(cut, c) {
			g.diff.Notes = append(g.diff.Notes, "commit "+c.ID.Short()+" is not compared: this is a shallow clone, which lacks its parent")
		}
	}
	return some
}

// addStreams adds the turns on streams that are wanted: each once, though it was carried forward to
// another stream.
func (g *diffing) addStreams(ctx context.Context, wanted func(shadow.Checkpoint) bool) error {
	streams, err := shadow.ListTemporary(ctx, g.r.Repo, g.r.DB)
	if err != nil {
		return err
	}
	for _, one := range streams {
		if err := g.addStream(ctx, one, wanted); err != nil {
			return err
		}
	}
	return nil
}

// addStream adds the turns on one stream that are wanted.
func (g *diffing) addStream(ctx context.Context, one shadow.Stream, wanted func(shadow.Checkpoint) bool) error {
	history, err := one.History(g.r.DB)
	if err != nil {
		g.damaged(err)
		return nil
	}
	for _, span := range turnsOn(history, wanted) {
		part, err := g.partOnStream(ctx, span[0], span[1])
		if err == nil {
			err = g.read(ctx, g.r.Repo, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// turnsOn are the first and the last checkpoint of each wanted turn on a stream.
func turnsOn(history []shadow.Checkpoint, wanted func(shadow.Checkpoint) bool) (all [][2]shadow.Checkpoint) {
	for _, k := range history {
		// The human's parts between a turn's checkpoints are no turn of their own, and don't end
		// it.
		if k.Part != shadow.Agent || !wanted(k) {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last][1].Session == k.Session && all[last][1].Turn == k.Turn {
			all[last][1] = k
		} else {
			all = append(all, [2]shadow.Checkpoint{k, k})
		}
	}
	return all
}

// name gives the parts of turns their prompts, as far as lines tell.
func (g *diffing) name() {
	// Streams record a prompt with each checkpoint. In commits only the lines have it.
	for o := range g.diff.by {
		for _, part := range g.diff.Parts {
			if part.Turn != "" && part.Turn == o.Turn && (part.Session == "" || part.Session == o.Session) {
				part.Session, part.Prompt = o.Session, o.Prompt
			}
		}
	}
}
