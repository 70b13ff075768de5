package lineage

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Candidate is what one session did in a linked commit that is not in HEAD's history any more.
// Another commit may hold the same work.
type Candidate struct {
	Commit  gitexec.OID
	Changes []suffix.Change
	Free    bool // its link is on no commit in HEAD's history
	Dropped bool // an amend left it out
	Brought bool // its commit was not replaced: its link is taken with the work of all its sessions only
	Found   bool // some of it is in the new commit, file by file
}

// Share is how much of a candidate's work a commit holds.
type Share struct {
	Some bool // some, for which no other work accounts
	Link bool // enough for the commit to take the link, too
}

// Content compares a commit with the candidates. Each line is evidence for one of them; a line that
// was since written on a stream is that stream's work, and evidence for none.
type Content struct {
	Changes map[gitexec.Path]gitexec.Change // of the commit
	Texts   suffix.Texts

	attributed map[gitexec.Path][][]suffix.Change // work that accounts for lines of the commit
}

// Attribute records that work accounts for its lines in the commit.
func (c *Content) Attribute(work []suffix.Change) {
	if c.attributed == nil {
		c.attributed = map[gitexec.Path][][]suffix.Change{}
	}
	for _, changes := range suffix.ByFile(work) {
		c.attributed[changes[0].Path] = append(c.attributed[changes[0].Path], changes)
	}
}

// Replaces returns the share of each candidate in the commit. The commit takes the links of those
// commits of whose sessions' work it holds at least half, and whose link no other commit in HEAD's
// history has: less may be chance, or a copy. Candidates are tried in the order of how much of them
// is found; work that an amend left out comes last, since a later commit may hold the same by
// itself. Of those whose links the commit does not take, only lines count that no other work
// accounts for.
func (c *Content) Replaces(candidates []Candidate) ([]Share, error) {
	shares := make([]Share, len(candidates))
	of := map[gitexec.OID][]int{}
	var commits []gitexec.OID
	for i, k := range candidates {
		if of[k.Commit] == nil {
			commits = append(commits, k.Commit)
		}
		of[k.Commit] = append(of[k.Commit], i)
		shares[i].Some = k.Found
	}
	some := func(id gitexec.OID, holds func(Candidate) bool) bool {
		return slices.ContainsFunc(of[id], func(i int) bool { return holds(candidates[i]) })
	}
	// A commit of which nothing was found, file by file, is not compared line by line.
	commits = slices.DeleteFunc(commits, func(id gitexec.OID) bool {
		return !some(id, func(k Candidate) bool { return k.Found })
	})
	if err := c.order(commits, candidates, of); err != nil {
		return nil, err
	}
	var others []int // of commits whose links it does not take
	for _, id := range commits {
		found, sought, err := c.extent(candidates, of[id]...)
		if err != nil {
			return nil, err
		}
		// Less than half; or its link is on a commit of the history, and stays there.
		if 2*found < sought || !some(id, func(k Candidate) bool { return k.Found && k.Free }) {
			others = append(others, of[id]...)
			continue
		}
		// Of the commit's sessions each needs a line of its own that no work accounts for.
		if err := c.share(shares, candidates, of[id]); err != nil {
			return nil, err
		}
		// The commit was not replaced, and keeps its link. Another one has that link, too, only if
		// it has work of all sessions behind it, or the conversation of a session would be linked
		// that has nothing there.
		if slices.ContainsFunc(of[id], func(i int) bool { return candidates[i].Brought && !shares[i].Some }) {
			others = append(others, of[id]...)
			continue
		}
		for _, i := range of[id] {
			if shares[i].Link = shares[i].Some && candidates[i].Free; shares[i].Link {
				c.Attribute(candidates[i].Changes)
			}
		}
	}
	// The rest is measured at last, when the lines of all links that are taken are attributed.
	return shares, c.share(shares, candidates, others)
}

// order sorts commits: first those of whose candidates most is found, last those that an amend left
// out.
func (c *Content) order(commits []gitexec.OID, candidates []Candidate, of map[gitexec.OID][]int) error {
	if len(commits) < 2 {
		return nil
	}
	found, dropped := map[gitexec.OID]int{}, map[gitexec.OID]int{}
	for _, id := range commits {
		var err error
		if found[id], _, err = c.extent(candidates, of[id]...); err != nil {
			return err
		}
		if slices.ContainsFunc(of[id], func(i int) bool { return candidates[i].Dropped }) {
			dropped[id] = 1
		}
	}
	slices.SortStableFunc(commits, func(a, b gitexec.OID) int {
		return cmp.Or(dropped[a]-dropped[b], found[b]-found[a])
	})
	return nil
}

// share looks for lines of candidates for which no work accounts.
func (c *Content) share(shares []Share, candidates []Candidate, which []int) error {
	for _, i := range which {
		found, _, err := c.extent(candidates, i)
		if err != nil {
			return err
		}
		shares[i].Some = shares[i].Some && found > 0
	}
	return nil
}

// extent counts how much of the candidates' work there is, and how much of it the commit holds.
func (c *Content) extent(candidates []Candidate, which ...int) (found, sought int, err error) {
	for _, i := range which {
		for _, changes := range suffix.ByFile(candidates[i].Changes) {
			var version *gitexec.Change
			if change, committed := c.Changes[changes[0].Path]; committed {
				version = &change
			}
			some, all, err := suffix.Extent(changes, version, c.attributed[changes[0].Path], c.Texts)
			if err != nil {
				return 0, 0, err
			}
			found, sought = found+some, sought+all
		}
	}
	return found, sought, nil
}
