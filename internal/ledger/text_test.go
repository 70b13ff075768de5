package ledger

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTextLike: a text has the same lines, whatever version it is compared with.
func TestTextLike(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	text := func() []byte {
		var b bytes.Buffer
		for range random.IntN(8) {
			b.WriteString([]string{"a", "b", "", " a", "ab", "\r"}[random.IntN(6)] + "\n")
		}
		if random.IntN(2) == 0 {
			b.WriteString("end")
		}
		return b.Bytes()
	}
	for range 20_000 {
		x := newLexicon()
		one, two := text(), text()
		of := x.text(one, nil, nil)
		if got, want := x.text(two, one, of), x.text(two, nil, nil); !slices.Equal(got, want) {
			t.Fatalf("%q beside %q: %v, want %v", two, one, got, want)
		}
		if n := len(bytes.Split(bytes.TrimSuffix(one, []byte("\n")), []byte("\n"))); len(of) != n && len(one) > 0 {
			t.Fatalf("%q has %d lines, not %d", one, len(of), n)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"}":                        "",
		"x += y[1];":               "x + = y 1",
		"\tif (a == 'b') {":        "if a = = b",
		"// a comment, with words": "a comment with words",
		" * more of it":            "more of it",
		"# Heading":                "Heading",
		"über_größe := \"Straße\"": "über_größe : = Straße",
		"f(x, // what it is":       "f x / / what it is",
		"\uFEFFpackage a":          "\uFEFF package a",
	} {
		x := newLexicon()
		id := x.id([]byte(text))
		byID := map[int32]string{}
		words := x.words(id)
		for name, id := range x.names {
			byID[id] = name
		}
		var got []string
		for _, w := range words {
			got = append(got, byID[w])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

func TestNorm(t *testing.T) {
	for _, same := range [][]string{
		{"", " ", "\t", "\r", "\u00a0"}, {"a b", "ab", "\ta  b\r"}, {"package a", "\uFEFFpackage a"},
	} {
		x := newLexicon()
		for _, text := range same {
			if a, b := x.id([]byte(same[0])), x.id([]byte(text)); a != b {
				t.Errorf("%q and %q differ", same[0], text)
			}
		}
	}
}

func TestWeight(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "}": 0, "return nil, err": 0, "} else {": 0, "x := 1": 2, "parse()": 5, "parser()": 6, "a long line of text": 6, "解": 3, "解析": 6, "größe": 6, "١٢٣": 6, "—…": 0,
	} {
		if got := Weight(text); got != want {
			t.Errorf("%q weighs %d, want %d", text, got, want)
		}
	}
}

// TestBlank: a blank line has the ID 0.
func TestBlank(t *testing.T) {
	if got := New().Text([]byte("x\n \t\r\n\n\uFEFF\n")); !slices.Equal(got, Text{1, 0, 0, 0}) {
		t.Errorf("%v", got)
	}
}

// TestAlign: owners move to where the commit's own diff has new lines, if the lines are alike.
func TestAlign(t *testing.T) {
	for _, c := range []struct{ text, owners, isNew, want string }{
		{"} f { } g", "0 4 4 4 0", ". x x x .", "0 4 4 4 0"},
		{"} f { } g", "0 4 4 4 0", "x x x . .", "4 4 4 0 0"},
		{"} f { } g", "4 4 4 0 0", ". x x x .", "0 4 4 4 0"},
		{"} f { ] g", "0 4 4 4 0", "x x x . .", "0 4 4 4 0"},
		{"a a b", "0 4 0", "x . .", "4 0 0"},
		{"s s s s f s s s g", "0 4 4 4 4 0 0 0 0", ". . . x x x x . .", "0 0 0 4 4 4 4 0 0"},
		{"s s s s f s s s g", "0 0 0 4 5 4 4 0 0", ". x x x x . . . .", "0 4 4 4 5 0 0 0 0"},
		{"a a b b b b b a", "0 4 0 4 0 4 0 4", ". x . . x . x x", "0 4 0 0 4 0 4 4"},
		{"a", "0 4 0", ". . x", "0 0 4"}, // a file that is not compared has no lines
		{"s f s o s s g", "6 4 4 0 0 0 0", ". x . . x x .", "6 4 4 0 0 0 0"},
	} {
		b := New()
		v := b.Add("f", c.text, []byte(strings.ReplaceAll(c.text, " ", "\n")))
		var owners []Owner
		var isNew []bool
		for i, o := range strings.Fields(c.owners) {
			var n int
			fmt.Sscan(o, &n)
			owners, isNew = append(owners, Owner(n)), append(isNew, strings.Fields(c.isNew)[i] == "x")
		}
		if v.Align(owners, isNew); strings.Trim(fmt.Sprint(owners), "[]") != c.want {
			t.Errorf("%s, %s, new %s: %v, want %s", c.text, c.owners, c.isNew, owners, c.want)
		}
	}
}

func TestRuns(t *testing.T) {
	lines := Runs([]Owner{Base, Base, Human, FirstTurn, FirstTurn, Human, Base})
	if want := (Lines{{Base, 2}, {Human, 1}, {FirstTurn, 2}, {Human, 1}, {Base, 1}}); !slices.Equal(lines, want) {
		t.Errorf("%v, want %v", lines, want)
	}
	if n := lines.Count(); n[Human] != 2 || n[FirstTurn] != 2 || len(n) != 2 {
		t.Errorf("%v", n)
	}
	if Percent(1, 4) != 25 || Percent(0, 0) != 0 {
		t.Error("percent")
	}
}
