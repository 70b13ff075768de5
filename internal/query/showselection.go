package query

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/stats"
)

// ShowRequest is what to show.
type ShowRequest struct {
	Selection   Selection    // empty: the commit at HEAD
	Whole       bool         // all prompts since the session began, and not only a part's own
	Transcripts bool         // they will be read, too
	Prices      prices.Table // of the totals; empty: no money is known
}

// ShownSelection is several commits, or what several names mean.
type ShownSelection struct {
	Shown  []ShownItem `json:"shown"`  // one for each commit or name
	Totals ShownTotals `json:"totals"` // of all
}

// ShownItem is a commit with the checkpoints that it links, or what another name means.
type ShownItem struct {
	Name         string           `json:"name,omitempty"` // as it was given; empty: a commit of a range
	*ShownCommit                  // nil: the name is of something else
	Linked       bool             `json:"linked"`          // whether the commit links checkpoints
	Lines        *attribution.Sum `json:"lines,omitempty"` // of the commit; nil: not counted, or without a link
	Checkpoints  []Shown          `json:"checkpoints"`     // that the commit links, or that the name means

	counted attribution.Counted // the lines of the commit
	turn    string              // whose lines those of checkpoints are; empty: they are of no turn alone
}

// ShownTotals adds up what is shown, each commit and each session's part in a checkpoint once.
type ShownTotals struct {
	Commits int `json:"commits"`        // that are shown
	Linked  int `json:"linked_commits"` // those of them that link checkpoints
	Agent   int `json:"agent_lines"`    // of the linked commits, each once, without generated and vendored files
	Human   int `json:"human_lines"`    // likewise
	Unknown int `json:"unknown_lines"`  // likewise, without a known author
	// Again are lines that an older one of the commits brings, too: they count once.
	Again stats.Counts `json:"again"`
	// Generated are the lines in these files.
	Generated stats.Counts `json:"generated"`
	Spent
}

// Several reports whether a selection is more than one name: it is shown by ShowSelection.
func (s Selection) Several() bool {
	return len(s.Names) != 1 || s.limited() || isRange(s.Names[0])
}

// ShowSelection shows the selected commits, newest first, each with the checkpoints that it links;
// of several names that are no ranges, and that no date or author limits, what each of them means.
// The caller calls done when it has read the transcripts.
func (e Source) ShowSelection(ctx context.Context, q ShowRequest) (all ShownSelection, done func(), err error) {
	r, err := e.OpenFor(ctx, q.Selection)
	if err != nil {
		return all, nil, err
	}
	r.limit = q.Selection.pathspecs(e.Dir)
	if all.Shown, err = r.itemsOf(ctx, q.Selection); err != nil {
		r.Close()
		return all, nil, err
	}
	for i := range all.Shown {
		for j := range all.Shown[i].Checkpoints {
			all.Shown[i].Checkpoints[j].scope(q.Whole)
		}
	}
	if err := markTotals(ctx, r, all.Shown); err != nil {
		r.Close()
		return all, nil, err
	}
	all.Totals = totalsOf(all.Shown, q.Prices)
	return all, r.Close, nil
}

// itemsOf reads what is selected.
func (r *Reader) itemsOf(ctx context.Context, s Selection) ([]ShownItem, error) {
	if !s.limited() && !slices.ContainsFunc(s.Names, isRange) {
		return r.itemsOfNames(ctx, s.Names)
	}
	commits, err := r.Select(ctx, s)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(commits, newestFirst)
	return r.itemsOfCommits(ctx, commits)
}

// itemsOfNames reads what each name means.
func (r *Reader) itemsOfNames(ctx context.Context, names []string) ([]ShownItem, error) {
	items := []ShownItem{}
	// A name that is given twice is shown once.
	for _, name := range sets.With(nil, names...) {
		found, err := r.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if found.Commit != "" {
			commits, err := r.DB.Commits(found.Commit)
			if err != nil {
				return nil, err
			}
			one, err := r.itemsOfCommits(ctx, commits)
			if err != nil {
				return nil, err
			}
			// The name of a checkpoint on a stream is shown as that: no commit of the user's is
			// meant.
			if one[0].Name = name; len(one[0].Checkpoints) > 0 && one[0].Checkpoints[0].Stream != "" {
				one[0].ShownCommit = nil
			}
			items = append(items, one[0])
			continue
		}
		shown, err := shownBy(ctx, r, name)
		if err != nil {
			return nil, err
		}
		item := ShownItem{Name: name, Checkpoints: shown}
		if found.Turn != nil {
			item.turn = found.Turn.ID
		}
		items = append(items, item)
	}
	return items, nil
}

