package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// mostMoved is how many files of a commit, and of the sessions' work, are compared to find lines
// that were moved, by git's order and the works'. It bounds what a large commit waits for: every
// pair of the two may be compared line by line. Beyond it moved lines have no link. Half of it or
// double changes no case; it is not measured.
const mostMoved = 50

// Worktree reads the lines of a file in the worktree, none where there is no such file; ok is false
// where they can't be read.
type Worktree func(gitexec.Path) (lines []string, ok bool)

// countMoved marks the work whose lines the commit has in none of its files, but in others, and
// that stand in its own files no more: somebody moved them there.
func countMoved(judged []Overlap, changes []gitexec.Change, texts suffix.Texts, worktree Worktree) error {
	var added suffix.Added
	changes, compared := changes[:min(len(changes), mostMoved)], 0
	for i := range judged {
		o := &judged[i]
		// Without the worktree it isn't known what left the work's file: moved lines can't be told
		// from copied ones.
		if o.Counts || o.Work.Stream == nil || !o.Work.here() || worktree == nil {
			continue
		}
		for _, own := range suffix.ByFile(o.Work.Changes) {
			if compared++; compared > mostMoved {
				return nil
			}
			var err error
			if added == nil {
				if added, err = suffix.AddedBy(changes, texts); err != nil {
					return err
				}
			}
			// `in` are the files to which the commit adds lines that the agent's version has.
			in, err := added.Have(own[len(own)-1].After, texts)
			if err != nil {
				return err
			}
			if len(in) == 0 {
				continue
			}
			left, ok := worktree(own[0].Path)
			for _, at := range in {
				c := changes[at]
				// In a file of the work itself the comparison was made already.
				if !ok || slices.ContainsFunc(o.Work.Changes, func(w suffix.Change) bool { return w.Path == c.Path }) {
					continue
				}
				moved, err := suffix.MovedTo(own, left, c, texts)
				if err != nil {
					return err
				}
				if moved {
					o.Counts, o.Reason = true, o.Work.reason()
					o.Files = append(o.Files, FileOverlap{Path: c.Path, Verdict: Held, changes: own, found: suffix.File{Present: true}})
				}
			}
		}
	}
	return nil
}
