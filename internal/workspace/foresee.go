package workspace

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
)

// Foresee has the run judge the commit that `git commit` would make of a tree if it were called
// now, by whoever called this program. Where no process can be seen, a hook would see none, either.
func (w *Workspace) Foresee(tree gitexec.OID) {
	w.Foreseen = tree
	if above := w.Ancestors(); len(above) > 0 {
		w.ancestors = append([]ancestry.Process{{Name: "git", Args: []string{"git", "commit"}}}, above...)
	}
}

// statesAside copies the states to the run's own private directory, once.
func (w *Workspace) statesAside() (err error) {
	if w.Store.Dir == StateDir(w.Repo) {
		w.Store, err = w.Store.Aside(w.Repo.PrivateDir())
	}
	return err
}