// itemsOfCommits reads the checkpoints that commits link. The lines of all are counted together.
func (r *Reader) itemsOfCommits(ctx context.Context, commits []gitexec.Commit) ([]ShownItem, error) {
	shown, counted, err := showCommits(ctx, r, commits)
	if err != nil {
		return nil, err
	}
	items := []ShownItem{}
	for i, c := range commits {
		one := ShownCommitOf(c)
		item := ShownItem{ShownCommit: &one, counted: counted[i]}
		if item.Linked = len(counted[i].Links) > 0; item.Linked {
			item.Lines, _ = linesIn(counted[i])
		}
		if item.Checkpoints, err = r.within(ctx, shown[i]); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// markTotals finds the lines of items that totals leave out.
func markTotals(ctx context.Context, r *Reader, items []ShownItem) error {
	at := map[gitexec.OID][]*attribution.Counted{}
	for i := range items {
		// One commit may be named itself, and by a checkpoint: its lines are compared with the
		// others' once, and the answer is for all.
		if c := items[i].ShownCommit; c != nil && items[i].Linked {
			at[c.Commit] = append(at[c.Commit], &items[i].counted)
		}
		for j := range items[i].Checkpoints {
			if k := &items[i].Checkpoints[j]; items[i].ShownCommit == nil && k.holder != "" {
				at[k.holder] = append(at[k.holder], &k.counted)
			}
		}
	}
	commits, err := r.DB.Commits(slices.Sorted(maps.Keys(at))...)
	if err != nil {
		return err
	}
	slices.SortStableFunc(commits, newestFirst)
	var counted []attribution.Counted
	for _, c := range commits {
		counted = append(counted, *at[c.ID][0])
	}
	err = markApart(ctx, r, gitexec.IDsOf(commits), counted)
	for i, c := range commits {
		for _, one := range at[c.ID] {
			*one = counted[i]
		}
	}
	return err
}

// totalsOf adds up items.
func totalsOf(items []ShownItem, table prices.Table) (t ShownTotals) {
	seen := map[string]bool{}
	var sum LinesTotal
	lines := func(key string, of *attribution.Sum, again, generated attribution.Sum) {
		if !seen[key] {
			seen[key] = true
			sum.Add(of, again, generated)
		}
	}
	// A turn's lines are among those of its commit: they count only where the commit isn't shown
	// otherwise.
	ofTurns := func(a, b ShownItem) int { return cmp.Compare(min(len(a.turn), 1), min(len(b.turn), 1)) }
	for _, item := range slices.SortedStableFunc(slices.Values(items), ofTurns) { // what is of turns alone, last
		if c := item.ShownCommit; c != nil && !seen["commit "+string(c.Commit)] {
			seen["commit "+string(c.Commit)] = true
			t.Commits++
			if item.Linked {
				t.Linked++
			}
			again, generated := item.counted.Apart()
			lines(string(c.Commit), item.Lines, again, generated)
		}
		for _, k := range item.Checkpoints {
			switch {
			// Counted above, with the commit; or no commit has it.
			case item.ShownCommit != nil || k.holder == "":
			case item.turn != "" && !seen[string(k.holder)]:
				own, generated := k.counted.OfTurn(item.turn)
				lines(string(k.holder)+item.turn, &own, attribution.Sum{}, generated)
			case item.turn == "":
				again, generated := k.counted.Apart()
				lines(string(k.holder), k.Lines, again, generated)
			}
			for _, p := range k.Sessions {
				// A checkpoint may be shown for several commits that link it: its tokens were spent
				// once.
				if key := fmt.Sprintf("part %s %s %s", k.Checkpoint, k.Stream, p.SessionID); !seen[key] {
					seen[key] = true
					t.spend(p, table)
				}
			}
		}
	}
	t.Agent, t.Human, t.Unknown, t.Again, t.Generated = sum.Agent, sum.Human, sum.Unknown, stats.Counts(sum.Again), stats.Counts(sum.Generated)
	return t
}

// spend adds what a session's part cost. What a session has spent so far is not its part's.
func (t *ShownTotals) spend(p ShownPart, table prices.Table) {
	u := p.CheckpointTokenUsage
	if u == nil {
		return
	}
	t.add(table, p.Model, p.CreatedAt, *u)
}

// within keeps what of checkpoints is about the files that the reader is limited to. A turn that
// has nothing in them is left out.
func (r *Reader) within(ctx context.Context, all []Shown) ([]Shown, error) {
	if len(r.limit.All) == 0 {
		return all, nil
	}
	kept := []Shown{}
	for _, one := range all {
		ids := []gitexec.OID{}
		for _, c := range one.Commits {
			ids = append(ids, c.Commit)
		}
		if one.Stream != "" {
			ids = append(ids, gitexec.OID(one.Stream))
		}
		files, err := r.Repo.Touching(ctx, ids, r.limit)
		if err != nil {
			return nil, err
		}
		// What is damaged may be about these files.
		if one.keep(files); len(one.Sessions) > 0 || one.Error != "" {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// keep leaves out sessions that touched none of these files, and their other files.
func (s *Shown) keep(files map[gitexec.Path]bool) {
	s.Sessions = slices.DeleteFunc(s.Sessions, func(p ShownPart) bool {
		return !slices.ContainsFunc(p.FilesTouched, func(path gitexec.Path) bool { return files[path] })
	})
	for i := range s.Sessions {
		p := &s.Sessions[i]
		p.FilesTouched = slices.DeleteFunc(p.FilesTouched, func(path gitexec.Path) bool { return !files[path] })
		// Where all turns have nothing the part is here for its files: then they stay.
		if slices.ContainsFunc(p.Turns, func(t ShownTurn) bool { return !t.Nothing() }) {
			p.Turns = slices.DeleteFunc(p.Turns, ShownTurn.Nothing)
		}
	}
}
