package main

import (
	"math/rand/v2"
	"slices"
)

// An edit changes a file's lines. fresh makes a line of the editor's.
type edit func(r *rand.Rand, lines []string, fresh func() string) []string

func freshLines(n int, fresh func() string) (lines []string) {
	for range n {
		lines = append(lines, fresh())
	}
	return lines
}

func several(r *rand.Rand, fresh func() string) []string { return freshLines(1+r.IntN(4), fresh) }

func appendLines(r *rand.Rand, lines []string, fresh func() string) []string {
	return append(slices.Clone(lines), several(r, fresh)...)
}

func insertLines(r *rand.Rand, lines []string, fresh func() string) []string {
	return slices.Insert(slices.Clone(lines), r.IntN(len(lines)+1), several(r, fresh)...)
}

// replaceLines puts new lines where one to three others were.
func replaceLines(r *rand.Rand, lines []string, fresh func() string) []string {
	if len(lines) < 2 {
		return appendLines(r, lines, fresh)
	}
	at := r.IntN(len(lines))
	return slices.Replace(slices.Clone(lines), at, min(len(lines), at+1+r.IntN(3)), several(r, fresh)...)
}

// removeLines leaves one line at least.
func removeLines(r *rand.Rand, lines []string, fresh func() string) []string {
	if len(lines) < 3 {
		return appendLines(r, lines, fresh)
	}
	at := r.IntN(len(lines) - 1)
	return slices.Delete(slices.Clone(lines), at, min(len(lines)-1, at+1+r.IntN(2)))
}

// rewrite leaves nothing of a file.
func rewrite(r *rand.Rand, lines []string, fresh func() string) []string {
	return append(several(r, fresh), several(r, fresh)...)
}

var edits = []edit{appendLines, appendLines, appendLines, insertLines, insertLines, insertLines, insertLines, replaceLines,
	replaceLines, replaceLines, removeLines, rewrite}

// partOf is what `git add -p` may leave in the index: the old lines, and some of the runs of lines
// that differ.
func partOf(r *rand.Rand, old, now []string) []string {
	var part []string
	for _, run := range runs(old, now) {
		if run.same || r.IntN(2) == 0 {
			part = append(part, run.now...)
		} else {
			part = append(part, run.old...)
		}
	}
	return part
}

// A run is a piece of two versions: the same lines, or lines that took others' place.
type run struct {
	same     bool
	old, now []string
}

// runs compares two versions by their longest common subsequence.
func runs(old, now []string) []run {
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); old[i] == now[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	var all []run
	add := func(same bool, from, to []string) {
		if len(all) == 0 || all[len(all)-1].same != same {
			all = append(all, run{same: same})
		}
		last := &all[len(all)-1]
		last.old, last.now = append(last.old, from...), append(last.now, to...)
	}
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case i < len(old) && j < len(now) && old[i] == now[j]:
			add(true, old[i:i+1], now[j:j+1])
			i, j = i+1, j+1
		case j == len(now) || i < len(old) && length[i+1][j] >= length[i][j+1]:
			add(false, old[i:i+1], nil)
			i++
		default:
			add(false, nil, now[j:j+1])
			j++
		}
	}
	return all
}

// alike reports whether two versions have half of the larger one in common, as those of a renamed
// file have for git.
func alike(a, b text) bool {
	times, common := map[string]int{}, 0
	for _, line := range a.lines() {
		times[line]++
	}
	for _, line := range b.lines() {
		if times[line]--; times[line] >= 0 {
			common += len(line) + 1
		}
	}
	return 2*common >= max(len(a), len(b))
}
