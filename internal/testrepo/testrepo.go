// Package testrepo makes small repositories for tests, whose commits, trees and refs a test writes.
package testrepo

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// Repository is a repository and the test that it is for, which ends where something goes wrong.
type Repository struct {
	*testing.T
	Dir  string
	Repo *gitexec.Repo // as Open found it last
	DB   *gitexec.ODB  // of Repo, until the end of the test
}

// New makes a repository on the branch main, without a commit. Options are git init's.
func New(t *testing.T, options ...string) *Repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	r := &Repository{T: t, Dir: dir}
	r.Git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	r.Open()
	return r
}

// Open finds the repository as it is now.
func (r *Repository) Open() {
	r.Helper()
	repo, err := gitexec.Discover(r.Context(), r.Dir, &gitexec.Tracer{}) // which counts
	r.Must(err)
	db := repo.ODB(r.Context())
	r.Cleanup(func() { db.Close() })
	r.Repo, r.DB = repo, db
}

// Must ends the test where there is an error.
func (r *Repository) Must(err error) {
	r.Helper()
	testdir.Must(r, err)
}

// Git runs git in the worktree, as testdir.Git does. It sees all that the test wrote.
func (r *Repository) Git(args ...string) string {
	r.Helper()
	if r.DB != nil {
		r.Must(r.DB.Flush())
	}
	return testdir.Git(r, r.Dir, args...)
}

// Write writes files in the worktree, as testdir.Write does.
func (r *Repository) Write(files ...string) {
	r.Helper()
	testdir.Write(r, r.Dir, files...)
}

// Commit commits the worktree, after it wrote files, and opens the repository again.
func (r *Repository) Commit(message string, files ...string) gitexec.OID {
	r.Helper()
	r.Write(files...)
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	r.Open()
	return r.Repo.Head.ID
}

// Blob is a file that has a content.
func (r *Repository) Blob(content string) gitexec.Entry {
	r.Helper()
	id, err := r.DB.WriteBlob([]byte(content))
	r.Must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

// JSON is a file that has a value as JSON.
func (r *Repository) JSON(value any) gitexec.Entry {
	r.Helper()
	data, err := json.Marshal(value)
	r.Must(err)
	return r.Blob(string(data))
}

// Edit changes files of a tree, each a name and its content, as in Write. The tree may be "".
func (r *Repository) Edit(tree gitexec.OID, files ...string) gitexec.OID {
	r.Helper()
	edits := gitexec.Edits{}
	for i := 0; i < len(files); i += 2 {
		edits[gitexec.Path(files[i])] = r.Blob(files[i+1])
	}
	return r.EditTree(tree, edits)
}

// EditTree changes a tree, which may be "".
func (r *Repository) EditTree(tree gitexec.OID, edits gitexec.Edits) gitexec.OID {
	r.Helper()
	tree, err := r.DB.EditTree(tree, edits)
	r.Must(err)
	r.Must(r.DB.Flush()) // another ODB may read it
	return tree
}

// Branch commits a tree to a ref, on top of what is there, and returns the commit.
func (r *Repository) Branch(ref, message string, tree gitexec.OID) gitexec.OID {
	r.Helper()
	args := []string{"commit-tree", "-m", message, string(tree)}
	if tip := r.Git("for-each-ref", "--format=%(objectname)", ref); tip != "" {
		args = append(args, "-p", tip)
	}
	commit := r.Git(args...)
	r.Git("update-ref", ref, commit)
	return gitexec.OID(commit)
}

// Text is the content of a file; empty where it is none.
func (r *Repository) Text(e gitexec.Entry) string {
	r.Helper()
	if !e.Exists() {
		return ""
	}
	found, err := r.DB.Any(e.ID)
	r.Must(err)
	return string(found[0].Data)
}
