package main

// A ledger is what the text of lines doesn't say: who took a line out, and who else than the author
// brought one to where it is.
type ledger struct {
	removed map[string]string          // a line: who took it out last
	brought map[string]map[string]bool // a line: others who moved or copied it, or brought it back
}

func newLedger() ledger {
	return ledger{removed: map[string]string{}, brought: map[string]map[string]bool{}}
}

// changed notes that somebody made one version of the files of another. Lines of others that are in
// a file where they weren't were moved there, unless the whole file was.
func (l *ledger) changed(who string, before, after files, renamed map[string]string) {
	have := map[string]bool{}
	for _, text := range after {
		for _, line := range text.lines() {
			have[line] = true
		}
	}
	for _, text := range before {
		for _, line := range text.lines() {
			if !have[line] {
				l.removed[line] = who
			}
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
			if was[line]--; was[line] < 0 {
				l.bring(line, who)
			}
		}
	}
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
