package relink

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// mostFormed is how many pairs of a checkpoint's file and a commit's are compared by their words,
// and mostHashes how many lines are looked up to tell which pairs, which takes tenths of a second.
// Each has at most ledger.MostFormed lines. Where most is as it was, few pairs are compared and
// thousands are looked up: the second limit ends that.
const mostFormed, mostHashes = 200, 2_000_000

// addFormed adds to commits the lines of checkpoints that they have in another form, such as
// wrapped: hashes of lines don't show them, the words that are recorded of them do. Only files of
// which a commit has less than half as they were are compared so.
func (s *Search) addFormed(commits []lineage.Unlinked, known []lineage.Checkpoint) error {
	texts, tried, hashes := &shadow.Texts{DB: s.DB}, 0, 0
	files, lines := formedFiles(known)
	recorded := map[string]checkpoints.Owners{}
	for i := range commits {
		for j := range commits[i].Files {
			f := &commits[i].Files[j]
			if len(f.Lines) == 0 || len(f.Lines) > ledger.MostFormed || len(files[f.Path]) == 0 {
				continue
			}
			has := sets.Of(f.Lines)
			for _, id := range files[f.Path] {
				// A limit that is reached ends the search for forms, not the search: lines as they
				// were still count.
				if hashes += len(lines[id][f.Path]); tried == mostFormed || hashes > mostHashes {
					return nil
				}
				// Half of the lines are there as they were, which is enough for a link.
				if hasHalf(has, lines[id][f.Path]) {
					continue
				}
				tried++
				if recorded[id] == nil {
					recorded[id] = checkpoints.ReadRecorded(s.DB, s.Branch, id, nil).Owners
				}
				_, marks := recorded[id][f.Path].Marks()
				if err := addLines(f, has, marks, texts); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// formedFiles are, by file, the checkpoints with lines in it, not too many, and these lines.
func formedFiles(known []lineage.Checkpoint) (files map[gitexec.Path][]string, lines map[string]map[gitexec.Path][]lineage.Line) {
	files, lines = map[gitexec.Path][]string{}, map[string]map[gitexec.Path][]lineage.Line{}
	for _, k := range known {
		lines[k.ID] = map[gitexec.Path][]lineage.Line{}
		for _, f := range k.Files {
			if len(f.Lines) > 0 && len(f.Lines) <= ledger.MostFormed {
				files[f.Path], lines[k.ID][f.Path] = append(files[f.Path], k.ID), f.Lines
			}
		}
	}
	return files, lines
}

// hasHalf reports whether half of the lines that weigh something are among others.
func hasHalf(has map[lineage.Line]bool, lines []lineage.Line) bool {
	found, sought := 0, 0
	for _, line := range lines {
		if line.Light() {
			continue
		}
		if sought++; has[line] {
			found++
		}
	}
	return 2*found >= sought
}

// addLines adds the lines of a recorded version, of which marks are known, that a commit's new
// lines of a file are in another form. has are those that it has.
func addLines(f *lineage.File, has map[lineage.Line]bool, marks []ledger.Mark, texts *shadow.Texts) error {
	now, ok, err := texts.Lines(gitexec.Entry{Mode: gitexec.ModeFile, ID: f.Blob})
	if err != nil || !ok || len(marks) == 0 || max(len(marks), len(now)) > 2*ledger.MostFormed {
		return err
	}
	hash := func(line string) uint32 { return uint32(lineage.HashLine(line)) }
	for i, at := range ledger.Recognise(marks, now, hash) {
		// Only lines that the commit adds; has is what it adds, and grows below by the recorded
		// forms.
		if at < 0 || !has[lineage.HashLine(now[i])] {
			continue
		}
		// The commit gets the hash that the checkpoint has, so that lineage.Relink, which knows
		// hashes alone, finds it.
		if line := lineage.Line(marks[at].Line); !has[line] {
			f.Lines, has[line] = append(f.Lines, line), true
		}
	}
	return nil
}
