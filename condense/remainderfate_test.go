package condense

import (
	"errors"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// unreadable are lines of which one version cannot be read.
type unreadable gitexec.OID

func (u unreadable) Lines(e gitexec.Entry) ([]string, bool, error) {
	if e.ID == gitexec.OID(u) {
		return nil, false, errors.New("no such object")
	}
	return lines{}.Lines(e)
}

// TestFate: what becomes of a file of the agent's that a commit holds otherwise, or not at all.
func TestFate(t *testing.T) {
	var none gitexec.Entry
	const mine, more, human = "a line by the agent", "another line by the agent", "a line by the human"
	base, wrote := file("base"), file("base/"+mine)
	change := []suffix.Change{{Path: "f", Before: base, After: wrote}}
	turns := []suffix.Change{{Path: "f", Before: base, After: wrote}, {Path: "f", Before: wrote, After: file("base/" + mine + "/" + more)}}
	deleted := []suffix.Change{{Path: "f", Before: base}}
	for name, c := range map[string]struct {
		changes   []suffix.Change
		versions  []gitexec.Entry // the worktree's, and then the index's and those of stash entries
		committed gitexec.Entry
		here      bool
		kept      bool
	}{
		"committed as the agent wrote it":             {change, []gitexec.Entry{wrote}, wrote, false, false},
		"uncommitted":                                 {change, []gitexec.Entry{wrote}, base, true, false},
		"uncommitted, and edited since":               {change, []gitexec.Entry{file("base/" + mine + "/" + human)}, base, true, false},
		"a part was committed":                        {turns, []gitexec.Entry{file("base/" + mine + "/" + more)}, wrote, true, false},
		"committed, and edited by the human":          {change, []gitexec.Entry{file("base/" + mine + "/" + human)}, wrote, false, false},
		"dismissed":                                   {change, []gitexec.Entry{base}, base, false, false},
		"dismissed, and it is in a stash":             {change, []gitexec.Entry{base, wrote}, base, false, true},
		"uncommitted, and the same in a stash":        {change, []gitexec.Entry{wrote, wrote}, base, true, false},
		"uncommitted, and another version in a stash": {turns, []gitexec.Entry{file("base/" + mine + "/" + more), wrote}, base, true, true},
		"a version that says nothing is kept":         {change, []gitexec.Entry{file("  base/\t" + human)}, base, false, true},
		"deleted, and committed so":                   {deleted, []gitexec.Entry{none}, none, false, false},
		"deleted, and the commit has it still":        {deleted, []gitexec.Entry{none}, base, true, false},
		"deleted, and written again since":            {[]suffix.Change{{Path: "f", Before: base}, {Path: "f", After: wrote}}, []gitexec.Entry{none}, base, false, true},
		"deleted by the human":                        {change, []gitexec.Entry{none}, base, false, false},
		"deleted, and restored":                       {deleted, []gitexec.Entry{base}, base, false, false},
	} {
		here, kept, err := fate(c.changes, c.versions, c.committed, lines{})
		if err != nil || here != c.here || kept != c.kept {
			t.Errorf("%s: here %v, kept %v, %v; want %v and %v", name, here, kept, err, c.here, c.kept)
		}
	}
}

// TestFateWhereAllIsCommitted: a stash entry, or the index, may have what one turn did and a later
// one undid, or what somebody made of it.
func TestFateWhereAllIsCommitted(t *testing.T) {
	const mine, more, human = "a line by the agent", "another line by the agent", "a line by the human"
	base := file("base")
	replaced := []suffix.Change{
		{Path: "f", Before: base, After: file("base/x=1")},
		{Path: "f", Before: file("base/x=1"), After: file("base/" + more)},
	}
	both := []suffix.Change{{Path: "f", Before: base, After: file("base/" + mine + "/" + more)}}
	for name, c := range map[string]struct {
		changes   []suffix.Change
		versions  []gitexec.Entry // the worktree's, and then the index's and those of stash entries
		committed gitexec.Entry
		kept      bool
	}{
		"a stash entry has what a turn wrote and the next one replaced": {replaced,
			[]gitexec.Entry{file("base/" + more), file("base/x=1")}, file("base/" + more), true},
		"so, with the human's line": {replaced,
			[]gitexec.Entry{file("base/" + more), file("base/x=1/" + human)}, file("base/" + more), true},
		"so, in the worktree": {replaced,
			[]gitexec.Entry{file("base/x=1/" + human)}, file("base/" + more), false},
		"so, and the commit has a line of the human's": {replaced,
			[]gitexec.Entry{file("base/x=1/" + human)}, file("base/" + more + "/its human's"), true},
		"a stash entry has some of it, and the human's": {both,
			[]gitexec.Entry{both[0].After, file("base/" + mine + "/" + human)}, both[0].After, true},
		"a stash entry has what was before": {both,
			[]gitexec.Entry{both[0].After, base}, both[0].After, false},
		"a stash entry has the human's alone": {both,
			[]gitexec.Entry{both[0].After, file("base/" + human)}, both[0].After, false},
		"a stash entry has none of it, and no turn's of several": {replaced,
			[]gitexec.Entry{file("base/" + more), file("base/" + human)}, file("base/" + more), false},
		"one stash entry has it, and another has not": {replaced,
			[]gitexec.Entry{file("base/" + more), file("base/x=1"), file("base/" + human)}, file("base/" + more), true},
	} {
		inWorktree, kept, err := fate(c.changes, c.versions, c.committed, lines{})
		if err != nil || inWorktree || kept != c.kept {
			t.Errorf("%s: in the worktree %v, kept %v, %v; want %v", name, inWorktree, kept, err, c.kept)
		}
	}
}

// TestFateBesideOthers: of a file with lines of others, which the commit lacks, what is not committed
// of the turn's own work has a remainder.
func TestFateBesideOthers(t *testing.T) {
	const other, mine, more = "a line by another agent", "a line by the agent", "another line by the agent"
	one := []suffix.Change{{Path: "f", Before: file("base/" + other), After: file("base/" + other + "/" + mine + "/" + more)}}
	two := []suffix.Change{
		{Path: "f", Before: file("base/" + other), After: file("base/" + other + "/" + mine)},
		{Path: "f", Before: file("base/" + other + "/" + mine), After: one[0].After},
	}
	for name, c := range map[string]struct {
		changes   []suffix.Change
		committed gitexec.Entry
		want      bool
	}{
		"all of it is committed":               {one, file("base/" + mine + "/" + more), false},
		"a part of it is":                      {one, file("base/" + mine), true},
		"the others' alone is":                 {one, file("base/" + other), true},
		"all of it, and the turns are several": {two, file("base/" + mine + "/" + more), true},
	} {
		inWorktree, kept, err := fate(c.changes, []gitexec.Entry{one[0].After}, c.committed, lines{})
		if err != nil || kept || inWorktree != c.want {
			t.Errorf("%s: in the worktree %v, kept %v, %v; want %v", name, inWorktree, kept, err, c.want)
		}
	}
}

// TestFateOfUnreadableVersions: nothing is decided without a version.
func TestFateOfUnreadableVersions(t *testing.T) {
	changes := []suffix.Change{
		{Path: "f", Before: file("base"), After: file("base/x=1")},
		{Path: "f", Before: file("base/x=1"), After: file("base/more of it")},
	}
	committed := file("base/more of it/and the human's")
	for _, bad := range []unreadable{"base/more of it/and the human's", "base/stash", "base/x=1"} {
		_, _, err := fate(changes, []gitexec.Entry{committed, file("base/stash")}, committed, bad)
		if err == nil {
			t.Errorf("%s cannot be read, and there is no error", bad)
		}
	}
}
