package shadow

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entire-plumb/gitexec"
)

// Stream is one line of work on a base: a shadow branch whose tip proves that it is ours.
type Stream struct {
	Name
	Tip Checkpoint
}

// Listing is a list of our branches.
type Listing struct {
	Checkpoints gitexec.OID            // the tip of the committed checkpoints; empty if there are none
	refs        map[string]gitexec.OID // by name: what has a stream's name, proven or not
	legacy      map[string]gitexec.OID // those that may be streams without suffixes
}

// List reads the refs under entire/. One process.
func List(ctx context.Context, repo *gitexec.Repo) (Listing, error) {
	refs, err := repo.Refs(ctx, Prefix)
	if err != nil {
		return Listing{}, err
	}
	l := Listing{refs: map[string]gitexec.OID{}, legacy: map[string]gitexec.OID{}}
	for _, r := range refs {
		if r.Name == Checkpoints {
			l.Checkpoints = r.ID
		} else if _, ok := ParseRef(r.Name); ok {
			l.refs[r.Name] = r.ID
		} else if _, _, ok := parseLegacy(r.Name); ok && r.Type == "commit" {
			l.legacy[r.Name] = r.ID
		}
	}
	l.applyBlocked(Blocked(repo))
	return l, nil
}

// applyBlocked replaces the values of blocked refs by those to be.
func (l *Listing) applyBlocked(blocked []RefChange) {
	for _, b := range blocked {
		_, stream := ParseRef(b.Ref)
		switch _, _, old := parseLegacy(b.Ref); {
		case b.Ref == Checkpoints:
			l.Checkpoints = b.New
		case b.New == "":
			delete(l.refs, b.Ref)
			delete(l.legacy, b.Ref)
		case stream:
			l.refs[b.Ref] = b.New
		case old:
			l.legacy[b.Ref] = b.New
		}
	}
}

// Has reports whether a ref of that name exists, ours or not.
func (l Listing) Has(n Name) bool { return l.refs[n.Ref()] != "" }

// Highest is the highest suffix of a worktree's streams on a base, 0 if there is none.
func (l Listing) Highest(base gitexec.OID, worktreeID string) int {
	highest := 0
	for _, n := range l.names(base, worktreeID) {
		highest = max(highest, n.Suffix)
	}
	return highest
}

func (l Listing) names(base gitexec.OID, worktreeID string) []Name {
	var names []Name
	for ref := range l.refs {
		if n := parseName(ref); n.Base == base.Short() && n.In(worktreeID) {
			names = append(names, n)
		}
	}
	sort.Slice(names, func(i, j int) bool { return names[i].Suffix < names[j].Suffix })
	return names
}

// Streams reads the tips of a worktree's streams on a base, lowest suffix first, without branches
// that only have a stream's name.
func (l Listing) Streams(db *gitexec.ODB, base gitexec.OID, worktreeID string) ([]Stream, error) {
	return l.readTips(db, base, l.names(base, worktreeID))
}

// firstProbe is how many suffixes of a base are looked up at once at first; where most of them are
// taken it is four times as many the next time, up to mostProbed. Looking up a free name costs git
// more than one that is taken.
const firstProbe, mostProbed = 16, 256

// Probe lists the streams of the repository's worktree on some bases through the open cat-file: for
// hooks that cannot afford the process that lists refs. Suffixes are given out in order, so it
// stops where many in a row are free.
func Probe(repo *gitexec.Repo, db *gitexec.ODB, bases ...gitexec.OID) (Listing, error) {
	l, err := probe(db, repo.WorktreeID(), bases...)
	l.applyBlocked(Blocked(repo))
	return l, err
}

func probe(db *gitexec.ODB, worktreeID string, bases ...gitexec.OID) (Listing, error) {
	l := Listing{refs: map[string]gitexec.OID{}, legacy: map[string]gitexec.OID{}}
	for first, some := 1, firstProbe; first <= MaxSuffix && len(bases) > 0; {
		ask := []gitexec.OID{gitexec.OID(Checkpoints)}
		of := []int{-1} // the base that a name is of
		for b, base := range bases {
			for i := range some {
				ask, of = append(ask, gitexec.OID(NewName(base, worktreeID, first+i).Ref())), append(of, b)
			}
			if first == 1 {
				for _, ref := range legacyRefs(base, worktreeID) {
					ask, of = append(ask, ref), append(of, -1)
				}
			}
		}
		found, err := db.Info(ask...)
		if err != nil {
			return l, err
		}
		taken := make([]int, len(bases))
		for i, object := range found {
			switch {
			case object.Type == "":
			case i == 0:
				l.Checkpoints = object.ID
			case isLegacy(ask[i]):
				if object.Type == "commit" {
					l.legacy[string(ask[i])] = object.ID
				}
			default:
				l.refs[string(ask[i])] = object.ID
				taken[of[i]]++
			}
		}
		var more []gitexec.OID
		full := false
		for b, base := range bases {
			if taken[b] > 0 {
				more = append(more, base)
			}
			full = full || taken[b] > some/2
		}
		bases, first = more, first+some
		if full {
			some = min(4*some, mostProbed)
		}
	}
	return l, nil
}

