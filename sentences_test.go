package main

import (
	"regexp"
	"strings"
	"testing"
)

// longest is how many words a sentence of a page has at most.
const longest = 24

// asides are what of a page is no sentence: comments, code, tables, headings, and quotes of code.
var asides = regexp.MustCompile("(?ms)^<!--.*?-->$|^```.*?^```$|^    .*?$|^\\|.*?$|^#+ .*?$|^> .*?$")

// ends are where a sentence ends, or an item of a list, or a paragraph.
var ends = regexp.MustCompile(`[.?!]["*_)]*(?:\s|$)|\n\s*\n|\n\s*(?:[-*]|\d+\.) `)

var (
	quoted = regexp.MustCompile("(?s)`[^`]*`")
	linked = regexp.MustCompile(`(?s)\[([^\]]*)\]\([^)]*\)`)
	worded = regexp.MustCompile(`[\pL\pN]`)
)

// long are the sentences of a page that have too many words. What is in backquotes is one word.
func long(page string) (all []string) {
	page = asides.ReplaceAllString(page, "\n\n")
	page = linked.ReplaceAllString(quoted.ReplaceAllString(page, "code"), "$1")
	for _, sentence := range ends.Split(page, -1) {
		n := 0
		for _, word := range strings.Fields(sentence) {
			if worded.MatchString(word) {
				n++
			}
		}
		if n > longest {
			all = append(all, strings.Join(strings.Fields(sentence), " "))
		}
	}
	return all
}

// TestSentences: the sentences of README.md and of the pages in docs have fewer than 25 words.
func TestSentences(t *testing.T) {
	for name, page := range pages(t) {
		if name != "README.md" && !strings.HasPrefix(name, "docs/") || name == "docs/json.md" {
			continue
		}
		if found := long(page); len(found) > 0 {
			t.Errorf("%s has %d sentences of more than %d words:\n%s", name, len(found), longest, strings.Join(found, "\n"))
		}
	}
}

// TestLong: where a sentence ends, and what is none.
func TestLong(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for text, want := range map[string]int{
		words(24) + ".": 0,
		words(25) + ".": 1,
		words(25):       1,
		words(20) + ". " + words(20) + "? " + words(20): 0,
		words(20) + "\n\n" + words(20):                  0,
		words(13) + "\n" + words(13):                    1,
		"- " + words(20) + "\n- " + words(20):           0,
		"1. " + words(25) + "\n2. " + words(26):         2,
		"| " + words(30) + " |":                         0,
		"```\n" + words(30) + "\n```\n" + words(20):     0,
		"<!-- play\n" + words(30) + "\n-->":             0,
		words(20) + " `" + words(9) + "`":               0,
		words(20) + " [" + words(5) + "](a.md) e.g.x":   1,
		"# " + words(30):                                0,
	} {
		if found := long(text); len(found) != want {
			t.Errorf("%q: %d, want %d", text, len(found), want)
		}
	}
}
