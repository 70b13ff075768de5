package main

import (
	"cmp"
	"slices"
)

// A ledger is what the text of lines doesn't say: who took a line out, and who else than the author
// brought one to where it is.
type ledger struct {
	removed map[place]map[string]bool  // a line in a file: who took it out, once or again
	brought map[string]map[string]bool // a line: others who moved or copied it, or brought it back
	strict  bool                       // nobody becomes the author of a line by moving it, or by bringing it back
}

// A place is a line's in a file; without a line it is the file's.
type place struct{ file, line string }

func newLedger() ledger {
	return ledger{removed: map[place]map[string]bool{}, brought: map[string]map[string]bool{}}
}

// changed notes that somebody made one version of the files of another. Lines of others that are in
// a file where they weren't were moved there, unless the whole file was.
func (l *ledger) changed(who string, before, after files, renamed map[string]string) {
	names := map[string]string{} // that files have now
	for to, from := range renamed {
		names[from] = to
	}
	for name, text := range before {
		now := cmp.Or(names[name], name)
		left := after[now].lines()
		if _, there := after[now]; !there {
			l.takeOut(name, "", who)
		}
		for _, line := range text.lines() {
			if !slices.Contains(left, line) {
				l.takeOut(name, line, who)
				l.takeOut(now, line, who)
			}
		}
	}
	stand := map[string]int{}
	for _, text := range after {
		for _, line := range text.lines() {
			stand[key(line)]++
		}
	}
	for name, text := range after {
		from := name
		if was, ok := renamed[name]; ok {
			from = was
		}
		was := map[string]int{}
		for _, line := range before[from].lines() {
			was[line]++
		}
		for _, line := range text.lines() {
			if was[line]--; was[line] < 0 && (!l.strict || stand[key(line)] > 1) {
				l.bring(line, who)
			}
		}
	}
}

func (l *ledger) takeOut(file, line, who string) {
	at := place{file, line}
	if l.removed[at] == nil {
		l.removed[at] = map[string]bool{}
	}
	l.removed[at][who] = true
}

// anybody may be called the owner of a line.
const anybody = "anybody"

// bring notes that somebody put a line where it is, who need not be its author.
func (l *ledger) bring(line, who string) {
	author, ok := authorOf(line)
	if !ok || author == who {
		return
	}
	if l.brought[line] == nil {
		l.brought[line] = map[string]bool{}
	}
	l.brought[line][who] = true
}

// doubtful reports whether a line's owner is a matter of definition.
func (l *ledger) doubtful(line string) bool { return len(l.brought[line]) > 0 }

// may reports whether somebody may be called a line's owner.
func (l *ledger) may(line, who string) bool {
	author, _ := authorOf(line)
	return author == who || l.brought[line][who] || l.brought[line][anybody]
}
