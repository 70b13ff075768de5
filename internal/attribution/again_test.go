package attribution

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// TestAgain: a line is brought again where an older commit brought it, and it stands nowhere else.
func TestAgain(t *testing.T) {
	const whole, half = "one\nfunc a\n}\nfunc b\n}\n", "one\nfunc a\n}\n"
	turn := func(id string) Author {
		return Author{Kind: Agent, Line: checkpoints.Line{Session: "s", Turn: id}, Checkpoint: "of " + id}
	}
	type commit struct {
		before, after string
		link          string
		by            map[Author][][2]int
	}
	first := commit{"one\n", whole, "c1", map[Author][][2]int{turn("t"): {{2, 3}}, {Kind: Human}: {{5, 1}}}}
	for name, c := range map[string]struct {
		later commit
		again map[int]Author
	}{
		"a copy":                   {first, map[int]Author{2: turn("t"), 3: turn("t"), 4: turn("t"), 5: {Kind: Human}}},
		"a blank line":             {commit{"", "\n", "c1", map[Author][][2]int{{Kind: Human}: {{1, 1}}}}, map[int]Author{}},
		"elsewhere":                {commit{"two\n", "two\n\tfunc a\n", "c1", map[Author][][2]int{turn("t"): {{2, 1}}}}, map[int]Author{2: turn("t")}},
		"with another link":        {commit{"one\n", whole, "c2", first.by}, map[int]Author{2: turn("t"), 3: turn("t"), 4: turn("t")}},
		"another turn's":           {commit{"one\n", whole, "c2", map[Author][][2]int{turn("u"): {{2, 4}}}}, nil},
		"what still stands":        {commit{whole, whole + "func a\n}\n", "c1", map[Author][][2]int{turn("t"): {{6, 2}}}}, map[int]Author{}},
		"in another form":          {commit{whole, "one\n\tfunc a\n}\n  func b\n}\n", "c2", map[Author][][2]int{turn("t"): {{2, 1}, {4, 1}}}}, map[int]Author{2: turn("t"), 4: turn("t")}},
		"what stands, and more of": {commit{half, half + "func b\n}\nfunc b\n", "c1", map[Author][][2]int{turn("t"): {{4, 3}}}}, map[int]Author{4: turn("t")}},
	} {
		r := testrepo.New(t)
		var all []Brought
		for _, one := range []commit{first, c.later} {
			r.Commit("before", "f", one.before)
			all = append(all, Brought{r.Commit("after", "f", one.after), []string{one.link}, "f", one.by})
		}
		again, err := Again(r.DB, all)
		if err != nil || len(again[0]) > 0 || !maps.Equal(again[1], c.again) {
			t.Errorf("%s: %v, want %v (%v)", name, again, c.again, err)
		}
	}
}

