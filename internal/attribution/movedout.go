package attribution

import (
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
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
}

// enoughMoved is how much is evidence that lines were moved: three lines that say much.
const enoughMoved = 3 * ledger.Evidence

// movedOut finds what the commit's files lack of what its checkpoints record in them; read once.
// The commit itself, or a copy of it, lacks nothing: its versions are the recorded ones.
func (c *Commit) movedOut(texts *shadow.Texts) ([]movedOut, error) {
	if c.out != nil {
		return c.out, nil
	}
	out := []movedOut{}
	for _, link := range c.Links {
		paths := slices.DeleteFunc(slices.Sorted(maps.Keys(link.Owners)), func(p gitexec.Path) bool { return link.Owners[p].Count() == 0 })
		now, err := c.db.Lookup(c.tree, paths...)
		if err != nil {
			return nil, err
		}
		for i, path := range paths {
			owners := link.Owners[path]
			if owners.Blob == "" || owners.Blob == now[i].ID || len(out) >= mostRemoved {
				continue
			}
			one := movedOut{link: link, owners: owners}
			if err := c.lacks(texts, &one, now[i]); err != nil {
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

// lacks finds the recorded lines of a file that the commit has no more, in its version of the file
// or, without one, in a file that it adds and that has most of them: the file's new name.
func (c *Commit) lacks(texts *shadow.Texts, one *movedOut, now gitexec.Entry) error {
	versions := []gitexec.Entry{now}
	if !now.Exists() {
		added, err := c.added()
		if err != nil {
			return err
		}
		versions = added
	}
	var has map[int]int // by line of the commit's version
	for _, e := range versions {
		at, lines, err := recognised(texts, e, one.owners)
		if err != nil {
			return err
		}
		if len(at) > len(has) && (now.Exists() || 2*len(at) > lines) {
			has = at
		}
	}
	there := map[int]bool{}
	for _, number := range has {
		there[number] = true
	}
	numbers, marks := one.owners.Marks()
	for i, number := range numbers {
		if !there[number] {
			one.numbers, one.marks = append(one.numbers, number), append(one.marks, marks[i])
		}
	}
	return nil
}

// added are the files that the commit adds to its first parent, up to a limit.
func (c *Commit) added() (all []gitexec.Entry, err error) {
	if len(c.of.Parents) == 0 {
		return nil, nil
	}
	trees, err := commitTrees(c.db, c.of.Parents[:1])
	if err != nil || trees[0] == "" {
		return nil, err
	}
	changes, err := c.changesSince(trees[0])
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
	open := make([]string, len(lines))
	for i, line := range lines {
		open[i] = all[line-1]
	}
	for _, one := range out {
		places := ledger.Recognise(one.marks, open, func(line string) uint32 { return uint32(lineage.HashLine(line)) })
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
		for i := begin; weight >= enoughMoved && i < end; i++ {
			at[lines[i]] = numbers[places[i]]
		}
		begin = max(end, begin+1)
	}
	return at
}
