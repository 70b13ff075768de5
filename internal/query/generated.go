package query

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/generated"
)

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
