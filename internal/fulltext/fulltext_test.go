package fulltext

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/index"
)

// pieces are what random texts are made of: words, some with letters of several cases beyond
// ASCII, bytes that are no UTF-8, controls, and words longer than the dictionary has.
var pieces = []string{"the", "The", "index", "INDEX", "reindexed", "straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "\u212aelvin", "kelvin", "ſet", "Set",
	"\xff\xfe", "\x1b[31m", "a_b", "x", "日本語のテキスト", strings.Repeat("longword", 9), strings.Repeat("0123456789abcdef", 5), "e\u0301",
	"path/to/file.go", "--flag=value", "", "\u0130stanbul", "ISTANBUL"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		b.WriteString([]string{" ", " ", "\n", ", ", ""}[r.IntN(5)])
		if r.IntN(12) == 0 {
			fmt.Fprintf(&b, "id%d ", r.IntN(2000))
		}
	}
	if r.IntN(60) == 0 {
		b.WriteString(strings.Repeat(" filler text", 2000))
	}
	return b.String()
}

// with is the query for texts with all of the words.
func with(words ...string) Query {
	q := Query{Match: func(text []byte) bool {
		folded := Fold(string(text))
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(folded, Fold(w)) })
	}}
	for _, w := range words {
		q.Needs = append(q.Needs, []string{Fold(w)})
	}
	return q
}

// matching is the query for texts in which an expression matches.
func matching(t *testing.T, expression string) Query {
	t.Helper()
	needs, err := Required(expression)
	if err != nil {
		t.Fatal(err)
	}
	return Query{Needs: needs, Match: regexp.MustCompile(expression).Match}
}

// A search finds what looking through all texts finds, in the same order, whatever was put, removed
// and saved before.
func TestSearchIsAScan(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir := filepath.Join(t.TempDir(), "x")
		x := index.Open(dir, "1")
		units := map[string][]Doc{}
		for round := range 8 {
			texts := Of(x)
			for range r.IntN(20) {
				name := fmt.Sprintf("unit%d", r.IntN(40))
				texts.Remove(name)
				delete(units, name)
				if r.IntN(4) == 0 {
					continue
				}
				var docs []Doc
				for range r.IntN(12) {
					docs = append(docs, Doc{Kind: byte(r.IntN(4)), Turn: r.IntN(9), When: time.UnixMilli(int64(r.IntN(50) * 1000)).UTC(),
						Text: randomText(r), Aside: r.IntN(2) == 0})
				}
				units[name] = docs
				texts.Put(name, []byte(name), docs)
			}
			if err := texts.Finish(r.IntN(3) == 0); err != nil {
				t.Fatal(err)
			}
			if r.IntN(2) == 0 {
				if err := x.Save([]byte{1}); err != nil {
					t.Fatal(err)
				}
				x.Close()
				x = index.Open(dir, "1")
			}
			compare(t, Of(x), units, r, fmt.Sprintf("seed %d, round %d", seed, round))
		}
		x.Close()
	}
}

func compare(t *testing.T, texts *Texts, units map[string][]Doc, r *rand.Rand, at string) {
	t.Helper()
	var queries []Query
	var names []string
	for range 12 {
		words := []string{pieces[r.IntN(len(pieces))]}
		if r.IntN(2) == 0 {
			words = append(words, fmt.Sprintf("d%d", r.IntN(200)))
		}
		if r.IntN(3) == 0 {
			words = append(words, pieces[r.IntN(len(pieces))]+" "+pieces[r.IntN(len(pieces))])
		}
		queries, names = append(queries, with(words...)), append(names, fmt.Sprintf("%q", words))
	}
	for _, expression := range []string{"(?i)re(index|x)ed?", "id1[0-9]+", "(?i)set|σίσυφος", "lag=v|to/f", "(?:word){3}", "^$", "(?i)kelvin", "[xyz]{1,2}"} {
		queries, names = append(queries, matching(t, expression)), append(names, expression)
	}
	for i, q := range queries {
		if r.IntN(3) == 0 {
			q.Kinds = 1 << r.IntN(4)
		}
		if r.IntN(3) == 0 {
			q.Since = time.UnixMilli(int64(r.IntN(50) * 1000))
		}
		if r.IntN(2) == 0 {
			q.Most = 1 + r.IntN(5)
		}
		found, err := texts.Search(q)
		if err != nil {
			t.Fatalf("%s: %s: %v", at, names[i], err)
		}
		want := scan(units, q)
		if found.More != (q.Most > 0 && len(want) > q.Most) && !found.More {
			t.Fatalf("%s: %s: there is more", at, names[i])
		}
		if q.Most > 0 && len(want) > q.Most {
			want = want[:q.Most]
		}
		var got []Doc
		for _, h := range found.Hits {
			got = append(got, h.Doc)
			if units[texts.Name(h.Unit)] == nil {
				t.Fatalf("%s: %s: found in %q", at, names[i], texts.Name(h.Unit))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %s: %d texts, want %d", at, names[i], len(got), len(want))
		}
		for n := range got {
			if !got[n].When.Equal(want[n].When) {
				t.Fatalf("%s: %s: the order differs at %d", at, names[i], n)
			}
		}
		if q.Most == 0 {
			order := func(a, b Doc) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %s: other texts", at, names[i])
			}
		}
	}
}

