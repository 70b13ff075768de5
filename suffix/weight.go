package suffix

import "entire-plumb/internal/ledger"

// A line weighs four for each letter that ledger.Weight counts.
const (
	ofLetter = 4
	// ofPair is what it adds that two lines follow each other in both texts.
	ofPair = 1
	// enough is the weight that makes a text the agent's: a line with six letters, or a few shorter
	// ones in their order.
	enough = 6 * ofLetter
)

// weight is that of a line by itself, at most enough.
func weight(line string) int { return ofLetter * ledger.Weight(line) }

// significant reports whether a line is evidence by itself.
func significant(line string) bool { return weight(line) >= enough }

// weigh is the weight of the agent's lines that a version has, each counted once. Lines in the same
// order in both texts support each other; a light one that stands alone counts half.
func weigh(found, after, now, under []string, match Match) int {
	sum := 0
	for _, line := range found {
		if sum += weight(line); significant(line) {
			return sum
		}
	}
	ordered, beside := inOrder(found, after, now, match)
	if _, before := inOrder(found, after, under, match); len(before) > 0 {
		return sum / 2 // the version under it has them in that order, too
	}
	sum = ordered
	for _, line := range found {
		if beside[match.key(line)] {
			sum += weight(line)
		} else {
			sum += weight(line) / 2
		}
	}
	return sum
}

// mostPlaces limits how many places of a line are tried.
const mostPlaces = 32

// inOrder finds the agent's lines that follow each other in its last version and in another one, and
// weighs their order: each pair of lines counts once, and again wherever the second one is not what
// mostly follows the first.
func inOrder(found, after, version []string, match Match) (sum int, beside map[string]bool) {
	own, beside := keys(found, match), map[string]bool{}
	a, b := keysInOrder(after, match), keysInOrder(version, match)
	places, follow := map[string][]int{}, map[string]int{}
	for i, k := range b {
		if own[k] && len(places[k]) < mostPlaces {
			places[k] = append(places[k], i)
		}
	}
	succeeds := map[[2]string]int{}
	for i, k := range a[:max(0, len(a)-1)] {
		follow[k]++
		succeeds[[2]string{k, a[i+1]}]++
	}
	pairs := map[[2]string]bool{}
	for i := 0; i < len(a); {
		longest := 1
		for _, at := range places[a[i]] {
			n := 1
			for i+n < len(a) && at+n < len(b) && own[a[i+n]] && a[i+n] == b[at+n] {
				n++
			}
			longest = max(longest, n)
		}
		for n := range longest - 1 {
			pair := [2]string{a[i+n], a[i+n+1]}
			if 2*succeeds[pair] <= follow[pair[0]] || !pairs[pair] {
				sum += ofPair
			}
			pairs[pair], beside[pair[0]], beside[pair[1]] = true, true, true
		}
		i += longest
	}
	return sum, beside
}

// keysInOrder are the keys of lines that are not blank.
func keysInOrder(lines []string, match Match) (all []string) {
	for _, line := range lines {
		if k := match.key(line); k != "" {
			all = append(all, k)
		}
	}
	return all
}

// Enough reports whether lines in their order weigh enough to be evidence.
func Enough(lines []string) bool {
	sum := ofPair * max(0, len(lines)-1)
	for _, line := range lines {
		sum += weight(line)
	}
	return sum >= enough
}

// Weightless reports whether a line is no evidence at all, as a brace, or `return nil, err`.
func Weightless(line string) bool { return weight(line) == 0 }
