package lineage

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Candidate is what one session did in a linked commit that is in HEAD's history no more, and that
// another commit may do again.
type Candidate struct {
	Commit  gitexec.OID
	Changes []suffix.Change
	Free    bool // its link is on no commit in HEAD's history
	Dropped bool // an amend left it out of the commit
	Found   bool // something of it is in the new commit, each file looked at by itself
}

// Share is how much of a candidate's work a commit does again.
type Share struct {
	Some bool // of what nothing else accounts for
	Link bool // so much that the commit takes the link, too
}

// Content weighs a commit against what it may do again. Each line speaks for one of these; what is
// known to be done on a stream since is that stream's work, and speaks for none.
type Content struct {
	Changes map[gitexec.Path]gitexec.Change // of the commit
	Texts   suffix.Texts
	Match   suffix.Match

	claimed map[gitexec.Path][][]suffix.Change // what accounts for lines of the commit already
}

// Claim says that work accounts for its lines in the commit.
func (c *Content) Claim(work []suffix.Change) {
	if c.claimed == nil {
		c.claimed = map[gitexec.Path][][]suffix.Change{}
	}
	for _, changes := range suffix.ByFile(work) {
		c.claimed[changes[0].Path] = append(c.claimed[changes[0].Path], changes)
	}
}

// Replaces gives the share of each candidate in the commit, which takes the links of those commits
// of whose sessions' work it does at least half again, and that no other commit in HEAD's history
// has. Less may be by chance, or by copy. The one of which most is found comes first; what an amend
// left out comes last, since a later commit may do that itself by now.
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
	commits = slices.DeleteFunc(commits, func(id gitexec.OID) bool {
		return !some(id, func(k Candidate) bool { return k.Found && k.Free })
	})
	if len(commits) > 1 {
		at := map[gitexec.OID]int{}
		for _, id := range commits {
			var err error
			if at[id], _, err = c.extent(candidates, of[id]...); err != nil {
				return nil, err
			}
		}
		last := func(id gitexec.OID) int {
			if some(id, func(k Candidate) bool { return k.Dropped }) {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(commits, func(a, b gitexec.OID) int { return at[b] - at[a] })
		slices.SortStableFunc(commits, func(a, b gitexec.OID) int { return last(a) - last(b) })
	}
	for _, id := range commits {
		found, sought, err := c.extent(candidates, of[id]...)
		if err != nil {
			return nil, err
		}
		for _, i := range of[id] {
			own, _, err := c.extent(candidates, i)
			if err != nil {
				return nil, err
			}
			shares[i].Some = shares[i].Some && own > 0
			shares[i].Link = shares[i].Some && candidates[i].Free && 2*found >= sought
		}
		for _, i := range of[id] {
			if shares[i].Link {
				c.Claim(candidates[i].Changes)
			}
		}
	}
	return shares, nil
}

// extent counts how much of candidates' work there is to find, and how much is found.
func (c *Content) extent(candidates []Candidate, which ...int) (found, sought int, err error) {
	for _, i := range which {
		for _, changes := range suffix.ByFile(candidates[i].Changes) {
			var version *gitexec.Change
			if change, committed := c.Changes[changes[0].Path]; committed {
				version = &change
			}
			some, all, err := suffix.Extent(changes, version, c.claimed[changes[0].Path], c.Texts, c.Match)
			if err != nil {
				return 0, 0, err
			}
			found, sought = found+some, sought+all
		}
	}
	return found, sought, nil
}
