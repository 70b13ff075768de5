package report

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func (g *reporter) ofSession(ctx context.Context, id string) error {
	s, err := g.session(ctx, id)
	if err != nil {
		return err
	}
	g.page.Kind, g.page.Name, g.page.Title, g.page.Tokens = "session", s.ID, cmp.Or(oneLine(s.Title), oneLine(s.FirstPrompt), "Session "+s.ID), s.Tokens
	for _, err := range g.lost {
		g.damaged(err)
		g.note("This damaged data may belong to the session, too: %v", err)
	}
	ids := s.Checkpoints
	if len(ids) > mostChapters {
		g.note("%d earlier checkpoints of the session are not shown.", len(ids)-mostChapters)
		ids = ids[len(ids)-mostChapters:]
	}
	linked, err := g.linked(ctx, ids...)
	if err != nil {
		return err
	}
	g.talks = append(g.talks, &talk{id: s.ID, agent: s.Agent})
	for _, id := range ids {
		g.committed(id, linked[id])
	}
	slices.SortStableFunc(g.chapters, func(a, b *draft) int { return cmp.Compare(a.start(s.ID), b.start(s.ID)) })
	if !g.committedOnly {
		if err := g.onStreams(ctx, s.ID); err != nil {
			return err
		}
	}
	if len(g.chapters) == 0 {
		g.note("The session has neither a checkpoint nor uncommitted work.")
	}
	return nil
}

