package checkpoints

import (
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Overruled is what others say of a commit or a checkpoint, and what this clone decided or recorded
// otherwise. It doesn't count.
type Overruled struct {
	Commit     gitexec.OID `json:"commit,omitempty"`     // whose links they are; empty: lines
	Checkpoint string      `json:"checkpoint_id"`        // that others link, or have removed a link to, or have changed
	Former     string      `json:"checkpoint"`           // the former name of checkpoint_id; it goes with the next version
	Removed    bool        `json:"removed,omitempty"`    // they have removed a link that was decided here
	Session    string      `json:"session_id,omitempty"` // whose lines others have changed
	Source     Source      `json:"source"`
}

// String says it in a sentence.
func (o Overruled) String() string {
	who := o.Source.By
	if who == "" {
		who = "somebody"
	}
	switch {
	case o.Commit == "":
		return fmt.Sprintf("checkpoint %s: %s changed the lines of session %s, which were recorded here", o.Checkpoint, who, o.Session)
	case o.Removed:
		return fmt.Sprintf("commit %s: %s removed its link to %s, which our hooks here decided", o.Commit.Short(), who, o.Checkpoint)
	}
	return fmt.Sprintf("commit %s: %s links %s, our hooks here did not", o.Commit.Short(), who, o.Checkpoint)
}

// Key tells one from others, whoever says it.
func (o Overruled) Key() string {
	o.Source = Source{}
	return fmt.Sprint(o)
}

// OverruledOf lists what others say of the links of one commit that was decided about here.
func (b Branch) OverruledOf(db *gitexec.ODB, commit gitexec.OID) (all []Overruled) {
	links, known := b.record(db).Beside(commit)
	if !known {
		return nil
	}
	_, decided := b.record(db).Links(commit)
	gone := removedHere(db, b, commit)
	for _, root := range b.sideLinkRoots(db) {
		l, err := b.sideLinkOn(db, root, commit)
		if err != nil || l == nil {
			continue
		}
		for _, o := range contradicting(*l, links, gone) {
			// A removal contradicts only what hooks here have decided.
			if !slices.Contains(all, o) && (decided || !o.Removed) {
				all = append(all, o)
			}
		}
	}
	return all
}

// removedHere are the checkpoints whose links beside a commit were removed on this branch.
func removedHere(db *gitexec.ODB, b Branch, commit gitexec.OID) map[string]bool {
	gone := map[string]bool{}
	if mine, err := b.sideLinkOn(db, b.Tree, commit); err == nil && mine != nil {
		for _, r := range mine.Removed {
			gone[r.Checkpoint] = true
		}
	}
	return gone
}

// contradicting is what a link of others says against what was decided here.
func contradicting(l SideLink, links []string, gone map[string]bool) (all []Overruled) {
	for _, id := range l.Checkpoints {
		// That it was removed here is known: they say nothing new.
		if !slices.Contains(links, id) && !gone[id] {
			all = append(all, Overruled{Commit: l.Commit, Checkpoint: id, Former: id})
		}
	}
	for _, r := range l.Removed {
		if slices.Contains(links, r.Checkpoint) {
			all = append(all, Overruled{Commit: l.Commit, Checkpoint: r.Checkpoint, Former: r.Checkpoint, Removed: true})
		}
	}
	return all
}

// overruledLines makes it of sessions whose lines others have changed.
func overruledLines(checkpoint string, sessions []string) (all []Overruled) {
	for _, s := range sessions {
		all = append(all, Overruled{Checkpoint: checkpoint, Former: checkpoint, Session: s})
	}
	return all
}

// Overruled lists all that others say against what this clone decided and recorded, sorted.
func (b Branch) Overruled(db *gitexec.ODB) (all []Overruled, err error) {
	commits := map[gitexec.OID]bool{}
	for _, root := range b.sideLinkRoots(db) {
		linking, _ := sideLinksOn(db, b, root)
		for _, id := range linking {
			commits[id] = true
		}
	}
	for id := range commits {
		all = append(all, b.OverruledOf(db, id)...)
	}
	for _, id := range b.record(db).Checkpoints() {
		all = append(all, overruledLines(id, b.ChangedLines(db, id))...)
	}
	slices.SortFunc(all, func(x, y Overruled) int { return strings.Compare(x.Key(), y.Key()) })
	return all, db.Canceled()
}

// RecordFault says that what this clone decided cannot be read; nil: it can. Overruled reads all.
func (b Branch) RecordFault(db *gitexec.ODB) error { return b.record(db).Err }

// ChangedLines are the sessions of a checkpoint of this clone's whose lines others have changed, on
// the branch here or on one that was fetched.
func (b Branch) ChangedLines(db *gitexec.ODB, id string) []string {
	roots := b.sideLinkRoots(db)
	if root := b.root(db, id); !slices.Contains(roots, root) {
		roots = append([]gitexec.OID{root}, roots...)
	}
	for _, root := range roots {
		if changed := b.changedLinesOn(db, root, id); len(changed) > 0 {
			return changed
		}
	}
	return nil
}

func (b Branch) changedLinesOn(db *gitexec.ODB, root gitexec.OID, id string) []string {
	dir, _, err := directory(db, root, id)
	changed := func(tree gitexec.OID) bool { return !b.record(db).Wrote(id, tree) } // else it was pushed before this clone went on
	if err != nil || b.holdsWrittenHere(db, id, dir) || !slices.ContainsFunc(sessionTrees(dir), changed) {
		return nil
	}
	c, _ := openReadable(db, root, id)
	if len(c.sessions) == 0 {
		return nil
	}
	mine := b.writtenHere(db, id)
	if mine == nil {
		return nil
	}
	v := Version("")
	if all := mine.versions(); len(all) > 0 {
		v = all[0]
	}
	return mine.changedIn(c, v)
}

// OverruledLines lists what others say against the lines that this clone recorded of a checkpoint.
func (s *Sources) OverruledLines(id string) []Overruled {
	all := overruledLines(id, s.b.ChangedLines(s.db, id))
	s.Overruled(all)
	return all
}

// Overruled completes it with who says so.
func (s *Sources) Overruled(all []Overruled) {
	for i, o := range all {
		if o.Commit != "" {
			all[i].Source = s.against(sideLinkPath(o.Commit))
		} else {
			all[i].Source = s.against(gitexec.Path(Dir(o.Checkpoint)))
		}
	}
}
