package report

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// mostChapters is how many of a session's last checkpoints a report shows.
const mostChapters = 100

// reporter collects the content of a report.
type reporter struct {
	bare   bool // see Request
	reader *query.Reader
	page   Page

	chapters      []*draft
	talks         []*talk
	fates         []query.OnAStream // of what is on streams
	paths         gitexec.Pathspecs // only these files; none: all
	prices        prices.Table
	committedOnly bool
	bills         map[string]*bill   // by session
	charged       map[[2]string]bool // checkpoints and sessions that are on a bill
	counted       map[[2]string]bool // and those whose tokens are the page's
	lost          []error            // damage in checkpoints of an unknown session
	rows          int                // of diffs, on the page so far
	files         int
	text          int // bytes of diffs
}

// draft is an unfinished chapter of a report.
type draft struct {
	Chapter
	gaps     []string // why its lines are not all counted
	links    []string
	parts    []query.ShownPart
	commit   *gitexec.Commit
	stream   *shadow.Stream
	history  []shadow.Checkpoint
	base     Step
	from, to gitexec.OID // trees; nothing to compare if shown is false
	shown    bool
	authors  *attribution.Commit
	recorded []checkpoints.Recorded
	brought  []brought
	again    Lines    // of its lines, those that an older chapter brings, too
	moved    bool     // lines were matched with another version of a file
	reasons  []string // why lines have no known author
	owners   map[checkpoints.Line]*Owner
}

// Gather collects what is recorded of a name, see query.Resolve, or of the selected commits.
// Damaged and missing data is named in the page's notes.
func Gather(ctx context.Context, r *query.Reader, q Request) (Page, error) {
	g := newReporter(r, q.Prices)
	g.committedOnly, g.bare = q.Committed, q.Bare
	find := func() error { return g.ofSelection(ctx, q.Selection) }
	if name := q.alone(); name != "" {
		find = func() error { return g.find(ctx, name) }
	}
	if err := find(); err != nil {
		return Page{}, err
	}
	if err := g.read(ctx); err != nil {
		return Page{}, err
	}
	return g.page, nil
}

func newReporter(r *query.Reader, table prices.Table) *reporter {
	return &reporter{reader: r, prices: table, bills: map[string]*bill{}, charged: map[[2]string]bool{}, counted: map[[2]string]bool{},
		page: Page{Version: r.Env.Version, Sessions: []Session{}, Chapters: []Chapter{}, Notes: []string{}}}
}

// find resolves a name, and starts the chapters.
func (g *reporter) find(ctx context.Context, name string) error {
	found, err := g.reader.Resolve(ctx, name)
	switch {
	case err != nil:
		return err
	case found.Checkpoint != "":
		return g.ofCheckpoint(ctx, found.Checkpoint)
	case found.Session != "":
		return g.ofSession(ctx, found.Session)
	// A page is of a checkpoint: the last one that has work of the turn.
	case found.Turn != nil && len(found.Turn.Checkpoints) > 0:
		return g.ofCheckpoint(ctx, found.Turn.Checkpoints[len(found.Turn.Checkpoints)-1])
	case found.Turn != nil:
		return g.ofCommit(ctx, found.Turn.OnStreams[len(found.Turn.OnStreams)-1])
	}
	return g.ofCommit(ctx, found.Commit)
}

func (g *reporter) ofCheckpoint(ctx context.Context, id string) error {
	g.page.Kind, g.page.Name, g.page.Title = "checkpoint", id, "Checkpoint "+id
	linked, err := g.linked(ctx, id)
	if err != nil {
		return err
	}
	g.committed(id, linked[id])
	return nil
}

// committed adds the chapter of a committed checkpoint.
func (g *reporter) committed(id string, l linking) {
	c := g.begin(id, id)
	if len(l.commits) == 0 {
		c.Notes = append(c.Notes, "No commit on a branch or a tag links this checkpoint any more, so its changes cannot be shown.")
	} else {
		g.at(c, l.holder)
	}
	for _, also := range l.commits {
		if also.ID != l.holder.ID {
			c.Also = append(c.Also, commitOn(also))
		}
	}
	g.conversations(c)
}

