package turns

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// largestRenamed is how many bytes a file may have that is looked for under another name.
const largestRenamed = 1 << 20

// renamedByUser has a turn begin from the names that the user gave, while it went on, to files that
// its tools wrote: what they made of them is the turn's under any name. It does so where the tools
// name all that they wrote, and a new file that they don't name has what they wrote into one that
// is gone.
func renamedByUser(run *workspace.Run, s *session.State, t turn) (turn, error) {
	if t.wrote == nil || !t.told(s) {
		return t, nil
	}
	named := commits.PathsInWorktree(run.Repo, t.wrote.Files)
	unnamed := unnamedFiles(t.touched, named)
	if len(named) == 0 || len(unnamed) == 0 {
		return t, nil
	}
	gone, err := run.DB.Versions(t.before, t.snap.Tree, named...)
	if err != nil {
		return t, err
	}
	came, err := run.DB.Versions(t.before, t.snap.Tree, unnamed...)
	if err != nil {
		return t, err
	}
	wrote, texts := *t.wrote, commits.TextsIn(run.Repo, t.wrote.Texts)
	wrote.Files, wrote.Texts = slices.Clone(wrote.Files), maps.Clone(wrote.Texts)
	edits, left := gitexec.Edits{}, []gitexec.Path(nil)
	for _, to := range came {
		from := slices.IndexFunc(gone, func(c gitexec.Change) bool {
			made, _ := divide.Own(nil, textOf(run.DB, to.New), texts[c.Path])
			return !c.New.Exists() && made != nil
		})
		if from < 0 || to.Old.Exists() {
			continue
		}
		file, name := gone[from], filepath.Join(run.Repo.Top, filepath.FromSlash(string(to.Path)))
		edits[file.Path], edits[to.Path] = gitexec.Entry{}, file.Old
		wrote.Files, wrote.Texts[name] = append(wrote.Files, name), texts[file.Path]
		left, gone = append(left, file.Path), slices.Delete(gone, from, from+1)
	}
	if len(edits) == 0 {
		return t, nil
	}
	t.wrote, t.start = &wrote, cmp.Or(t.start, t.before)
	t.touched = unnamedFiles(t.touched, left)
	t.before, err = run.DB.EditTree(t.before, edits)
	return t, err
}

// textOf is the text of a version; empty where there is none, or too much to look at.
func textOf(db *gitexec.ODB, e gitexec.Entry) []byte {
	if !e.IsFile() {
		return nil
	}
	data, err := db.Blob(e.ID, largestRenamed)
	if err != nil || gitexec.IsBinary(data) {
		return nil // what cannot be read tells nothing
	}
	return data
}
