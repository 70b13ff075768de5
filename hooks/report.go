package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/report"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// mostChapters is how many checkpoints of a session a report tells of, the last ones.
const mostChapters = 100

// abbreviated is how many digits of a commit's ID git prints.
const abbreviated = 7

// reporter gathers what a report shows.
type reporter struct {
	*reading
	env  Env
	page report.Page

	chapters []*chapter
	talks    []*talk
	rows     int // of diffs, on the page so far
	files    int
	text     int // bytes of diffs
}

// chapter is a part of a report in the making.
type chapter struct {
	report.Chapter
	links    []string
	streams  []string // that led to it, as the checkpoints' branch says
	parts    []ShownPart
	commit   *gitexec.Commit
	stream   *shadow.Stream
	history  []shadow.Checkpoint
	base     report.Step
	from, to gitexec.OID // trees; nothing to compare if shown is false
	shown    bool
	told     bool // it is known whose the lines are
	moved    bool // of another version of a file
	versions []condense.Owners
	owners   map[condense.Line]*report.Owner
}

// Report gathers what is recorded of a commit, a checkpoint, a checkpoint on a stream, or a session; IDs may be abbreviated. What is damaged or gone
// is said in its notes, beside the rest.
func (e Env) Report(ctx context.Context, name string) (report.Page, error) {
	r, err := e.read(ctx)
	if err != nil {
		return report.Page{}, err
	}
	defer r.db.Close()
	g := &reporter{reading: r, env: e, page: report.Page{Version: e.Version, Sessions: []report.Session{}, Chapters: []report.Chapter{}, Notes: []string{}}}
	if err := g.find(ctx, name); err != nil {
		return report.Page{}, err
	}
	if err := g.read(ctx); err != nil {
		return report.Page{}, err
	}
	return g.page, nil
}

// find decides what a name stands for, and begins the chapters.
func (g *reporter) find(ctx context.Context, name string) error {
	id, noID := condense.ResolveID(g.db, g.branch, name)
	if noID != nil && !errors.Is(noID, condense.ErrNoCheckpoint) {
		return noID
	}
	commit, noCommit := g.repo.Resolve(ctx, name)
	var candidates []string
	if noID == nil {
		candidates = append(candidates, "checkpoint "+id)
	}
	if noCommit == nil {
		candidates = append(candidates, "commit "+string(commit))
	}
	var sessions []SessionInfo
	// A session's ID that begins with as many digits as git abbreviates to is not looked for beside a commit: it takes reading all checkpoints.
	if few := len(name) < abbreviated && strings.Trim(name, "0123456789abcdef") == ""; len(candidates) == 0 || few {
		var err error
		if sessions, err = g.sessionsNamed(name); err != nil {
			return err
		}
	}
	for _, s := range sessions {
		candidates = append(candidates, "session "+s.ID)
	}
	switch {
	case len(candidates) == 0:
		return fmt.Errorf("%q is neither a commit nor a checkpoint nor a session\nhint: entire-plumb log and entire-plumb sessions list those there are", name)
	case len(candidates) > 1:
		return &condense.AmbiguousError{Prefix: name, Candidates: candidates}
	case noID == nil:
		return g.ofCheckpoint(ctx, id)
	case len(sessions) > 0:
		return g.ofSession(ctx, sessions[0])
	}
	return g.ofCommit(ctx, commit)
}

// sessionsNamed finds the sessions whose IDs begin with a prefix, or the one that has it for its ID.
func (g *reporter) sessionsNamed(prefix string) ([]SessionInfo, error) {
	by, err := g.committedSessions()
	if err != nil {
		return nil, err
	}
	if err := g.env.knownIn(g.repo, by); err != nil {
		return nil, err
	}
	var found []SessionInfo
	for id, s := range by {
		if id == prefix {
			return []SessionInfo{*s}, nil
		}
		if prefix != "" && strings.HasPrefix(id, prefix) {
			found = append(found, *s)
		}
	}
	slices.SortFunc(found, func(a, b SessionInfo) int { return strings.Compare(a.ID, b.ID) })
	return found, nil
}

