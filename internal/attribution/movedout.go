package attribution

import (
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// A squash has lines that a commit of its branch moved from one file to another. The checkpoint
// records them in the file where they were written.

// movedOut is what a checkpoint records in a file whose lines the commit has there no more.
type movedOut struct {
	link    checkpoints.Recorded
	owners  checkpoints.FileOwners
	numbers []int // of the lines that it lacks, in the recorded version
	marks   []ledger.Mark
	telling map[uint32]bool // the hashes of those that weigh something
}

// mostSought is how many versions are compared with what is recorded: a squash may link thousands
// of checkpoints, of large files, and whoever reads a line of it waits. Lines that were moved in
// what is beyond it have the squash's author, or none.
const mostSought = 400

// movedOut finds what the commit's files lack of what its checkpoints record in them; read once.
// The commit itself, or a copy of it, lacks nothing: its versions are the recorded ones.
func (c *Commit) movedOut(texts *shadow.Texts) ([]movedOut, error) {
	if c.out != nil {
		return c.out, nil
	}
	out, left := []movedOut{}, mostSought
	for _, link := range c.Links {
		paths := slices.DeleteFunc(slices.Sorted(maps.Keys(link.Owners)), func(p gitexec.Path) bool { return link.Owners[p].Count() == 0 })
		now, err := c.db.Lookup(c.tree, paths...)
		if err != nil {
			return nil, err
		}
		for i, path := range paths {
			owners := link.Owners[path]
			if owners.Blob == "" || owners.Blob == now[i].ID || len(out) >= mostRemoved || left <= 0 {
				continue
			}
			versions, err := c.versionsOf(now[i])
			if err != nil {
				return nil, err
			}
			left -= max(1, len(versions))
			one := movedOut{link: link, owners: owners, telling: map[uint32]bool{}}
			err = one.lackedBy(texts, versions, now[i].Exists())
			// A partial clone that can't fetch a version knows nothing of it, and yet the authors
			// of other lines.
			if err != nil && !gitexec.IsMissing(err) {
				return nil, err
			}
			if len(one.marks) > 0 {
				out = append(out, one)
			}
		}
	}
	c.out = out
	return out, nil
}

// versionsOf is where the commit may have the lines of a recorded file: in its version of the file
// or, without one, in the files that it adds.
func (c *Commit) versionsOf(now gitexec.Entry) ([]gitexec.Entry, error) {
	if now.Exists() {
		return []gitexec.Entry{now}, nil
	}
	return c.added()
}

// lackedBy finds the recorded lines that the nearest of some versions has no more. Where they are
// other files, the nearest has most of the lines: it is the file under its new name.
func (one *movedOut) lackedBy(texts *shadow.Texts, versions []gitexec.Entry, same bool) error {
	var has map[int]int // by line of the version
	for _, e := range versions {
		at, lines, err := recognised(texts, e, one.owners)
		// A version that can't be compared, as a large one, may have them all.
		if err != nil || same && at == nil {
			return err
		}
		if len(at) > len(has) && (same || 2*len(at) > lines) {
			has = at
		}
	}
	there := sets.Of(slices.Collect(maps.Values(has)))
	numbers, marks := one.owners.Marks()
	for i, number := range numbers {
		if !there[number] {
			one.numbers, one.marks = append(one.numbers, number), append(one.marks, marks[i])
			one.telling[marks[i].Line] = one.telling[marks[i].Line] || !marks[i].Light
		}
	}
	return nil
}

// added are the files that the commit adds to its first parent, up to a limit.
func (c *Commit) added() (all []gitexec.Entry, err error) {
	tree, err := parentTree(c.db, c.of)
	if err != nil || tree == "" {
		return nil, err
	}
	changes, err := c.changesSince(tree)
	for _, change := range changes {
		if !change.Old.Exists() && change.New.IsFile() && len(all) < mostRenamed {
			all = append(all, change.New)
		}
	}
	return all, err
}

// addMovedIn adds the authors of lines that have none yet and that stood so in another file when a
// checkpoint recorded them.
func (c *Commit) addMovedIn(f *File, texts *shadow.Texts, here gitexec.Entry, lines []int) error {
	if len(lines) == 0 || len(c.Links) == 0 {
		return nil
	}
	out, err := c.movedOut(texts)
	if err != nil || len(out) == 0 {
		return err
	}
	all, ok, err := texts.Lines(here)
	if err != nil || !ok || len(all) > mostCompared {
		return err
	}
	lines = slices.DeleteFunc(lines, func(line int) bool { return line > len(all) })
	open, hashes := make([]string, len(lines)), map[string]uint32{}
	for i, line := range lines {
		open[i] = all[line-1]
		hashes[open[i]] = uint32(lineage.HashLine(open[i]))
	}
	for _, one := range out {
		// Most files have nothing of another one's: to compare each with each would take long.
		if !slices.ContainsFunc(open, func(line string) bool { return one.telling[hashes[line]] }) {
			continue
		}
		places := ledger.Recognise(one.marks, open, func(line string) uint32 { return hashes[line] })
		if at := runs(lines, open, places, one.numbers); len(at) > 0 {
			f.add(layer{checkpoint: one.link.ID, lost: c.whyLost(one.link), at: at}, one.owners, slices.Max(one.numbers))
			f.Moved = true
		}
	}
	return nil
}

// runs are the consecutive lines that have places and are evidence enough together, with what the
// places stand for.
func runs(lines []int, texts []string, places, numbers []int) map[int]int {
	at := map[int]int{}
	for begin := 0; begin < len(lines); {
		end, weight := begin, 0
		for end < len(lines) && places[end] >= 0 && lines[end]-lines[begin] == end-begin {
			weight += ledger.Weight(texts[end])
			end++
		}
		for i := begin; weight >= ledger.EnoughMoved && i < end; i++ {
			at[lines[i]] = numbers[places[i]]
		}
		begin = max(end, begin+1)
	}
	return at
}
