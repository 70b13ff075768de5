package turns

import (
	"maps"
	"path/filepath"
	"slices"

	"entire-plumb/internal/commits"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
)

// movedByUser adds to what a turn's tools wrote the lines of theirs that the user moved to other
// files while it went on, where the tools name all that they wrote.
func movedByUser(run *workspace.Run, t turn) (turn, error) {
	if !t.told() {
		return t, nil
	}
	texts := commits.TextsIn(run.Repo, t.wrote.Texts)
	changes, err := run.DB.Versions(t.before, t.snap.Tree, sets.Union(t.touched, slices.Sorted(maps.Keys(texts)))...)
	if err != nil {
		return t, err
	}
	moved, err := works.MovedByUser(run.DB, texts, changes)
	if err != nil || len(moved) == 0 {
		return t, err
	}
	wrote := *t.wrote
	wrote.Files, wrote.Texts = slices.Clone(wrote.Files), maps.Clone(wrote.Texts)
	for _, path := range slices.Sorted(maps.Keys(moved)) {
		name := filepath.Join(run.Repo.Top, filepath.FromSlash(string(path)))
		wrote.Files, wrote.Texts[name] = append(wrote.Files, name), wrote.Texts[name].With(moved[path])
	}
	t.wrote = &wrote
	return t, nil
}
