package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/sets"
)

// judged are the sessions' parts in checkpoints that count as added by others: this clone didn't
// write the checkpoint, and no commit here links it, nor a fetched one. A link beside a commit,
// which others may store, is enough only where the session is not this clone's. What a shallow
// history links is not known.
type judged map[[2]string]bool

// has reports whether a session's part in a checkpoint is one.
func (j judged) has(id, session string) bool { return j[[2]string{id, session}] }

// Judge is for reading a branch as this reader does, also after Close: see checkpoints.Judged.
func Judge(ctx context.Context, r *Reader) (func(checkpoints.Branch) checkpoints.Branch, error) {
	parts, err := judge(ctx, r)
	return func(b checkpoints.Branch) checkpoints.Branch { return checkpoints.Judged(b, parts.has) }, err
}

// judgedLater is the branch, which is judged once it is asked. What cannot be found out doesn't
// count as added.
func judgedLater(ctx context.Context, r *Reader, b checkpoints.Branch) checkpoints.Branch {
	parts := sync.OnceValue(func() judged {
		parts, _ := judge(ctx, r)
		return parts
	})
	return checkpoints.Judged(b, func(id, session string) bool { return parts().has(id, session) })
}

// judge finds the parts that count as added by others, once. No process where this clone wrote all
// checkpoints.
func judge(ctx context.Context, r *Reader) (judged, error) {
	if r.judged != nil {
		return r.judged, nil
	}
	parts := judged{}
	err := r.ask(ctx, func(c *catalogue) error {
		// ask may call it twice, where the index turns out to be damaged.
		clear(parts)
		// This clone wrote all checkpoints: the common case.
		if !c.Any(keyElsewhere) {
			return nil
		}
		tips, err := r.allTips(ctx)
		if err != nil {
			return err
		}
		unlinked, err := withoutTrailer(ctx, r, c, tips)
		if err != nil || len(unlinked) == 0 {
			return err
		}
		beside, decided, err := besideAny(ctx, r, unlinked, tips)
		if err != nil {
			return err
		}
		mine, err := sessionsHere(r)
		if err != nil {
			return err
		}
		rows, err := c.rows(slices.Values(unlinked))
		shallow := len(r.Repo.ShallowList()) > 0
		for _, one := range rows {
			for _, p := range one.parts {
				// A session whose state was deleted is this clone's, too, if it wrote a checkpoint
				// of it.
				own, known := mine[p.session]
				if !known {
					own = wroteHere(c, p.session)
					mine[p.session] = own
				}
				// Of this clone's own session only what it decided itself counts. Of another's, a
				// link beside a commit that is here does; in a shallow history such a commit may be
				// missing.
				if own && !decided[one.id] || !own && !beside[one.id] && !shallow {
					parts[[2]string{one.id, p.session}] = true
				}
			}
		}
		return err
	})
	if err == nil {
		r.judged = parts
	}
	return parts, err
}

// sessionsHere are the sessions that have a state on this machine.
func sessionsHere(r *Reader) (map[string]bool, error) {
	states, err := r.States().All()
	mine := map[string]bool{}
	for _, s := range states {
		mine[s.SessionID] = true
	}
	return mine, err
}

// wroteHere reports whether this clone wrote a checkpoint of a session.
func wroteHere(c *catalogue, session string) bool {
	for _, value := range c.Scan(keyPart + escaped(session) + end) {
		p, err := unpack(value, partFields)
		if err == nil && !p.added && c.Get(keyElsewhere+p.checkpoint) == nil {
			return true
		}
	}
	return false
}

// unlinkedList names the list of withoutTrailer.
const unlinkedList = "unlinked"

// otherRefs are the refs of histories that are listed in one process with those of fetched
// checkpoints, where a list of withoutTrailer is known: it is then needed again.
func otherRefs(repo *gitexec.Repo) []string {
	if (caches{repo: repo}).isRemembered(unlinkedList) {
		return slices.Concat(here.refs, fetched.refs)
	}
	return nil
}

// allTips are the tips of the histories here, and of those that were fetched. One process, unless
// they are listed already.
func (r *Reader) allTips(ctx context.Context) ([]gitexec.OID, error) {
	list := r.Branch.ListedRefs
	if !r.listed {
		list = func() ([]gitexec.Ref, error) { return r.Repo.RefIDs(ctx, slices.Concat(here.refs, fetched.refs)...) }
	}
	refs, err := list()
	return slices.Concat(here.tips(r.Repo, refs), fetched.tips(r.Repo, refs)), err
}