func (l Listing) readTips(db *gitexec.ODB, base gitexec.OID, names []Name) ([]Stream, error) {
	ids := make([]gitexec.OID, len(names))
	for i, n := range names {
		ids[i] = l.refs[n.Ref()]
	}
	objects, err := db.Any(ids...)
	if err != nil {
		return nil, err
	}
	var streams []Stream
	for i, object := range objects {
		if object.Type != "commit" {
			continue
		}
		commit, err := gitexec.ParseCommit(object.ID, object.Data)
		if err != nil {
			return nil, err
		}
		tip, ours := readCheckpoint(commit)
		// Two commits may have the same seven digits. A stream that moved with its work names its
		// old base.
		namesake := base != "" && tip.Base.Short() == base.Short() && tip.Base != base
		if ours && !namesake {
			streams = append(streams, Stream{Name: names[i], Tip: tip})
		}
	}
	return streams, nil
}

// BaseCommit is the commit that the stream hangs from: its tip names it, unless the stream was moved
// since, as by an amend of its base; then its name abbreviates it. Where neither can be read it is
// what the tip says.
func (s Stream) BaseCommit(db *gitexec.ODB) gitexec.OID {
	base := s.Tip.Base
	if base == "" { // another program's doesn't name it
		if history, err := s.History(db); err == nil {
			base = history[0].Parent
		}
	}
	if base.Short() == s.Base {
		return base
	}
	found, err := db.Info(gitexec.OID(s.Base + "^{commit}"))
	if err != nil || found[0].Type != "commit" {
		return base
	}
	return found[0].ID
}

// maxHistory is the most checkpoints that are read of a stream.
const maxHistory = 10_000

// History reads a stream's checkpoints, oldest first.
func (s Stream) History(db *gitexec.ODB) ([]Checkpoint, error) {
	var history []Checkpoint
	var ahead []gitexec.Commit
	at, look := s.Tip, 4 // most streams are short
	for range maxHistory {
		if at.Parent == "" {
			history = append(history, at)
			break
		}
		if len(ahead) == 0 {
			var err error
			if ahead, err = db.Ancestors(at.Parent, look); err != nil {
				return nil, fmt.Errorf("stream %s: %w", s.Name, err)
			}
			look = min(4*look, 64)
		}
		at.Before = ahead[0].Tree
		history = append(history, at)
		next, ours := readCheckpoint(ahead[0])
		if !ours {
			break
		}
		at, ahead = next, ahead[1:]
	}
	for i, j := 0, len(history)-1; i < j; i, j = i+1, j-1 {
		history[i], history[j] = history[j], history[i]
	}
	return history, nil
}

// Change is a change of one file by an agent's turn.
type Change struct {
	gitexec.Change
	Session string
	Turn    string
	Of      []Change // the changes that it carries forward: only their lines are the agent's
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

// AgentChanges lists them for several streams, whose trees are compared in parallel.
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
	at := 0
	for i, s := range streams {
		for first := at; at < ends[i]; at++ {
			if k := all[at]; len(k.Work) > 0 {
				if err := s.addCarried(db, k, done[at]); err != nil {
					return nil, err
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
			changes[i] = append(changes[i], Change{Change: c, Session: k.Session, Turn: k.Turn})
		}
	}
	return changes, nil
}

// addCarried adds to a checkpoint's changes those that they carry forward.
func (s Stream) addCarried(db *gitexec.ODB, k Checkpoint, changes []Change) error {
	at := make(map[gitexec.Path]int, len(changes)) // each path is there once
	for i, c := range changes {
		at[c.Path] = i
	}
	for _, id := range k.Work {
		tip, ours, err := ReadCheckpoint(db, id)
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
		if !ours {
			continue
		}
		history, err := Stream{Name: s.Name, Tip: tip}.History(db)
		if err != nil {
			return err
		}
		history = slices.DeleteFunc(history, func(step Checkpoint) bool {
			return step.Part != Agent || step.Session != k.Session || len(step.Work) > 0 // work carried forward to there is named itself
		})
		done, err := changesOf(db, history)
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
		for _, d := range slices.Concat(done...) {
			if i, ok := at[d.Path]; ok {
				changes[i].Of = append(changes[i].Of, d)
			}
		}
	}
	return nil
}

// Work returns the tips of the streams on which the agents' work of this one was done: its own, and
// those of the work that it carries forward.
func (s Stream) Work(db *gitexec.ODB) ([]gitexec.OID, error) {
	history, err := s.History(db)
	var tips []gitexec.OID
	own := false
	for _, k := range history {
		own = own || k.Part == Agent && len(k.Work) == 0
		for _, id := range k.Work {
			if !slices.Contains(tips, id) {
				tips = append(tips, id)
			}
		}
	}
	if own {
		tips = append(tips, s.Tip.ID)
	}
	return tips, err
}

// All reads the tips of all streams, of all bases and worktrees, by name.
func (l Listing) All(db *gitexec.ODB) ([]Stream, error) {
	var names []Name
	for _, branch := range l.Names() {
		names = append(names, parseName("refs/heads/"+branch))
	}
	return l.readTips(db, "", names)
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
		commits, err := db.Commits(r.ID)
		if err != nil {
			return nil, err
		}
		if _, ok := readCheckpoint(commits[0]); ok {
			ours = append(ours, r)
		}
	}
	return ours, nil
}

// Names lists the branches with a stream's name, of all worktrees and bases, sorted.
func (l Listing) Names() []string {
	var names []string
	for ref := range l.refs {
		names = append(names, strings.TrimPrefix(ref, "refs/heads/"))
	}
	sort.Strings(names)
	return names
}
