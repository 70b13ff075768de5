package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// taking decides which links of commits that reset took out a commit takes: those of which it holds
// at least half of the sessions' work, and that no other commit in HEAD's history has. Less may be
// by chance, or by copy. Each line speaks for one of them; what is known to be done on a stream
// since is that stream's work, and speaks for none.
type taking struct {
	byPath  map[gitexec.Path]gitexec.Change // of the commit
	texts   suffix.Texts
	match   suffix.Match
	claimed map[gitexec.Path][][]suffix.Change // what accounts for lines of the commit already
}

// links marks the overlaps whose links the commit takes. Work of which nothing is left that others
// don't account for doesn't count.
func (t taking) links(judged []Overlap) error {
	of := map[gitexec.OID][]*Overlap{} // by the commit that was reset
	var commits []gitexec.OID
	for i := range judged {
		switch o := &judged[i]; {
		case o.Work.Link != nil:
			if of[o.Work.Link.Commit] == nil {
				commits = append(commits, o.Work.Link.Commit)
			}
			of[o.Work.Link.Commit] = append(of[o.Work.Link.Commit], o)
		case o.Work.Stream != nil && o.Counts:
			t.claim(o)
		}
	}
	commits = slices.DeleteFunc(commits, func(id gitexec.OID) bool {
		return !slices.ContainsFunc(of[id], func(o *Overlap) bool { return o.Counts && o.Work.Free })
	})
	if len(commits) > 1 {
		at := map[gitexec.OID]int{}
		for _, id := range commits {
			var err error
			if at[id], _, err = t.extent(of[id]); err != nil {
				return err
			}
		}
		slices.SortStableFunc(commits, func(a, b gitexec.OID) int { return at[b] - at[a] })
		slices.SortStableFunc(commits, func(a, b gitexec.OID) int { // what a later commit left out it may hold itself by now
			return dropped(of[a]) - dropped(of[b])
		})
	}
	for _, id := range commits {
		found, sought, err := t.extent(of[id])
		if err != nil {
			return err
		}
		for _, o := range of[id] {
			own, _, err := t.extent([]*Overlap{o})
			if err != nil {
				return err
			}
			o.Counts = o.Counts && own > 0
			o.Takes = o.Counts && o.Work.Free && 2*found >= sought
		}
		for _, o := range of[id] {
			if o.Takes {
				t.claim(o)
			}
		}
	}
	return nil
}

func dropped(works []*Overlap) int {
	if slices.ContainsFunc(works, func(o *Overlap) bool { return o.Work.Link.Dropped }) {
		return 1
	}
	return 0
}

// extent counts how much of the sessions' work in one commit there is to find, and how much is
// found.
func (t taking) extent(works []*Overlap) (found, sought int, err error) {
	for _, o := range works {
		for _, changes := range suffix.ByFile(o.Work.Changes) {
			var version *gitexec.Change
			if c, committed := t.byPath[changes[0].Path]; committed {
				version = &c
			}
			some, all, err := suffix.Extent(changes, version, t.claimed[changes[0].Path], t.texts, t.match)
			if err != nil {
				return 0, 0, err
			}
			found, sought = found+some, sought+all
		}
	}
	return found, sought, nil
}

func (t taking) claim(o *Overlap) {
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		t.claimed[changes[0].Path] = append(t.claimed[changes[0].Path], changes)
	}
}
