// Package site writes the sessions and the linked commits of a repository as a directory of static
// pages, and later only those that changed.
package site

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
)

// Request is what to write.
type Request struct {
	Dir       string       // the directory; required
	Prices    prices.Table // by which tokens are priced; zero: they are not
	Encrypted bool         // publish conversations that are encrypted and that an identity here opens
}

// Result is what was done.
type Result struct {
	Sessions int      `json:"sessions"`
	Commits  int      `json:"commits"`
	Pages    int      `json:"pages"`
	Written  []string `json:"written"`
	Removed  []string `json:"removed"`
	Withheld int      `json:"sessions_not_published"` // encrypted, or dropped

	Damage []string `json:"-"`
	Gaps   []string `json:"gaps,omitempty"` // why lines are not all counted, in words
	Absent bool     `json:"-"`              // because of a checkpoint that is not here, among others
}

// Build brings a directory up to date. It refuses one that has files and is no site.
func Build(ctx context.Context, source query.Source, q Request) (Result, error) {
	dir, err := open(q.Dir)
	if err != nil {
		return Result{}, err
	}
	r, err := source.OpenFor(ctx, query.Selection{})
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	if !q.Encrypted {
		conversation.WithoutIdentity(r.DB)
	}
	b := &builder{source: source, reader: r, request: q, dir: dir, now: manifest{Version: formOfManifest, Pages: map[string]entry{}},
		result: Result{Written: []string{}, Removed: []string{}}}
	// Before the first page: a run that is stopped leaves a directory that the next one accepts.
	if err := dir.begin(); err != nil {
		return b.result, err
	}
	if err := b.build(ctx); err != nil {
		return b.result, err
	}
	return b.result, b.finish()
}

// builder builds a site.
type builder struct {
	source  query.Source
	reader  *query.Reader
	request Request
	dir     *directory
	now     manifest
	plan    plan
	result  Result

	sessions []report.SessionCard
	commits  []report.CommitCard
}

func (b *builder) build(ctx context.Context) (err error) {
	if b.plan, err = planned(ctx, b.reader, b.form()); err != nil {
		return err
	}
	b.ahead()
	for _, one := range b.plan.sessions {
		var card report.SessionCard
		if err := b.page(ctx, one, &card); err != nil {
			return fmt.Errorf("session %s: %w", one.id, err)
		}
		b.sessions = append(b.sessions, card)
		if card.Withheld {
			b.result.Withheld++
		}
	}
	for _, one := range b.plan.commits {
		var card report.CommitCard
		if err := b.page(ctx, one, &card); err != nil {
			return fmt.Errorf("commit %s: %w", one.id, err)
		}
		b.commits = append(b.commits, card)
	}
	b.result.Sessions, b.result.Commits = len(b.sessions), len(b.commits)
	return b.overview(ctx)
}

// ahead brings to a partial clone what it lacks of what the pages show, unless they are all there.
func (b *builder) ahead() {
	lacks := func(one item) bool { _, ok := b.dir.kept(one, &struct{}{}); return !ok }
	if b.reader.Repo.Partial() && (slices.ContainsFunc(b.plan.sessions, lacks) || slices.ContainsFunc(b.plan.commits, lacks)) {
		authors := attribution.Reader{DB: b.reader.DB, Branch: b.reader.Branch}
		authors.Ahead(b.plan.linking, true, b.plan.checkpoints...)
	}
}

// form is what all pages depend on.
func (b *builder) form() string {
	prices, _ := json.Marshal(b.request.Prices) // names, numbers and days: it is always JSON
	return digest(report.Form(), b.reader.Env.Version, string(prices), fmt.Sprint(b.request.Encrypted))
}

// page writes a page and the card beside it, unless they are there, made from the same.
func (b *builder) page(ctx context.Context, one item, card any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e, ok := b.dir.kept(one, card); ok {
		b.now.Pages[one.page()], b.now.Pages[one.data()] = e, b.dir.was.Pages[one.data()]
		b.result.Damage = append(b.result.Damage, e.Damage...)
		b.result.Gaps = append(b.result.Gaps, e.Gaps...)
		return nil
	}
	p, err := report.Gather(ctx, b.reader, report.Request{Selection: query.Selection{Names: []string{one.id}}, Prices: b.request.Prices,
		Committed: true})
	if err != nil {
		return err
	}
	b.connect(&p)
	var text bytes.Buffer
	if err := report.Write(&text, p); err != nil {
		return err
	}
	switch c := card.(type) {
	case *report.SessionCard:
		*c = report.CardOfSession(p, b.request.Prices, one.began, one.ended)
		c.Page, c.Added = one.page(), one.added
	case *report.CommitCard:
		*c = report.CardOfCommit(p)
		c.Page = one.page()
	}
	data, err := json.Marshal(card)
	if err != nil {
		return err
	}
	b.result.Damage = append(b.result.Damage, p.Damage...)
	b.result.Gaps, b.result.Absent = append(b.result.Gaps, p.Gaps...), b.result.Absent || p.Absent
	if err := b.put(one.page(), entry{From: one.from, Damage: p.Damage, Gaps: p.Gaps}, text.Bytes()); err != nil {
		return err
	}
	return b.put(one.data(), entry{From: one.from}, data)
}

