package attribution

import (
	"maps"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// TestNumbered: lines and places are from 1, and lines that are nowhere have none.
func TestNumbered(t *testing.T) {
	next := func(i int) int { return i + 1 }
	of := []int{7, 8, 11}
	for _, c := range []struct {
		places []int
		of     func(int) int
		want   map[int]int
	}{
		{nil, next, map[int]int{}},
		{[]int{-1, -1}, next, map[int]int{}},
		{[]int{0, -1, 1}, next, map[int]int{1: 1, 3: 2}},
		{[]int{2, 0}, func(i int) int { return of[i] }, map[int]int{1: 11, 2: 7}},
	} {
		if got := numbered(c.places, c.of); got == nil || !maps.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.places, got, c.want)
		}
	}
}

// TestTraceByLine: a version's lines in another one, in any form.
func TestTraceByLine(t *testing.T) {
	for name, c := range map[string]struct {
		then, now string // lines, parted by "/"
		want      map[int]int
	}{
		"the same":  {"one line/another line", "one line/another line", map[int]int{1: 1, 2: 2}},
		"a new one": {"one line/another line", "one line/a new sentence here/another line", map[int]int{1: 1, 3: 2}},
		"indented":  {"one line/another line", "\tone line/\tanother line", map[int]int{1: 1, 2: 2}},
		"wrapped": {"first = measure(alpha, beta, gamma)", "first = measure(/    alpha,/    beta,/    gamma,/)",
			map[int]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}},
		"other quotes":   {"print(\"the first text\")/print(\"the second text\")", "print('the first text')/print('the second text')", map[int]int{1: 1, 2: 2}},
		"nothing common": {"one line/another line", "quite different/in each word", map[int]int{}},
	} {
		then, now := strings.Split(c.then, "/"), strings.Split(c.now, "/")
		if got := numbered(ledger.Trace(joined(then), joined(now)), func(i int) int { return i + 1 }); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMatched: of a version that is missing, and of what has no lines, nothing is known.
func TestMatched(t *testing.T) {
	db := testrepo.New(t).DB
	one, two, binary := blob(t, db, "one line\nanother line\n").ID, blob(t, db, "a new line of text\none line\n").ID, blob(t, db, "\x00one line\n").ID
	directory := tree(t, db, gitexec.Edits{"f": {Mode: gitexec.ModeFile, ID: one}})
	missing := gitexec.OID(strings.Repeat("a", len(one)))
	for name, c := range map[string]struct {
		here  gitexec.Entry
		there gitexec.OID
		want  map[int]int // nil: they can't be compared
		lines int
	}{
		"there":              {gitexec.Entry{Mode: gitexec.ModeFile, ID: two}, one, map[int]int{2: 1}, 2},
		"the very version":   {gitexec.Entry{Mode: gitexec.ModeExec, ID: one}, one, map[int]int{1: 1, 2: 2}, 2},
		"missing":            {gitexec.Entry{Mode: gitexec.ModeFile, ID: two}, missing, nil, 0},
		"none recorded":      {gitexec.Entry{Mode: gitexec.ModeFile, ID: two}, "", nil, 0},
		"no such file":       {gitexec.Entry{}, one, nil, 0},
		"a symbolic link":    {gitexec.Entry{Mode: gitexec.ModeSymlink, ID: two}, one, nil, 0},
		"a binary file":      {gitexec.Entry{Mode: gitexec.ModeFile, ID: binary}, one, nil, 0},
		"it was binary":      {gitexec.Entry{Mode: gitexec.ModeFile, ID: two}, binary, nil, 0},
		"it was a directory": {gitexec.Entry{Mode: gitexec.ModeFile, ID: two}, directory, nil, 0},
	} {
		at, lines, sure, err := matched(&shadow.Texts{DB: db}, c.here, checkpoints.FileOwners{Blob: c.there})
		if err != nil || (at == nil) != (c.want == nil) || !maps.Equal(at, c.want) || lines != c.lines || sure != (c.want != nil) {
			t.Errorf("%s: %v of %d, sure %v, %v; want %v of %d", name, at, lines, sure, err, c.want, c.lines)
		}
	}
}