// TestAgainOfTwo: what a later commit brings again does not depend on how the lines of one turn are
// divided, nor on a file that is too large to compare.
func TestAgainOfTwo(t *testing.T) {
	by := func(turn, prompt, checkpoint string) Author {
		return Author{Kind: Agent, Line: checkpoints.Line{Session: "s", Turn: turn, Prompt: prompt}, Checkpoint: checkpoint}
	}
	type lines = map[Author][][2]int
	one, other, same := by("t", "Do", "c1"), by("t", "Do", "c2"), Author{Kind: Unknown}
	large := strings.Repeat("x\n", mostCompared)
	for name, c := range map[string]struct {
		before        string
		first, second string
		older, newer  lines
		again         map[int]Author
	}{
		"two checkpoints of a turn": {"one\n", "one\ntwo\nthree\n", "one\ntwo\nthree\n", lines{one: {{2, 1}}, other: {{3, 1}}}, lines{one: {{2, 1}}, other: {{3, 1}}},
			map[int]Author{2: one, 3: other}},
		"two reasons": {"one\n", "one\ntwo\nthree\n", "one\nthree\ntwo\n", lines{{Kind: Unknown, Reason: "a"}: {{2, 1}}, same: {{3, 1}}}, lines{same: {{2, 2}}},
			map[int]Author{2: same, 3: {Kind: Unknown, Reason: "a"}}},
		"a line for two": {"one\n", "one\ntwo\n", "one\ntwo\ntwo\n", lines{one: {{2, 1}}}, lines{one: {{2, 1}}, other: {{3, 1}}}, map[int]Author{2: one}},
		"no turn, and two prompts": {"one\n", "one\ntwo\n", "one\ntwo\n", lines{by("", "Do", "c1"): {{2, 1}}}, lines{by("", "Go on", "c1"): {{2, 1}}},
			map[int]Author{2: by("", "Do", "c1")}},
		"other lines of a large file": {large, large + "two\nthree\n", large + "two\nthree\nfour\nfive\n", lines{one: {{mostCompared + 1, 2}}},
			lines{one: {{mostCompared + 3, 2}}}, nil},
		"a line of a file that was large": {large, large + "two\n", "one\n\n", lines{one: {{mostCompared + 1, 1}}}, lines{one: {{2, 1}}}, nil},
	} {
		for range testdir.Times(4, 1) { // authors come in any order
			r := testrepo.New(t)
			links := []string{"c1", "c2"}
			r.Commit("before", "f", c.before)
			older := r.Commit("older", "f", c.first)
			r.Commit("revert", "f", c.before)
			again, err := Again(r.DB, []Brought{{older, links, "f", c.older}, {r.Commit("newer", "f", c.second), links, "f", c.newer}})
			if err != nil || len(again[0]) > 0 || !maps.Equal(again[1], c.again) {
				t.Errorf("%s: %v, want %v (%v)", name, again, c.again, err)
				break
			}
		}
	}
}

// TestAgainOfNone: no file is read for authors without a line.
func TestAgainOfNone(t *testing.T) {
	var all []Brought
	for i := range 2 {
		all = append(all, Brought{gitexec.OID(fmt.Sprint(i)), []string{"c1"}, "f", map[Author][][2]int{{Kind: Human}: nil}})
	}
	if again, err := Again(nil, all); err != nil || len(again) != 2 {
		t.Error(again, err)
	}
}

// TestAgainOfMany: the time grows with the number of commits alone.
func TestAgainOfMany(t *testing.T) {
	var all []Brought
	for i := range 4000 {
		author := Author{Kind: Agent, Line: checkpoints.Line{Session: "s", Turn: "t"}}
		all = append(all, Brought{gitexec.OID(fmt.Sprintf("%040x", i+1)), []string{"c1"}, "f", map[Author][][2]int{author: {{1, 10}}}})
	}
	began := time.Now()
	if _, err := Again(testrepo.New(t).DB, all); err != nil || time.Since(began) > 20*time.Second {
		t.Error(time.Since(began), err)
	}
}

// TestMarkAgain: commits come newest first; sums have what is again, and what is generated beside.
func TestMarkAgain(t *testing.T) {
	r := testrepo.New(t)
	r.Commit("before", "f", "one\n", "go.sum", "")
	older := r.Commit("older", "f", "one\ntwo\nthree\n")
	r.Commit("revert", "f", "one\n")
	newer := r.Commit("newer", "f", "one\ntwo\nthree\nfour\n")
	line := checkpoints.Line{Session: "s", Turn: "t"}
	file := func(of Turn, lines int) CountedFile {
		return CountedFile{Path: "f", Lines: Sum{Agent: lines}, Turns: map[Turn][][2]int{of: {{2, lines}}}}
	}
	counted := []Counted{{Files: []CountedFile{file(Turn{"c2", line}, 3)}}, {Files: []CountedFile{file(Turn{"c1", line}, 2)}}}
	if err := MarkAgain(r.DB, []gitexec.OID{newer, older}, counted); err != nil {
		t.Fatal(err)
	}
	counted[0].Files[0].Generated = true
	again, generated := counted[0].Apart()
	own, _ := counted[0].OfTurn("t")
	if again != (Sum{Agent: 2}) || generated != (Sum{Agent: 1}) || own != (Sum{Agent: 1}) || counted[1].Files[0].Again != (Sum{}) {
		t.Errorf("%v %v %v %v", again, generated, own, counted)
	}
}