// connect adds the links to other pages.
func (b *builder) connect(p *report.Page) {
	p.Home, p.HomeTitle = indexPage, b.title()
	for i, s := range p.Sessions {
		if page := b.plan.pages[s.ID]; p.Kind != "session" || s.ID != p.Name {
			p.Sessions[i].Page = page
		}
	}
	for i, c := range p.Chapters {
		if c.Commit != nil && c.Commit.ID != p.Name {
			p.Chapters[i].Page = b.plan.pages[c.Commit.ID]
		}
	}
}

// title is the repository's name: that of its directory, without where it is.
func (b *builder) title() string { return filepath.Base(b.reader.Repo.Top) }

// overview writes the first page and the search.
func (b *builder) overview(ctx context.Context) error {
	if err := b.countOnce(ctx); err != nil {
		return err
	}
	o := report.Summed(b.sessions, b.commits)
	o.Title, o.Version, o.Cost.Day, o.Notes = b.title(), b.reader.Env.Version, b.request.Prices.Date.String(), b.notes()
	survival, err := b.survival(ctx)
	if err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("How many lines are still there cannot be said: %v", err))
	}
	o.Survival = survival
	for name, write := range map[string]func(*bytes.Buffer) error{
		indexPage:  func(w *bytes.Buffer) error { return report.WriteOverview(w, o) },
		searchPage: func(w *bytes.Buffer) error { return report.WriteSearch(w, o) },
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return err
		}
		if err := b.put(name, entry{}, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// countOnce keeps lines of copies out of the sums, as of what is picked to a branch of releases. No
// process where no two commits link the same checkpoint.
func (b *builder) countOnce(ctx context.Context) error {
	times, links := map[string]int{}, map[gitexec.OID][]string{}
	for _, c := range b.plan.linking {
		links[c.ID] = b.reader.Branch.Links(b.reader.DB, c)
		for _, id := range links[c.ID] {
			times[id]++
		}
	}
	copies := slices.DeleteFunc(slices.Clone(b.plan.linking), func(c gitexec.Commit) bool {
		return !slices.ContainsFunc(links[c.ID], func(id string) bool { return times[id] > 1 })
	})
	authors := attribution.Reader{DB: b.reader.DB, Branch: b.reader.Branch}
	counted, err := authors.Count(ctx, b.reader.Repo, copies, gitexec.Pathspecs{})
	if err != nil {
		return err
	}
	ids := make([]gitexec.OID, len(copies))
	at := map[string]int{}
	for i, c := range copies {
		ids[i], at[string(c.ID)] = c.ID, i
	}
	if err := attribution.MarkAgain(b.reader.DB, ids, counted); err != nil {
		return err
	}
	for i := range b.commits {
		if n, ok := at[b.commits[i].ID]; ok {
			b.commits[i].CountOnce(counted[n])
		}
	}
	return nil
}

func (b *builder) notes() (notes []string) {
	if n := b.result.Withheld; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of the sessions have a conversation that is not published: it is encrypted, or was dropped.", n))
	}
	return notes
}

// put writes a file if it has another content than before.
func (b *builder) put(name string, e entry, text []byte) error {
	e.Sum = digest(string(text))
	b.now.Pages[name] = e
	if b.dir.has(name, e.Sum) {
		return nil
	}
	b.result.Written = append(b.result.Written, name)
	return b.dir.write(name, text)
}

// finish removes the files that are no longer part of the site, and says what is.
func (b *builder) finish() error {
	for name := range b.now.Pages {
		if filepath.Ext(name) == ".html" {
			b.result.Pages++
		}
	}
	removed, err := b.dir.finish(b.now)
	b.result.Removed = append(b.result.Removed, removed...)
	slices.Sort(b.result.Written)
	slices.Sort(b.result.Removed)
	slices.Sort(b.result.Damage)
	b.result.Damage = slices.Compact(b.result.Damage)
	slices.Sort(b.result.Gaps)
	b.result.Gaps = slices.Compact(b.result.Gaps)
	return err
}
