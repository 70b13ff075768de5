package attribution

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/shadow"
)

// Brought is the lines that a commit brings to a file.
type Brought struct {
	Commit gitexec.OID
	Links  []string // the checkpoints that the commit links
	Path   gitexec.Path
	By     map[Author][][2]int // lines: the first, counted from 1, and how many
}

// Add adds a line, counted from 1, of an author. Lines come in order.
func (b *Brought) Add(line int, a Author) {
	if b.By == nil {
		b.By = map[Author][][2]int{}
	}
	b.By[a] = extended(b.By[a], [2]int{line, 1})
}

// Again finds lines that several commits bring: a copy of a commit has those of the other one, a
// revert of a revert brings back what was there, and a line may only change its place or its form.
// Sums count them where they were brought first. The commits come parents first. It returns, for
// each, in their order, the lines that one before it brings, counted from 1, with their author
// there; an empty map for one without such lines. No process; it reads the versions of files that
// may have such lines.
func Again(db *gitexec.ODB, all []Brought) ([]map[int]Author, error) {
	again := make([]map[int]Author, len(all))
	r := againReader{db: db, texts: &shadow.Texts{DB: db}, before: map[broughtKey][]share{}}
	for i, b := range all {
		again[i] = map[int]Author{}
		for _, s := range b.shares(i) {
			known, err := r.known(s)
			// A partial clone that can't fetch a version counts its lines twice, and still answers.
			if err != nil && !gitexec.IsUnfetched(err) {
				return nil, err
			}
			maps.Copy(again[i], known)
			// Later ones are compared with the commit that brought a line first, not with copies.
			s.lines = slices.DeleteFunc(s.lines, func(l authored) bool { return known[l.number] != Author{} })
			for _, key := range s.keys {
				before := append(r.before[key], s)
				r.before[key] = before[max(0, len(before)-mostEarlier):]
			}
		}
	}
	return again, nil
}

// AgainIn is Again by commit and file, without those that have no such lines.
func AgainIn(db *gitexec.ODB, all []Brought) (map[gitexec.OID]map[gitexec.Path]map[int]Author, error) {
	again, err := Again(db, all)
	in := map[gitexec.OID]map[gitexec.Path]map[int]Author{}
	for i, lines := range again {
		if len(lines) == 0 {
			continue
		}
		if in[all[i].Commit] == nil {
			in[all[i].Commit] = map[gitexec.Path]map[int]Author{}
		}
		in[all[i].Commit][all[i].Path] = lines
	}
	return in, err
}

// broughtKey is whose lines may be the same: those of a turn, and of others those of commits that
// link the same checkpoint.
type broughtKey struct {
	kind     Kind
	of, turn string
	path     gitexec.Path
}

func (b Brought) keys(a Author) (keys []broughtKey) {
	if a.Kind == Agent { // not by its prompt, which the index of lines lacks
		return []broughtKey{{Agent, a.Session, a.Turn, b.Path}}
	}
	for _, link := range b.Links {
		keys = append(keys, broughtKey{a.Kind, link, "", b.Path})
	}
	return keys
}

// share is the lines that a commit brings to a file, and none before it, of authors with the same
// keys, in order.
type share struct {
	at    int // the place among the commits
	of    Brought
	keys  []broughtKey
	lines []authored
}

type authored struct {
	number int
	by     *Author
}

func (b Brought) shares(at int) (all []share) {
	for a, ranges := range b.By {
		keys := b.keys(a)
		if len(keys) == 0 || len(ranges) == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(s share) bool { return s.keys[0] == keys[0] })
		if i < 0 {
			i, all = len(all), append(all, share{at: at, of: b, keys: keys})
		}
		for _, line := range numbersOf(ranges) {
			all[i].lines = append(all[i].lines, authored{line, &a})
		}
	}
	for _, s := range all {
		slices.SortFunc(s.lines, func(a, b authored) int { return a.number - b.number })
	}
	return all
}

// againReader compares the versions of files.
type againReader struct {
	db     *gitexec.ODB
	texts  *shadow.Texts
	before map[broughtKey][]share // the last ones
}

// mostEarlier is how many commits with lines of an author in a file each is compared with, the last
// ones. A line that is merged, reverted and brought back counts once if no more than so many
// commits of the same turn, in the same file, are in between; with fewer a sum counts it twice.
const mostEarlier = 20

// known finds those of some lines that earlier commits brought and that stand nowhere else in the
// file, with their author there. Of a version that cannot be compared it finds none.
func (r *againReader) known(s share) (map[int]Author, error) {
	var from []share
	for _, key := range s.keys {
		from = append(from, r.before[key]...)
	}
	if len(from) == 0 {
		return nil, nil
	}
	slices.SortFunc(from, func(a, b share) int { return a.at - b.at })
	from = slices.CompactFunc(from, func(a, b share) bool { return a.at == b.at })
	now, err := r.lines(s.of)
	if now == nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, line := range s.lines {
		wanted[plain(now, line.number)] = true
	}
	old := s.of.others(now)
	gone := map[string][]*Author{}
	for _, e := range from[max(0, len(from)-mostEarlier):] {
		then, err := r.lines(e.of)
		if err != nil {
			return nil, err
		}
		// To compare versions takes long, and most have none of these lines.
		if then == nil || !slices.ContainsFunc(e.lines, func(l authored) bool { return wanted[plain(then, l.number)] }) {
			continue
		}
		// A line that still stands elsewhere in the file was copied: the copy is new work.
		stands := map[int]bool{}
		if len(old) > 0 {
			for _, place := range ledger.Trace(joined(then), joined(old)) {
				stands[place+1] = true
			}
		}
		for _, line := range e.lines {
			if text := plain(then, line.number); !stands[line.number] {
				gone[text] = append(gone[text], line.by)
			}
		}
	}
	known := map[int]Author{}
	// Each line that is gone comes back once: of two equal ones that are new now, one is new work.
	for _, line := range s.lines {
		if text := plain(now, line.number); len(gone[text]) > 0 {
			known[line.number], gone[text] = *gone[text][0], gone[text][1:]
		}
	}
	return known, nil
}

// lines are those of the file in the commit; nil, if the clone lacks it, or they are too many.
func (r *againReader) lines(b Brought) ([]string, error) {
	commits, err := r.db.Readable(b.Commit)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	found, err := r.db.Lookup(commits[0].Tree, b.Path)
	if err != nil {
		return nil, err
	}
	lines, _, err := r.texts.Lines(found[0])
	if len(lines) > mostCompared {
		lines = nil
	}
	return lines, err
}

// others are the lines of the file that the commit doesn't bring.
func (b Brought) others(all []string) (others []string) {
	own := map[int]bool{}
	for _, ranges := range b.By {
		for _, line := range numbersOf(ranges) {
			own[line] = true
		}
	}
	for i, text := range all {
		if !own[i+1] {
			others = append(others, text)
		}
	}
	return others
}

// plain is a line, counted from 1, without white space, which changes no author.
func plain(lines []string, line int) string {
	if line > len(lines) {
		return ""
	}
	return strings.Join(strings.Fields(lines[line-1]), "")
}

// Among is how many lines of ranges, each the first line and how many, are among others.
func Among(ranges [][2]int, others map[int]Author) (sum int) {
	for _, line := range numbersOf(ranges) {
		if _, ok := others[line]; ok {
			sum++
		}
	}
	return sum
}

// numbersOf are the lines of ranges.
func numbersOf(ranges [][2]int) (lines []int) {
	for _, r := range ranges {
		for i := range r[1] {
			lines = append(lines, r[0]+i)
		}
	}
	return lines
}
