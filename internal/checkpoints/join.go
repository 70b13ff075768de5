package checkpoints

import (
	"context"

	"entire-plumb/gitexec"
)

// Part is a linked commit that another one stands for now, together with others.
type Part struct {
	ID     string // the checkpoint's
	Commit gitexec.OID
	Tree   gitexec.OID // the commit's
}

// Join brings the checkpoints of commits that were squashed into one, as by a squash, up to date, as
// edits to the branch's tree: each then has those of its files that the new commit changes, and of
// the new commit's lines those that are its own. One commit may also stand for one other that did
// something else. It gives the checkpoints that are there. One process.
func Join(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, b Branch, r Request, parts []Part, edits gitexec.Edits) ([]string, error) {
	l := &ledger{db: db, prompts: map[Turn]string{}}
	var ids []string
	var checkpoints []*checkpoint
	var before []gitexec.OID
	for _, p := range parts {
		c, err := open(db, b.Tree, p.ID)
		if err != nil {
			return nil, err
		}
		if len(c.sessions) == 0 {
			continue
		}
		known, err := c.ownedBefore(db, p.Commit)
		if err != nil {
			return nil, err
		}
		known.tag(p.ID)
		chain := &chain{root: p.Tree, known: known}
		if chain.begun, err = l.begun(chain); err != nil {
			return nil, err
		}
		l.end(chain, p.Tree, nil, r.Tree)
		ids, checkpoints, before = append(ids, p.ID), append(checkpoints, c), append(before, p.Commit)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	a, unknown := l.attribute(ctx, repo, r)()
	for i, c := range checkpoints {
		c.trim(r.Changes)
		if unknown == nil { // else what was known before stays
			c.bringTo(r.Commit, before[i])
			if err := c.attributed(db, a, ids[i], r); err != nil {
				return nil, err
			}
		}
		if err := c.edits(db, edits); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
