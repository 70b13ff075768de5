package suffix

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// Added are the lines that changes add to files, without white space, and which of the changes do,
// by their index from 0, ascending.
type Added map[string][]int

// AddedBy lists the added lines. Versions without lines add none. Its errors are those of the
// texts.
func AddedBy(changes []gitexec.Change, texts Texts) (Added, error) {
	added := Added{}
	for i, c := range changes {
		now, _, err := texts.Lines(c.New)
		if err != nil {
			return nil, err
		}
		was, _, err := texts.Lines(c.Old)
		if err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, line := range was {
			known[bare(line)] = true
		}
		for _, line := range now {
			// A line counts once for each change: known has it from then on.
			if text := bare(line); !known[text] {
				added[text], known[text] = append(added[text], i), true
			}
		}
	}
	return added, nil
}

// Have lists the changes that add enough lines of a version to be evidence, by their index,
// ascending; nil: none. Each line counts once. Its errors are those of the texts.
func (a Added) Have(version gitexec.Entry, texts Texts) (in []int, err error) {
	if len(a) == 0 {
		return nil, nil
	}
	lines, _, err := texts.Lines(version)
	if err != nil {
		return nil, err
	}
	seen, weight := map[string]bool{}, map[int]int{}
	for _, line := range lines {
		text := bare(line)
		if seen[text] {
			continue
		}
		seen[text] = true
		for _, at := range a[text] {
			weight[at] += ledger.Weight(line)
		}
	}
	for at, sum := range weight {
		if sum >= ledger.Evidence {
			in = append(in, at)
		}
	}
	slices.Sort(in)
	return in, nil
}
