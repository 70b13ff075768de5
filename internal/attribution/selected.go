package attribution

import (
	"context"

	"entire-plumb/gitexec"
)

// Selected reports which patches of pairs of trees pathspecs select, as Count does. One process, or
// none without pathspecs.
func Selected(ctx context.Context, repo *gitexec.Repo, pairs [][2]gitexec.OID, paths gitexec.Pathspecs) (func(gitexec.FilePatch) bool, error) {
	return selectedBy(ctx, repo, pairs, paths)
}