func (g *reporter) ofCheckpoint(ctx context.Context, id string) error {
	g.page.Kind, g.page.Name, g.page.Title = "checkpoint", id, "Checkpoint "+id
	linked, err := g.linked(ctx, id)
	if err != nil {
		return err
	}
	return g.committed(id, linked[id])
}

// committed adds the chapter of a checkpoint.
func (g *reporter) committed(id string, l linking) error {
	c := g.begin(id, id)
	c.streams = l.streams
	switch {
	case len(l.commits) == 0:
		c.Notes = append(c.Notes, "No commit on a branch or a tag links this checkpoint any more: its changes cannot be shown.")
	default:
		g.at(c, l.commits[0])
		for _, also := range l.commits[1:] {
			c.Also = append(c.Also, commitOn(also))
		}
	}
	return g.conversations(c)
}

func (g *reporter) ofCommit(ctx context.Context, id gitexec.OID) error {
	commits, err := g.db.Commits(id)
	if err != nil {
		return err
	}
	if k, ours, err := shadow.ReadCheckpoint(g.db, id); err != nil {
		return err
	} else if ours {
		g.page.Kind, g.page.Name, g.page.Title = "stream", string(id), "Work that is not committed yet, up to "+id.Short()
		return g.uncommitted(ctx, shadow.Stream{Tip: k}, id.Short())
	}
	shown := commitOn(commits[0])
	g.page.Kind, g.page.Name, g.page.Title = "commit", string(id), shown.Subject
	links := message.Links(commits[0].Message)
	linked, err := g.linked(ctx, links...)
	if err != nil {
		return err
	}
	c := g.begin(id.Short(), links...)
	g.at(c, commits[0])
	for _, link := range links {
		c.streams = append(c.streams, linked[link].streams...)
		for _, also := range linked[link].commits {
			if one := commitOn(also); also.ID != id && !slices.Contains(c.Also, one) {
				c.Also = append(c.Also, one)
			}
		}
	}
	if len(links) == 0 {
		c.told = true
		c.Notes = append(c.Notes, "The commit has no link: no agent's work is known to be in it.")
	}
	return g.conversations(c)
}

