package survival

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

// added is a change that adds a file of so many lines.
func added(path string, n int) Change {
	return Change{New: gitexec.Path(path), Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: n}}}
}

func changed(path string, hunks ...gitexec.Hunk) Change {
	return Change{Old: gitexec.Path(path), New: gitexec.Path(path), Hunks: hunks}
}

// replayed is what becomes of the lines of commits that are added in order; the last one is HEAD.
func replayed(commits ...Commit) []Birth {
	children := make([]int, len(commits))
	for _, c := range commits {
		for _, p := range c.Parents {
			children[p]++
		}
	}
	children[len(children)-1]++
	r := New(children)
	for _, c := range commits {
		r.Add(c)
	}
	return r.End()
}

func check(t *testing.T, got, want []Birth) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\ngot  %+v\nwant %+v", got, want)
	}
}

func TestLine(t *testing.T) {
	got := replayed(
		Commit{When: 10, Changes: []Change{added("f", 5)}},
		Commit{When: 20, Parents: []int{0}, Changes: []Change{changed("f", gitexec.Hunk{OldStart: 2, OldLines: 2, NewStart: 2, NewLines: 1})}},
		Commit{When: 30, Parents: []int{1}, Changes: []Change{changed("f", gitexec.Hunk{OldStart: 0, NewStart: 1, NewLines: 1},
			gitexec.Hunk{OldStart: 4, OldLines: 1, NewStart: 4})}},
	)
	check(t, got, []Birth{
		{Commit: 0, Path: "f", Alive: []Span{{1, 1}, {4, 1}}, Died: []Death{{Span{2, 2}, 20}, {Span{5, 1}, 30}}},
		{Commit: 1, Path: "f", Alive: []Span{{2, 1}}},
		{Commit: 2, Path: "f", Alive: []Span{{1, 1}}},
	})
}

// Renames keep lines, whichever way they cross; a file that is deleted loses them.
func TestRenames(t *testing.T) {
	got := replayed(
		Commit{When: 10, Changes: []Change{added("a", 2), added("b", 3), added("c", 1)}},
		Commit{When: 20, Parents: []int{0}, Changes: []Change{{Old: "a", New: "b"}, {Old: "b", New: "a"}, {Old: "c"}}},
		Commit{When: 30, Parents: []int{1}, Changes: []Change{{Old: "a", New: "x", Hunks: []gitexec.Hunk{{OldStart: 3, OldLines: 1, NewStart: 2}}}}},
	)
	check(t, got, []Birth{
		{Commit: 0, Path: "a", Alive: []Span{{1, 2}}},
		{Commit: 0, Path: "b", Alive: []Span{{1, 2}}, Died: []Death{{Span{3, 1}, 30}}},
		{Commit: 0, Path: "c", Died: []Death{{Span{1, 1}, 20}}},
	})
}

// A file that becomes binary loses its lines; after that all are new.
func TestNoText(t *testing.T) {
	got := replayed(
		Commit{When: 10, Changes: []Change{added("f", 2)}},
		Commit{When: 20, Parents: []int{0}, Changes: []Change{{Old: "f", New: "f", NoText: true}}},
		Commit{When: 30, Parents: []int{1}, Changes: []Change{{Old: "f", New: "f", Fresh: 4}}},
	)
	check(t, got, []Birth{
		{Commit: 0, Path: "f", Died: []Death{{Span{1, 2}, 20}}},
		{Commit: 2, Path: "f", Alive: []Span{{1, 4}}},
	})
}

// fork is a file of four lines, of which one branch replaces the first, the other the last.
func fork(merge Commit) []Birth {
	merge.Parents, merge.When = []int{1, 2}, 40
	return replayed(
		Commit{When: 10, Changes: []Change{added("f", 4), added("g", 1)}},
		Commit{When: 20, Parents: []int{0}, Changes: []Change{changed("f", gitexec.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1})}},
		Commit{When: 30, Parents: []int{0}, Changes: []Change{changed("f", gitexec.Hunk{OldStart: 4, OldLines: 1, NewStart: 4, NewLines: 1}),
			changed("g", gitexec.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2})}},
		merge,
	)
}

// A merge takes lines of both sides. What either has removed died there.
func TestMerge(t *testing.T) {
	got := fork(Commit{
		Changes: []Change{changed("f", gitexec.Hunk{OldStart: 4, OldLines: 1, NewStart: 4, NewLines: 1}), {Old: "g", New: "g", From: 1}},
		Others:  [][]Change{{changed("f", gitexec.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1})}},
	})
	check(t, got, []Birth{
		{Commit: 0, Path: "f", Alive: []Span{{2, 2}}, Died: []Death{{Span{1, 1}, 20}, {Span{4, 1}, 30}}},
		{Commit: 0, Path: "g", Died: []Death{{Span{1, 1}, 30}}},
		{Commit: 1, Path: "f", Alive: []Span{{1, 1}}},
		{Commit: 2, Path: "f", Alive: []Span{{4, 1}}},
		{Commit: 2, Path: "g", Alive: []Span{{1, 2}}},
	})
}

// A line that is new to both sides is the merge's; what a side loses dies with it.
func TestMergeByHand(t *testing.T) {
	got := fork(Commit{
		Changes: []Change{changed("f", gitexec.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1}), {Old: "g", New: "g", From: 1}},
		Others: [][]Change{{changed("f", gitexec.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1},
			gitexec.Hunk{OldStart: 4, OldLines: 1, NewStart: 4, NewLines: 1})}},
	})
	check(t, got, []Birth{
		{Commit: 0, Path: "f", Alive: []Span{{2, 3}}, Died: []Death{{Span{1, 1}, 20}}},
		{Commit: 0, Path: "g", Died: []Death{{Span{1, 1}, 30}}},
		{Commit: 1, Path: "f", Died: []Death{{Span{1, 1}, 40}}},
		{Commit: 2, Path: "f", Died: []Death{{Span{4, 1}, 40}}},
		{Commit: 2, Path: "g", Alive: []Span{{1, 2}}},
		{Commit: 3, Path: "f", Alive: []Span{{1, 1}}},
	})
}

