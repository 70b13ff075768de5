package query

import (
	"context"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/stats"
	"entire-plumb/internal/survival"
)

// StatsRequest is what to count.
type StatsRequest struct {
	Selection Selection    // the commits; empty: all of HEAD's history
	By        stats.By     // of the rows; empty: totals alone
	Depth     int          // of directories; 0: 1
	Most      int          // rows; 0: all
	Prompts   int          // that are listed; 0: none
	Prices    prices.Table // required
}

// Stats is what is counted.
type Stats struct {
	stats.Result
	Head     gitexec.OID `json:"head"`
	Outside  int         `json:"commits_outside_head"` // whose lines are counted, and not followed
	Shallow  int         `json:"commits_not_counted"`  // since their parents are missing
	Missing  []string    `json:"missing_checkpoints"`  // that commits link, and that are not here
	Damaged  []string    `json:"damaged_checkpoints"`
	Unpriced []string    `json:"models_without_price"`
	PricesOf string      `json:"prices_of"`    // the day of the table
	Died     int         `json:"prompts_died"` // prompts of whose lines at least half died within a week
}

// whole reports whether all of HEAD's history is selected.
func (s Selection) whole() bool { return len(s.Names)+len(s.Paths) == 0 && !s.limited() }

// Stats counts lines, tokens and money, and what became of the lines. It reads the index of lines,
// and starts a few processes, and of commits outside HEAD's history one more.
func (e Source) Stats(ctx context.Context, q StatsRequest) (all Stats, err error) {
	r, err := e.OpenFor(ctx, q.Selection)
	if err != nil {
		return all, err
	}
	defer r.Close()
	l, err := openLifetimes(ctx, r)
	if err != nil {
		return all, err
	}
	s := counting{lifetimes: l, ctx: ctx, request: q, now: r.Env.Now(), commits: map[gitexec.OID]*stats.Commit{}, first: map[string]*stats.Commit{},
		owners: map[lineOwner]*stats.Owner{}, prices: map[[2]string]*prices.Price{}}
	s.collector = stats.New(stats.Request{By: q.By, Depth: q.Depth, Now: r.Env.Now(), Most: q.Most})
	s.all.Head, s.all.PricesOf, s.all.Missing, s.all.Damaged, s.all.Unpriced = r.Repo.Head.ID, q.Prices.Date.String(), []string{}, []string{}, []string{}
	if err := s.count(); err != nil {
		return all, err
	}
	s.all.Result = s.collector.Result()
	// The number is of all, also of those that are not listed.
	s.all.Died = len(s.all.Prompts)
	s.all.Prompts = s.all.Prompts[:min(len(s.all.Prompts), q.Prompts)]
	err = s.readPrompts()
	return s.all, err
}

// counting is one answer.
type counting struct {
	*lifetimes
	ctx       context.Context
	now       time.Time
	request   StatsRequest
	collector *stats.Collector
	commits   map[gitexec.OID]*stats.Commit // that are selected
	first     map[string]*stats.Commit      // by checkpoint: the first one that links it
	links     []string                      // the linked checkpoints, in the commits' order
	owners    map[lineOwner]*stats.Owner
	files     map[gitexec.Path]bool // that count; nil: all
	apart     map[gitexec.Path]bool
	sequence  []gitexec.OID                       // of the commits, parents first; others may stand among them
	outside   []gitexec.Commit                    // of other branches
	counted   map[gitexec.OID]attribution.Counted // of those
	prices    map[[2]string]*prices.Price         // by model and day
	at        gitexec.OID                         // the commit of runs
	runs      map[gitexec.Path][]owned
	all       Stats
}

func (s *counting) count() error {
	if err := s.choose(); err != nil {
		return err
	}
	if err := s.classify(); err != nil {
		return err
	}
	if err := s.countOnce(); err != nil {
		return err
	}
	for _, id := range s.order {
		if s.commits[id] != nil {
			s.collector.Commit(s.commits[id])
			s.added(id)
		}
	}
	for _, c := range s.outside {
		s.collector.Commit(s.commits[c.ID])
		s.addedOutside(c, s.counted[c.ID])
	}
	s.born()
	s.spent()
	return nil
}

