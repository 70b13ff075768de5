package lineage

import (
	"slices"

	"entire-plumb/gitexec"
)

// Checkpoint is what a checkpoint's fingerprint says of the commit that it was made for.
type Checkpoint struct {
	ID     string
	Made   int64    // in seconds
	Began  int64    // when the first turn of the work began, in seconds; 0: not known
	Before []string // the checkpoints of the last linked commit before that one
	Files  []File   // that the agents changed
	Linked bool     // a commit in the history links it
	// Commits are the commits that it was made for, and After some that they follow.
	Commits, After []gitexec.OID
	// Older are commits that are in the history of these: they hold none of it.
	Older map[gitexec.OID]bool
	// Changed is how many files the commit changes, also those of others.
	Changed int
}

// Found is a checkpoint whose work is in a commit.
type Found struct {
	ID       string
	Score    float64 // the share of its lines that the commit has, by weight
	Evidence []FileEvidence
}

// FileEvidence counts a file's lines. A file without lines has none, and is the same as a whole, or
// is deleted in both.
type FileEvidence struct {
	Path          gitexec.Path // in the commit
	Found, Sought int
	Whole         bool
}

// MostSkew is by how many seconds the clocks of two machines may differ: by so many a commit may
// seem to be older than the work that it holds, and another clone's checkpoint to be made after
// now. With a day, which it once was, a commit from which an agent sorts, moves or ports lines had
// the agent's link. With none, a squash by a server whose clock is behind has no link.
const MostSkew = 10 * 60

// Since is the time before which no commit holds the checkpoint's work, in seconds: when its first
// turn began; where that is not known, when it was made.
func (k Checkpoint) Since() int64 {
	if k.Began > 0 {
		return min(k.Began, k.Made) - MostSkew
	}
	return k.Made - MostSkew
}

// Precedes reports whether a commit is older than the checkpoint's work: it was made before that
// began, or the work's own commit follows it.
func (k Checkpoint) Precedes(commit gitexec.OID, when int64) bool {
	return when < k.Since() || k.Older[commit] || slices.Contains(k.After, commit)
}

// The limits of evidence. docs/links.md has what the links are worth that they give, on the
// histories of 17 projects; bench -relink measures it again.
const (
	// half of a checkpoint's lines make a link: less may be chance, or a copy. With a quarter a
	// commit that happens to share three lines has one; with nearly all, no squash that was edited
	// on the server has, nor a draft that later commits of its branch changed (TestStrong,
	// TestJoins).
	half = 0.5
	// whole is the score of a checkpoint all of whose lines are in a commit, where 99 of 100 are as
	// good as all, and 98 are not (TestSameOfMany). It is a sum of fractions, and so not 1.
	whole = 0.99
	// enoughLines that weigh something are evidence: of a checkpoint, of a file under another name,
	// and of work that a commit brings back. One or two are an import that anybody adds. With twice
	// as many, a revert of a revert of three lines has no link (TestBringBack, TestRelink), and of
	// what is missed most is small already.
	enoughLines = 3
	// fewOthers is from how many other lines in a file on, for each of fewer lines, these prove
	// nothing: among 60 new lines an import is chance. With 20 it has a link (TestRelink); with 5 a
	// renamed file that has grown is not found (TestRenamed).
	fewOthers = 10
	// commonLine is how many files may have a line that is looked for. It bounds the pairs that are
	// compared: what hundreds of files have tells none of them from the others.
	commonLine = 200
	// lightOf is how many light lines, as braces, weigh as much as one other. They don't weigh 0,
	// so that a checkpoint of nothing else has a score; which number it is was not measured.
	lightOf = 50
)

// MostBefore is how far back in a branch's history the last linked commit is looked for. Pull
// requests have 1.4 to 6.4 commits on average in the projects of docs/links.md. With twice as many
// a checkpoint reads, and names, twice as many commits that its own follows.
const MostBefore = 20

// Relink finds, for each of the commits, the checkpoints whose work is in it: those that it
// replaces by a squash, a rebase or a cherry-pick that no hook of ours saw. All commits are
// compared together, each line is evidence for one checkpoint, and a rare one weighs more. The best
// matches come first, above all those of commits that make the very same change. A checkpoint is
// found in one commit; in another one only if that has all of it again, as where a revert is
// reverted. A checkpoint of which a part is not in the commit any more, since later commits of its
// branch replaced it, joins these. Each has something in the commit that no other one accounts for.
func Relink(checkpoints []Checkpoint, commits []Unlinked) [][]Found {
	// Strong matches first, since weak ones and those that join ask where others of their branch
	// were found. Each step takes its lines from what the steps before it left.
	r := newRelinking(checkpoints, commits)
	candidates := r.candidates()
	r.assign(candidates, match.strong)
	r.join()
	r.assign(candidates, r.weak)
	r.join()
	r.bringBack(candidates)
	return r.found()
}

// relinking is the state of one run.
type relinking struct {
	checkpoints []Checkpoint
	commits     []Unlinked
	byPath      []map[gitexec.Path]int // a commit's files
	left        []map[place]int        // a commit's lines that no checkpoint has taken
	count       map[Line]int           // how often the checkpoints have a line
	of          []int                  // the commit that a checkpoint is found in; -1: none
	score       []measured
	again       []map[int]measured      // by checkpoint: the commits that bring it back
	next        [][]int                 // the checkpoints of a branch that come directly after or before
	depth       []int                   // of a checkpoint on its branch, from 1
	having      []map[Line][]int        // a commit's lines: the files that have them
	gone        []map[gitexec.Path]bool // whether a commit lacks a file that it does not change
}

type place struct {
	file int
	line Line
}

func newRelinking(checkpoints []Checkpoint, commits []Unlinked) *relinking {
	r := &relinking{checkpoints: checkpoints, commits: commits, count: map[Line]int{}, again: make([]map[int]measured, len(checkpoints)),
		of: make([]int, len(checkpoints)), score: make([]measured, len(checkpoints))}
	for i, k := range checkpoints {
		r.of[i] = -1
		for _, f := range k.Files {
			for _, line := range f.Lines {
				r.count[line]++
			}
		}
	}
	r.findBranches()
	for _, c := range commits {
		paths, left := map[gitexec.Path]int{}, map[place]int{}
		for i, f := range c.Files {
			paths[f.Path] = i
			for _, line := range f.Lines {
				left[place{i, line}]++
			}
		}
		r.byPath, r.left, r.having = append(r.byPath, paths), append(r.left, left), append(r.having, nil)
		r.gone = append(r.gone, map[gitexec.Path]bool{})
	}
	return r
}
