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
	// MarkAgain wants the newest first. What it finds goes into the files, which both lists share.
	slices.Reverse(ids)
	slices.Reverse(counted)
	if err := attribution.MarkAgain(s.reader.DB, ids, counted); err != nil {
		return err
	}
	var all []attribution.Brought
	for _, id := range s.several() {
		o := s.lifetimes.owners[id]
		for _, f := range o.files {
			// Whose lines are not counted can't be counted twice.
			if f.fresh {
				continue
			}
			one := attribution.Brought{Commit: id, Path: f.path, By: map[attribution.Author][][2]int{}}
			for _, link := range o.links {
				one.Links = append(one.Links, link.checkpoint)
			}
			for _, r := range f.runs {
				of := o.owners[r.owner]
				// As Again compares authors: by session and turn, whichever checkpoint names them.
				a := attribution.Author{Kind: of.kind, Line: checkpoints.Line{Session: of.session, Turn: of.turn}, Checkpoint: of.checkpoint}
				one.By[a] = append(one.By[a], [2]int{r.Start, r.N})
			}
			all = append(all, one)
		}
	}
	again, err := attribution.Again(s.reader.DB, all)
	if err != nil {
		return err
	}
	for len(all) > 0 { // a commit's files follow each other
		id, files := all[0].Commit, map[gitexec.Path]map[int]attribution.Author{}
		for ; len(all) > 0 && all[0].Commit == id; all, again = all[1:], again[1:] {
			files[all[0].Path] = again[0]
		}
		s.lifetimes.owners[id] = s.lifetimes.owners[id].again(files)
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
		// The lines of most commits can't be anywhere else: to compare them would be to read all
		// versions of all files.
		if slices.ContainsFunc(names(id), func(name lineOwner) bool { return times[name] > 1 }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// again marks lines of files as brought again, by the authors that an older commit has.
func (o lineOwners) again(lines map[gitexec.Path]map[int]attribution.Author) lineOwners {
	// The index's own values are not to change.
	o.owners, o.files = slices.Clone(o.owners), slices.Clone(o.files)
	for i := range o.files {
		f := &o.files[i]
		if len(lines[f.path]) == 0 {
			continue
		}
		var runs []owned
		for _, r := range f.runs {
			for n := range r.N {
				owner := r.owner
				if first, ok := lines[f.path][r.Start+n]; ok {
					owner = o.place(lineOwner{first.Kind, first.Checkpoint, first.Session, first.Turn, true})
				}
				runs = extended(runs, r.Start+n, owner)
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
