package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/hookmanager"
	"entire-plumb/internal/safefile"
)

// mostManager limits the size of a hook manager's file, in bytes.
const mostManager = 1 << 20

// managerFile is a file of a hook manager's in the worktree.
type managerFile struct {
	manager hookmanager.Manager
	name    string // below the worktree's top level, with slashes
	text    string
}

// managerFiles are the files of lefthook and pre-commit that are there. An error names those that
// can't be read, or must not be, as one outside of the worktree: we have written nothing there.
func managerFiles(top string) ([]managerFile, error) {
	var unread error
	var found []managerFile
	for _, m := range hookmanager.All {
		for _, name := range m.Files {
			data, err := safefile.ReadInside(top, name, mostManager)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				found = append(found, managerFile{m, name, string(data)})
			}
			unread = errors.Join(unread, err)
			break
		}
	}
	return found, unread
}

// huskyDir is the directory of husky's files, below the worktree's top level: the one that git's
// hooks run, or the usual one. Empty: there is none.
func huskyDir(repo *gitexec.Repo) string {
	hooks, err := githooks.State(repo.HooksDir, "")
	for _, h := range hooks {
		if name, err2 := filepath.Rel(repo.Top, filepath.Dir(h.File)); err == nil && h.Manager == githooks.Husky && err2 == nil &&
			filepath.IsLocal(name) {
			return filepath.ToSlash(name)
		}
	}
	if info, err := os.Lstat(filepath.Join(repo.Top, ".husky")); err == nil && info.IsDir() {
		return ".husky"
	}
	return ""
}

// CheckAndWarnHookManagers writes a warning of each hook manager whose file is in the worktree and
// doesn't call this program, with the lines that would (seed 004). Its hooks run beside ours; but
// whoever installs them without `enable` records no commit. husky's and overcommit's are warned of
// where they are installed, since ours can't be: see wantedLines.
func CheckAndWarnHookManagers(repo *gitexec.Repo, w io.Writer) {
	files, _ := managerFiles(repo.Top)
	for _, f := range files {
		if missing := f.manager.Missing(f.text); len(missing) == len(f.manager.Stages) {
			fmt.Fprintf(w, "%s runs hooks here, and its file %s doesn't call %s: where only its hooks are installed, commits get no link\n"+
				"hint: run entire-plumb enable --write, or add to %s:\n%s", f.manager.Name, f.name, program, f.name, f.manager.Lines(f.text))
		}
	}
}

// managerEdit is a file of a hook manager's that is to be written; removed where now is empty.
type managerEdit struct {
	name, now string
	perm      fs.FileMode
	done      string
}

// writing are the edits that make the hook managers' files call us; nothing is changed yet.
func writing(ctx context.Context, repo *gitexec.Repo) (edits []managerEdit, err error) {
	files, err := managerFiles(repo.Top)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		now, err := f.manager.Add(f.name, f.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\nhint: add these lines where they belong, then run enable again:\n%s", f.name, err,
				strings.TrimSuffix(f.manager.Lines(f.text), "\n"))
		}
		done := "wrote " + f.name + ", by which " + f.manager.Name + " calls " + program
		if f.manager.Name == hookmanager.PreCommit.Name {
			done += "\nhint: git add " + f.name + ", since pre-commit lets no commit pass while it is not staged"
		}
		edits = append(edits, managerEdit{name: f.name, now: now, done: done})
	}
	if dir := huskyDir(repo); dir != "" {
		for _, hook := range githooks.Names {
			name := path.Join(dir, hook)
			data, err := safefile.ReadInside(repo.Top, name, mostManager)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if githooks.CallsFrom(hook, string(data)) {
				continue
			}
			edits = append(edits, managerEdit{name: name, now: hookmanager.AddLine(string(data), hook), done: "wrote " + name})
		}
	}
	return checkedEdits(ctx, repo, edits)
}

// unwriting are the edits that remove what writing wrote.
func unwriting(ctx context.Context, repo *gitexec.Repo) (edits []managerEdit, err error) {
	files, _ := managerFiles(repo.Top)
	for _, f := range files {
		edits = append(edits, managerEdit{name: f.name, now: hookmanager.Remove(f.text), done: "removed our lines from " + f.name})
	}
	if dir := huskyDir(repo); dir != "" {
		for _, hook := range githooks.Names {
			name := path.Join(dir, hook)
			data, err := safefile.ReadInside(repo.Top, name, mostManager)
			if err != nil { // we have not written it
				continue
			}
			edits = append(edits, managerEdit{name: name, now: hookmanager.RemoveLine(string(data), hook), done: "removed our line from " + name})
		}
	}
	return checkedEdits(ctx, repo, edits)
}

// checkedEdits are those of the edits that change a file, or the reason why none may: see
// checkFiles.
func checkedEdits(ctx context.Context, repo *gitexec.Repo, edits []managerEdit) ([]managerEdit, error) {
	var changes []managerEdit
	var names []string
	for _, e := range edits {
		data, err := safefile.ReadInside(repo.Top, e.name, mostManager)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if string(data) == e.now {
			continue
		}
		e.perm = 0o644
		if info, err := os.Stat(filepath.Join(repo.Top, filepath.FromSlash(e.name))); err == nil {
			e.perm = info.Mode().Perm() // husky's files are often executable
		}
		changes, names = append(changes, e), append(names, e.name)
	}
	return changes, checkFiles(ctx, repo, names...)
}

func (e managerEdit) apply(repo *gitexec.Repo) error {
	file, _, err := safefile.Inside(repo.Top, e.name)
	switch {
	case err != nil:
		return err
	case e.now == "": // nothing but ours was in it
		return os.Remove(file)
	}
	if err := safefile.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return safefile.Write(file, []byte(e.now), e.perm)
}

func applyManagers(repo *gitexec.Repo, edits []managerEdit) (done []string, err error) {
	for _, e := range edits {
		if err := e.apply(repo); err != nil {
			return done, err
		}
		done = append(done, e.done)
	}
	return done, nil
}