// session finds a session, and the damage that may be of it.
func (g *reporter) session(ctx context.Context, id string) (*query.SessionInfo, error) {
	by, damaged, err := g.reader.CommittedSessions(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, k := range damaged {
		if k.Unreadable {
			// Of the other damaged ones it is known whose they are.
			g.lost = append(g.lost, errors.New(k.Error))
		}
	}
	if !g.committedOnly {
		if err := g.reader.AddStates(ctx, by); err != nil {
			return nil, err
		}
	}
	if by[id] == nil {
		// Without the states of this machine there may be nothing of it.
		return nil, &query.NotFoundError{Name: id}
	}
	return by[id], nil
}

// onStreams adds the chapters of the streams that a session has a part in.
func (g *reporter) onStreams(ctx context.Context, session string) error {
	streams, err := shadow.ListTemporary(ctx, g.reader.Repo, g.reader.DB)
	if err != nil {
		return err
	}
	for _, one := range streams {
		history, err := one.History(g.reader.DB)
		if err != nil {
			g.damaged(err)
			g.note("Stream %s cannot be read: %v", one.Name, err)
			continue
		}
		if slices.ContainsFunc(history, func(k shadow.Checkpoint) bool { return k.Session == session }) {
			if err := g.uncommitted(ctx, one, one.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// start is the first line of the chapter's part of a session's transcript.
func (c *draft) start(session string) int {
	for _, p := range c.parts {
		if p.SessionID == session {
			return p.CheckpointTranscriptStart
		}
	}
	return 0
}

// conversations reads the parts of all sessions in a chapter's checkpoints.
func (g *reporter) conversations(c *draft) {
	if c.commit == nil {
		for _, id := range c.links {
			c.recorded = append(c.recorded, checkpoints.ReadRecorded(g.reader.DB, g.reader.Branch, id, nil))
		}
	} else {
		c.authors = g.authors().Commit(*c.commit)
		c.recorded = c.authors.Links
	}
	for _, id := range c.links {
		_, err := checkpoints.ReadCommitted(g.reader.DB, g.reader.Branch, id)
		if !errors.Is(err, checkpoints.ErrNoCheckpoint) {
			g.broken(c, err)
			g.parts(c, id)
		} else if day := g.reader.Branch.PurgedOn(g.reader.DB, id); day != "" {
			c.note("Checkpoint %s was purged on %s.", id, day)
		} else {
			c.gap("Checkpoint %s is not here.", id)
			g.page.Absent = true
		}
	}
	for _, one := range c.recorded {
		g.broken(c, one.Damage)
	}
}

// parts adds the sessions' parts in a checkpoint.
func (g *reporter) parts(c *draft, id string) {
	contents, damaged := checkpoints.ReadSessions(g.reader.DB, g.reader.Branch, id)
	for _, err := range damaged {
		g.broken(c, err)
	}
	var version checkpoints.Version
	if c.commit != nil {
		version = checkpoints.VersionOf(g.reader.DB, g.reader.Branch, id, *c.commit)
	}
	for _, content := range contents {
		if content.Metadata.SessionID == "" || content.Added && c.isHere(id) {
			continue // damaged metadata: the session is unknown; or others added it to what was recorded here
		}
		if c.commit != nil {
			content.Metadata.At(version)
		}
		part := query.PartOf(content)
		c.parts = append(c.parts, part)
		g.charge(id, part.SessionID, part.Model, part.CreatedAt, part.CheckpointTokenUsage)
		g.addTokens(c, id, part)
		if g.page.Branch == "" {
			g.page.Branch = oneLine(part.Branch)
		}
		if g.shows(part.SessionID) {
			g.talk(part.SessionID).add(c, part.CheckpointTranscriptStart, part)
		}
	}
}

// isHere reports whether the lines of a checkpoint are as this clone recorded them.
func (c *draft) isHere(id string) bool {
	return slices.ContainsFunc(c.recorded, func(r checkpoints.Recorded) bool { return r.ID == id && r.Here })
}

// shows reports whether the page has a session's conversation: of a page on a session, its alone.
func (g *reporter) shows(session string) bool {
	return g.page.Kind != "session" || session == g.page.Name
}

// addTokens adds a part's tokens to the page's.
func (g *reporter) addTokens(c *draft, id string, part query.ShownPart) {
	a := part.InitialAttribution
	if a != nil && a.Estimated {
		c.note("Another program recorded session %s: what the human changed between its turns counts as the agent's.", part.SessionID)
	}
	key := [2]string{id, part.SessionID}
	// A session's own sum is in its state or its last checkpoint; a checkpoint may be in several
	// chapters.
	if g.page.Kind == "session" || g.counted[key] {
		return
	}
	g.counted[key] = true
	if part.CheckpointTokenUsage == nil {
		if part.TokenUsage != nil {
			c.note("It is not recorded how many of session %s's tokens were for this checkpoint.", part.SessionID)
		}
		return
	}
	var sum transcript.Usage
	if g.page.Tokens != nil {
		sum = *g.page.Tokens
	}
	sum = sum.Add(*part.CheckpointTokenUsage)
	g.page.Tokens = &sum
}

// uncommitted adds the chapter of a stream, up to its tip or an earlier checkpoint.
func (g *reporter) uncommitted(ctx context.Context, s shadow.Stream, name string) error {
	c := g.begin(name)
	history, err := s.History(g.reader.DB)
	if err != nil {
		return err
	}
	c.stream, c.history = &s, history
	first := history[0]
	c.from, c.to, c.shown = first.Before, s.Tip.Tree, true
	c.base = Step{Kind: "base", Label: first.Parent.Short()}
	c.Against = first.Parent.Short()
	if first.Parent == "" {
		c.from, c.Against, c.base.Label = g.reader.Repo.Format.EmptyTree(), "nothing, as there was no commit yet", "nothing before"
	}
	if s.Base != "" {
		c.Stream = s.String()
	}
	agents := g.streamTalks(c, history)
	changes, err := g.reader.DB.DiffTrees(c.from, c.to)
	if err == nil {
		var owners checkpoints.Owners
		owners, err = checkpoints.StreamOwners(ctx, g.reader.Repo, g.reader.DB, s, c.from, changes, agents)
		c.authors = attribution.Of(g.reader.DB, c.to, owners)
	}
	if err != nil {
		g.damaged(err)
		c.note("The lines' authors are unknown: %v", err)
		// The changes are shown, with lines of no known author.
		c.authors = attribution.Of(g.reader.DB, c.to, nil)
		c.authors.Doubts = []string{err.Error()}
	}
	return nil
}

// streamTalks adds the conversations on a chapter's stream, and returns the sessions' agents.
func (g *reporter) streamTalks(c *draft, history []shadow.Checkpoint) map[string]string {
	store := session.Store{Dir: workspace.StateDir(g.reader.Repo), ReadOnly: true}
	agents := map[string]string{}
	for _, k := range history {
		if _, seen := agents[k.Session]; seen {
			continue
		}
		agents[k.Session] = ""
		start, prompts := 0, 0
		if state, err := store.Load(k.Session); err == nil && state != nil {
			agents[k.Session], start, prompts = state.AgentType, state.CheckpointTranscriptStart, state.CheckpointPromptStart
		}
		if !g.shows(k.Session) {
			continue
		}
		// At the tip, which has the conversations of all sessions up to it.
		part, err := query.OnStream(g.reader.DB, c.stream.Tip, k.Session)
		if err != nil {
			g.damaged(err)
			c.note("The conversation of session %s cannot be read: %v", k.Session, err)
		}
		part.CheckpointPromptStart = prompts
		t := g.talk(k.Session)
		t.agent = agents[k.Session]
		t.add(c, start, part)
	}
	return agents
}
