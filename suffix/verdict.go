package suffix

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// Verdict is the result for one stream.
type Verdict struct {
	Suffix int     `json:"suffix"`
	Reason Reason  `json:"reason"` // Present, Absent, NoOverlap, Unreadable or CannotCompare
	Score  float64 `json:"score"`  // how much of the work is in the worktree: 0 to 1, each file equally
	Files  []File  `json:"files"`  // the files in both
	Weak   bool    `json:"weak,omitempty"`
	Err    string  `json:"error,omitempty"`
}

// File is the result for one file.
type File struct {
	Path     gitexec.Path  `json:"path"`
	Before   gitexec.Entry `json:"base"` // before the agent's first change on the stream
	After    gitexec.Entry `json:"shadow"`
	Now      gitexec.Entry `json:"worktree"`
	Evidence Evidence      `json:"evidence"`
	Present  bool          `json:"present"`
	Weak     bool          `json:"weak,omitempty"` // it could have another origin
	Score    float64       `json:"score"`          // how much of the change is in the worktree: 0 to 1
	// The agent's uncommitted lines, where lines decide.
	AddedFound      []string `json:"added_found,omitempty"`
	AddedMissing    []string `json:"added_not_found,omitempty"`
	RemovedAbsent   []string `json:"removed_still_out,omitempty"`
	RemovedRestored []string `json:"removed_back,omitempty"`
}

// Evidence is what a file's verdict is based on.
type Evidence string

// The kinds of evidence.
const (
	SameObject Evidence = "same object"    // the whole file with its mode; also a deletion
	OtherWhole Evidence = "other object"   // a binary file, a symlink, a submodule, or a file that one side lacks
	ByLines    Evidence = "lines"          // of a text file
	ByOrder    Evidence = "order of lines" // of a text file in which the agent only moved lines, in pairs
	ModeOnly   Evidence = "mode"           // the agent only changed the mode
	Unknown    Evidence = "cannot compare" // see the verdict's error
)

// Judge compares one stream with the worktree.
func Judge(s Stream, worktree Worktree, texts Texts) Verdict {
	v := Verdict{Suffix: s.Suffix, Files: []File{}}
	if s.Err != nil {
		v.Reason, v.Err = Unreadable, s.Err.Error()
		return v
	}
	v.Reason = NoOverlap
	// A file that was moved in the worktree is compared under its new name.
	works, worktree, err := worktree.renames(s, texts)
	if err != nil {
		v.Reason, v.Err = CannotCompare, err.Error()
		return v
	}
	changed := ByFile(works)
	for _, changes := range changed {
		now, modified := worktree[changes[0].Path]
		if !modified {
			continue
		}
		f, err := Compare(changes, now, texts)
		if err != nil {
			v.Reason, v.Err = CannotCompare, err.Error()
			return v
		}
		v.Files = append(v.Files, f)
		// Files of the work that the worktree doesn't change count as 0: len(changed) has them.
		v.Score += f.Score / float64(len(changed))
		switch {
		case f.Present:
			// Weak only if each file that is present is: the first one sets it, and a strong one
			// clears it for good.
			v.Weak = f.Weak && (v.Weak || v.Reason != Present)
			v.Reason = Present
		// A file that is in both, and whose work isn't there. It never replaces Present.
		case v.Reason == NoOverlap:
			v.Reason = Absent
		}
	}
	return v
}

// InEffect reports whether what the agent did to a file, in one or more turns, is in a version of
// it, in whole or in part, and not in the version under it: version goes from that one to this. It
// is Compare's Present.
func InEffect(changes []Change, version gitexec.Change, texts Texts) (bool, error) {
	f, err := Compare(changes, version, texts)
	return f.Present, err
}

// Any reports whether the version has any line that the agent added and the version under it has
// not, however short: evidence only where there is other evidence.
func (f File) Any() bool { return f.Present || f.Evidence == ByLines && len(f.AddedFound) > 0 }

