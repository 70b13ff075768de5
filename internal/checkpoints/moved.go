package checkpoints

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/suffix"
)

// version is a version of a file, with the owners of its lines.
type version struct {
	tree  gitexec.OID
	path  gitexec.Path
	lines ownership.Lines
}

// lostFiles are, for a file that the commit adds, the files with agents' lines in the versions which
// it replaces that have lost some: an amend that leaves the old file as it was before, and adds it
// under another name, is no rename to git.
func (l *ledger) lostFiles(r Request, path gitexec.Path, base []map[gitexec.Path]ownership.Lines) (lost []version) {
	if at := slices.IndexFunc(r.Changes, func(c gitexec.Change) bool { return c.Path == path }); at < 0 || r.Changes[at].Old.Exists() {
		return nil
	}
	for i, c := range l.chains {
		for _, other := range slices.Sorted(maps.Keys(base[i])) {
			found, err := l.db.Lookup(c.root, other)
			now, err2 := l.db.Lookup(r.Tree, other)
			if err == nil && err2 == nil && now[0].Exists() && found[0] != now[0] {
				lost = append(lost, version{c.root, other, base[i][other]})
			}
		}
	}
	return lost
}

// movedLines gives the human's new lines of a file that an agent wrote in a version which the
// commit replaces to that agent, as many times as they are there: whoever resolves a conflict, or
// splits a commit, moves lines, and a diff takes them for new.
func (l *ledger) movedLines(r Request, path gitexec.Path, now ownership.Lines, before []version) ownership.Lines {
	isHuman := func(r ownership.Run) bool { return r.Owner == ownership.Added || r.Owner == ownership.Modified }
	before = slices.DeleteFunc(before, func(v version) bool {
		return !slices.ContainsFunc(v.lines, func(r ownership.Run) bool { return r.Owner.IsAgent() })
	})
	if len(before) == 0 || !slices.ContainsFunc(now, isHuman) {
		return now
	}
	text := l.text(r.Tree, path)
	versions := make([]textOwners, len(before))
	for i, v := range before {
		versions[i].text = l.text(v.tree, v.path)
		versions[i].owners = v.lines.Spread(len(versions[i].text))
		if v.path != path {
			versions[i].omit(l.text(r.Tree, v.path))
		}
	}
	owners := now.Spread(len(text))
	giveMoved(textOwners{text, owners}, versions)
	return now.Replace(owners)
}

// textOwners are a text's lines, and their owners.
type textOwners struct {
	text   []string
	owners []ownership.Owner
}

// omit removes the lines that another text has.
func (t *textOwners) omit(other []string) {
	times := map[string]int{}
	for _, line := range other {
		times[line]++
	}
	var left textOwners
	for i, line := range t.text {
		if times[line]--; times[line] < 0 {
			left.text, left.owners = append(left.text, line), append(left.owners, t.owners[i])
		}
	}
	*t = left
}

// giveMoved is movedLines. Of several versions with the same line that counts which has it most
// often.
func giveMoved(now textOwners, before []textOwners) {
	lost := map[string][]ownership.Owner{}
	for _, v := range before {
		had := map[string][]ownership.Owner{}
		for i, line := range v.text {
			if v.owners[i].IsAgent() && !suffix.Weightless(line) {
				had[line] = append(had[line], v.owners[i])
			}
		}
		for line, owners := range had {
			if len(owners) > len(lost[line]) {
				lost[line] = owners
			}
		}
	}
	for i, line := range now.text {
		if now.owners[i].IsAgent() && len(lost[line]) > 0 {
			lost[line] = lost[line][1:]
		}
	}
	for i, line := range now.text {
		if o := now.owners[i]; (o == ownership.Added || o == ownership.Modified) && len(lost[line]) > 0 {
			now.owners[i], lost[line] = lost[line][0], lost[line][1:]
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
