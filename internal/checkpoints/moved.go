package checkpoints

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/suffix"
)

// agentLines are agents' lines: the owners of each, as often as it is there.
type agentLines map[string][]ownership.Owner

// moved finds the agents' lines of the versions that a commit replaces where the human moved them.
type moved struct {
	l     *ledger
	r     Request
	base  []map[gitexec.Path]ownership.Lines // of the chains, the owners in these versions
	added map[gitexec.Path]bool              // files that the commit adds
	lost  agentLines                         // see lostLines; nil: not read yet
}

func newMoved(l *ledger, r Request, base []map[gitexec.Path]ownership.Lines) *moved {
	m := &moved{l: l, r: r, base: base, added: map[gitexec.Path]bool{}}
	for _, c := range r.Changes {
		m.added[c.Path] = !c.Old.Exists()
	}
	return m
}

// give gives the human's new lines of a file to the agents that wrote them there, as many times as
// they were there: whoever resolves a conflict, or splits a commit, moves lines, and a diff takes
// them for new. If no version has the file, and the commit adds it, they may be of any file that has
// lost them: an amend that leaves the old file as it was before, and adds it under another name, is
// no rename to git.
func (m *moved) give(path gitexec.Path, now ownership.Lines) ownership.Lines {
	if !slices.ContainsFunc(now, func(r ownership.Run) bool { return isHuman(r.Owner) }) {
		return now
	}
	lines, known := m.replaced(path, nil)
	if !known && m.added[path] {
		if m.lost == nil {
			m.lost = m.lostLines()
		}
		lines = m.lost
	}
	if len(lines) == 0 {
		return now
	}
	text := m.l.text(m.r.Tree, path)
	owners := now.Spread(len(text))
	lines.giveTo(text, owners)
	return now.Replace(owners)
}

// replaced are the agents' lines of a file in these versions, without those that another text has.
// Of several versions with the same line that counts which has it most often. known is false if none
// has the file.
func (m *moved) replaced(path gitexec.Path, without []string) (lines agentLines, known bool) {
	lines = agentLines{}
	var seen []gitexec.OID
	for i, c := range m.l.chains {
		owners, has := m.base[i][path]
		if !has || slices.Contains(seen, c.root) {
			continue
		}
		seen, known = append(seen, c.root), true
		if slices.ContainsFunc(owners, func(r ownership.Run) bool { return r.Owner.IsAgent() }) {
			text := m.l.text(c.root, path)
			lines.join(linesOf(text, owners.Spread(len(text)), without))
		}
	}
	return lines, known
}

// lostLines are those of all files that the commit has, without those that they still have.
func (m *moved) lostLines() agentLines {
	changed := map[gitexec.Path]bool{}
	for i, c := range m.l.chains {
		for path := range m.base[i] {
			before, err := m.l.db.Lookup(c.root, path)
			now, err2 := m.l.db.Lookup(m.r.Tree, path)
			if err == nil && err2 == nil && now[0].Exists() && before[0] != now[0] {
				changed[path] = true
			}
		}
	}
	all := agentLines{}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		lines, _ := m.replaced(path, m.l.text(m.r.Tree, path))
		for line, owners := range lines {
			all[line] = append(all[line], owners...)
		}
	}
	return all
}

// linesOf are the agents' lines of a text, without those that another one has, and those that weigh
// nothing.
func linesOf(text []string, owners []ownership.Owner, without []string) agentLines {
	lines, times := agentLines{}, map[string]int{}
	for _, line := range without {
		times[line]++
	}
	for i, line := range text {
		if times[line]--; times[line] < 0 && owners[i].IsAgent() && !suffix.Weightless(line) {
			lines[line] = append(lines[line], owners[i])
		}
	}
	return lines
}

// join takes those of each line that others have more often.
func (a agentLines) join(others agentLines) {
	for line, owners := range others {
		if len(owners) > len(a[line]) {
			a[line] = owners
		}
	}
}

// isHuman reports whether a line is new, and the human's.
func isHuman(o ownership.Owner) bool { return o == ownership.Added || o == ownership.Modified }

// giveTo gives the human's new lines of a text to the agents that have them, each as often as it is
// there and not among the text's own, and takes them away.
func (a agentLines) giveTo(text []string, owners []ownership.Owner) {
	for i, line := range text {
		if owners[i].IsAgent() && len(a[line]) > 0 {
			a[line] = a[line][1:]
		}
	}
	for i, line := range text {
		if isHuman(owners[i]) && len(a[line]) > 0 {
			owners[i], a[line] = a[line][0], a[line][1:]
		}
	}
}

// text is the lines of a file; none where it cannot be read, or is too large.
func (l *ledger) text(tree gitexec.OID, path gitexec.Path) []string {
	found, err := l.db.Lookup(tree, path)
	if err != nil || !found[0].Exists() {
		return nil
	}
	return versions{l.db}.Lines(found[0].ID)
}

// versions reads the lines of versions: see [ownership.Content].
type versions struct{ db *gitexec.ODB }

// Lines are those of a version, with their line ends; none where it cannot be read, or is too large.
func (v versions) Lines(blob gitexec.OID) []string {
	content, err := v.db.Blob(blob, largestCompared)
	if err != nil {
		return nil
	}
	return strings.SplitAfter(string(content), "\n")
}

func (versions) Weightless(line string) bool { return suffix.Weightless(line) }

func (versions) Enough(lines []string) bool { return suffix.Enough(lines) }
