// Package gitai exchanges what is recorded with the notes of Git AI, in refs/notes/ai.
package gitai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
)

// notes are those that a repository has.
type notes struct {
	db   *gitexec.ODB
	tip  gitexec.OID // empty: none
	tree gitexec.OID
}

// readNotes reads where they are.
func readNotes(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) (n notes, err error) {
	n.db = db
	refs, err := repo.RefIDs(ctx, ainote.Ref)
	if err != nil {
		return n, err
	}
	for _, ref := range refs {
		if ref.Name == ainote.Ref {
			n.tip = ref.ID
		}
	}
	if n.tip == "" {
		return n, nil
	}
	commits, err := db.Readable(n.tip)
	if err == nil && len(commits) == 0 {
		err = fmt.Errorf("%s is no commit that can be read\nhint: git fetch may restore it", ainote.Ref)
	}
	if err == nil {
		n.tree = commits[0].Tree
	}
	return n, err
}

// deepest is how many directories git may put a note into.
const deepest = 3

// names are the paths where git looks for a commit's note.
func names(commit gitexec.OID) (all []gitexec.Path) {
	name := ""
	for i := 0; i <= deepest; i++ {
		at := 2 * i
		all = append(all, gitexec.Path(name+string(commit[at:])))
		name += string(commit[at:at+2]) + "/"
	}
	return all
}

// note is one that is there.
type note struct {
	commit gitexec.OID
	path   gitexec.Path
	blob   gitexec.OID
}

// of finds the notes of some commits.
func (n notes) of(commits []gitexec.OID) (map[gitexec.OID]note, error) {
	found := map[gitexec.OID]note{}
	if n.tree == "" {
		return found, nil
	}
	for _, id := range commits {
		paths := names(id)
		entries, err := n.db.Files(n.tree, paths...)
		if err != nil {
			return nil, err
		}
		for i, e := range entries {
			if e.Exists() && found[id].blob == "" {
				found[id] = note{id, paths[i], e.ID}
			}
		}
	}
	return found, nil
}

// says reports whether a note has a text.
func (n notes) says(of note, text []byte) (bool, error) {
	if of.blob == "" {
		return false, nil
	}
	data, err := n.db.Blob(of.blob, mostNote)
	if err != nil {
		return false, n.db.Canceled() // what cannot be read says something else
	}
	return bytes.Equal(data, text), nil
}

// mostTree is how many bytes one directory of notes may have, and mostNotes how many notes and
// directories there may be: a directory may be in another one many times.
const mostTree, mostNotes = 16 << 20, 1_000_000

// directory is one of notes, with its path and a slash; empty: the root.
type directory struct {
	prefix string
	id     gitexec.OID
}

// all lists all notes, those nearest to the root first: of a commit that has several the first one
// counts, as in of. What is none is left out.
func (n notes) all() ([]note, error) {
	const together = 16 // of a million notes in 256 directories they have four megabytes
	l := listing{db: n.db, below: []directory{{"", n.tree}}}
	for depth := 0; depth <= deepest && n.tree != ""; depth++ {
		dirs := l.below
		l.below = nil
		for some := range slices.Chunk(dirs, together) {
			if err := l.read(some); err != nil {
				return nil, fmt.Errorf("%s cannot be read: %w", ainote.Ref, err)
			}
		}
	}
	return l.notes, nil
}

// listing is what was found of notes, and the directories that may have more.
type listing struct {
	db    *gitexec.ODB
	notes []note
	below []directory
}

func (l *listing) read(dirs []directory) error {
	var ids []gitexec.OID
	for _, d := range dirs {
		ids = append(ids, d.id)
	}
	trees, err := l.db.TreesUpTo(mostTree, ids...)
	if err != nil {
		return err
	}
	for i, tree := range trees {
		if len(l.notes)+len(l.below)+len(tree) > mostNotes {
			return fmt.Errorf("it has more than %d notes and directories", mostNotes)
		}
		prefix := dirs[i].prefix
		for name, e := range tree {
			id := strings.ReplaceAll(prefix, "/", "") + name
			switch {
			case e.IsTree() && len(name) == 2:
				l.below = append(l.below, directory{prefix + name + "/", e.ID})
			case !e.IsTree() && gitexec.ValidOID(id):
				l.notes = append(l.notes, note{gitexec.OID(id), gitexec.Path(prefix + name), e.ID})
			}
		}
	}
	return nil
}

// fansOut reports whether new notes go into directories, as git puts them where there are many.
func (n notes) fansOut(more int) (bool, error) {
	const many = 256
	if n.tree == "" {
		return more > many, nil
	}
	trees, err := n.db.Trees(n.tree)
	if err != nil {
		return false, err
	}
	for name, e := range trees[0] {
		if e.IsTree() && len(name) == 2 {
			return true, nil
		}
	}
	return len(trees[0])+more > many, nil
}

// write writes notes in one commit, and moves the ref.
func (n notes) write(ctx context.Context, repo *gitexec.Repo, now time.Time, edits gitexec.Edits) (gitexec.OID, error) {
	root := n.tree
	if root == "" {
		root = repo.Format.EmptyTree()
	}
	tree, err := n.db.EditTree(root, edits)
	if err != nil {
		return "", err
	}
	name, email, err := repo.User(ctx)
	if err != nil { // git knows none, as in a CI job
		name, email = "entire-plumb", "entire-plumb@localhost"
	}
	who := gitexec.Ident{Name: name, Email: email, When: now}
	tip, err := n.db.WriteCommits(gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{n.tip}, Author: who, Committer: who,
		Message: "Notes added by 'entire-plumb export'\n"})
	if err != nil {
		return "", err
	}
	u, err := repo.StartRefUpdate(ctx, "entire-plumb export")
	if err != nil {
		return "", err
	}
	if n.tip == "" {
		err = u.Create(ainote.Ref, tip)
	} else {
		err = u.Update(ainote.Ref, tip, n.tip)
	}
	if err == nil {
		err = u.Commit()
	}
	if err != nil {
		return "", errors.Join(err, u.Abort())
	}
	return tip, n.db.Settle()
}
