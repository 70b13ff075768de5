package attribution

import (
	"slices"

	"github.com/pmezard/go-difflib/difflib"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// mostCompared limits the lines of two versions that are compared, without their common beginning
// and end: if lines repeat, the time grows with the square of their number.
const mostCompared = 20_000

// moved matches the lines of two versions, and counts the lines of the other one. It returns nil if
// that one is missing, or one of them is binary or too large.
func moved(texts *shadow.Texts, here gitexec.Entry, there gitexec.OID) (at map[int]int, lines int, err error) {
	if there == "" || !here.Exists() {
		return nil, 0, nil
	}
	info, err := texts.DB.Info(there)
	if err != nil || info[0].Type != "blob" {
		return nil, 0, err
	}
	now, ok, err := texts.Lines(here)
	if err != nil || !ok {
		return nil, 0, err
	}
	then, ok, err := texts.Lines(gitexec.Entry{Mode: gitexec.ModeFile, ID: there})
	if err != nil || !ok {
		return nil, 0, err
	}
	at = map[int]int{}
	first := 0
	for first < min(len(now), len(then)) && now[first] == then[first] {
		at[first+1] = first + 1
		first++
	}
	end := 0
	for end < min(len(now), len(then))-first && now[len(now)-1-end] == then[len(then)-1-end] {
		at[len(now)-end] = len(then) - end
		end++
	}
	now, then = now[first:len(now)-end], then[first:len(then)-end]
	if max(len(now), len(then)) > mostCompared {
		return nil, 0, nil
	}
	for n, t := range matchLines(now, then, now) {
		at[first+n+1] = first + t + 1
	}
	return at, first + len(then) + end, nil
}

// matchLines matches lines of two versions, counted from 0: those of a diff, and those that are left
// by their text, each once. Where commits are reordered, whoever resolves the conflicts moves lines
// past each other. now and then are the lines or their hashes, text is that of now.
func matchLines(now, then, text []string) map[int]int {
	at, taken := map[int]int{}, map[int]bool{}
	for _, m := range difflib.NewMatcherWithJunk(now, then, false, nil).GetMatchingBlocks() {
		for i := range m.Size {
			at[m.A+i], taken[m.B+i] = m.B+i, true
		}
	}
	left := map[string][]int{}
	for t, line := range then {
		if !taken[t] {
			left[line] = append(left[line], t)
		}
	}
	for n, line := range now {
		if _, matched := at[n]; !matched && len(left[line]) > 0 && !suffix.Weightless(text[n]) {
			at[n], left[line] = left[line][0], left[line][1:]
		}
	}
	return at
}

// recognised matches the lines of a version with what is recorded of those of another one. It returns nil
// if that is nothing.
func recognised(texts *shadow.Texts, here gitexec.Entry, recorded checkpoints.FileOwners) (at map[int]int, lines int, err error) {
	numbers, marks := recorded.Marks()
	now, ok, err := texts.Lines(here)
	if err != nil || !ok || len(numbers) == 0 || max(len(now), len(numbers)) > mostCompared {
		return nil, 0, err
	}
	at = map[int]int{}
	for n, t := range ledger.Recognise(marks, now, func(line string) uint32 { return uint32(lineage.HashLine(line)) }) {
		if t >= 0 {
			at[n+1] = numbers[t]
		}
	}
	return at, numbers[len(numbers)-1], nil
}

// mostRenamed is how many files are compared to find a rename.
const mostRenamed = 20

// renamed finds the old name of a file among those that a checkpoint names and the commit no longer
// has, or has in another version and doesn't change, as one that was cherry-picked to another
// branch: the most similar one with at least half of its lines. lost is one that cannot be
// compared, because its version is missing.
func (c *Commit) renamed(texts *shadow.Texts, owners checkpoints.Owners, here gitexec.Entry) (found checkpoints.FileOwners, ok bool,
	lost gitexec.Path, err error) {
	var gone []gitexec.Path
	for path, f := range owners {
		if !f.Empty() {
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	still, err := c.db.Lookup(c.tree, gone...)
	if err != nil {
		return found, false, "", err
	}
	before, err := c.before(gone)
	if err != nil {
		return found, false, "", err
	}
	best, tried := 0, 0
	for i, path := range gone {
		changed := before == nil || still[i].ID == owners[path].Blob || still[i] != before[i]
		if still[i].Exists() && changed || tried == mostRenamed {
			continue
		}
		tried++
		if owners[path].Blob == here.ID {
			return owners[path], true, "", nil
		}
		at, lines, err := moved(texts, here, owners[path].Blob)
		if err != nil {
			return found, false, "", err
		}
		if at == nil {
			lost = path
		}
		if 2*len(at) > lines && len(at) > best {
			best, found, ok = len(at), owners[path], true
		}
	}
	if ok {
		lost = ""
	}
	return found, ok, lost, nil
}

// before looks files up in the commit's parent; nil where there is none, or it is missing.
func (c *Commit) before(paths []gitexec.Path) ([]gitexec.Entry, error) {
	if len(c.of.Parents) == 0 || len(paths) == 0 {
		return nil, nil
	}
	info, err := c.db.Info(c.of.Parents[0])
	if err != nil || info[0].Type != "commit" {
		return nil, err
	}
	parent, err := c.db.ParentTree(c.of)
	if err != nil {
		return nil, err
	}
	return c.db.Lookup(parent, paths...)
}