// scan is a search that looks into all texts.
func scan(units map[string][]Doc, q Query) (all []Doc) {
	for _, docs := range units {
		for _, d := range docs {
			if (q.Kinds == 0 || q.Kinds&(1<<d.Kind) != 0) && !d.When.Before(q.Since) && q.Match([]byte(d.Text)) {
				all = append(all, d)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Doc) int { return b.When.Compare(a.When) })
	return all
}

// What is forgotten is in no file once the index is saved, and what is there is.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	x := index.Open(dir, "1")
	put := func(name string, texts ...string) {
		to := Of(x)
		var docs []Doc
		for _, text := range texts {
			docs = append(docs, Doc{Text: text})
		}
		to.Put(name, nil, docs)
		if err := to.Finish(false); err != nil {
			t.Fatal(err)
		}
		if err := x.Save([]byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "the secretword")
	put("b", "the otherword", "the secretword, too")
	put("c", "the thirdword")
	texts := Of(x)
	texts.Remove("a")
	texts.Remove("b")
	if err := texts.Finish(true); err != nil {
		t.Fatal(err)
	}
	if err := x.Save([]byte{1}); err != nil {
		t.Fatal(err)
	}
	values := func(word string) (in []string) {
		for key, value := range x.Scan("") {
			if strings.Contains(string(value), word) {
				in = append(in, key)
			}
		}
		return in
	}
	if in := append(values("secretword"), values("otherword")...); len(in) > 0 {
		t.Errorf("it is still in %q", in)
	}
	if len(values("thirdword")) == 0 {
		t.Error("what stays is gone")
	}
	x.Close()
}

func TestRequired(t *testing.T) {
	for expression, want := range map[string]string{
		"abc":             "[[abc]]",
		"(?i)ABC":         "[[abc]]",
		"a(bc)+d":         "[[a] [bc] [d]]",
		"a(bc)*d":         "[[a] [d]]",
		"one|two":         "[[one two]]",
		"one|.*":          "[]",
		"(one|x)two.*six": "[[one x] [two] [six]]",
		"(?:foo){2,}":     "[[foo] [foo]]",
		".*":              "[]",
	} {
		got, err := Required(expression)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s (%v)", expression, got, want, err)
		}
	}
	if _, err := Required("("); err == nil {
		t.Error("( is an expression")
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"ABC xyz": "abc xyz", "\u212aelvin": "kelvin", "ſ": "s", "Σσς": "ΣΣΣ", "\xff": "\xff", "ÄÖ": Fold("äö"),
	} {
		if got := Fold(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}

// Whatever is in a block that is damaged, reading it ends with an error or with texts.
func TestDamagedBlocks(t *testing.T) {
	whole := packBlock(nil, []Doc{{Kind: 1, Turn: 300, When: time.UnixMilli(5), Text: "some text"}, {Text: "more"}})
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		data := slices.Clone(whole[:r.IntN(len(whole)+1)])
		if len(data) > 0 {
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
		}
		_ = eachPacked(data, func(packed) {})
		_, _ = decompressed(nil, data)
		_, _ = groupIn(data)
		_, _ = splitPlaces(data)
		_, _ = unitIn(data)
	}
}
