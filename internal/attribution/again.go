package attribution

import (
	"cmp"
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
// each, the lines that one before it brings, with their author there. No process; it reads the
// versions of files that may have such lines.
func Again(db *gitexec.ODB, all []Brought) ([]map[int]Author, error) {
	again, times := make([]map[int]Author, len(all)), map[broughtKey]int{}
	for _, b := range all {
		for a := range b.By {
			for _, key := range b.keys(a) {
				times[key]++
			}
		}
	}
	r := againReader{db: db, texts: &shadow.Texts{DB: db}, before: map[broughtKey][]earlier{}}
	for i, b := range all {
		for a, ranges := range b.By {
			keys := slices.DeleteFunc(b.keys(a), func(key broughtKey) bool { return times[key] < 2 })
			if len(keys) == 0 {
				continue
			}
			known, err := r.known(b, keys, ranges)
			if err != nil && !gitexec.IsUnfetched(err) {
				return nil, err
			}
			if again[i] == nil {
				again[i] = map[int]Author{}
			}
			own := earlier{of: b, author: a}
			for _, line := range numbersOf(ranges) {
				if first, ok := known[line]; ok {
					again[i][line] = first
				} else {
					own.lines = append(own.lines, line)
				}
			}
			for _, key := range keys {
				r.before[key] = append(r.before[key], own)
			}
		}
	}
	return again, nil
}

// broughtKey is whose lines may be the same: those of a turn, and of others those of commits that
// link the same checkpoint.
type broughtKey struct {
	kind     Kind
	of, turn string
	path     gitexec.Path
}

func (b Brought) keys(a Author) (keys []broughtKey) {
	if a.Kind == Agent {
		return []broughtKey{{Agent, a.Session, cmp.Or(a.Turn, a.Prompt), b.Path}}
	}
	for _, link := range b.Links {
		keys = append(keys, broughtKey{a.Kind, link, "", b.Path})
	}
	return keys
}

// earlier are the lines of an author that a commit brings to a file, and none before it.
type earlier struct {
	of     Brought
	author Author
	lines  []int
}

// againReader compares the versions of files.
type againReader struct {
	db     *gitexec.ODB
	texts  *shadow.Texts
	before map[broughtKey][]earlier
}

// mostEarlier is how many commits with lines of an author in a file each is compared with.
const mostEarlier = 20

// known finds those of some lines that earlier commits brought and that stand nowhere else in the
// file, with their author there.
func (r *againReader) known(b Brought, keys []broughtKey, ranges [][2]int) (map[int]Author, error) {
	var from []earlier
	for _, key := range keys {
		for _, e := range r.before[key] {
			if !slices.ContainsFunc(from, func(f earlier) bool { return f.of.Commit == e.of.Commit }) && e.of.Commit != b.Commit {
				from = append(from, e)
			}
		}
	}
	if len(from) == 0 {
		return nil, nil
	}
	now, err := r.lines(b)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, line := range numbersOf(ranges) {
		wanted[plain(now, line)] = true
	}
	old := b.others(now)
	gone := map[string][]Author{}
	for _, e := range from[max(0, len(from)-mostEarlier):] {
		then, err := r.lines(e.of)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(e.lines, func(line int) bool { return wanted[plain(then, line)] }) {
			continue
		}
		stands := map[int]bool{}
		if len(old) > 0 {
			for _, place := range ledger.Trace(joined(then), joined(old)) {
				stands[place+1] = true
			}
		}
		for _, line := range e.lines {
			if text := plain(then, line); !stands[line] {
				gone[text] = append(gone[text], e.author)
			}
		}
	}
	known := map[int]Author{}
	for _, line := range numbersOf(ranges) {
		if text := plain(now, line); len(gone[text]) > 0 {
			known[line], gone[text] = gone[text][0], gone[text][1:]
		}
	}
	return known, nil
}

// lines are those of the file in the commit; none, if the clone lacks it, or they are too many.
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
		return nil, err
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

// numbersOf are the lines of ranges.
func numbersOf(ranges [][2]int) (lines []int) {
	for _, r := range ranges {
		for i := range r[1] {
			lines = append(lines, r[0]+i)
		}
	}
	return lines
}
