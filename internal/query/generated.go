package query

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/generated"
	"entire-plumb/internal/sets"
)

// LinesTotal is the lines of several commits, each once, without those in generated and vendored
// files.
type LinesTotal struct {
	attribution.Sum
	Generated  attribution.Sum // in these files
	Again      attribution.Sum // that an older one of the commits brings, too
	Commits    int
	NotCounted int // commits whose lines are not counted
}

// Add adds a commit: all its lines, nil if they are not counted, and those of them that are apart,
// see attribution.Counted.
func (t *LinesTotal) Add(lines *attribution.Sum, again, generated attribution.Sum) {
	t.Commits++
	if lines == nil {
		t.NotCounted++
		return
	}
	t.Sum, t.Again, t.Generated = t.Plus(lines.Less(again).Less(generated)), t.Again.Plus(again), t.Generated.Plus(generated)
}

// markApart finds the lines of commits, newest first, that totals leave out. One process.
func markApart(ctx context.Context, r *Reader, commits []gitexec.OID, all []attribution.Counted) error {
	if err := attribution.MarkAgain(r.DB, commits, all); err != nil {
		return err
	}
	var paths []gitexec.Path
	for _, n := range all {
		for _, f := range n.Files {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	apart, err := Generated(ctx, r.Repo, sets.Once(paths))
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
