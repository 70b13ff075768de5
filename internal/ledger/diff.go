package ledger

// mostCost bounds the work for one part of a comparison: beyond so many differences it is divided
// where most is found to be alike so far, as git does. Only texts without order need it: 20,000
// lines that were shuffled take a second, two thirds of that with half of it, with a sixth less
// found, and two and a half with double, with a tenth more. A part costs its square.
const mostCost = 2048

// Match compares two sequences, as the lines of two versions, and returns for each place of b the
// place of a that it is, or -1: a longest common subsequence, unless that costs too much.
func Match[T ~int32](a, b []T) []int {
	at := make([]int, len(b))
	for i := range at {
		at[i] = -1
	}
	// Most versions differ in a few places: what both begin and end with is not searched.
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		at[first] = first
		first++
	}
	end := 0
	for end < min(len(a), len(b))-first && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
		at[len(b)-end] = len(a) - end
	}
	// Diagonals go from -len(b) to len(a), and the search looks at one more on each side.
	d := differ{}
	d.number(dense(a[first:len(a)-end], b[first:len(b)-end]))
	d.found, d.first = at, first
	size := len(d.a) + len(d.b) + 3
	d.forward, d.backward = make([]int32, size), make([]int32, size)
	d.compare(0, len(d.a), 0, len(d.b))
	slide(b, at)
	return at
}

// differ divides what is compared where the shortest path of changes has its middle, as E. W. Myers
// describes ("An O(ND) Difference Algorithm and Its Variations", 1986).
type differ struct {
	a, b              []int32
	placesA, placesB  []int32 // from first on
	first             int
	found             []int
	forward, backward []int32
}

// number takes the values that both sequences have: what only one has is no part of what is common.
// most is the highest value.
func (d *differ) number(a, b []int32, most int32) {
	ids, next := make([]int32, most+1), int32(0) // -1: b has it; from 1 on: both have it
	for _, v := range b {
		ids[v] = -1
	}
	d.a, d.placesA = make([]int32, 0, len(a)), make([]int32, 0, len(a))
	for i, v := range a {
		if ids[v] < 0 {
			next++
			ids[v] = next
		}
		if ids[v] > 0 {
			d.a, d.placesA = append(d.a, ids[v]), append(d.placesA, int32(i))
		}
	}
	d.b, d.placesB = make([]int32, 0, len(b)), make([]int32, 0, len(b))
	for i, v := range b {
		if ids[v] > 0 {
			d.b, d.placesB = append(d.b, ids[v]), append(d.placesB, int32(i))
		}
	}
}

// dense are the sequences, with other numbers in place of values that are much higher than there
// are values; and the highest.
func dense[T ~int32](a, b []T) (numbersA, numbersB []int32, most int32) {
	for _, values := range [][]T{a, b} {
		for _, v := range values {
			most = max(most, int32(v))
		}
	}
	// number makes a table as long as the highest value. IDs count all lines of a book: of two
	// short texts the table could be far longer than both, so that it is cheaper to count their
	// values anew.
	ids, high := map[T]int32{}, int(most) > 16*(len(a)+len(b))
	number := func(values []T) []int32 {
		numbers := make([]int32, len(values))
		for i, v := range values {
			if numbers[i] = int32(v); high {
				if _, known := ids[v]; !known {
					ids[v] = int32(len(ids))
				}
				numbers[i] = ids[v]
			}
		}
		return numbers
	}
	numbersA, numbersB = number(a), number(b)
	if high {
		most = int32(len(ids))
	}
	return numbersA, numbersB, most
}

func (d *differ) compare(a0, a1, b0, b1 int) {
	for {
		// What both begin or end with is common, in each part again. What is left differs at both
		// ends.
		for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
			d.same(a0, b0)
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
			a1, b1 = a1-1, b1-1
			d.same(a1, b1)
		}
		if a0 == a1 || b0 == b1 {
			return
		}
		x, y := d.middle(a0, a1, b0, b1)
		// A point at a corner divides nothing: after the cost limit no progress may be possible.
		if x == a0 && y == b0 || x == a1 && y == b1 {
			return
		}
		// The first part is a call, and the second one the next round of the loop.
		d.compare(a0, x, b0, y)
		a0, b0 = x, y
	}
}

