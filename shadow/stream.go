package shadow

import (
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// Stream is one line of work on a base: a shadow branch whose tip proves that it is ours.
type Stream struct {
	Name
	Tip Checkpoint
}

// BaseCommit is the commit that the stream hangs from: its tip names it, unless the stream was
// moved since, as by an amend of its base; then its name abbreviates it. Where neither can be read
// it is what the tip says.
func (s Stream) BaseCommit(db *gitexec.ODB) gitexec.OID {
	base := s.Tip.Base
	if base == "" { // another program's doesn't name it
		if history, err := s.History(db); err == nil {
			base = history[0].Parent
		}
	}
	// The name is right as long as it was not moved.
	if base.Short() == s.Base {
		return base
	}
	found, err := db.Info(gitexec.OID(s.Base + "^{commit}"))
	if err != nil || found[0].Type != "commit" {
		return base
	}
	return found[0].ID
}

// baseTree is the tree of the commit that the stream's name abbreviates, for another program's
// stream, whose first checkpoint has no parent; empty: not known.
func (s Stream) baseTree(db *gitexec.ODB) gitexec.OID {
	if s.Base == "" {
		return ""
	}
	found, err := db.Info(gitexec.OID(s.Base + "^{commit}^{tree}"))
	if err != nil || found[0].Type != "tree" {
		return ""
	}
	return found[0].ID
}

// maxHistory is the most checkpoints that are read of a stream, since anybody may have made its
// commits. A turn makes two at most: it is 5,000 turns without a commit.
const maxHistory = 10_000

// History reads a stream's checkpoints, oldest first, at least one: the tip. The first one's Before
// is the base's tree, empty where that isn't known. A missing object is an error.
func (s Stream) History(db *gitexec.ODB) ([]Checkpoint, error) {
	var history []Checkpoint
	var ahead []gitexec.Commit
	at, look := s.Tip, 4 // most streams are short
	for range maxHistory {
		if at.Parent == "" {
			if at.Foreign() {
				at.Before = s.baseTree(db)
			}
			history = append(history, at)
			break
		}
		if len(ahead) == 0 {
			var err error
			if ahead, err = db.Ancestors(at.Parent, look); err != nil {
				return nil, fmt.Errorf("stream %s: %w", s.Name, err)
			}
			look = min(4*look, 64) // what is read beyond the base is in vain
		}
		at.Before = ahead[0].Tree
		history = append(history, at)
		next, ours := readCheckpoint(ahead[0])
		// The base: the user's commit on which the work began.
		if !ours {
			break
		}
		at, ahead = next, ahead[1:]
	}
	slices.Reverse(history)
	return history, nil
}

// Change is a change of one file by an agent's turn.
type Change struct {
	gitexec.Change
	Session string
	Turn    string      // empty in another program's
	At      gitexec.OID // the checkpoint
	Of      []Change    // the changes that it carries forward: only their lines are the agent's
}

// AgentChanges lists the agents' changes on a stream, oldest first: for each of their checkpoints
// the files that differ from the checkpoint before, without metadata. Work carried forward from
// other streams lists the changes there.
func (s Stream) AgentChanges(db *gitexec.ODB) ([]Change, error) {
	all, err := AgentChanges(db, s)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// AgentChanges lists them for several streams, in their order, whose trees are compared in
// parallel. An object that one of them lacks is an error for all.
func AgentChanges(db *gitexec.ODB, streams ...Stream) ([][]Change, error) {
	var all []Checkpoint
	ends := make([]int, len(streams))
	for i, s := range streams {
		history, err := s.History(db)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(history, func(k Checkpoint) bool { return k.Part != Agent })...)
		ends[i] = len(all)
	}
	done, err := changesOf(db, all)
	if err != nil {
		if len(streams) == 1 {
			err = fmt.Errorf("stream %s: %w", streams[0].Name, err)
		}
		return nil, err
	}
	changes := make([][]Change, len(streams))
	carried := carriedWork{db, map[workOn]carriedStream{}}
	at := 0
	for i, s := range streams {
		for first := at; at < ends[i]; at++ {
			if k := all[at]; len(k.Work) > 0 {
				if err := carried.addTo(k, done[at]); err != nil {
					return nil, fmt.Errorf("stream %s: %w", s.Name, err)
				}
			}
			if at == first {
				changes[i] = done[at]
			} else {
				changes[i] = append(changes[i], done[at]...)
			}
		}
	}
	return changes, nil
}

// changesOf lists the changes of each of the checkpoints.
func changesOf(db *gitexec.ODB, history []Checkpoint) ([][]Change, error) {
	trees := make([]gitexec.Trees, len(history))
	for i, k := range history {
		trees[i] = gitexec.Trees{Old: k.Before, New: k.Tree}
	}
	diffs, err := db.DiffEach(MetadataDir, trees...)
	if err != nil {
		return nil, err
	}
	changes := make([][]Change, len(history))
	for i, k := range history {
		for _, c := range diffs[i] {
			changes[i] = append(changes[i], Change{Change: c, Session: k.Session, Turn: k.Turn, At: k.ID})
		}
	}
	return changes, nil
}

// carriedWork reads the work that checkpoints carry forward from other streams, each stream once.
type carriedWork struct {
	db   *gitexec.ODB
	read map[workOn]carriedStream
}

// workOn is a session's work on the stream with this tip.
type workOn struct {
	tip     gitexec.OID
	session string
}

type carriedStream struct {
	changes []Change
	carried []gitexec.OID // the streams that it carries forward itself
}

// addTo adds to a checkpoint's changes those that they carry forward. What a stream carries forward
// itself comes with that stream's change: the commit under it may have had some of the lines.
func (w carriedWork) addTo(k Checkpoint, changes []Change) error {
	at := make(map[gitexec.Path]int, len(changes)) // each path is there once
	for i, c := range changes {
		at[c.Path] = i
	}
	var known []gitexec.OID
	for _, id := range slices.Backward(k.Work) { // the latest first
		// Its work came with a later stream that carries it forward.
		if slices.Contains(known, id) {
			continue
		}
		found, err := w.onStream(workOn{id, k.Session})
		if err != nil {
			return err
		}
		for _, d := range fromOldNames(found.changes) {
			if i, ok := at[d.Path]; ok {
				changes[i].Of = append(changes[i].Of, d)
			}
		}
		known = append(append(known, id), found.carried...)
	}
	return nil
}

// fromOldNames gives files that a turn only renamed their versions before that: none of their lines
// is new. The removal of the old name may be committed, and not be carried forward with the file.
func fromOldNames(changes []Change) []Change {
	type version struct {
		turn    string
		content gitexec.Entry
	}
	removed := map[version]bool{}
	for _, c := range changes {
		if !c.New.Exists() {
			removed[version{c.Turn, c.Old}] = true
		}
	}
	if len(removed) == 0 {
		return changes
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		if !c.Old.Exists() && removed[version{c.Turn, c.New}] {
			changes[i].Old = c.New
		}
	}
	return changes
}

// onStream is a session's work on a stream.
func (w carriedWork) onStream(of workOn) (found carriedStream, err error) {
	if known, ok := w.read[of]; ok {
		return known, nil
	}
	tip, ours, err := ReadCheckpoint(w.db, of.tip)
	// A forged trailer may name any commit.
	if err != nil || !ours {
		return found, err
	}
	history, err := Stream{Tip: tip}.History(w.db)
	if err != nil {
		return found, err
	}
	history = slices.DeleteFunc(history, func(step Checkpoint) bool { return step.Part != Agent || step.Session != of.session })
	done, err := changesOf(w.db, history)
	if err != nil {
		return found, err
	}
	for i, step := range history {
		if err := w.addTo(step, done[i]); err != nil {
			return found, err
		}
		found.carried = append(found.carried, step.Work...)
	}
	found.changes = slices.Concat(done...)
	w.read[of] = found
	return found, nil
}

// Work returns the tips of the streams on which the agents' work of this one was done: its own, and
// those of the work that it carries forward.
func (s Stream) Work(db *gitexec.ODB) ([]gitexec.OID, error) {
	history, err := s.History(db)
	var tips []gitexec.OID
	own := false
	for _, k := range history {
		own = own || k.Part == Agent && len(k.Work) == 0
		tips = sets.With(tips, k.Work...)
	}
	if own {
		tips = append(tips, s.Tip.ID)
	}
	return tips, err
}

// IsMetadata reports whether a path of a checkpoint's tree is a session's metadata and not a file
// of the worktree.
func IsMetadata(p gitexec.Path) bool { return strings.HasPrefix(string(p), MetadataDir+"/") }

// Ours returns those of the refs that are this program's: the committed checkpoints, private refs,
// and streams whose tips prove it.
func Ours(db *gitexec.ODB, refs []gitexec.Ref) ([]gitexec.Ref, error) {
	var ours []gitexec.Ref
	for _, r := range refs {
		if r.Name == Checkpoints || strings.HasPrefix(r.Name, Private) {
			ours = append(ours, r)
			continue
		}
		if _, ok := ParseRef(r.Name); !ok || r.Type != "commit" {
			continue
		}
		_, ok, err := ReadCheckpoint(db, r.ID)
		if err != nil {
			return nil, err
		}
		if ok {
			ours = append(ours, r)
		}
	}
	return ours, nil
}
