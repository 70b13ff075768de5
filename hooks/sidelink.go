package hooks

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// withoutTrailer lists the links that a commit's message lacks.
func withoutTrailer(c gitexec.Commit, links []string) []string {
	trailers := message.Links(c.Message)
	return slices.DeleteFunc(slices.Clone(links), func(id string) bool { return slices.Contains(trailers, id) })
}

// addSideLink adds the edit that stores the links of a commit that ran no hook beside it, with the
// evidence of the match.
func (p *condenser) addSideLink(c linkedCommit, edits gitexec.Edits) error {
	missing := withoutTrailer(c.head, c.links)
	if !c.beside || len(missing) == 0 {
		return nil
	}
	link := checkpoints.SideLink{Commit: c.head.ID, Checkpoints: missing, How: checkpoints.Hookless, CreatedAt: p.Now()}
	if len(c.matches) > 0 {
		link.Reason = c.matches[0].Reason
	}
	byPath := map[gitexec.Path]gitexec.Change{}
	for _, change := range c.changes {
		byPath[change.Path] = change
	}
	texts := &shadow.Texts{DB: p.DB}
	for _, o := range c.overlaps {
		if !o.Counts || o.Work.Committing {
			continue
		}
		for _, changes := range suffix.ByFile(o.Work.Changes) {
			version, committed := byPath[changes[0].Path]
			if !committed || len(link.Evidence) >= mostJournaled {
				continue
			}
			found, sought, err := suffix.Extent(changes, &version, nil, texts, p.Settings.Match())
			if err != nil {
				return err
			}
			if link.Evidence == nil {
				link.Evidence = map[gitexec.Path][2]int{}
			}
			before := link.Evidence[version.Path]
			link.Evidence[version.Path] = [2]int{before[0] + found, before[1] + sought}
		}
	}
	return checkpoints.WriteSideLink(p.DB, c.branch, link, edits)
}

// addRewrittenSideLink adds the edit that stores the side links of the commits that git made a
// commit of beside it, and returns them.
func (p *condenser) addRewrittenSideLink(
	branch checkpoints.Branch, c gitexec.Commit, olds []gitexec.OID, edits gitexec.Edits,
) (missing []string, err error) {
	var links []string
	for _, old := range olds {
		if l, err := branch.SideLink(p.DB, old); err == nil && l != nil { // an unreadable one links nothing
			links = union(links, l.Checkpoints)
		}
	}
	if missing = withoutTrailer(c, links); len(missing) == 0 {
		return nil, nil
	}
	if l, err := branch.SideLink(p.DB, c.ID); err == nil && l != nil && len(union(l.Checkpoints, missing)) == len(l.Checkpoints) {
		return missing, nil
	}
	return missing, checkpoints.WriteSideLink(p.DB, branch, checkpoints.SideLink{Commit: c.ID, Checkpoints: missing,
		How: checkpoints.Rewritten, CreatedAt: p.Now()}, edits)
}

// linksOf lists the links of a commit, also those beside it.
func (p *condenser) linksOf(c gitexec.Commit) ([]string, error) {
	tip, err := shadow.CheckpointsTip(p.Repo, p.DB)
	if err != nil {
		return nil, err
	}
	branch, err := checkpoints.ReadBranch(p.DB, tip)
	if err != nil {
		return nil, err
	}
	return branch.Links(p.DB, c), nil
}
