package query

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
)

// countOnce finds the lines that several of the commits bring. All but the first have them as those
// of owners again.
func (s *counting) countOnce() error {
	ids, counted := idsOf(s.outside), slices.Clone(s.counted)
	slices.Reverse(ids)
	slices.Reverse(counted)
	if err := attribution.MarkAgain(s.reader.DB, ids, counted); err != nil {
		return err
	}
	var all []attribution.Brought
	var of []gitexec.OID
	for _, id := range s.several() {
		o := s.lifetimes.owners[id]
		for _, f := range o.files {
			if f.fresh {
				continue
			}
			one := attribution.Brought{Commit: id, Path: f.path, By: map[attribution.Author][][2]int{}}
			for _, link := range o.links {
				one.Links = append(one.Links, link.checkpoint)
			}
			for _, r := range f.runs {
				a := authorOf(o.owners[r.owner])
				one.By[a] = append(one.By[a], [2]int{r.Start, r.N})
			}
			all, of = append(all, one), append(of, id)
		}
	}
	again, err := attribution.Again(s.reader.DB, all)
	if err != nil {
		return err
	}
	for i, lines := range again {
		if len(lines) > 0 {
			s.lifetimes.owners[of[i]] = s.lifetimes.owners[of[i]].again(all[i].Path, lines)
		}
	}
	return nil
}

// several are the counted commits of HEAD's history, parents first, that have lines of a turn, or
// link a checkpoint, as another one does.
func (s *counting) several() (ids []gitexec.OID) {
	times := map[lineOwner]int{}
	names := func(id gitexec.OID) (all []lineOwner) {
		o := s.lifetimes.owners[id]
		if s.commits[id] == nil || !s.commits[id].Linked || o.notCounted {
			return nil
		}
		for _, of := range o.owners {
			if of.kind == attribution.Agent {
				all = append(all, lineOwner{session: of.session, turn: of.turn})
			}
		}
		for _, link := range o.links {
			all = append(all, lineOwner{checkpoint: link.checkpoint})
		}
		return all
	}
	for _, id := range s.order {
		for _, name := range names(id) {
			times[name]++
		}
	}
	for _, id := range s.order {
		if slices.ContainsFunc(names(id), func(name lineOwner) bool { return times[name] > 1 }) {
			ids = append(ids, id)
		}
	}
	return ids
}

func authorOf(o lineOwner) attribution.Author {
	return attribution.Author{Kind: o.kind, Line: checkpoints.Line{Session: o.session, Turn: o.turn}, Checkpoint: o.checkpoint}
}

// again has the lines of a file that an older commit brings, too, be of owners again, by the
// checkpoints that these had there.
func (o lineOwners) again(path gitexec.Path, lines map[int]attribution.Author) lineOwners {
	o.owners, o.files = slices.Clone(o.owners), slices.Clone(o.files)
	for i := range o.files {
		f := &o.files[i]
		if f.path != path {
			continue
		}
		var runs []owned
		for _, r := range f.runs {
			for n := range r.N {
				one := owned{r.Span, r.owner}
				one.Start, one.N = r.Start+n, 1
				if first, ok := lines[one.Start]; ok {
					one.owner = o.place(lineOwner{first.Kind, first.Checkpoint, first.Session, first.Turn, true})
				}
				if last := len(runs) - 1; last >= 0 && runs[last].End() == one.Start && runs[last].owner == one.owner {
					runs[last].N++
				} else {
					runs = append(runs, one)
				}
			}
		}
		f.runs = runs
	}
	return o
}

// place is that of an owner in the list.
func (o *lineOwners) place(of lineOwner) int {
	at := slices.Index(o.owners, of)
	if at < 0 {
		at = len(o.owners)
		o.owners = append(o.owners, of)
	}
	return at
}
