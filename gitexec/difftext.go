package gitexec

import (
	"context"
	"io"
	"path/filepath"
)

// DiffText is the diff between two trees as git prints it, to be read by a user: its beginning, of
// a long one. .entire/metadata is excluded. One process.
func (db *ODB) DiffText(from, to OID, most int) ([]byte, error) {
	ctx, cancel := context.WithCancel(db.ctx)
	defer cancel()
	r := db.repo
	r.bringChanged(ctx, [][2]OID{{from, to}})
	p, err := r.start(ctx, command{env: []string{"GIT_INDEX_FILE=" + filepath.Join(r.PrivateDir(), "no-index")},
		args: []string{"-c", "core.quotePath=false", "diff-tree", "-r", "-p", "-M", "-l1000", "--no-color", "--no-ext-diff", "--no-textconv",
			"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", string(from), string(to), "--", ":(top)", ":(top,exclude).entire/metadata"}})
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(p.out, int64(most)))
	if len(text) == most { // the rest is not wanted
		cancel()
		p.wait()
		return text, nil
	}
	if err != nil {
		return nil, p.broken(err)
	}
	return text, p.wait()
}
