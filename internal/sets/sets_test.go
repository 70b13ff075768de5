package sets

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	if got := Of([]string{"a", "b", "a"}); !maps.Equal(got, map[string]bool{"a": true, "b": true}) {
		t.Errorf("%v", got)
	}
	if got := Of[int](nil); got == nil || len(got) != 0 {
		t.Errorf("of no list: %v", got)
	}
}

func TestWith(t *testing.T) {
	for _, c := range []struct{ list, values, want []int }{
		{nil, nil, nil},
		{nil, []int{2, 1, 2}, []int{2, 1}},
		{[]int{3, 3}, []int{3, 1}, []int{3, 3, 1}},
		{[]int{3, 3}, []int{3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 2}, []int{3, 3, 1, 2, 4, 5, 6, 7, 8}},
	} {
		if got := With(c.list, c.values...); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v with %v: %v", c.list, c.values, got)
		}
	}
}

// TestWithMany: the values of long lists are not compared in pairs, which takes some thousand times
// as long.
func TestWithMany(t *testing.T) {
	all := make([]int, 100_000)
	for i := range all {
		all[i] = i
	}
	begun := time.Now()
	Once(all)
	once := time.Since(begun)
	begun = time.Now()
	With(nil, all...)
	if with := time.Since(begun); with > 100*once {
		t.Errorf("With takes %v, Once %v", with, once)
	}
}

// TestUnion: the values of two lists, each once, in their order; neither list is changed.
func TestUnion(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""}, {"a b", "", "a b"}, {"", "a b", "a b"}, {"a b", "b c", "a b c"}, {"b", "a b a", "b a"},
	} {
		a := append(make([]string, 0, 9), strings.Fields(c.a)...)
		if got := strings.Join(Union(a, strings.Fields(c.b)), " "); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
		if room := a[:cap(a)]; len(room) > len(a) && room[len(a)] != "" {
			t.Errorf("%q and %q: the first list has %q", c.a, c.b, room)
		}
	}
}

func TestOnce(t *testing.T) {
	for _, c := range []struct{ list, want string }{{"", ""}, {"a", "a"}, {"b a b c a", "b a c"}} {
		if got := strings.Join(Once(strings.Fields(c.list)), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.list, got, c.want)
		}
	}
	if Once([]string{}) != nil {
		t.Error("of nothing something is left")
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"", ""}, {"a", "a"}, {"b1 a1 b2 a2 b3", "b1+b2+b3 a1+a2"}, {"a a", "a+a"},
	} {
		var got []string
		for _, group := range Groups(strings.Fields(c.list), func(v string) byte { return v[0] }) {
			got = append(got, strings.Join(group, "+"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.list, got, c.want)
		}
	}
}