func (g *reporter) ofCommit(ctx context.Context, id gitexec.OID) error {
	commits, err := g.reader.DB.Commits(id)
	if err != nil {
		return err
	}
	if k, ours, err := shadow.ReadCheckpoint(g.reader.DB, id); err != nil {
		return err
	} else if ours {
		g.page.Kind, g.page.Name, g.page.Title = "stream", string(id), "Uncommitted work, up to "+id.Short()
		return g.uncommitted(ctx, shadow.Stream{Tip: k}, id.Short())
	}
	shown := commitOn(commits[0])
	g.page.Kind, g.page.Name, g.page.Title = "commit", string(id), shown.Subject
	return g.ofCommits(ctx, commits)
}

func (g *reporter) note(format string, args ...any) {
	g.page.Notes = append(g.page.Notes, clean(fmt.Sprintf(format, args...)))
}

// damaged adds an error for the command's stderr, each once.
func (g *reporter) damaged(err error) {
	if err != nil && !slices.Contains(g.page.Damage, err.Error()) {
		g.page.Damage = append(g.page.Damage, err.Error())
	}
}

// broken adds an error, also to a chapter's notes.
func (g *reporter) broken(c *draft, err error) {
	if err != nil {
		g.damaged(err)
		c.note("%v", err)
	}
}

func (g *reporter) begin(name string, links ...string) *draft {
	c := &draft{links: links, owners: map[checkpoints.Line]*Owner{}}
	c.Chapter = Chapter{Name: name, Also: []Commit{}, Checkpoints: append([]string{}, links...), Files: []File{}, Graph: []Step{},
		Owners: []*Owner{}, Notes: []string{}}
	g.chapters = append(g.chapters, c)
	return c
}

func (c *draft) note(format string, args ...any) {
	if text := clean(fmt.Sprintf(format, args...)); !slices.Contains(c.Notes, text) {
		c.Notes = append(c.Notes, text)
	}
}

// gap is a note for why lines of the chapter are not counted.
func (c *draft) gap(format string, args ...any) {
	c.note(format, args...)
	if text := c.Name + ": " + c.Notes[len(c.Notes)-1]; !slices.Contains(c.gaps, text) {
		c.gaps = append(c.gaps, text)
	}
}

// read fills in the chapters and the conversations.
func (g *reporter) read(ctx context.Context) error {
	// In this order: the lines tell the turns of a conversation, and these the marks of the lines.
	if err := g.diffs(ctx); err != nil {
		return err
	}
	// Before the turns, whose lines are counted without those that are brought again.
	if err := g.countOnce(); err != nil {
		return err
	}
	generated, err := g.countGenerated(ctx)
	if err != nil {
		return err
	}
	if !g.committedOnly {
		g.fates = fates(g.reader.Whereabouts(ctx))
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
		// The graph shows the owners' marks.
		c.graph()
		g.page.Lines.Add(c.Lines.once(c.again))
		g.page.Chapters = append(g.page.Chapters, c.Chapter)
		g.page.Gaps = append(g.page.Gaps, c.gaps...)
	}
	g.page.Summary = summarise(g.page, generated, g.bills, g.prices.Date.String())
	return nil
}

// countGenerated finds the files whose lines are counted apart, and how many of them owners have.
func (g *reporter) countGenerated(ctx context.Context) (map[gitexec.Path]bool, error) {
	var paths []gitexec.Path
	for _, c := range g.chapters {
		for _, f := range c.Files {
			paths = append(paths, f.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	generated, err := query.Generated(ctx, g.reader.Repo, sets.Once(paths))
	for _, c := range g.chapters {
		for _, f := range c.Files {
			for _, o := range c.owners {
				if generated[f.path] {
					o.apart += o.in[f.Path] - o.again[f.Path]
				}
			}
		}
	}
	return generated, err
}
