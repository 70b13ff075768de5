package remainder

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// carrySteps makes checkpoints out of a group, one session's after the other's.
func carrySteps(db *gitexec.ODB, head gitexec.Commit, group []remaining, meta map[string]shadow.Metadata, suffix int) ([]shadow.Step, error) {
	var steps []shadow.Step
	tree := head.Tree
	carried := map[gitexec.Path]bool{} // with the worktree's content, by an earlier session's step
	for rest := group; len(rest) > 0; {
		w := rest[0].work
		mine, others := split(rest, w.Session)
		files, err := metadataFiles(db, w, meta)
		if err != nil {
			return nil, err
		}
		s := w.Session
		before := len(steps)
		parts, err := again(db, head.Tree, mine, carried)
		if err != nil {
			return nil, err
		}
		for _, part := range append(parts, partsOf(mine)...) {
			was := tree
			if tree, err = db.EditTree(tree, part.edits); err != nil {
				return nil, err
			}
			if tree == was {
				continue // the commit has all of it, whoever brought it there
			}
			step := shadow.Step{Session: s.SessionID, Turn: s.TurnID, Part: part.of, Subject: shadow.Describe(s.LastPrompt), Tree: tree}
			if part.of == shadow.Agent {
				step.Overlay = files
				s.CheckpointCount++
				step.From = carriedFrom(group, mine)
				if step.Work, err = workOf(db, mine); err != nil {
					return nil, err
				}
			}
			steps = append(steps, step)
		}
		rest = others
		for _, l := range mine {
			carried[l.path] = carried[l.path] || !l.kept
		}
		if len(steps) == before {
			continue
		}
		var left []gitexec.Path
		for _, l := range mine {
			left = append(left, l.path)
		}
		s.FilesTouched = condense.Union(s.FilesTouched, left)
		s.ShadowBranchSuffix = suffix
	}
	return steps, nil
}

// again is the human's part before a session's that carries what another one's before it has
// carried already: both wrote the file, and each has to have it as its work. It takes that back to
// what the commit holds.
func again(db *gitexec.ODB, head gitexec.OID, mine []remaining, carried map[gitexec.Path]bool) ([]part, error) {
	var paths []gitexec.Path
	for _, l := range mine {
		if !l.kept && carried[l.path] {
			paths = append(paths, l.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	committed, err := db.Lookup(head, paths...)
	if err != nil {
		return nil, err
	}
	back := part{shadow.Human, gitexec.Edits{}}
	for i, path := range paths {
		back.edits[path] = committed[i]
	}
	return []part{back}, nil
}

// carriedFrom gives the tips of the streams whose work a checkpoint takes from the worktree, and of
// other sessions' in the same files: whose each line is has to be known from there. What is kept
// turn by turn says it by itself.
func carriedFrom(group, mine []remaining) []gitexec.OID {
	var tips []gitexec.OID
	for _, l := range group {
		same := slices.ContainsFunc(mine, func(m remaining) bool { return m.path == l.path && !m.kept })
		if same && !l.kept && l.work.Stream != nil && !slices.Contains(tips, l.work.Stream.Tip.ID) {
			tips = append(tips, l.work.Stream.Tip.ID)
		}
	}
	return tips
}

// workOf gives the streams on which what is carried was done; none where all of it is kept as it
// was done.
func workOf(db *gitexec.ODB, group []remaining) ([]gitexec.OID, error) {
	var tips []gitexec.OID
	seen := map[string]bool{}
	for _, l := range group {
		asDone := l.kept && !slices.ContainsFunc(l.changes, func(c suffix.Change) bool { return len(c.Of) > 0 })
		if asDone || l.work.Stream == nil || seen[l.work.Stream.Ref()] {
			continue
		}
		seen[l.work.Stream.Ref()] = true
		found, err := l.work.Stream.Work(db)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !slices.Contains(tips, id) {
				tips = append(tips, id)
			}
		}
	}
	return tips, nil
}

func split(group []remaining, s *session.State) (mine, others []remaining) {
	for _, l := range group {
		if l.work.Session == s {
			mine = append(mine, l)
		} else {
			others = append(others, l)
		}
	}
	return mine, others
}

// part is one checkpoint to be: what it changes.
type part struct {
	of    shadow.Part
	edits gitexec.Edits
}

// partsOf gives what a session's leftovers are carried as: the worktree's content at once, what is
// kept turn by turn, with the human's part between turns, since a stash entry may hold what was
// there after any of them.
func partsOf(group []remaining) []part {
	var parts []part
	for i, more := 0, true; more; i++ {
		more = false
		human, agent := part{shadow.Human, gitexec.Edits{}}, part{shadow.Agent, gitexec.Edits{}}
		for _, l := range group {
			switch {
			case !l.kept && i == 0:
				agent.edits[l.path] = l.now
			case l.kept && i < len(l.changes):
				more = true
				agent.edits[l.path] = l.changes[i].After
				if i > 0 && l.changes[i].Before != l.changes[i-1].After {
					human.edits[l.path] = l.changes[i].Before
				}
			}
		}
		for _, p := range []part{human, agent} {
			if len(p.edits) > 0 {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// metadataFiles is a session's metadata for the new stream: as condensed just now, or as it is on
// the old stream.
func metadataFiles(db *gitexec.ODB, w condense.Work, meta map[string]shadow.Metadata) (gitexec.Tree, error) {
	if m, ok := meta[w.Session.SessionID]; ok {
		return m.Files(), nil
	}
	found, err := db.Lookup(w.Stream.Tip.Tree, gitexec.Path(shadow.MetadataDir+"/"+w.Session.SessionID))
	if err != nil || !found[0].IsTree() {
		return nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}
