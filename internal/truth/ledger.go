package main

// A relation says which names belong to each key.
type relation[K comparable] map[K]map[string]bool

func (r relation[K]) add(key K, name string) {
	if r[key] == nil {
		r[key] = map[string]bool{}
	}
	r[key][name] = true
}

// A ledger is what the text of lines doesn't say: who took a line out, and who else than the author
// brought one to where it is.
type ledger struct {
	removed relation[place]  // a line in a file: who took it out, once or again
	brought relation[string] // a line, in whatever form: others who moved or copied it, or brought it back
	strict  bool             // nobody becomes the author of a line by moving it, or by bringing it back
}

// A place is a line's in a file; without a line it is the file's.
type place struct{ file, line string }

func newLedger() ledger { return ledger{removed: relation[place]{}, brought: relation[string]{}} }

// changed notes that somebody made one version of the files of another, in which a file may have
// been renamed. Lines of others that are in a file where they weren't were moved there.
func (l *ledger) changed(who string, before, after files, from, to string) {
	l.takenOut(who, before, after, from, to, func(line string) string { return line })
	all := keysIn(after)
	for name, content := range after {
		if name == to {
			name = from
		}
		was := map[string]int{}
		for _, line := range before[name].lines() {
			was[line]++
		}
		for _, line := range content.lines() {
			if was[line]--; was[line] < 0 && (!l.strict || all[key(line)] > 1) {
				l.bring(line, who)
			}
		}
	}
}

// takenOut notes which lines and files somebody took out. form is what of a line counts.
func (l *ledger) takenOut(who string, before, after files, from, to string, form func(string) string) {
	for name, content := range before {
		now := name
		if name == from {
			now = to
		}
		if _, there := after[now]; !there {
			l.removed.add(place{name, ""}, who)
		}
		kept := map[string]bool{}
		for _, line := range after[now].lines() {
			kept[form(line)] = true
		}
		for _, line := range content.lines() {
			if !kept[form(line)] {
				l.removed.add(place{name, line}, who)
				l.removed.add(place{now, line}, who)
			}
		}
	}
}

// anybody may be called the owner of a line.
const anybody = "anybody"

// bring notes that somebody put a line where it is, who need not be its author.
func (l *ledger) bring(line, who string) {
	if author, ok := authorOf(line); ok && author != who {
		l.brought.add(key(line), who)
	}
}

// doubtful reports whether a line's owner is a matter of definition.
func (l *ledger) doubtful(line string) bool { return len(l.brought[key(line)]) > 0 }

// may reports whether somebody may be called a line's owner.
func (l *ledger) may(line, who string) bool {
	author, _ := authorOf(line)
	return author == who || l.brought[key(line)][who] || l.brought[key(line)][anybody]
}
