package query

import (
	"context"

	"entire-plumb/gitexec"
)

// Directories are the trees of the committed checkpoints, by ID. One is another when anything of
// the checkpoint is.
func Directories(ctx context.Context, r *Reader) (map[string]gitexec.OID, error) {
	all := map[string]gitexec.OID{}
	err := r.ask(ctx, func(c *catalogue) error {
		rows, err := c.latest(0, nil)
		for _, one := range rows {
			all[one.id] = one.dir.ID
		}
		return err
	})
	return all, err
}
