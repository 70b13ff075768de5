package checkpoints

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// link unites the side links of one commit.
func (u *uniting) link(shard, file string, s sides) error {
	path := linksDir + "/" + shard + "/" + file
	commit, ok := commitOfSideLink(shard, file)
	if !ok || s.theirs.Mode != gitexec.ModeFile {
		u.skip(path, "not a side link")
		return nil
	}
	if s.adds() {
		u.edits[gitexec.Path(path)] = s.theirs
		return nil
	}
	read := func(e gitexec.Entry) *SideLink {
		data, err := conversation.File(u.db, e, path, mostSideLink)
		if err != nil {
			return nil
		}
		l, err := parseSideLink(data, commit, e.ID)
		if err != nil {
			return nil
		}
		return l
	}
	ours, theirs := read(s.ours), read(s.theirs)
	if err := u.db.Canceled(); err != nil {
		return err
	}
	switch {
	case theirs == nil:
		u.skip(path, "damaged")
		return nil
	case ours == nil:
		u.edits[gitexec.Path(path)] = s.theirs
		return nil
	}
	var err error
	u.edits[gitexec.Path(path)], err = writeJSON(u.db, ours.united(*theirs))
	return err
}

// united is the link to what either of two links names.
func (l SideLink) united(with SideLink) SideLink {
	// The older one gives time, reason and kind; the order is the same whoever unites.
	if with.CreatedAt.Before(l.CreatedAt) || with.CreatedAt.Equal(l.CreatedAt) && with.Reason+string(with.How) < l.Reason+string(l.How) {
		l, with = with, l
	}
	l.Checkpoints = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(l.Checkpoints), with.Checkpoints...))))
	l.Removed = unitedRemovals(l.Removed, with.Removed)
	if with.How.byHooks() && !l.How.byHooks() {
		l.How = with.How // nobody makes it a link that may be removed
	}
	// A removal counts against both sides' links.
	l = l.withoutRemoved()
	l.Score = max(l.Score, with.Score)
	evidence := maps.Clone(l.Evidence)
	for path, lines := range with.Evidence {
		if evidence == nil {
			evidence = Evidence{}
		}
		had := evidence[path]
		// Both counted the same commit's lines: they don't add up.
		evidence[path] = [2]int{max(had[0], lines[0]), max(had[1], lines[1])}
	}
	l.Evidence = evidence
	l.Parts = append(slices.Clone(l.Parts), with.Parts...)
	slices.SortStableFunc(l.Parts, func(a, b Part) int {
		return cmp.Or(strings.Compare(a.Checkpoint, b.Checkpoint), cmp.Compare(b.Score, a.Score))
	})
	// Of two parts for a checkpoint the one with the higher score stays, as the sort has put it
	// first.
	l.keepParts()
	return l
}
