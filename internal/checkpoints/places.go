package checkpoints

import (
	"bytes"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// A commit may have lines of an older one that its parent hasn't: of one that was reset, of a side that
// is merged or picked, or of a file that an earlier commit deleted. Whoever wrote them is asked for at
// the end, and of those lines alone.

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
}

// place is the owner of the first line of a version; the other lines follow.
func (g *gathering) place(commit gitexec.OID, path gitexec.Path, data []byte) ledger.Owner {
	v := olderVersion{max(g.nextPlace, ledger.FirstPlace), commit, path}
	g.nextPlace, g.older = v.first+ledger.Owner(bytes.Count(data, []byte("\n"))+1), append(g.older, v)
	return v.first
}

// mostOlder is of how many versions authors are asked for. One process each.
const mostOlder = 10

// wroteOlder finds the owners of the commit's new lines that stood in older commits.
func (g *gathering) wroteOlder(r Request, patches []gitexec.FilePatch, blobs map[gitexec.Path]gitexec.Entry) map[ledger.Owner]ledger.Owner {
	wrote := map[ledger.Owner]ledger.Owner{}
	if len(g.older) == 0 || r.Wrote == nil {
		return wrote
	}
	lines, weight := map[int]map[int]bool{}, map[int]int{} // by version
	for _, p := range patches {
		v := g.book.Known(string(p.New), string(blobs[p.New].ID))
		if v == nil {
			continue
		}
		for _, h := range p.Hunks {
			for i := h.NewStart - 1; i < min(h.NewStart-1+h.NewLines, len(v.Owners)); i++ {
				o := g.book.Resolve(v.Owners[i])
				if !o.IsPlace() {
					continue
				}
				at := g.olderVersionOf(o)
				if lines[at] == nil {
					lines[at] = map[int]bool{}
				}
				lines[at][int(o-g.older[at].first)+1] = true
				weight[at] += g.book.Letters(v.Text[i])
			}
		}
	}
	asked := 0
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		if weight[at] < ledger.Evidence {
			continue
		}
		if asked++; asked > mostOlder {
			break
		}
		v := g.older[at]
		asks := slices.Sorted(maps.Keys(lines[at]))
		found, err := r.Wrote(v.commit, v.path, asks)
		for _, line := range asks {
			if err != nil { // objects are missing
				wrote[v.first+ledger.Owner(line-1)] = ledger.Unknown
			}
		}
		for line, w := range found {
			switch {
			case w.Unknown:
				wrote[v.first+ledger.Owner(line-1)] = ledger.Unknown
			case w.Session != "":
				t := Turn{Session: w.Session, Turn: w.Turn, Link: r.holder(w.Checkpoint)}
				g.prompts[t] = w.Prompt
				wrote[v.first+ledger.Owner(line-1)] = g.owner(t)
			}
		}
	}
	return wrote
}

func (g *gathering) olderVersionOf(o ledger.Owner) int {
	at, found := slices.BinarySearchFunc(g.older, o, func(v olderVersion, o ledger.Owner) int { return int(v.first) - int(o) })
	if !found {
		at--
	}
	return at
}
