package shadow

import (
	"time"

	"entire-plumb/gitexec"
)

// Step is a checkpoint to be written on a stream.
type Step struct {
	Session string
	Turn    string
	Part    Part
	Subject string
	Task    string        // see Checkpoint
	Prompt  string        // see Checkpoint
	Tree    gitexec.OID   // the worktree, without metadata
	Overlay gitexec.Tree  // the session's metadata directory; nil: unchanged
	From    []gitexec.OID // see Checkpoint
	Work    []gitexec.OID // see Checkpoint
	Sources []gitexec.OID // see Checkpoint

	Estimated bool      // see Checkpoint
	Began     time.Time // see Checkpoint; zero: when it is written
	When      time.Time // likewise
}

// Commits prepares the commits of steps, in a chain: the first one's parent is the tip, or the base
// if the tip is zero. baseTree is the tree of the base; both are empty before the first commit. A
// step that changes nothing has no commit; nil: none has.
func Commits(db *gitexec.ODB, baseTree, base gitexec.OID, tip Checkpoint, who gitexec.Ident, steps []Step) ([]gitexec.NewCommit, error) {
	parent, last := base, baseTree
	if tip.ID != "" {
		parent, last = tip.ID, tip.Tree
	}
	// Keep existing metadata: that of other sessions on the stream, and of this one until there is
	// newer.
	kept, err := db.Lookup(last, MetadataDir)
	if err != nil {
		return nil, err
	}
	metadata := kept[0]
	var commits []gitexec.NewCommit
	for _, s := range steps {
		tree, err := overlay(db, s, metadata)
		if err != nil {
			return nil, err
		}
		// A step that changes nothing needs no checkpoint, and its tree would be the same.
		if tree == last {
			continue
		}
		k := Checkpoint{Session: s.Session, Turn: s.Turn, Part: s.Part, Subject: s.Subject, Task: s.Task, Prompt: s.Prompt, Base: base, Work: s.Work, Sources: s.Sources, Estimated: s.Estimated}
		author, committer := who, who
		if !s.When.IsZero() {
			committer.When = s.When
		}
		// A clock that was set back must not have a turn begin after its end.
		if author.When = committer.When; !s.Began.IsZero() && s.Began.Before(author.When) {
			author.When = s.Began
		}
		commits = append(commits, gitexec.NewCommit{
			Tree: tree, Parents: append([]gitexec.OID{parent}, s.From...), Author: author, Committer: committer, Message: k.message(),
		})
		parent, last = gitexec.Previous, tree
		found, err := db.Lookup(tree, MetadataDir)
		if err != nil {
			return nil, err
		}
		metadata = found[0]
	}
	return commits, nil
}

// overlay adds metadata to a worktree's tree.
func overlay(db *gitexec.ODB, s Step, metadata gitexec.Entry) (gitexec.OID, error) {
	edits := gitexec.Edits{}
	// First the directory of all sessions, then this session's in it: the deeper edit counts.
	if metadata.Exists() {
		edits[MetadataDir] = metadata
	}
	if s.Overlay != nil {
		id, err := db.WriteTree(s.Overlay)
		if err != nil {
			return "", err
		}
		edits[gitexec.Path(MetadataDir+"/"+s.Session)] = gitexec.Entry{Mode: gitexec.ModeTree, ID: id}
	}
	return db.EditTree(s.Tree, edits)
}