// same notes that a value of b is one of a.
func (d *differ) same(a, b int) { d.found[d.first+int(d.placesB[b])] = d.first + int(d.placesA[a]) }

// middle finds a point of the shortest path, or of the best one that is found at that cost.
func (d *differ) middle(a0, a1, b0, b1 int) (x, y int) {
	// On diagonal k a place x of a is beside the place x-k of b. forward[k] is how far in a a path
	// from the start comes on it, and backward[k] the same from the end. The offset makes all k
	// indexes that are not negative.
	offset := len(d.b) + 1
	lowest, highest := a0-b1, a1-b0
	fmid, bmid := a0-b0, a1-b1
	// A path has as many changes as the lengths differ, or an even number more. So the two halves
	// can meet in a forward step only if the difference is odd, and in a backward step only if it
	// is even.
	odd := (fmid-bmid)&1 != 0
	d.forward[fmid+offset], d.backward[bmid+offset] = int32(a0), int32(a1)
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	for cost := 1; ; cost++ {
		fmin, fmax = d.widen(d.forward, offset, fmin, fmax, lowest, highest, -1)
		for k := fmax; k >= fmin; k -= 2 {
			at := int(max(d.forward[k-1+offset]+1, d.forward[k+1+offset]))
			for at < a1 && at-k < b1 && d.a[at] == d.b[at-k] {
				at++
			}
			d.forward[k+offset] = int32(at)
			if odd && k >= bmin && k <= bmax && int(d.backward[k+offset]) <= at {
				return at, at - k
			}
		}
		bmin, bmax = d.widen(d.backward, offset, bmin, bmax, lowest, highest, 1<<30)
		for k := bmax; k >= bmin; k -= 2 {
			at := int(min(d.backward[k-1+offset], d.backward[k+1+offset]-1))
			for at > a0 && at-k > b0 && d.a[at-1] == d.b[at-k-1] {
				at--
			}
			d.backward[k+offset] = int32(at)
			if !odd && k >= fmin && k <= fmax && at <= int(d.forward[k+offset]) {
				return at, at - k
			}
		}
		// The forward path that has used up most of both sequences: the text is cut there, though a
		// shorter path may exist.
		if cost >= mostCost {
			best := -1
			for k := fmin; k <= fmax; k += 2 {
				at := min(int(d.forward[k+offset]), a1)
				if at-k > b1 {
					at = b1 + k
				}
				if 2*at-k > best {
					best, x, y = 2*at-k, at, at-k
				}
			}
			return x, y
		}
	}
}

// widen adds a diagonal on both sides, as far as there are some, and marks the ones beside those as
// not reached.
func (d *differ) widen(reached []int32, offset, low, high, lowest, highest int, none int32) (int, int) {
	// At the border the range shrinks instead: paths beyond it would leave the sequences. Each step
	// changes the parity of the diagonals that are in use.
	if low > lowest {
		low--
		reached[low-1+offset] = none
	} else {
		low++
	}
	if high < highest {
		high++
		reached[high+1+offset] = none
	} else {
		high--
	}
	return low, high
}

// slide moves blocks of new lines down as far as lines repeat, as git does: a function that is
// added after another one keeps its own brace.
func slide[T comparable](b []T, at []int) {
	// From the end on, so that a block that slides down doesn't meet one that has yet to slide.
	for end := len(b) - 1; end >= 0; end-- {
		if at[end] >= 0 {
			continue
		}
		start := end
		for start > 0 && at[start-1] < 0 {
			start--
		}
		// The block begins with the line that follows it: it may as well begin and end one line
		// lower. In `}`, blank, `func b() {` …, `}` the new block is then the function with its own
		// brace.
		from, to := start, end
		for to+1 < len(b) && b[from] == b[to+1] {
			at[from], at[to+1] = at[to+1], -1
			from, to = from+1, to+1
			for to+1 < len(b) && at[to+1] < 0 { // it meets the next block
				to++
			}
		}
		end = start
	}
}
