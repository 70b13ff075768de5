package suffix

import "entire-plumb/internal/ledger"

// alike is how much of an old text is in a new one, in percent of its letters; 0 if that is no
// evidence. Each line counts as often as it is in both.
func (r *renames) alike(from, to []string) int {
	if r.backwards {
		from, to = to, from
	}
	times := map[string]int{}
	for _, line := range to {
		times[bare(line)]++
	}
	all, found, weight := 0, 0, 0
	for _, line := range from {
		text := bare(line)
		all += len(text)
		if times[text] > 0 {
			times[text]--
			found += len(text)
			weight += ledger.Weight(line)
		}
	}
	// Two short files of braces are alike by chance. With weight there are letters, so that all is
	// not 0.
	if weight < ledger.Evidence {
		return 0
	}
	return 100 * found / all
}