func (g *reporter) ofSession(ctx context.Context, s SessionInfo) error {
	g.page.Kind, g.page.Name, g.page.Title, g.page.Tokens = "session", s.ID, cmp.Or(report.Line(s.FirstPrompt), "Session "+s.ID), s.Tokens
	ids := s.Checkpoints
	if len(ids) > mostChapters {
		g.note("%d earlier checkpoints of the session are left out.", len(ids)-mostChapters)
		ids = ids[len(ids)-mostChapters:]
	}
	linked, err := g.linked(ctx, ids...)
	if err != nil {
		return err
	}
	g.talks = append(g.talks, &talk{id: s.ID, agent: s.Agent})
	for _, id := range ids {
		if err := g.committed(id, linked[id]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(g.chapters, func(a, b *chapter) int { return cmp.Compare(a.start(s.ID), b.start(s.ID)) })
	listing, err := shadow.List(ctx, g.repo)
	if err != nil {
		return err
	}
	streams, err := listing.All(g.db)
	if err != nil {
		return err
	}
	for _, one := range streams {
		history, err := one.History(g.db)
		if err != nil {
			g.note("Stream %s cannot be read: %v", one.Name, err)
			continue
		}
		if slices.ContainsFunc(history, func(k shadow.Checkpoint) bool { return k.Session == s.ID }) {
			if err := g.uncommitted(ctx, one, one.String()); err != nil {
				return err
			}
		}
	}
	if len(g.chapters) == 0 {
		g.note("The session has neither a checkpoint nor work that is waiting for a commit.")
	}
	return nil
}

// start is where the part of a session's transcript begins that the chapter is of, in lines.
func (c *chapter) start(session string) int {
	for _, p := range c.parts {
		if p.SessionID == session {
			return p.CheckpointTranscriptStart
		}
	}
	return 0
}

func (g *reporter) note(format string, args ...any) {
	g.page.Notes = append(g.page.Notes, report.Clean(fmt.Sprintf(format, args...)))
}

func (g *reporter) begin(name string, links ...string) *chapter {
	c := &chapter{links: links, owners: map[condense.Line]*report.Owner{}}
	c.Chapter = report.Chapter{Name: name, Also: []report.Commit{}, Checkpoints: append([]string{}, links...), Files: []report.File{}, Graph: []report.Step{}, Owners: []*report.Owner{}, Notes: []string{}}
	g.chapters = append(g.chapters, c)
	return c
}

func (c *chapter) note(format string, args ...any) {
	c.Notes = append(c.Notes, report.Clean(fmt.Sprintf(format, args...)))
}

// mostSubject is how many bytes of a commit's subject are shown.
const mostSubject = 300

func commitOn(c gitexec.Commit) report.Commit {
	s := shownCommit(c)
	subject, _ := report.Cut(s.Subject, mostSubject)
	return report.Commit{ID: string(s.Commit), Subject: report.Line(subject), Author: report.Line(s.Author), When: s.When}
}

// linking is what leads to a checkpoint.
type linking struct {
	commits []gitexec.Commit // that link it, newest first
	streams []string         // that it was made from
}

// linked looks for what leads to checkpoints. One process.
func (g *reporter) linked(ctx context.Context, ids ...string) (map[string]linking, error) {
	all := map[string]linking{}
	if len(ids) == 0 {
		return all, nil
	}
	var texts []string
	for _, id := range ids {
		texts = append(texts, "Checkpoint: "+id) // on a user's commit, and on those of the checkpoints' branch
	}
	var also []gitexec.OID
	if g.branch.Tip != "" {
		also = append(also, g.branch.Tip)
	}
	found, err := g.repo.FindCommits(ctx, texts, also...)
	if err != nil {
		return nil, err
	}
	commits, err := g.db.Commits(found...)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		if id, ok := strings.CutPrefix(shownCommit(c).Subject, "Checkpoint: "); ok && slices.Contains(ids, id) {
			l := all[id]
			for line := range strings.Lines(string(c.Message)) {
				if name, ok := strings.CutPrefix(line, condense.StreamKey+": "); ok && !slices.Contains(l.streams, strings.TrimSpace(name)) {
					l.streams = append(l.streams, strings.TrimSpace(name))
				}
			}
			all[id] = l
			continue
		}
		for _, id := range message.Links(c.Message) {
			l := all[id]
			l.commits = append(l.commits, c)
			all[id] = l
		}
	}
	return all, nil
}

// at says which commit a chapter shows.
func (g *reporter) at(c *chapter, commit gitexec.Commit) {
	shown := commitOn(commit)
	c.commit, c.Commit, c.to = &commit, &shown, commit.Tree
	if len(commit.Parents) == 0 {
		c.from, c.shown, c.Against = g.repo.Format.EmptyTree(), true, "nothing, as it is a first commit"
		c.base = report.Step{Kind: "base", Label: "nothing before"}
		return
	}
	first := commit.Parents[0]
	c.base = report.Step{Kind: "base", Label: first.Short()}
	if there, err := g.db.Info(first); err != nil || there[0].Type != "commit" {
		c.note("Its parent %s is not in this repository, which may be a shallow clone: its changes cannot be shown.", first.Short())
		return
	}
	parents, err := g.db.Commits(first)
	if err != nil {
		c.note("Its parent %s cannot be read: %v", first.Short(), err)
		return
	}
	c.from, c.shown, c.Against = parents[0].Tree, true, "its parent "+first.Short()
	c.base.More = report.Line(shownCommit(parents[0]).Subject)
	if n := len(commit.Parents); n > 1 {
		c.Against = fmt.Sprintf("the first of its %d parents, %s: it is a merge", n, first.Short())
	}
}

// conversations reads the sessions' parts in a chapter's checkpoints.
func (g *reporter) conversations(c *chapter) error {
	for _, id := range c.links {
		_, err := condense.ReadCommitted(g.db, g.branch, id)
		if errors.Is(err, condense.ErrNoCheckpoint) {
			c.note("Checkpoint %s is not here.", id)
			continue
		}
		if err != nil {
			c.note("%v", err)
		}
		for index := 0; ; index++ {
			content, err := condense.ReadSessionContent(g.db, g.branch, id, index)
			if errors.Is(err, condense.ErrNoSession) {
				break
			}
			if err != nil {
				c.note("%v", err)
				if !errors.Is(err, condense.ErrDamaged) {
					break
				}
				continue
			}
			part := ShownPart{SessionMetadata: content.Metadata, Prompts: prompts(content.Prompts), Tasks: content.Tasks, teller: content}
			c.parts = append(c.parts, part)
			g.spent(c, part)
			if g.page.Branch == "" {
				g.page.Branch = report.Line(part.Branch)
			}
			if g.page.Kind == "session" && part.SessionID != g.page.Name {
				continue
			}
			g.talk(part.SessionID).add(c, part.CheckpointTranscriptStart, part)
		}
		told, err := condense.ReadAllOwners(g.db, g.branch, id)
		if err != nil {
			c.note("%v", err)
		}
		if told != nil {
			c.told, c.versions = true, append(c.versions, told)
		}
	}
	if !c.told {
		c.note("Whose the lines are is not recorded.")
	}
	return nil
}

// spent adds a part's tokens to the page's.
func (g *reporter) spent(c *chapter, part ShownPart) {
	a := part.InitialAttribution
	if a != nil && a.Estimated {
		c.note("Another program recorded session %s: what the human changed between its turns counts as the agent's.", part.SessionID)
	}
	if a != nil && a.Unknown > 0 {
		c.note("Of %d lines nobody can tell whose they are: something of the stream was gone when the commit was made.", a.Unknown)
	}
	if g.page.Kind == "session" {
		return
	}
	if part.CheckpointTokenUsage == nil {
		if part.TokenUsage != nil {
			c.note("What of session %s's tokens was for this checkpoint is not recorded.", part.SessionID)
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

// uncommitted adds the chapter of a stream's work, up to its tip or an earlier checkpoint of it.
func (g *reporter) uncommitted(ctx context.Context, s shadow.Stream, name string) error {
	c := g.begin(name)
	history, err := s.History(g.db)
	if err != nil {
		return err
	}
	c.stream, c.history = &s, history
	first := history[0]
	c.from, c.to, c.shown = first.Before, s.Tip.Tree, true
	c.base = report.Step{Kind: "base", Label: first.Parent.Short()}
	c.Against = first.Parent.Short()
	if first.Parent == "" {
		c.from, c.Against, c.base.Label = g.repo.Format.EmptyTree(), "nothing, as there was no commit yet", "nothing before"
	}
	if s.Suffix > 0 {
		c.Stream = s.String()
	}
	store := session.Store{Dir: StateDir(g.repo), Warn: g.env.warn}
	agents := map[string]string{}
	for _, k := range history {
		if _, seen := agents[k.Session]; seen {
			continue
		}
		agents[k.Session] = ""
		start := 0
		if state, err := store.Load(k.Session); err == nil && state != nil {
			agents[k.Session], start = state.AgentType, state.CheckpointTranscriptStart
		}
		if g.page.Kind == "session" && k.Session != g.page.Name {
			continue
		}
		told, err := g.onStream(s.Tip, k.Session)
		if err != nil {
			c.note("The conversation of session %s cannot be read: %v", k.Session, err)
		}
		t := g.talk(k.Session)
		t.agent = agents[k.Session]
		t.add(c, start, told)
	}
	changes, err := g.db.DiffTrees(c.from, c.to)
	if err == nil {
		var owners condense.Owners
		owners, err = condense.StreamOwners(ctx, g.repo, g.db, s, c.from, changes, agents)
		c.told, c.versions = err == nil, []condense.Owners{owners}
	}
	if err != nil {
		c.note("Whose the lines are cannot be told: %v", err)
	}
	return nil
}

// read fills in the chapters and the conversations.
func (g *reporter) read(ctx context.Context) error {
	if err := g.diffs(ctx); err != nil {
		return err
	}
	for i, t := range g.talks {
		s, err := g.converse(ctx, i, t)
		if err != nil {
			return err
		}
		g.page.Sessions = append(g.page.Sessions, s)
	}
	for _, c := range g.chapters {
		g.assign(c)
		c.graph()
		g.page.Lines.Add(c.Lines)
		g.page.Chapters = append(g.page.Chapters, c.Chapter)
	}
	return nil
}
