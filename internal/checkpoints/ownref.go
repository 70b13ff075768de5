package checkpoints

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// Newer versions of the `entire` CLI give each checkpoint a ref of its own: the tree of its commit
// is the checkpoint's directory. The shard is the last two characters of the ID. Readers see them
// as one more branch.

// ownRefs begins these refs. Below it there were, and are, others.
const ownRefs = "refs/entire/checkpoints/"

// OwnRef is the ref of a checkpoint.
func OwnRef(id string) string { return ownRefs + ownName(id) }

func ownName(id string) string { return id[len(id)-2:] + "/" + id }

// FetchSpecs ask for checkpoints' refs, and put them below refs whose beginning ends with a slash.
// They are patterns, so that a remote may have none. git compares each with each of the remote's
// refs: where there are many, they are of whole shards.
func FetchSpecs(ids []string, below string) []string {
	// A thousand patterns by ten thousand refs are ten million comparisons. There are 256 shards at
	// most.
	const many = 1000
	var specs []string
	for _, id := range ids {
		name := ownName(id)
		if len(ids) > many {
			name = path.Dir(name) + "/"
		}
		specs = append(specs, "+"+ownRefs+name+"*:"+below+fetchedOwn+name+"*")
	}
	slices.Sort(specs)
	return slices.Compact(specs)
}

// FetchedRef is where FetchSpec puts it.
func FetchedRef(id, below string) string { return below + fetchedOwn + ownName(id) }

// fetchedOwn is the directory of those that were fetched.
const fetchedOwn = "checkpoints/"

// IsOwnRef reports whether a ref is that of one checkpoint.
func IsOwnRef(ref string) bool {
	_, ok := ofRef(ref)
	return ok
}

// ofRef is the checkpoint whose ref it is.
func ofRef(ref string) (id string, ok bool) {
	name, ok := strings.CutPrefix(ref, ownRefs)
	if !ok {
		if name, ok = strings.CutPrefix(ref, fetchedHere); ok {
			_, name, _ = strings.Cut(name, "/") // after the remote's
			name, ok = strings.CutPrefix(name, fetchedOwn)
		}
	}
	_, id, _ = strings.Cut(name, "/")
	// The shard in the name must be the ID's own: each checkpoint has one ref.
	return id, ok && message.ValidID(id) && ownName(id) == name
}

// OwnRefs lists the refs here of checkpoints with refs of their own, by ID: what the `entire` CLI
// wrote or fetched, and what this program fetched. One process.
func OwnRefs(ctx context.Context, repo *gitexec.Repo) (map[string][]string, error) {
	refs, err := repo.Refs(ctx, ownRefs, fetchedHere)
	all := map[string][]string{}
	for _, ref := range refs {
		if id, ok := ofRef(ref.Name); ok && ref.Type == "commit" {
			all[id] = append(all[id], ref.Name)
		}
	}
	return all, err
}

// ownCheckpoints are the commits of checkpoints with refs of their own, by ID.
type ownCheckpoints map[string]gitexec.OID

// hold makes a tree like the branch's of some of them; empty if there are none. It omits what is no
// commit, or cannot be read.
func (own ownCheckpoints) hold(db *gitexec.ODB, some iter.Seq[string]) gitexec.OID {
	shards := map[string]gitexec.Tree{}
	for ids := range slices.Chunk(slices.Sorted(some), readAtOnce) {
		names := make([]gitexec.OID, len(ids))
		for i, id := range ids {
			names[i] = own[id]
		}
		objects, err := db.Any(names...)
		if err != nil {
			return ""
		}
		for i, o := range objects {
			if o.Type != "commit" {
				continue
			}
			c, err := gitexec.ParseCommit(o.ID, o.Data)
			if err != nil {
				continue
			}
			shard := ids[i][:2]
			if shards[shard] == nil {
				shards[shard] = gitexec.Tree{}
			}
			// By the first digits, as on the branch: the ref has the last ones.
			shards[shard][ids[i][2:]] = gitexec.Entry{Mode: gitexec.ModeTree, ID: c.Tree}
		}
	}
	root := gitexec.Tree{}
	for name, shard := range shards {
		id, err := db.Hold(shard)
		if err != nil {
			return ""
		}
		root[name] = gitexec.Entry{Mode: gitexec.ModeTree, ID: id}
	}
	if len(root) == 0 {
		return ""
	}
	id, _ := db.Hold(root)
	return id
}

// holdOne makes a tree of one, if there is such a checkpoint.
func (own ownCheckpoints) holdOne(db *gitexec.ODB, id string) gitexec.OID {
	if own[id] == "" {
		return ""
	}
	return own.hold(db, slices.Values([]string{id}))
}

// withPrefix lists those whose IDs begin so.
func (own ownCheckpoints) withPrefix(prefix string) (ids []string) {
	for id := range own {
		if strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids
}
