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
	var all []attribution.Brought
	for _, id := range s.several() {
		if n, beyond := s.counted[id]; beyond {
			all = append(all, n.Brought(id)...)
		} else {
			all = append(all, s.lifetimes.owners[id].brought(id)...)
		}
	}
	again, err := attribution.AgainIn(s.reader.DB, all)
	if err != nil {
		return err
	}
	for id, files := range again {
		if n, beyond := s.counted[id]; beyond {
			n.MarkAgain(files)
		} else {
			s.lifetimes.owners[id] = s.lifetimes.owners[id].again(files)
		}
	}
	return nil
}

// brought is the lines that a commit of HEAD's history brings, by file.
func (o lineOwners) brought(id gitexec.OID) (all []attribution.Brought) {
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
	return all
}

// several are the counted commits, parents first, that have lines of a turn, or link a checkpoint,
// as another one does.
func (s *counting) several() (ids []gitexec.OID) {
	times := map[lineOwner]int{}
	for _, id := range s.sequence {
		for name := range s.broughtNames(id) {
			times[name]++
		}
	}
	for _, id := range s.sequence {
		// The lines of most commits can't be anywhere else: to compare them would be to read all
		// versions of all files.
		for name := range s.broughtNames(id) {
			if times[name] > 1 {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

// broughtNames are the turns that have lines of a counted commit, and the checkpoints that it
// links.
func (s *counting) broughtNames(id gitexec.OID) map[lineOwner]bool {
	names := map[lineOwner]bool{}
	if n, beyond := s.counted[id]; beyond {
		for _, f := range n.Files {
			for turn := range f.Turns {
				names[lineOwner{session: turn.Session, turn: turn.Turn}] = true
			}
		}
		for _, link := range n.Links {
			names[lineOwner{checkpoint: link.ID}] = true
		}
		return names
	}
	o := s.lifetimes.owners[id]
	if s.commits[id] == nil || !s.commits[id].Linked || o.notCounted {
		return nil
	}
	for _, of := range o.owners {
		if of.kind == attribution.Agent {
			names[lineOwner{session: of.session, turn: of.turn}] = true
		}
	}
	for _, link := range o.links {
		names[lineOwner{checkpoint: link.checkpoint}] = true
	}
	return names
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
