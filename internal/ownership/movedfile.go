package ownership

import (
	"slices"

	"entire-plumb/gitexec"
)

// mostMoved is how many lines of files that a step deletes and adds are compared, each pair of files
// anew.
const mostMoved = 1_000_000

// movedFiles gives the lines of files that a step deletes, and of which nearly all are in a file that
// it adds, the owners that they had: the file was renamed, and so much was added to it that git sees
// no rename. Lines of the base are excepted: in a new file they are new. It changes after, the files
// after the step, which are in the order of the patches, as those before it; added are the indexes
// of those that the step adds.
func (h *History) movedFiles(patches []gitexec.FilePatch, was, after []File, added []int) {
	if h.content == nil || len(added) == 0 {
		return
	}
	var deleted []int
	for i, p := range patches {
		known := func(r Run) bool { return r.Owner != Base }
		if p.New == "" && p.OldBlob != "" && !was[i].NoText && slices.ContainsFunc(was[i].Lines, known) {
			deleted = append(deleted, i)
		}
	}
	var gone []lost
	left := mostMoved
	for _, i := range deleted {
		if left < 0 {
			return
		}
		text := h.content.Lines(patches[i].OldBlob)
		gone = append(gone, lost{owners: was[i].Lines.Spread(len(text)), text: text})
		left -= len(text)
	}
	for _, i := range added {
		p := patches[i]
		if len(gone) == 0 || after[i].NoText || p.NewBlob == "" || len(p.Hunks) == 0 {
			continue
		}
		now := h.content.Lines(p.NewBlob)
		for k, old := range gone {
			if left -= len(old.text) + len(now); left < 0 {
				return
			}
			if f, moved := h.movedFile(old, now, p, after[i]); moved {
				after[i], gone[k].text = f, nil
			}
		}
	}
}

// movedFile gives the lines of a new file that are those of a deleted one their owners, if three
// quarters of those are there, and are evidence.
func (h *History) movedFile(gone lost, now []string, p gitexec.FilePatch, f File) (File, bool) {
	r := restoring{content: h.content, lost: []lost{gone}, keeps: func(o Owner) bool { return o != Base }, now: now}
	f, found := r.lines(p, f)
	all := 0
	for i, line := range gone.text {
		if gone.owners[i] != Base && !h.content.Weightless(line) {
			all++
		}
	}
	return f, 4*len(found) >= 3*all && h.content.Enough(found)
}
