package query

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/workspace"
)

// Census is what there is of checkpoints, and what is wrong with them.
type Census struct {
	Checkpoints int
	Damaged     []checkpoints.CommittedInfo // that cannot be fully read
	Beside      []string                    // damage that keeps no checkpoint from being listed
	// Unlisted are the commits on branches and tags that link a checkpoint which no list has, by
	// the checkpoint.
	Unlisted map[string][]gitexec.OID
}

// TakeCensus takes it, of the branch as ReadBranches read it.
func TakeCensus(ctx context.Context, e workspace.Env, repo *gitexec.Repo, db *gitexec.ODB, branch checkpoints.Branch) (c Census, err error) {
	r := &Reader{Env: e, Repo: repo, DB: db, Branch: branch}
	defer func() { r.known.close() }()
	err = r.ask(ctx, func(k *catalogue) (err error) {
		c.Damaged, err = k.damaged()
		c.Checkpoints, c.Beside = k.count(), nil
		for _, text := range k.Scan(keyBeside) {
			c.Beside = append(c.Beside, string(text))
		}
		return err
	})
	if err != nil {
		return c, err
	}
	err = caches{repo, db, e}.withLinks(ctx, here, func(links *index.Index) error {
		c.Unlisted = map[string][]gitexec.OID{}
		for key := range links.Scan("") {
			// Keys of that index: see withLinks.
			id, commit, _ := strings.Cut(key, " ")
			c.Unlisted[id] = append(c.Unlisted[id], gitexec.OID(commit))
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	return c, r.ask(ctx, func(k *catalogue) error {
		for key := range k.Scan(keyRow) {
			delete(c.Unlisted, strings.TrimPrefix(key, keyRow))
		}
		return nil
	})
}

// Latest is the latest of some commits.
func Latest(db *gitexec.ODB, ids []gitexec.OID) (gitexec.OID, error) {
	commits, err := db.Commits(ids...)
	if err != nil {
		return "", err
	}
	return slices.MinFunc(commits, newestFirst).ID, nil
}
