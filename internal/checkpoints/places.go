package checkpoints

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// A commit may have lines of an older one that its parent hasn't: of a stream's base, of a side
// that is merged or picked, or of a file that an earlier commit deleted. It may have lines that a
// step moved out of another file, and keep them there, where the removal is for another commit.
// Whoever wrote them is asked for at the end, and of those lines alone.

// Wrote is who wrote a line of a commit.
type Wrote struct {
	Line              // of an agent's
	Checkpoint string // that records it
	Unknown    bool
}

// olderVersion is a version of a file in an older commit, whose lines are owners from first on.
type olderVersion struct {
	first  ledger.Owner
	commit gitexec.OID
	path   gitexec.Path
	blob   gitexec.OID
}

// places gives the lines of a version owners of their own; nil where no numbers are left.
func (g *gathering) places(v olderVersion, data []byte) func(line int, replaces bool) ledger.Owner {
	// Each line of the version is an owner of its own. g.older is in the order of first, which
	// olderVersionOf needs.
	lines := ledger.Owner(bytes.Count(data, []byte("\n")) + 1)
	if g.nextPlace > math.MaxInt32-lines {
		return nil
	}
	v.first = g.nextPlace
	g.nextPlace, g.older = g.nextPlace+lines, append(g.older, v)
	return func(line int, _ bool) ledger.Owner { return v.first + ledger.Owner(line) }
}

// asked is the lines of an older version that a commit has as new ones, from 1.
type asked struct {
	of     olderVersion
	lines  map[int]bool
	weight int // as evidence
}

// wroteOlder finds the owners of the commit's new lines that stood in older commits. It asks for
// those that weigh most first, since answers are limited; not for what is no evidence.
func (g *gathering) wroteOlder(r Request, patches []gitexec.FilePatch, changes map[gitexec.Path]gitexec.Change) map[ledger.Owner]ledger.Owner {
	wrote := map[ledger.Owner]ledger.Owner{}
	if len(g.older) == 0 || r.Wrote == nil {
		return wrote
	}
	for _, a := range g.newPlaces(patches, changes) {
		// A brace that an older version has, too, is not worth a process.
		if a.weight < ledger.Evidence {
			continue
		}
		lines := slices.Sorted(maps.Keys(a.lines))
		var found map[int]Wrote
		// git blame numbers the lines of the commit's version. That of a record may be another one.
		if c, err := g.db.Commit(a.of.commit); err == nil && g.holds(c.Tree, a.of.path, a.of.blob) {
			found, _ = r.Wrote(a.of.commit, a.of.path, lines) // without an answer the author is unknown
		}
		for _, line := range lines {
			// Lines count from 1, owners from first.
			place := a.of.first + ledger.Owner(line-1)
			switch w, ok := found[line]; {
			case !ok || w.Unknown:
				wrote[place] = ledger.Unknown
			case w.Session != "":
				t := Turn{Session: w.Session, Turn: w.Turn, Link: r.holder(w.Checkpoint)}
				g.prompts[t] = w.Prompt
				wrote[place] = g.owner(t)
			}
		}
	}
	return wrote
}

// newPlaces lists the new lines of the commit that stood in older versions, the heaviest first.
func (g *gathering) newPlaces(patches []gitexec.FilePatch, changes map[gitexec.Path]gitexec.Change) []asked {
	all, must := map[int]*asked{}, mustAsk(g)
	for _, p := range patches {
		v := g.book.Known(string(p.New), string(changes[p.New].New.ID))
		if v == nil {
			continue
		}
		for _, h := range p.Hunks {
			// Only lines that are new in the commit's own diff: those of the parent need no answer.
			for i := h.NewStart - 1; i < min(h.NewStart-1+h.NewLines, len(v.Owners)); i++ {
				o := g.book.Resolve(v.Owners[i])
				if !o.IsPlace() {
					continue
				}
				at := g.olderVersionOf(o)
				if !must(at, o, p.New) {
					continue
				}
				if all[at] == nil {
					all[at] = &asked{of: g.older[at], lines: map[int]bool{}}
				}
				all[at].lines[int(o-g.older[at].first)+1] = true
				all[at].weight += g.book.Letters(v.Text[i])
			}
		}
	}
	var sorted []asked
	for _, at := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, *all[at])
	}
	slices.SortStableFunc(sorted, func(a, b asked) int { return cmp.Compare(b.weight, a.weight) })
	return sorted
}

// keeps are the lines that the commit still has in the file of an older version, if that is the
// parent's; all is true for any other version, of which nothing is left out.
func keeps(g *gathering, from olderVersion) (lines map[ledger.ID]bool, all bool) {
	if from.commit != g.before || !g.holds(g.parent, from.path, from.blob) {
		return nil, true
	}
	kept, err := g.db.Files(g.tree, from.path)
	if err != nil {
		return nil, false
	}
	text, _ := g.lines(string(from.path), kept[0])
	return sets.Of(text), false
}

// mustAsk reports for a line of an older version whether whoever reads the commit can't find it:
// what the commit itself moves, within a file or out of another one, is followed there.
func mustAsk(g *gathering) func(at int, line ledger.Owner, to gitexec.Path) bool {
	kept, whole := map[int]map[ledger.ID]bool{}, map[int]bool{}
	return func(at int, line ledger.Owner, to gitexec.Path) bool {
		from := g.older[at]
		if _, known := whole[at]; !known {
			kept[at], whole[at] = keeps(g, from)
		}
		return whole[at] || from.path != to && kept[at][g.book.Known(string(from.path), string(from.blob)).Text[line-from.first]]
	}
}

func (g *gathering) olderVersionOf(o ledger.Owner) int {
	at, found := slices.BinarySearchFunc(g.older, o, func(v olderVersion, o ledger.Owner) int { return cmp.Compare(v.first, o) })
	// Not the first line of a version: it is of the one before the place where it would stand.
	if !found {
		at--
	}
	return at
}

// holds reports whether a tree has the very version of a file, so that its lines have these
// numbers.
func (g *gathering) holds(tree gitexec.OID, path gitexec.Path, blob gitexec.OID) bool {
	found, err := g.db.Files(tree, path)
	return err == nil && found[0].ID == blob
}
