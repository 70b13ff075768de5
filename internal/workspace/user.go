package workspace

import (
	"context"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// user is git's user, in a file of ours: hooks don't start a process to ask for it.
type user struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

func userFile(sharedDir string) string { return filepath.Join(sharedDir, "user.json") }

// mostUser is how many bytes the file may have.
const mostUser = 4096

// AskUser asks git for its user, and keeps the answer. One process.
func AskUser(ctx context.Context, repo *gitexec.Repo) (name, email string, err error) {
	if name, email, err = repo.User(ctx); err != nil || knownUser(repo) == (user{name, email}) {
		return name, email, err
	}
	_ = safefile.WritePrivate(userFile(repo.SharedDir()), user{name, email}) // without it the next commits are by entire-plumb
	return name, email, nil
}

// knownUser is the zero value where nobody asked yet.
func knownUser(repo *gitexec.Repo) (u user) {
	u, _ = safefile.ReadPrivate[user](userFile(repo.SharedDir()), mostUser)
	if u.Name == "" || u.Email == "" {
		return user{}
	}
	return u
}

// User is git's user, name and address, as far as somebody asked; empty: not known. No process.
func User(repo *gitexec.Repo) string {
	u := knownUser(repo)
	if u == (user{}) {
		return ""
	}
	return u.Name + " <" + u.Email + ">"
}

// ForgetUser deletes the answer.
func ForgetUser(repo *gitexec.Repo) { os.Remove(userFile(repo.SharedDir())) }