// A parent that has the same version under another name comes before one that has most of it.
func TestMergeOfARename(t *testing.T) {
	got := replayed(
		Commit{When: 10, Changes: []Change{added("f", 3)}},
		Commit{When: 20, Parents: []int{0}, Changes: []Change{added("new", 2)}},
		Commit{When: 30, Parents: []int{0}},
		Commit{When: 40, Parents: []int{1, 2}, Changes: []Change{changed("new", gitexec.Hunk{OldStart: 2, NewStart: 3, NewLines: 1})},
			Others: [][]Change{{{Old: "f", New: "new"}}}},
	)
	check(t, got, []Birth{
		{Commit: 0, Path: "f", Alive: []Span{{1, 3}, {1, 3}}}, // under both names
		{Commit: 1, Path: "new", Died: []Death{{Span{1, 2}, 40}}},
	})
}

func TestOrigin(t *testing.T) {
	r := New([]int{1, 1})
	r.Add(Commit{Changes: []Change{added("f", 3)}})
	r.Add(Commit{Parents: []int{0}, Changes: []Change{{Old: "f", New: "g", Hunks: []gitexec.Hunk{{OldStart: 1, NewStart: 2, NewLines: 1}}}}})
	for line, want := range map[int]string{1: "0 f 1 true", 2: "1 g 2 true", 3: "0 f 2 true", 4: "0 f 3 true", 5: "0  0 false"} {
		if got := fmt.Sprintln(r.Origin(1, "g", line)); got != want+"\n" {
			t.Errorf("line %d: %s, want %s", line, got, want)
		}
	}
	if _, _, _, ok := r.Origin(0, "f", 1); ok {
		t.Error("the state of a commit is gone with its last child")
	}
}

// What doesn't fit together is no reason to fail: a file of the index may be of another program.
func TestNonsense(t *testing.T) {
	got := replayed(
		Commit{Changes: []Change{added("f", 2), changed("none", gitexec.Hunk{OldStart: 7, OldLines: 9, NewStart: 7})}},
		Commit{Parents: []int{0}, Changes: []Change{changed("f", gitexec.Hunk{OldStart: 9, OldLines: 4, NewStart: 9, NewLines: 1}),
			{Old: "g", New: "h", From: 7}}},
	)
	check(t, got, []Birth{{Commit: 0, Path: "f", Alive: []Span{{1, 2}}}, {Commit: 1, Path: "f", Alive: []Span{{9, 1}}}})
}

// Whatever forks there are, each commit has its own lines: those that a map of whole files has.
func TestAsMaps(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		const commits = 60
		parent, children := make([]int, commits), make([]int, commits)
		for i := 1; i < commits; i++ {
			parent[i] = i - 1 - random.IntN(min(i, 4))
			children[parent[i]]++
		}
		for i := range children {
			children[i]++ // each state is kept
		}
		r := New(children)
		type line struct{ commit, at int }
		states := []map[gitexec.Path][]line{}
		for i := range commits {
			state := map[gitexec.Path][]line{}
			c := Commit{When: int64(i)}
			if i > 0 {
				c.Parents = []int{parent[i]}
				for path, lines := range states[parent[i]] {
					state[path] = lines
				}
			}
			path := gitexec.Path(fmt.Sprint("f", random.IntN(4)))
			old := state[path]
			from := random.IntN(len(old) + 1)
			gone, more := random.IntN(len(old)-from+1), random.IntN(5)
			h := gitexec.Hunk{OldStart: from + 1, OldLines: gone, NewStart: from + 1, NewLines: more}
			if gone == 0 {
				h.OldStart--
			}
			now := slices.Clone(old[:from])
			for k := range more {
				now = append(now, line{i, from + 1 + k})
			}
			state[path] = append(now, old[from+gone:]...)
			c.Changes = []Change{changed(string(path), h)}
			states = append(states, state)
			r.Add(c)
		}
		for i, state := range states {
			for path, lines := range state {
				for n, want := range lines {
					if from, _, at, ok := r.Origin(i, path, n+1); !ok || from != want.commit || at != want.at {
						t.Fatalf("seed %d, commit %d, %s:%d: %d %d %v, want %v", seed, i, path, n+1, from, at, ok, want)
					}
				}
			}
		}
	}
}

func TestSettled(t *testing.T) {
	alive, died := settled([]Span{{5, 2}}, []Death{{Span{1, 8}, 30}, {Span{2, 2}, 10}, {Span{3, 3}, 20}})
	want := []Death{{Span{2, 2}, 10}, {Span{4, 1}, 20}, {Span{1, 1}, 30}, {Span{7, 2}, 30}}
	if !slices.Equal(alive, []Span{{5, 2}}) || !slices.Equal(died, want) {
		t.Errorf("%v, %v", alive, died)
	}
}

func TestWithout(t *testing.T) {
	others := []Span{{2, 2}, {6, 1}}
	for _, c := range []struct {
		of   Span
		want []Span
	}{
		{Span{1, 7}, []Span{{1, 1}, {4, 2}, {7, 1}}}, {Span{2, 2}, nil}, {Span{3, 2}, []Span{{4, 1}}}, {Span{8, 3}, []Span{{8, 3}}},
		{Span{4, 2}, []Span{{4, 2}}},
	} {
		if got := without(c.of, others); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.of, got, c.want)
		}
	}
}
