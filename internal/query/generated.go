package query

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/generated"
	"entire-plumb/internal/sets"
)

// LinesTotal is the lines of several commits, without those in generated and vendored files.
type LinesTotal struct {
	attribution.Sum
	Generated  attribution.Sum // in these files
	Commits    int
	NotCounted int // commits whose lines are not counted
}

// Add adds a commit: all its lines, nil if they are not counted, and those in generated files.
func (t *LinesTotal) Add(lines *attribution.Sum, generated attribution.Sum) {
	t.Commits++
	if lines == nil {
		t.NotCounted++
		return
	}
	t.Sum, t.Generated = t.Plus(lines.Less(generated)), t.Generated.Plus(generated)
}

// markGenerated finds the files whose lines totals count apart. One process.
func markGenerated(ctx context.Context, repo *gitexec.Repo, all []attribution.Counted) error {
	var paths []gitexec.Path
	for _, n := range all {
		for _, f := range n.Files {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	apart, err := Generated(ctx, repo, sets.Once(paths))
	for _, n := range all {
		for i := range n.Files {
			n.Files[i].Generated = apart[n.Files[i].Path]
		}
	}
	return err
}

// Generated reports which of the files are generated or vendored: their lines are counted apart.
// One process.
func Generated(ctx context.Context, repo *gitexec.Repo, paths []gitexec.Path) (map[gitexec.Path]bool, error) {
	attributes, err := repo.Attributes(ctx, paths, generated.Attribute, generated.Vendored)
	if err != nil {
		return nil, err
	}
	apart := map[gitexec.Path]bool{}
	for _, path := range paths {
		if generated.Is(path, attributes[path]) {
			apart[path] = true
		}
	}
	return apart, nil
}
