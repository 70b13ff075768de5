package shadow

import (
	"slices"

	"entire-plumb/gitexec"
)

// Without prepares the commits of a stream without a session: the worktree's states stay, what the
// session changed between them is the human's, and its metadata is taken out. heir, another session
// on the stream, is named by the human's parts that the session had (seed 004, ResetSession).
func (s Stream) Without(db *gitexec.ODB, session, heir string, who gitexec.Ident) ([]gitexec.NewCommit, error) {
	history, err := s.History(db)
	if err != nil {
		return nil, err
	}
	var commits []gitexec.NewCommit
	parent, last := history[0].Parent, history[0].Before
	for _, k := range history {
		tree, err := db.EditTree(k.Tree, gitexec.Edits{gitexec.Path(MetadataDir + "/" + session): {}})
		if err != nil {
			return nil, err
		}
		parents := slices.Clone(k.From)
		if k.Session == session {
			k.Session, k.Part, k.Task, k.Work, k.Estimated, parents = heir, Human, "", nil, false, nil
		}
		// A checkpoint that added metadata alone would be an empty commit.
		if tree == last {
			continue
		}
		who.When = k.When
		commits = append(commits, gitexec.NewCommit{
			Tree: tree, Parents: append([]gitexec.OID{parent}, parents...), Author: who, Committer: who, Message: k.message()})
		parent, last = gitexec.Previous, tree
	}
	return commits, nil
}
