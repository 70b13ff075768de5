package commits

import (
	"context"
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// squashed lists the commits that git merge --squash staged.
func squashed(op gitexec.Operation) (all []lineage.Predecessor) {
	for _, id := range op.Squashed() {
		all = append(all, lineage.Predecessor{Commit: id, By: lineage.Squashed})
	}
	return all
}

// squashedLinks lists the links of the commits that git merge --squash staged, if something of them
// is still staged: git's message names them even where the user has discarded their changes. One
// process, if there are any.
func squashedLinks(ctx context.Context, run *workspace.Run, kept bool) ([]string, error) {
	text := []byte(run.Repo.Operation().SquashMessage())
	quoted := message.IndentedLinks(text)
	beside, err := besideSquashed(run.Repo, run.DB, run.Repo.Operation().Squashed())
	if quoted = sets.Union(quoted, beside); err != nil || len(quoted) == 0 {
		return nil, err
	}
	changes, err := run.Staged(ctx, run.Head.Tree)
	if err != nil {
		return nil, err
	}
	staged := &stagedSquash{Run: run, staged: changes, kept: kept, texts: &shadow.Texts{DB: run.DB}}
	var links []string
	for _, id := range run.Repo.Operation().Squashed() {
		found, of, err := staged.has(id)
		if err != nil {
			return nil, err
		}
		if found {
			links = sets.Union(links, of)
		}
	}
	return slices.DeleteFunc(quoted, func(link string) bool { return !slices.Contains(links, link) }), nil
}

// besideSquashed lists the side links of the squashed commits: git's message does not quote them.
func besideSquashed(repo *gitexec.Repo, db *gitexec.ODB, squashed []gitexec.OID) (links []string, err error) {
	for _, id := range squashed {
		c, there, err := readCommit(db, id)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		of, err := linksOf(repo, db, c)
		if err != nil {
			return nil, err
		}
		links = sets.Union(links, withoutTrailer(c, of))
	}
	return links, nil
}

// stagedSquash is what is staged after git merge --squash. kept says that the user kept the
// squash's message: then one staged file of a commit is enough.
type stagedSquash struct {
	*workspace.Run
	staged   []gitexec.Change
	kept     bool
	texts    suffix.Texts
	compared int // new files with others
}

// has reports whether some of a commit's changes are staged, and returns the commit's links.
func (s *stagedSquash) has(id gitexec.OID) (bool, []string, error) {
	commit, parent, err := withParent(s.DB, id)
	if gitexec.IsMissing(err) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	changes, err := s.DB.DiffTrees(parent, commit.Tree)
	if err != nil {
		return false, nil, err
	}
	for _, c := range changes {
		if present, err := s.holds(c); present || err != nil {
			links, err2 := linksOf(s.Repo, s.DB, commit)
			return present, links, errors.Join(err, err2)
		}
	}
	return false, nil, nil
}

// mostRenamed is how many staged files a squashed commit's file is compared with that HEAD lacks,
// and mostNew how many comparisons there are of new files. Each is compared line by line, for each
// of the commits. In a squash of more new files a link is lost only of a commit all of whose files
// were renamed here, and changed.
const mostRenamed, mostNew = 50, 500

// holds reports whether a squashed commit's change of a file is staged: of the file, or of one that
// had this name where the branches parted, or in the squash.
func (s *stagedSquash) holds(c gitexec.Change) (bool, error) {
	if at := slices.IndexFunc(s.staged, func(now gitexec.Change) bool { return now.Path == c.Path }); at >= 0 {
		present, err := s.inEffect(c, s.staged[at])
		return present || s.kept && err == nil, err
	}
	here, err := s.DB.Lookup(s.Head.Tree, c.Path)
	// Where HEAD has the file nothing of it is staged, and what was deleted has no new name.
	if err != nil || here[0].Exists() || !c.New.Exists() {
		return false, err
	}
	isNew := !c.Old.Exists() // and stays so under another name
	if isNew {               // that very version comes first: of a directory that was renamed all files are such
		if at := slices.IndexFunc(s.staged, func(now gitexec.Change) bool { return !now.Old.Exists() && now.New == c.New }); at >= 0 {
			return s.inEffect(c, s.staged[at])
		}
	}
	compared := 0
	for _, now := range s.staged {
		if now.Old.Exists() == isNew || isNew && s.compared >= mostNew {
			continue
		}
		if isNew {
			s.compared++
		}
		if compared++; compared > mostRenamed {
			break
		}
		if present, err := s.inEffect(c, now); present || err != nil {
			return present, err
		}
	}
	return false, nil
}

func (s *stagedSquash) inEffect(c, now gitexec.Change) (bool, error) {
	return suffix.InEffect([]suffix.Change{{Path: now.Path, Before: c.Old, After: c.New}}, now, s.texts)
}
