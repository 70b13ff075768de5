package ledger

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMatch compares with the longest common subsequence, on random sequences.
func TestMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := make([]int32, random.IntN(20)), make([]int32, random.IntN(20))
		kinds, scale := int32(1+random.IntN(8)), []int32{1, 1 << 20}[random.IntN(2)] // also values far above their number
		for i := range a {
			a[i] = random.Int32N(kinds) * scale
		}
		for i := range b {
			b[i] = random.Int32N(kinds) * scale
		}
		last, n := -1, 0
		for i, at := range Match(a, b) {
			if at < 0 {
				continue
			}
			if at <= last || a[at] != b[i] {
				t.Fatalf("%v and %v: %d is at %d", a, b, i, at)
			}
			last, n = at, n+1
		}
		if want := common(a, b); n != want {
			t.Fatalf("%v and %v: %d in common, want %d", a, b, n, want)
		}
	}
}

// common is the length of the longest common subsequence.
func common(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if row[j+1] = max(up, row[j]); x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// TestMatchFar: what has nothing but many equal lines in common ends soon, and in order.
func TestMatchFar(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, b := make([]int32, 60_000), make([]int32, 60_000)
	for i := range a {
		a[i], b[i] = random.Int32N(300), random.Int32N(300)
	}
	last := -1
	for i, at := range Match(a, b) {
		if at >= 0 && (at <= last || a[at] != b[i]) {
			t.Fatalf("%d is at %d", i, at)
		} else if at >= 0 {
			last = at
		}
	}
	if last < 0 {
		t.Error("nothing in common")
	}
}

// TestSlide: a block of new lines stands as far down as lines repeat.
func TestSlide(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []int
	}{
		{"x{}", "x{}y{}", []int{0, 1, 2, -1, -1, -1}},
		{"{}{}", "{}{}{}", []int{0, 1, 2, 3, -1, -1}},
		{"abc", "abbc", []int{0, 1, -1, 2}},
		{"ab", "ab", []int{0, 1}},
		{"", "ab", []int{-1, -1}},
	} {
		if got := Match([]rune(c.a), []rune(c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestSlideMeets: a block that slides into another one goes on together with it.
func TestSlideMeets(t *testing.T) {
	for _, c := range []struct {
		b        string
		at, want []int
	}{
		{"aaba", []int{-1, 0, -1, 1}, []int{0, 1, -1, -1}},
		{"aabaa", []int{-1, 0, -1, 1, 2}, []int{0, 1, -1, -1, 2}},
		{"aabc", []int{-1, 0, -1, 1}, []int{0, -1, -1, 1}},
		{"abca", []int{-1, 0, -1, 1}, []int{-1, 0, -1, 1}},
	} {
		got := slices.Clone(c.at)
		if slide([]byte(c.b), got); !slices.Equal(got, c.want) {
			t.Errorf("%q, %v: %v, want %v", c.b, c.at, got, c.want)
		}
	}
}
