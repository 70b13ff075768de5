package attribution

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/shadow"
)

// mostCompared limits the lines of two versions that are compared, of which only what is recorded
// of their words is known: such words are one of 256, so that nearly all of them are the same as
// others, and a comparison takes more than one of texts. A larger file's lines are unknown where
// its version is missing.
const mostCompared = 20_000

// matched finds the lines of a version in the one that is recorded, and counts the lines of that
// which matter. What is recorded comes first, so that the answer is the same where the version is
// missing. sure is false where lines had no known author in that version, and it is missing. nil:
// they can't be compared.
func matched(texts *shadow.Texts, here gitexec.Entry, recorded checkpoints.FileOwners) (at map[int]int, lines int, sure bool, err error) {
	if !recorded.HasUnknown() {
		if at, lines, err = recognised(texts, here, recorded); at != nil || err != nil {
			return at, lines, true, err
		}
	}
	if at, lines, err = traced(texts, here, recorded.Blob); at != nil || err != nil {
		return at, lines, true, err
	}
	at, lines, err = recognised(texts, here, recorded)
	return at, lines, false, err
}

// traced matches the lines of two versions, and counts the lines of the other one. It returns nil
// if that one is missing, or one of them is binary or too large.
func traced(texts *shadow.Texts, here gitexec.Entry, there gitexec.OID) (at map[int]int, lines int, err error) {
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
	return numbered(ledger.Trace(joined(then), joined(now)), func(i int) int { return i + 1 }), len(then), nil
}

func joined(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

// numbered are places by line, both from 1; of is the number of a place.
func numbered(places []int, of func(int) int) map[int]int {
	at := map[int]int{}
	for line, place := range places {
		if place >= 0 {
			at[line+1] = of(place)
		}
	}
	return at
}

// recognised matches the lines of a version with what is recorded of those of another one. It
// returns nil if that is nothing.
func recognised(texts *shadow.Texts, here gitexec.Entry, recorded checkpoints.FileOwners) (at map[int]int, lines int, err error) {
	numbers, marks := recorded.Marks()
	now, ok, err := texts.Lines(here)
	if err != nil || !ok || len(numbers) == 0 || max(len(now), len(numbers)) > mostCompared {
		return nil, 0, err
	}
	places := ledger.Recognise(marks, now, func(line string) uint32 { return uint32(lineage.HashLine(line)) })
	return numbered(places, func(i int) int { return numbers[i] }), len(numbers), nil
}

// mostRenamed is how many files are compared to find a rename, by name: each is one version, of up
// to mostCompared lines, for each file that is asked for. The old name of a file that is none of
// them is not found, and its lines are unknown.
const mostRenamed = 20

// renamed finds the old name of a file among those that a checkpoint names: the most similar one
// with at least half of its lines. lost is one that cannot be compared, because its version is
// missing.
func (c *Commit) renamed(texts *shadow.Texts, owners checkpoints.Owners, here gitexec.Entry) (found checkpoints.FileOwners, ok bool,
	lost gitexec.Path, err error) {
	names, err := c.oldNames(owners)
	if err != nil {
		return found, false, "", err
	}
	best := 0
	for _, path := range names {
		if owners[path].Blob == here.ID {
			return owners[path], true, "", nil
		}
		at, lines, _, err := matched(texts, here, owners[path])
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

// oldNames are the files of a checkpoint, in order, that may have another name in the commit.
func (c *Commit) oldNames(owners checkpoints.Owners) ([]gitexec.Path, error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(owners)), func(p gitexec.Path) bool { return owners[p].Empty() })
	still, err := c.db.Lookup(c.tree, names...)
	if err != nil {
		return nil, err
	}
	before, err := c.before(names)
	if err != nil {
		return nil, err
	}
	var old []gitexec.Path
	for i, path := range names {
		var was *gitexec.Entry
		if before != nil {
			was = &before[i]
		}
		if len(old) < mostRenamed && mayBeRenamed(owners[path].Blob, was, still[i]) {
			old = append(old, path)
		}
	}
	return old, nil
}

// mayBeRenamed decides whether a file that a checkpoint records may have another name in a commit:
// the commit no longer has the name, or has it for another version that it doesn't change, as one
// that was cherry-picked to another branch. before is the file in the commit's parent; nil: it is
// not known.
func mayBeRenamed(recorded gitexec.OID, before *gitexec.Entry, now gitexec.Entry) bool {
	return !now.Exists() || before != nil && now.ID != recorded && now == *before
}

// before looks files up in the commit's parent; nil where there is none, or it is missing.
func (c *Commit) before(paths []gitexec.Path) ([]gitexec.Entry, error) {
	tree, err := parentTree(c.db, c.of)
	if err != nil || tree == "" {
		return nil, err
	}
	return c.db.Lookup(tree, paths...)
}
