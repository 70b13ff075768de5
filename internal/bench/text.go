package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const vocabulary = "the a path file commit tree session index branch worktree hook agent reads writes keeps checks returns when if not " +
	"where error result value list entry change state before after until every first last new old small large empty whole part " +
	"func const struct range append string int bool nil true false context buffer parse encode decode open close lock release"

// lines are what all texts are made of. They are the same in each process, so that a kept
// repository fits the next one.
var lines = func() []string {
	words := strings.Fields(vocabulary)
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]string, 4096)
	for i := range all {
		var b strings.Builder
		for b.Len() < 20+random.IntN(60) {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		all[i] = strings.TrimSpace(b.String())
	}
	return all
}()

// text returns lines of about size bytes, others for another n.
func text(n, size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "text %d\n", n)
	for i := n * 31; b.Len() < size; i++ {
		b.WriteString(lines[i%len(lines)] + "\n")
	}
	return b.String()
}

// edit changes three lines of a text, as nobody has before.
func edit(before string, n int) string {
	all := strings.SplitAfter(before, "\n")
	for i := range 3 {
		at := (len(all) - 1) * (i + 1) / 4
		all[at] = fmt.Sprintf("edit %d of %s\n", n*3+i, lines[(n*7+i)%len(lines)])
	}
	return strings.Join(all, "")
}

// layout returns the paths of n files, in directories of 20 to 100.
func layout(n int) []string {
	random := rand.New(rand.NewPCG(3, 4))
	paths := make([]string, 0, n)
	for dir := 0; len(paths) < n; dir++ {
		for i := range min(20+random.IntN(81), n-len(paths)) {
			paths = append(paths, fmt.Sprintf("area%02d/part%02d/file%03d.txt", dir/30, dir%30, i))
		}
	}
	return paths
}