// withoutTrailer are the checkpoints, sorted, that this clone doesn't know that it wrote, and that
// no commit's message links, here or on a remote-tracking branch.
func withoutTrailer(ctx context.Context, r *Reader, c *catalogue, tips []gitexec.OID) ([]string, error) {
	all := caches{r.Repo, r.DB, r.Env}
	return all.remembered(ctx, unlinkedList, hashed(indexedForm, c.shards, tips, all.shallow()), r.still, func() (ids []string, err error) {
		for key := range c.Keys(keyElsewhere) {
			ids = append(ids, strings.TrimPrefix(string(key), keyElsewhere))
		}
		// What is left of the list after each is looked for in the next.
		for _, of := range []histories{here, fetched} {
			if len(ids) == 0 || err != nil {
				break
			}
			err = all.withLinks(ctx, of, func(x *index.Index) error {
				linked := map[string]bool{}
				for key := range x.Keys("") {
					// A key of that index is `<checkpoint> <commit>`.
					id, _, _ := strings.Cut(string(key), " ")
					linked[id] = true
				}
				ids = slices.DeleteFunc(ids, func(id string) bool { return linked[id] })
				return nil
			})
		}
		return ids, cmp.Or(err, c.Err())
	})
}

// besideAny are those of some checkpoints that have a link beside a commit of these histories, and
// those of which this clone decided so. One process, where links or histories have changed.
func besideAny(ctx context.Context, r *Reader, ids []string, tips []gitexec.OID) (beside, decided map[string]bool, err error) {
	beside, decided = map[string]bool{}, map[string]bool{}
	linked, err := r.Branch.SideLinked(r.DB, ids...)
	if err != nil || len(linked) == 0 {
		return beside, decided, err
	}
	commits, err := commitsHere(r.DB, slices.Sorted(maps.Keys(linked)))
	if err != nil || len(commits) == 0 {
		return beside, decided, err
	}
	all := caches{r.Repo, r.DB, r.Env}
	reached, err := all.remembered(ctx, "reached", hashed(commits, tips, all.shallow()), r.still, func() (reached []string, err error) {
		list, err := gitexec.Outgoing{Tips: commits, Has: tips}.Commits(ctx, r.Repo)
		outside := sets.Of(list)
		for _, commit := range commits {
			if !outside[commit] {
				reached = append(reached, string(commit))
			}
		}
		return reached, err
	})
	for _, one := range reached {
		commit := gitexec.OID(one)
		for _, id := range linked[commit] {
			beside[id] = true
			decided[id] = decided[id] || checkpoints.LinkedHere(r.DB, r.Branch, commit, id)
		}
	}
	return beside, decided, err
}

// commitsHere are those of some commits that are here.
func commitsHere(db *gitexec.ODB, all []gitexec.OID) (there []gitexec.OID, err error) {
	found, err := db.Info(all...)
	for i, o := range found {
		if o.Type == "commit" {
			there = append(there, all[i])
		}
	}
	return there, err
}

// whoseAdded is whose word a checkpoint is of which all sessions count as added by others.
func whoseAdded(ctx context.Context, r *Reader, id string) *checkpoints.Source {
	source := r.whose(ctx).OfCheckpoint(id)
	return &source
}

// addedTo are the checkpoints in which others added a session, so that it doesn't count.
func (j judged) addedTo(c *catalogue, session string) map[string]bool {
	all := map[string]bool{}
	for _, value := range c.Scan(keyPart + escaped(session) + end) {
		if p, err := unpack(value, partFields); err == nil && (p.added || j.has(p.checkpoint, session)) {
			all[p.checkpoint] = true
		}
	}
	return all
}

// without are some checkpoints without those that others added, unless there is nothing else.
func (j judged) without(ids []string, other bool) []string {
	added := map[string]bool{}
	for key := range j {
		added[key[0]] = true
	}
	own := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return added[id] })
	if len(own) == 0 && !other {
		return ids
	}
	return own
}

// sessions are those with judged parts.
func (j judged) sessions() []string {
	var all []string
	for key := range j {
		all = append(all, key[1])
	}
	return sets.Once(all)
}
