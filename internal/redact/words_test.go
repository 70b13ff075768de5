package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWords: the automaton finds what a search for each word finds, in the order of their ends, the
// longest first, whatever word is part of which.
func TestWords(t *testing.T) {
	for _, list := range [][]string{
		{"he", "she", "his", "hers"}, {"s", "ss", "sss"}, {"token", "to", "ken", "e"}, {"abcab", "bca", "cab", "ab"}, {"-", "--pass", "pass"},
	} {
		for _, text := range []string{"", "ushers", "USHERS and His", "ssss", "a tokenToken", "abcabcab", "--pass---pass", strings.Join(list, "")} {
			var want, got []string
			for to := range len(text) + 1 {
				for from := range to {
					if i := slices.Index(list, strings.ToLower(text[from:to])); i >= 0 {
						want = append(want, fmt.Sprint(i, from, to))
					}
				}
			}
			newWords(list).each(text, func(word, from, to int) { got = append(got, fmt.Sprint(word, from, to)) })
			if !slices.Equal(got, want) {
				t.Errorf("of %q in %q: %q; want %q", list, text, got, want)
			}
		}
	}
}
