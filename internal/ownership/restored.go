package ownership

import (
	"cmp"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Content reads the lines of versions.
type Content interface {
	// Lines are those of a version, with their line ends; none where it cannot be read.
	Lines(blob gitexec.OID) []string
	// Weightless reports whether a line is no evidence at all, as a brace.
	Weightless(line string) bool
	// Enough reports whether lines together are evidence.
	Enough(lines []string) bool
}

// mostLost is how many lines that steps took out of a file are remembered, and mostPlaces at how
// many of them with one text a line is looked for: the last ones.
const mostLost, mostPlaces = 50_000, 32

// lost are consecutive lines of a version that a step took out, some of them an agent's.
type lost struct {
	blob   gitexec.OID
	first  int      // counted from 0
	owners []Owner  // Base: they are back
	text   []string // nil: not read yet
}

// place is a line that was taken out: the index of the lost lines, and in them.
type place struct{ of, at int }

// renameLost gives the lines that steps took out of files their new names. Names may be swapped.
func (h *History) renameLost(patches []gitexec.FilePatch) {
	renamed := map[gitexec.Path][]lost{}
	for _, p := range patches {
		if of := h.lost[p.Old]; len(of) > 0 && p.New != "" && p.New != p.Old {
			renamed[p.New] = of
			delete(h.lost, p.Old)
		}
	}
	for path, of := range renamed {
		h.lost[path] = append(slices.Clip(h.lost[path]), of...)
	}
}

// lose remembers the lines that a step takes out of a file, if an agent's are among them.
func (h *History) lose(p gitexec.FilePatch, was File) {
	if h.content == nil || p.Old == "" || p.OldBlob == "" || was.NoText {
		return
	}
	path, in, at := cmp.Or(p.New, p.Old), reader{runs: was.Lines}, 1
	all := slices.Clip(h.lost[path])
	for _, hunk := range p.Hunks {
		if hunk.OldLines == 0 {
			continue
		}
		in.take(hunk.OldStart-at, func(Run) {})
		var gone Lines
		in.take(hunk.OldLines, func(r Run) { gone = append(gone, r) })
		if at = hunk.OldStart + hunk.OldLines; slices.ContainsFunc(gone, func(r Run) bool { return r.Owner.IsAgent() }) {
			all = append(all, lost{blob: p.OldBlob, first: hunk.OldStart - 1, owners: gone.Spread(hunk.OldLines)})
		}
	}
	lines, from := 0, len(all)
	for from > 0 && lines+len(all[from-1].owners) <= mostLost {
		from--
		lines += len(all[from].owners)
	}
	h.lost[path] = all[from:]
}

// giveBack gives the lines that the human adds to a file, and that an agent wrote before they were
// taken out, to that agent: each as often as it was taken out, with the lines beside it that are
// back, too.
func (h *History) giveBack(p gitexec.FilePatch, f File) File {
	adds := func(hunk gitexec.Hunk) bool { return hunk.NewLines > 0 }
	if len(h.lost[p.New]) == 0 || f.NoText || p.NewBlob == "" || !slices.ContainsFunc(p.Hunks, adds) {
		return f
	}
	h.lost[p.New] = slices.Clone(h.lost[p.New])
	r := restoring{content: h.content, lost: h.lost[p.New], keeps: Owner.IsAgent, now: h.content.Lines(p.NewBlob)}
	r.read()
	f, _ = r.lines(p, f)
	return f
}

// restoring looks for the lines of a version among lost ones.
type restoring struct {
	content Content
	lost    []lost
	keeps   func(Owner) bool // whether a line that is back has the owner that it had
	now     []string
	owners  []Owner
	places  map[string][]place
	found   []string // lines that have their owner again, without those beside them that are weightless
}

// read reads the lost lines that have not been read yet: of a version, all at once. It copies them,
// else the whole version would stay in memory.
func (r *restoring) read() {
	var blob gitexec.OID
	var text []string
	for i := range r.lost {
		l := &r.lost[i]
		if l.text != nil {
			continue
		}
		if l.blob != blob {
			blob, text = l.blob, r.content.Lines(l.blob)
		}
		if end := l.first + len(l.owners); end <= len(text) {
			for _, line := range text[l.first:end] {
				l.text = append(l.text, strings.Clone(line))
			}
		}
	}
}

// lines gives the new lines of a version their owners, and returns those that were found.
func (r *restoring) lines(p gitexec.FilePatch, f File) (File, []string) {
	var blocks [][2]int
	for _, hunk := range p.Hunks {
		from := hunk.NewStart - 1
		if end := from + hunk.NewLines; hunk.NewLines > 0 && end <= len(r.now) {
			blocks = append(blocks, [2]int{from, end})
		}
	}
	r.index(blocks)
	for i := range r.lost { // others have them, too
		r.lost[i].owners = slices.Clone(r.lost[i].owners)
	}
	r.owners = f.Lines.Spread(len(r.now))
	for _, b := range blocks {
		r.block(b[0], b[1])
	}
	if len(r.found) > 0 {
		f.Lines = f.Lines.Replace(r.owners)
	}
	return f, r.found
}

// index finds the places of the new lines, in blocks, among those that keep their owners, the last
// ones first.
func (r *restoring) index(blocks [][2]int) {
	r.places = map[string][]place{}
	for _, b := range blocks {
		for _, line := range r.now[b[0]:b[1]] {
			if !r.content.Weightless(line) {
				r.places[line] = nil
			}
		}
	}
	for of := len(r.lost) - 1; of >= 0; of-- {
		for at, line := range r.lost[of].text {
			if places, sought := r.places[line]; sought && len(places) < mostPlaces && r.keeps(r.lost[of].owners[at]) {
				r.places[line] = append(places, place{of, at})
			}
		}
	}
}

// block looks for those of consecutive new lines, from one to before end.
func (r *restoring) block(from, end int) {
	for i := from; i < end; i++ {
		most, best, before := 0, place{}, 0
		for _, p := range r.places[r.now[i]] {
			if !r.keeps(r.lost[p.of].owners[p.at]) {
				continue
			}
			back, on := r.alike(p, i, from, -1), r.alike(p, i, end-1, 1)
			if back+1+on > most {
				most, best, before = back+1+on, p, back
			}
		}
		if most == 0 {
			continue
		}
		l := &r.lost[best.of]
		for k := range most {
			at := best.at - before + k
			if !r.keeps(l.owners[at]) {
				continue
			}
			r.owners[i-before+k], l.owners[at] = l.owners[at], Base
			if line := l.text[at]; !r.content.Weightless(line) {
				r.found = append(r.found, line)
			}
		}
		i += most - before - 1
		from = i + 1
	}
}

// alike counts the lines after a line, or before it, up to another one, that are the same in both.
func (r *restoring) alike(p place, i, last, step int) int {
	n, text := 0, r.lost[p.of].text
	for i != last {
		i, p.at = i+step, p.at+step
		if p.at < 0 || p.at >= len(text) || text[p.at] != r.now[i] {
			break
		}
		n++
	}
	return n
}
