package attribution

import (
	"cmp"
	"errors"
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
	b.By[a] = extended(b.By[a], line)
}

// Again finds lines that several commits bring: a copy of a commit has those of the other one, and
// a revert of a revert brings back what was there. Sums count them where they were brought first.
// The commits come parents first. It returns, for each, the lines that one before it brings, with
// their author there. No process; three versions are read of a file that may have such lines.
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

// known finds those of some lines that earlier commits brought and that don't stand before this
// one, with their author there.
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
	parent, here, err := r.sides(b)
	if err != nil {
		return nil, err
	}
	gone := map[string][]Author{}
	for _, e := range from[max(0, len(from)-mostEarlier):] {
		if err := r.gone(e, parent, gone); err != nil {
			return nil, err
		}
	}
	now, ok, err := r.texts.Lines(here)
	if err != nil || !ok || len(gone) == 0 {
		return nil, err
	}
	known := map[int]Author{}
	for _, line := range numbersOf(ranges) {
		if line > len(now) {
			continue
		}
		if text := plain(now[line-1]); len(gone[text]) > 0 {
			known[line], gone[text] = gone[text][0], gone[text][1:]
		}
	}
	return known, nil
}

// gone adds the lines that an earlier commit brought and that a later version has no more.
func (r *againReader) gone(e earlier, later gitexec.Entry, to map[string][]Author) error {
	_, there, err := r.sides(e.of)
	if err != nil || there.ID == later.ID {
		return err
	}
	then, ok, err := r.texts.Lines(there)
	if err != nil || !ok || len(then) > mostCompared {
		return err
	}
	stands := map[int]bool{}
	if now, ok, err := r.texts.Lines(later); err != nil {
		return err
	} else if ok && len(now) <= mostCompared {
		for _, place := range ledger.Trace(joined(then), joined(now)) {
			stands[place+1] = true
		}
	}
	for _, line := range e.lines {
		if line <= len(then) && !stands[line] {
			text := plain(then[line-1])
			to[text] = append(to[text], e.author)
		}
	}
	return nil
}

// sides are a file before and after a commit. Neither exists if the clone lacks what says so.
func (r *againReader) sides(b Brought) (before, after gitexec.Entry, err error) {
	commits, err := r.db.Readable(b.Commit)
	if err != nil || len(commits) == 0 {
		return before, after, err
	}
	parent, err := r.db.ParentTree(commits[0])
	if missing := new(gitexec.MissingError); errors.As(err, &missing) {
		return before, after, nil
	}
	for _, side := range []struct {
		tree gitexec.OID
		to   *gitexec.Entry
	}{{parent, &before}, {commits[0].Tree, &after}} {
		if err != nil {
			return before, after, err
		}
		var found []gitexec.Entry
		if found, err = r.db.Lookup(side.tree, b.Path); err == nil {
			*side.to = found[0]
		}
	}
	return before, after, err
}

// plain is a line without white space, which changes no author.
func plain(line string) string { return strings.Join(strings.Fields(line), "") }

// numbersOf are the lines of ranges.
func numbersOf(ranges [][2]int) (lines []int) {
	for _, r := range ranges {
		for i := range r[1] {
			lines = append(lines, r[0]+i)
		}
	}
	return lines
}
