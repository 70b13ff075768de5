package attribution

import (
	"maps"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
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