// Partly reports whether the version has some of the lines that the agent added, and not others:
// somebody has gone on from the agent's version.
func (f File) Partly() bool {
	return f.Evidence == ByLines && len(f.AddedFound) > 0 && len(f.AddedMissing) > 0
}

// Most is Any for two lines at least, and half of those that were added. A single short line may be
// anybody's `i++`; where the worktree went on from the work, two of few are the work's
// (condense.Work.verdict).
func (f File) Most() bool {
	return f.Present || f.Evidence == ByLines && len(f.AddedFound) > 1 && len(f.AddedFound) >= len(f.AddedMissing)
}

// Half reports whether the version has half of the lines that the agent added, by weight.
func (f File) Half() bool {
	return f.Evidence == ByLines && enough(f.AddedFound) && weigh(f.AddedFound) >= weigh(f.AddedMissing)
}

// ByRemoval reports whether there is no other evidence than that lines are gone which the agent
// removed, or the file, perhaps with added lines without a weight; or, where it moved lines, that a
// few are neighbours as it left them, fewer than half: so are two lines between which others were
// removed.
func (f File) ByRemoval() bool {
	switch {
	case !f.Present:
		return false
	case f.Evidence == ByLines:
		// An added brace may be anybody's.
		return !slices.ContainsFunc(f.AddedFound, func(line string) bool { return !Weightless(line) })
	case f.Evidence == ByOrder:
		return len(f.AddedFound) < len(f.AddedMissing)
	}
	return f.Evidence == SameObject && !f.Now.Exists()
}

// Whole reports whether all that the agent did to the lines of a file is in a version of it; false
// for a file without lines. changes are of one file, oldest first, and not empty.
func Whole(changes []Change, version gitexec.Entry, texts Texts) (bool, error) {
	f, err := Compare(changes, gitexec.Change{Old: changes[0].Before, New: version}, texts)
	return f.Evidence == ByLines && f.Present && len(f.AddedMissing)+len(f.RemovedRestored) == 0, err
}

// Undone reports whether the version shows that the agent's change was undone: it has none of the
// lines that the agent added, and most of those that the agent removed are back or, where it
// removed none, the lines around those that it added follow each other again.
func (f File) Undone(changes []Change, texts Texts) (bool, error) {
	if f.Present || f.Evidence != ByLines || len(f.AddedFound) > 0 {
		return false, nil
	}
	// The agent turned `a` into `b`, and the version has `a` again.
	if back, out := len(f.RemovedRestored), len(f.RemovedAbsent); back+out > 0 {
		return back > out, nil
	}
	// The agent added `x` between `a` and `b`, which follow each other again. If `c` stands between
	// them now, the place was edited further.
	return closed(changes, f.Now, texts)
}

// closed reports whether the lines around those that an agent added follow each other in a version.
// An end of the file counts as a line.
func closed(changes []Change, now gitexec.Entry, texts Texts) (bool, error) {
	// Before the agent's changes, after them, and now; blank lines are left out, and "" stands for
	// both ends.
	var text [3][]string
	for i, e := range []gitexec.Entry{changes[0].Before, changes[len(changes)-1].After, now} {
		lines, _, err := texts.Lines(e)
		if err != nil {
			return false, err
		}
		text[i] = []string{""}
		for _, line := range lines {
			if line = bare(line); line != "" {
				text[i] = append(text[i], line)
			}
		}
		text[i] = append(text[i], "")
	}
	// A line of after that before lacks is an added one. The lines on both sides of a row of these
	// must be neighbours now.
	before, after := sets.Of(text[0]), text[1]
	follows := map[[2]string]bool{}
	for i, line := range text[2][1:] {
		follows[[2]string{text[2][i], line}] = true
	}
	last, gap := "", false
	for _, line := range after[1:] {
		switch {
		case !before[line]:
			gap = true
			continue
		case gap && !follows[[2]string{last, line}]:
			return false, nil
		}
		last, gap = line, false
	}
	return true, nil
}

// ByFile groups the changes by file, in the order of each file's first change.
func ByFile(changes []Change) [][]Change {
	return sets.Groups(changes, func(c Change) gitexec.Path { return c.Path })
}
