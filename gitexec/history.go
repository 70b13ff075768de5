package gitexec

import (
	"fmt"
	"slices"
)

// ahead is how many first parents are asked for at once.
const ahead = 64

// History reads the last commits of a revision's history through the open cat-file, in the order of rev-list: of those whose child was
// listed, or which nobody has for a parent, the youngest by its committer is next. beside are names of other objects, asked for with the
// first of the commits; one that isn't there has an empty Type, and trees are kept. rev is a name as rev-parse knows it, no range. ok is
// false where the history isn't what the commits say, as in a shallow clone, or rev names none: rev-list knows then.
func (o *Objects) History(most int, rev string, beside ...OID) (commits []Commit, also []Object, ok bool, err error) {
	h := &history{objects: o, known: map[OID]Commit{}}
	first, also, err := h.fetch(rev, 1, beside) // alone: git would look a name up once for each
	if err != nil || first == "" {
		return nil, nil, false, err
	}
	for _, object := range also {
		if object.Type == "tree" {
			if err := o.keep(object); err != nil {
				return nil, nil, false, err
			}
		}
	}
	seen := map[OID]bool{first: true}
	queue := []Commit{h.known[first]} // youngest first; of the same age, those first that came first
	for len(queue) > 0 && len(commits) < most {
		next := queue[0]
		commits, queue = append(commits, next), queue[1:]
		for _, parent := range next.Parents {
			if seen[parent] || len(commits) == most {
				continue
			}
			seen[parent] = true
			if _, ok := h.known[parent]; !ok {
				if id, _, err := h.fetch(string(parent), most-len(commits), nil); err != nil || id != parent {
					return nil, nil, false, err
				}
			}
			c := h.known[parent]
			at, _ := slices.BinarySearchFunc(queue, c, func(q, c Commit) int {
				if q.When.Before(c.When) {
					return 1
				}
				return -1
			})
			queue = slices.Insert(queue, at, c)
		}
	}
	return commits, also, !h.odd, nil
}

type history struct {
	objects *Objects
	known   map[OID]Commit
	odd     bool // some commit isn't read as git reads it
}

// fetch reads a commit and first parents from it on, at most that many, and gives the commit's ID; empty if there is none.
func (h *history) fetch(rev string, most int, beside []OID) (OID, []Object, error) {
	most = min(most, ahead)
	names := []OID{OID(rev + "^{commit}")}
	for i := 1; i < most; i++ {
		names = append(names, OID(fmt.Sprintf("%s~%d", rev, i)))
	}
	found, err := h.objects.ask("contents", append(names, beside...), false)
	if err != nil {
		return "", nil, err
	}
	chain, also := found[:len(names)], found[len(names):]
	for i, object := range chain {
		if object.Type != "commit" {
			break
		}
		c, err := ParseCommit(object.ID, object.Data)
		if err != nil {
			return "", nil, err
		}
		h.known[c.ID] = c
		last := i+1 == len(chain)
		switch {
		case c.When.Unix() <= 0: // of a time that cannot be read, or is none that git counts with
			h.odd = true
		case !last && len(c.Parents) == 0 && chain[i+1].Type != "", !last && len(c.Parents) > 0 && chain[i+1].ID != c.Parents[0]:
			h.odd = true
		}
	}
	return chain[0].ID, also, nil
}
