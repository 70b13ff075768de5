package checkpoints

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/suffix"
)

// version is a version of a file, with the owners of its lines.
type version struct {
	tree  gitexec.OID
	lines ownership.Lines
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
		versions[i].text = l.text(v.tree, path)
		versions[i].owners = v.lines.Spread(len(versions[i].text))
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
	content, err := l.db.Blob(found[0].ID, largestCompared)
	if err != nil {
		return nil
	}
	return strings.SplitAfter(string(content), "\n")
}
