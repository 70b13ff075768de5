package checkpoints

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/shadow"
)

// Branch is entire/checkpoints/v1 as it was read: an orphan branch that holds all committed
// checkpoints.
type Branch struct {
	Tip   gitexec.OID // empty: no branch
	Tree  gitexec.OID
	Local gitexec.OID // the local ref's value: Tip, or empty where Tip is the remote's

	fetched *fetched   // nil: only this branch is read
	side    *sideLinks // nil: only this branch's side links are read
	now     time.Time  // see AsOf; zero: times are read as they are

	added func(id, session string) bool // see Judged; nil: it is not judged
}

// originRef is the branch as last fetched from "origin".
const originRef = "refs/remotes/origin/entire/checkpoints/v1"

// ReadBranch reads the branch's tip; where that is empty, the one of the remote "origin", on which
// the branch then continues (seed 004, EnsureMetadataBranch).
func ReadBranch(db *gitexec.ODB, tip gitexec.OID) (Branch, error) {
	// Nothing of what was fetched is read before its signatures are checked, which a union does.
	if tip == "" && SignaturesRequired(db) {
		return Branch{}, nil
	}
	if tip == "" {
		fetched, err := db.Readable(originRef)
		if err != nil || len(fetched) == 0 {
			return Branch{}, err
		}
		return Branch{Tip: fetched[0].ID, Tree: fetched[0].Tree}, nil
	}
	c, err := db.Commit(tip)
	if err != nil {
		return Branch{}, fmt.Errorf("the branch of the checkpoints, %s, cannot be read: %w\n"+
			"hint: move it to a commit of its own: git reflog, or git fetch, may have one; "+
			"git update-ref -d %s begins a new branch", shadow.Checkpoints, err, shadow.Checkpoints)
	}
	return Branch{Tip: tip, Tree: c.Tree, Local: tip}, nil
}

// FetchedTree is the tree of the branch as last fetched from "origin"; empty: there is none. No
// process.
func FetchedTree(db *gitexec.ODB) gitexec.OID {
	if b, err := ReadBranch(db, ""); err == nil {
		return b.Tree
	}
	return ""
}

// Holds reports which of the checkpoints are on the branch.
func (b Branch) Holds(db *gitexec.ODB, ids ...string) (map[string]bool, error) {
	held := map[string]bool{}
	for _, id := range ids {
		files, _, err := directory(db, b.Tree, id)
		if err != nil {
			return held, err
		}
		held[id] = files["metadata.json"].Exists()
	}
	return held, nil
}

// Missing lists those of some checkpoints that are neither on the branch nor were fetched. One that
// cannot be read is there.
func (b Branch) Missing(db *gitexec.ODB, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, there, err := directory(db, b.root(db, id), id)
		return there || err != nil
	})
}

// InitMessage is the message of the branch's first commit, whose tree is empty.
const InitMessage = InitSubject + "\n"

// InitSubject is its subject.
const InitSubject = "Initialize metadata branch"

// Commits prepares the commits that apply edits to the branch: one, after the initial commit where
// there is no branch. What they write of checkpoints is remembered as this clone's.
func (b Branch) Commits(db *gitexec.ODB, edits gitexec.Edits, who gitexec.Ident, message string) ([]gitexec.NewCommit, error) {
	tree, err := db.EditTree(b.Tree, edits)
	if err != nil {
		return nil, err
	}
	_ = decided.Append(db.SharedDir(), writtenIn(db, b, edits)...) // what cannot be kept is recorded all the same
	commit := gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{b.Tip}, Author: who, Committer: who, Message: message, Sign: db.Signs()}
	if b.Tip != "" {
		return []gitexec.NewCommit{commit}, nil
	}
	empty, err := db.WriteTree(gitexec.Tree{}) // git has the empty tree built in, but git fsck wants it stored
	if err != nil {
		return nil, err
	}
	commit.Parents = []gitexec.OID{gitexec.Previous}
	return []gitexec.NewCommit{{Tree: empty, Author: who, Committer: who, Message: InitMessage, Sign: commit.Sign}, commit}, nil
}

// WriteBranch writes these commits, and returns the change of the branch's ref; none without edits.
func WriteBranch(db *gitexec.ODB, b Branch, edits gitexec.Edits, who gitexec.Ident, message string) ([]shadow.RefChange, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	commits, err := b.Commits(db, edits, who, message)
	if err != nil {
		return nil, err
	}
	last, err := db.WriteCommits(commits...)
	return []shadow.RefChange{{Ref: shadow.Checkpoints, Old: b.Local, New: last}}, err
}

// ErrBranchInTheWay says that a branch named "entire" makes all of ours impossible.
var ErrBranchInTheWay = errors.New("a branch named entire is in the way of entire/…")
