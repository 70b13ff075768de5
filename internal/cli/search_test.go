package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"entire-plumb/internal/query"
)

// fittedIn is a line as it is printed in so many columns, what was found in brackets.
func fittedIn(width int, line string, places ...[2]int) string {
	var b strings.Builder
	for _, s := range around(stretches(line, places), width) {
		if s.found {
			fmt.Fprintf(&b, "[%s]", s.text)
		} else {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

func TestAround(t *testing.T) {
	long := strings.Repeat("x", 30) + "word" + strings.Repeat("y", 30)
	for name, c := range map[string]struct{ got, want string }{
		"a line that fits":             {fittedIn(20, "a word here", [2]int{2, 6}), "a [word] here"},
		"the place is in the middle":   {fittedIn(12, long, [2]int{30, 34}), "…xxxx[word]yyyy…"},
		"the place is at the end":      {fittedIn(12, long[:34], [2]int{30, 34}), "…xxxxxxxx[word]"},
		"the place is at the start":    {fittedIn(12, long[30:], [2]int{0, 4}), "[word]yyyyyyyy…"},
		"the place is longer":          {fittedIn(5, long, [2]int{30, 64}), "…x[word]…"},
		"no place":                     {fittedIn(4, "abcdef"), "abcd…"},
		"two places":                   {fittedIn(20, "ab ab", [2]int{0, 2}, [2]int{3, 5}), "[ab] [ab]"},
		"controls, tabs and an indent": {fittedIn(20, "\t\x1b[31mab", [2]int{6, 8}), "\uFFFD[31m[ab]"},
		"wide characters":              {fittedIn(5, "日本語日本語", [2]int{0, 3}), "[日]本…"},
		"characters, not bytes":        {fittedIn(4, "ääääää", [2]int{0, 2}), "[ä]äää…"},
		"an empty line":                {fittedIn(4, ""), ""},
		"an empty place":               {fittedIn(9, "ab", [2]int{1, 1}), "ab"},
	} {
		if name == "the place is longer" {
			if n := utf8.RuneCountInString(c.got); n > 5+4 {
				t.Errorf("%s: %q", name, c.got)
			}
			continue
		}
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

func TestMatchPrinter(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local)
	one := query.TextMatch{Session: "s1", Turn: 2, When: when, Kind: "answer", Subagent: true, Agent: "A\x1b", Text: "the word", Before: " ", After: "after",
		Places: [3][][2]int{1: {{4, 8}}}}
	for name, c := range map[string]struct {
		found  query.TextFound
		colour bool
		want   string
	}{
		"nothing": {query.TextFound{}, false, "no matches\n"},
		"one that is not committed": {query.TextFound{Matches: []query.TextMatch{one}}, false,
			"2026-01-02 03:04  s1  turn 2  A\uFFFD  answer of a subagent  not committed\n    the word\n    after\n\n1 match in 1 session\n"},
		"others are there": {query.TextFound{Matches: []query.TextMatch{{Session: "a", When: when, Kind: "file", Checkpoint: "c1", Text: "f"}}, More: true}, false,
			"2026-01-02 03:04  a  file  c1\n    f\n\nthe latest 1 match, in 1 session; -n -1 lists all\n"},
		"in colour": {query.TextFound{Matches: []query.TextMatch{{Session: "a", When: when, Kind: "file", Checkpoint: "c1", Text: "f", Places: [3][][2]int{1: {{0, 1}}}}}}, true,
			"\x1b[33m2026-01-02 03:04  a  file  c1\x1b[m\n    \x1b[1m\x1b[31mf\x1b[m\n\n1 match in 1 session\n"},
	} {
		var b bytes.Buffer
		p := matchPrinter{screen{80, c.colour}, &b}
		p.all(c.found)
		if b.String() != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", name, b.String(), c.want)
		}
	}
}

func TestNotSearched(t *testing.T) {
	for name, c := range map[string]struct {
		found  query.TextFound
		passed []query.Passed
		want   []string
	}{
		"all was searched":     {query.TextFound{}, nil, nil},
		"one is encrypted":     {query.TextFound{Sealed: 1, For: "for age1\x1b"}, nil, []string{"1 conversation was not searched: for age1\uFFFD\nhint: "}},
		"several are":          {query.TextFound{Sealed: 2}, nil, []string{"2 conversations were not searched"}},
		"a file is damaged":    {query.TextFound{Unread: 1}, nil, []string{"1 file of conversations could not be read, and was not searched\nhint: entire-plumb doctor"}},
		"others' repository":   {query.TextFound{}, []query.Passed{{Repository: "/r\n", Reason: "no"}}, []string{"entire-plumb: /r\uFFFD was not searched: no\n"}},
		"several of the above": {query.TextFound{Sealed: 1, Unread: 3}, nil, []string{"1 conversation", "3 files of conversations could not be read, and were not"}},
	} {
		var b bytes.Buffer
		notSearched(&b, c.found, c.passed)
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q, want %q", name, b.String(), want)
			}
		}
		if len(c.want) == 0 && b.Len() > 0 {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}

// What is printed as JSON has lists, also where nothing was found, and each key once.
func TestSearchJSON(t *testing.T) {
	var b bytes.Buffer
	if err := printJSON(&b, searchJSON(query.TextFound{}, nil)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version": 1`, `"matches": []`, `"more": false`, `"encrypted_conversations": 0`, `"unreadable_files": 0`, `"repositories": []`} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%s is not in %s", want, b.String())
		}
	}
	b.Reset()
	m := query.TextMatch{Session: "s", Checkpoint: "c", Text: "\x1b[2J\u202e", When: time.Unix(0, 0).UTC(), Kind: "prompt", Line: 1}
	if err := printJSON(&b, searchJSON(query.TextFound{Matches: []query.TextMatch{m}, More: true}, []query.Passed{{Repository: "/r", Reason: "x"}})); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, `"checkpoint_id": "c"`) || strings.Contains(text, "turn") {
		t.Errorf("%s", text)
	}
}
