package share

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
)

// past is a commit of the branch that the target's lacks, as far as its place in a new order
// depends on it.
type past struct {
	follows bool           // its only parent is the commit before it: the order may keep it as it is
	touched []gitexec.Path // the entries that it changes; of a merge, beside its first parent
}

// placing puts entries, as the branch finally has them, into one commit.
type placing struct {
	commit  int // the one that it is for, by its index; -1: none
	entries []gitexec.Path
	whole   bool // these are all entries that this one touches, and that differ
}

// plan is an order of the branch in which what may leave comes first.
type plan struct {
	kept        int // so many commits stay as they are
	goes, stays []placing
}

// mostGoing and mostStaying are how many commits each part has at most, in which commits of the
// branch go on one by one. What is older goes by directories, so that a large push still has
// commits to be sent one after the other; and stays in one commit. What stays is written again with
// each push that brings something, so that it has few. docs/sharing.md has both.
const mostGoing, mostStaying = 200, 20

// order finds the order of commits, oldest first, given which of the differing entries may leave.
// A commit is kept as it is only if nothing in it stays: neither an entry of goes, nor one that the
// branch has no more. there tells of such others whether the target has them. If nothing stays
// anywhere, all are kept.
func order(commits []past, goes map[gitexec.Path]bool, there func(gitexec.Path) bool) (p plan) {
	public := func(entry gitexec.Path) bool {
		// What does not differ from the target's, and is not there either, was deleted here since:
		// its history stays here, too.
		may, differs := goes[entry]
		return may || !differs && there(entry)
	}
	private := func(c past) bool {
		return slices.ContainsFunc(c.touched, func(e gitexec.Path) bool { return !public(e) })
	}
	if !slices.Contains(slices.Collect(maps.Values(goes)), false) && !slices.ContainsFunc(commits, private) {
		return plan{kept: len(commits)}
	}
	placed, kept := map[gitexec.Path]bool{}, map[gitexec.Path]bool{}
	for _, c := range commits {
		// From here on each commit gets another parent, and so another ID.
		if !c.follows || private(c) {
			break
		}
		p.kept++
		for _, entry := range c.touched {
			kept[entry] = true
		}
	}
	for i, c := range commits[p.kept:] {
		p.add(p.kept+i, c.touched, goes, placed)
	}
	var rest []gitexec.Path // of which no commit was found
	for entry := range goes {
		if !kept[entry] && !placed[entry] {
			rest = append(rest, entry)
		}
	}
	slices.Sort(rest)
	p.add(-1, rest, goes, placed)
	if len(p.goes)+len(kept) == 0 {
		p.kept = 0 // the beginning of the branch alone
	}
	p.limit()
	return p
}

// add places the entries that a commit touches, and that are not placed.
func (p *plan) add(commit int, touched []gitexec.Path, goes, placed map[gitexec.Path]bool) {
	var leave, stay []gitexec.Path
	for _, entry := range touched {
		may, differs := goes[entry]
		if !differs || placed[entry] {
			continue
		}
		placed[entry] = true
		if may {
			leave = append(leave, entry)
		} else {
			stay = append(stay, entry)
		}
	}
	if len(leave) > 0 {
		p.goes = append(p.goes, placing{commit, leave, len(stay) == 0})
	}
	if len(stay) > 0 {
		p.stays = append(p.stays, placing{commit, stay, len(leave) == 0})
	}
}

// limit puts the oldest of many commits together.
func (p *plan) limit() {
	if n := len(p.goes) - mostGoing; n > 0 {
		p.goes = append(byDirectory(p.goes[:n]), p.goes[n:]...)
	}
	if n := len(p.stays) - mostStaying; n > 0 {
		one := placing{commit: p.stays[0].commit}
		// One more than are too many, as they become one.
		for _, s := range p.stays[:n+1] {
			one.entries = append(one.entries, s.entries...)
		}
		p.stays = append([]placing{one}, p.stays[n+1:]...)
	}
}

// byDirectory puts entries together by the name that they have at the top, each with the first of
// their commits.
func byDirectory(all []placing) (grouped []placing) {
	at := map[string]int{}
	for _, one := range all {
		for _, entry := range one.entries {
			top, _, _ := strings.Cut(string(entry), "/")
			i, known := at[top]
			if !known {
				i, at[top] = len(grouped), len(grouped)
				grouped = append(grouped, placing{commit: one.commit})
			}
			grouped[i].entries = append(grouped[i].entries, entry)
		}
	}
	return grouped
}

var namedIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Checkpoint: ([0-9a-f]{12}(?:, [0-9a-f]{12})*)`) })

// message is that of the commit which a placing makes, given the message of the commit that it is
// for: this one where it names nothing but what is placed.
func (p placing) message(was string) string {
	placed := map[string]bool{}
	for _, entry := range p.entries {
		placed[checkpoints.EntryID(entry)] = true
	}
	named := namedIDs().FindStringSubmatch(was)
	switch {
	// The message names checkpoints: one that now stays must not be named in what leaves.
	case named != nil && !slices.ContainsFunc(strings.Split(named[1], ", "), func(id string) bool { return !placed[id] }):
		return was
	case named == nil && p.whole && p.commit >= 0:
		return was
	}
	return p.plain()
}

// plain is a message that says what is placed.
func (p placing) plain() string {
	var ids []string
	links := 0
	for _, entry := range p.entries {
		if id := checkpoints.EntryID(entry); id != "" {
			ids = append(ids, id)
		} else if checkpoints.EntryCommit(entry) != "" {
			links++
		}
	}
	switch {
	case len(ids) == 1:
		return "Checkpoint: " + ids[0] + "\n"
	case len(ids) > 0:
		return amount.Of(len(ids), "checkpoint") + "\n"
	case links > 0:
		return fmt.Sprintf("%s beside commits\n", amount.Of(links, "link"))
	}
	return "Update metadata\n"
}