// choose finds the selected commits.
func (s *counting) choose() error {
	// The index has all that is needed: git is not asked for the history.
	s.sequence = s.order
	if s.request.Selection.whole() {
		for i := range s.order {
			s.chooseHere(i)
		}
		return nil
	}
	selection := s.request.Selection
	selection.Walk = true
	chosen, err := s.reader.Select(s.ctx, selection)
	if err != nil {
		return err
	}
	selected := map[gitexec.OID]gitexec.Commit{}
	for _, c := range slices.Backward(chosen) {
		selected[c.ID] = c
		// Of other branches nothing is followed, only what each commit brought is counted.
		if _, known := s.number[c.ID]; !known {
			s.outside = append(s.outside, c)
		}
	}
	// Commits here and there may have the same lines and the same checkpoint: the first of all
	// counts.
	if len(s.outside) > 0 {
		s.sequence = gitexec.IDsOf(chosen)
		slices.Reverse(s.sequence)
	}
	for _, id := range s.sequence {
		c, is := selected[id]
		at, known := s.number[id]
		switch {
		case !is:
		case known:
			s.chooseHere(at)
		default:
			s.commits[id] = s.commitOf(id, c.Author, c.When, s.linksOf(id, trailersIn(c.Message)))
		}
	}
	s.all.Outside = len(s.outside)
	paths := selection.pathspecs(s.reader.Env.Dir)
	if len(selection.Paths) > 0 {
		if s.files, err = s.reader.Repo.Touching(s.ctx, gitexec.IDsOf(chosen), paths); err != nil {
			return err
		}
	}
	// Without the paths, which are those of the files now: counts leaves out the others.
	counted, err := s.reader.authors(s.ctx).Count(s.ctx, s.reader.Repo, s.outside, gitexec.Pathspecs{})
	s.counted = make(map[gitexec.OID]attribution.Counted, len(counted))
	for i, n := range counted {
		s.counted[s.outside[i].ID] = n
	}
	return err
}

// chooseHere selects a commit of HEAD's history, by its number.
func (s *counting) chooseHere(at int) {
	id := s.order[at]
	h := s.pasts[id]
	s.commits[id] = s.commitOf(id, h.author, time.Unix(h.when, 0).UTC(), s.lifetimes.links[at])
}

// commitOf is a commit, with the branch of its first checkpoint.
func (s *counting) commitOf(id gitexec.OID, author string, when time.Time, links []named) *stats.Commit {
	c := &stats.Commit{ID: id, When: when, Author: author, Linked: len(links) > 0}
	for _, link := range links {
		f, known := s.facts[link.checkpoint]
		if c.Branch == "" {
			c.Branch = f.branch
		}
		// It was linked before, as by a cherry-pick's origin: its tokens are spent once.
		if s.first[link.checkpoint] != nil {
			continue
		}
		s.first[link.checkpoint], s.links = c, append(s.links, link.checkpoint)
		switch {
		// What was purged is not missing: its user wanted it gone.
		case !known && s.reader.Branch.PurgedOn(s.reader.DB, link.checkpoint) == "":
			s.all.Missing = append(s.all.Missing, link.checkpoint)
		case f.damaged != "":
			s.all.Damaged = append(s.all.Damaged, link.checkpoint)
		}
	}
	return c
}

// classify finds the generated files. One process.
func (s *counting) classify() (err error) {
	seen := map[gitexec.Path]bool{}
	for id := range s.commits {
		for _, c := range s.pasts[id].changes {
			seen[c.New] = true
		}
	}
	for _, n := range s.counted {
		for _, f := range n.Files {
			seen[f.Path] = true
		}
	}
	// The new name of a deleted file.
	delete(seen, "")
	s.apart, err = Generated(s.ctx, s.reader.Repo, slices.Collect(maps.Keys(seen)))
	return err
}

// counts reports whether a file's lines count.
func (s *counting) counts(path gitexec.Path) bool { return s.files == nil || s.files[path] }

// owner is whose lines are, with what is known of a session's part. links are the commit's.
func (s *counting) owner(o lineOwner, links []named) *stats.Owner {
	one := s.owners[o]
	if one == nil {
		one = &stats.Owner{Kind: o.kind, Checkpoint: o.checkpoint, Session: o.session, Turn: o.turn}
		f := s.facts[o.checkpoint]
		for _, session := range f.sessions {
			if session.session == o.session {
				one.Agent, one.Model = session.agent, session.model
			}
		}
		s.owners[o] = one
	}
	// The key stays the same: what was spent for it is counted by the first commit that links the
	// checkpoint.
	if o.again && o.kind == attribution.Agent || o.checkpoint != "" && !slices.ContainsFunc(links, func(n named) bool { return n.checkpoint == o.checkpoint }) {
		kept := *one
		kept.Kept = true
		return &kept
	}
	return one
}

var human = lineOwner{kind: attribution.Human}

// added counts the lines of a linked commit in HEAD's history as attribution does.
func (s *counting) added(id gitexec.OID) {
	o, c, links := s.lifetimes.owners[id], s.commits[id], s.lifetimes.links[s.number[id]]
	if o.notCounted {
		s.all.Shallow++
	}
	if !c.Linked || o.notCounted {
		return
	}
	for _, f := range o.files {
		// As attribution, which counts no lines of a version that git doesn't compare.
		if f.fresh || !s.counts(f.path) {
			continue
		}
		for _, r := range f.runs {
			if o.owners[r.owner].again {
				// The commit counts in the owner's row all the same.
				r.N = 0
			}
			s.collector.Added(stats.Lines{Commit: c, Path: f.path, Owner: s.owner(o.owners[r.owner], links), Generated: s.apart[f.path]}, r.N)
		}
	}
}

