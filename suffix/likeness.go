package suffix

// alike is how much of the larger of two texts is in both, in percent; at least enough for a rename
// if nearly all of the old file is in the new one.
func (r *renames) alike(from, to []string) int {
	alike := inCommon(from, to)
	if r.backwards {
		from, to = to, from
	}
	if alike < likeness && contains(to, from) {
		return likeness
	}
	return alike
}

// contains reports whether a text has nearly all lines of another one, three quarters of them, and
// they are evidence.
func contains(text, other []string) bool {
	times, all := map[string]int{}, 0
	for _, line := range text {
		times[line]++
	}
	var found []string
	for _, line := range other {
		if Weightless(line) {
			continue
		}
		all++
		if times[line] > 0 {
			times[line]--
			found = append(found, line)
		}
	}
	return 4*len(found) >= 3*all && Enough(found)
}

// inCommon is how much of the larger of two texts is in both, in percent of its bytes. Each line
// counts as often as it is in both.
func inCommon(a, b []string) int {
	times := map[string]int{}
	size := func(lines []string) (n int) {
		for _, line := range lines {
			n += len(line) + 1
		}
		return n
	}
	for _, line := range a {
		times[line]++
	}
	common := 0
	for _, line := range b {
		if times[line] > 0 {
			times[line]--
			common += len(line) + 1
		}
	}
	return 100 * common / max(1, size(a), size(b))
}