// addedOutside counts those of another commit.
func (s *counting) addedOutside(c gitexec.Commit, n attribution.Counted) {
	if n.NotCounted != "" {
		s.all.Shallow++
		return
	}
	links := s.linksOf(c.ID, trailersIn(c.Message))
	for _, f := range n.Files {
		if !s.counts(f.Path) {
			continue
		}
		lines := stats.Lines{Commit: s.commits[c.ID], Path: f.Path, Generated: s.apart[f.Path]}
		for part, ranges := range f.Parts {
			lines.Owner = s.owner(lineOwner{kind: attribution.Agent, checkpoint: part.Checkpoint, session: part.Session}, links)
			if n := f.First(ranges); n > 0 {
				s.collector.Added(lines, n)
			}
		}
		for kind, n := range map[attribution.Kind]int{attribution.Human: f.First(f.Human), attribution.Unknown: f.First(f.Unknown)} {
			if lines.Owner = s.owner(lineOwner{kind: kind}, links); n > 0 {
				s.collector.Added(lines, n)
			}
		}
	}
}

// born counts what became of the lines of HEAD's history.
func (s *counting) born() {
	followed := map[lineOwner]bool{}
	for i := range s.births {
		b := &s.births[i]
		id := s.order[b.Commit]
		c := s.commits[id]
		if c == nil || !s.counts(b.Path) {
			continue
		}
		lines := stats.Lines{Commit: c, Path: b.Path, Generated: s.apart[b.Path]}
		links := s.lifetimes.links[b.Commit]
		for owner, lives := range s.lives(b, id) {
			lines.Owner = s.owner(owner, links)
			if first := owner; owner.again {
				first.again = false
				if !followed[first] { // of two sides of a merge, blame names one alone
					lines.Owner = s.owner(first, []named{{checkpoint: first.checkpoint}})
				}
			}
			followed[owner] = true
			s.collector.Born(lines, lives)
			if !c.Linked {
				// added leaves such a commit out: what was born in it is what it added.
				for _, life := range lives {
					s.collector.Added(lines, life.N)
				}
			}
		}
	}
}

// lives are what became of a birth's lines, by owner.
func (s *counting) lives(b *survival.Birth, id gitexec.OID) map[lineOwner][]stats.Lifespan {
	o := s.lifetimes.owners[id]
	if s.at != id { // a commit's births follow each other
		s.at, s.runs = id, make(map[gitexec.Path][]owned, len(o.files))
		for _, f := range o.files {
			s.runs[f.path] = f.runs
		}
	}
	runs := s.runs[b.Path]
	by := map[lineOwner][]stats.Lifespan{}
	split := func(span survival.Span, died time.Time) {
		left := span.N
		for _, r := range runs {
			if from, to := max(r.Start, span.Start), min(r.End(), span.End()); from < to {
				by[o.owners[r.owner]] = append(by[o.owners[r.owner]], stats.Lifespan{N: to - from, Died: died})
				left -= to - from
			}
		}
		if left > 0 { // no checkpoint is in the commit's history
			by[human] = append(by[human], stats.Lifespan{N: left, Died: died})
		}
	}
	for _, span := range b.Alive {
		split(span, time.Time{})
	}
	for _, d := range b.Died {
		split(d.Span, time.Unix(d.When, 0).UTC())
	}
	return by
}

// spent counts what the checkpoints of the commits cost, each once.
func (s *counting) spent() {
	for _, id := range s.links {
		f := s.facts[id]
		s.collector.Edited(s.first[id], f.modified)
		// One commit has it: the first that links the checkpoint.
		for _, part := range f.sessions {
			one := stats.Spent{Commit: s.first[id], Usage: part.usage,
				Owner: &stats.Owner{Kind: attribution.Agent, Checkpoint: id, Session: part.session, Agent: part.agent, Model: part.model}}
			if part.usage != nil {
				if price := s.price(part); price != nil {
					one.USD, one.Known = price.Cost(*part.usage), true
				} else {
					s.all.Unpriced = sets.With(s.all.Unpriced, part.model)
				}
			}
			s.collector.Spent(one)
		}
	}
}

// price is that of a part's model; nil: it has none.
func (s *counting) price(part sessionFacts) *prices.Price {
	// A time that can't be has no price of its own day: it counts as unknown.
	at := [2]string{part.model, prices.Day(checkpoints.Bounded(part.created, s.now))}
	price, known := s.prices[at]
	if !known {
		price = s.request.Prices.Of(at[0], at[1])
		s.prices[at] = price
	}
	return price
}

// readPrompts reads the prompts of the turns that are listed.
func (s *counting) readPrompts() error {
	authors := s.reader.authors(s.ctx)
	for i := range s.all.Prompts {
		p := &s.all.Prompts[i]
		commit, err := s.reader.DB.Commit(p.Commit)
		if err != nil {
			return err
		}
		p.Prompt = authors.Commit(commit).Prompt(p.Session, p.Turn)
	}
	return nil
}
