package checkpoints

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/transcript"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// side is what one clone has made of a tree of the branch: checkpoints of few IDs, so that sides
// meet, with sessions of different lengths, and side links.
func side(t *testing.T, db *gitexec.ODB, base gitexec.OID, r *rand.Rand) gitexec.OID {
	t.Helper()
	edits := gitexec.Edits{}
	blob := func(text string) gitexec.Entry {
		id, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	done := map[string]bool{}
	for range 1 + r.Intn(4) {
		id := fmt.Sprintf("%02x%010x", r.Intn(2), r.Intn(3))
		if done[id] {
			continue
		}
		done[id] = true
		c, err := open(db, base, id)
		testdir.Must(t, err)
		for range 1 + r.Intn(3) {
			name := fmt.Sprintf("s%d", r.Intn(4))
			meta, files := SessionMetadata{CheckpointID: id, SessionID: name, FilesTouched: []gitexec.Path{"a"}}, gitexec.Tree{}
			if i, there := c.index(name); there {
				meta, files = c.sessions[i].meta, maps.Clone(c.sessions[i].files)
			}
			if grow := r.Intn(4); grow < 2 || len(files) == 0 {
				for n := chunks(files); n < 1+r.Intn(4); n++ {
					files[transcript.ChunkName(n)] = blob(fmt.Sprint(n, r.Intn(3)))
				}
			} else if grow == 2 {
				commit := gitexec.OID(fmt.Sprintf("%040x", 1+r.Intn(5)))
				if _, there := meta.attribution(Version(commit)); !there {
					meta.EarlierAttributions = append(slices.Clone(meta.EarlierAttributions), EarlierAttribution{commit, nil})
					files[earlierLines(commit)] = blob(fmt.Sprint("lines", r.Intn(2)))
				}
			}
			c.put(meta, files)
		}
		testdir.Must(t, c.edits(db, edits))
	}
	if r.Intn(2) == 0 {
		commit := gitexec.OID(fmt.Sprintf("%040x", 1+r.Intn(2)))
		link := fmt.Sprintf(`{"commit": "%s", "checkpoints": ["%012x"], "how": "content", "score": 0.%d, "created_at": "2026-01-0%dT00:00:00Z"}`,
			commit, r.Intn(3), r.Intn(9), 1+r.Intn(3))
		l, err := parseSideLink([]byte(link), commit, "")
		testdir.Must(t, err)
		if before, err := (Branch{Tree: base}).SideLink(db, commit); err == nil && before != nil {
			*l = before.united(*l)
		}
		data, err := encode(l)
		testdir.Must(t, err)
		edits[sideLinkPath(commit)] = blob(string(data))
	}
	tree, err := db.EditTree(base, edits)
	testdir.Must(t, err)
	return tree
}

// TestUniteIsOneForAll: whoever unites, in whatever order and however often, comes to the same.
func TestUniteIsOneForAll(t *testing.T) {
	db := testrepo.New(t).DB
	unite := func(a, b, base gitexec.OID) gitexec.OID {
		t.Helper()
		u, err := Unite(db, Sides{Ours: a, Theirs: b, Base: base})
		if err != nil || len(u.Skipped) > 0 {
			t.Fatalf("%v, skipped %q", err, u.Skipped)
		}
		return u.Tree
	}
	empty, err := db.WriteTrees(gitexec.Tree{})
	testdir.Must(t, err)
	met := 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		base := side(t, db, empty[0], r)
		a, b, c := side(t, db, base, r), side(t, db, base, r), side(t, db, base, r)
		ab := unite(a, b, base)
		if got := unite(b, a, base); got != ab {
			t.Errorf("seed %d: a with b is %s, and b with a %s", seed, ab, got)
		}
		if got := unite(ab, b, b); got != ab {
			t.Errorf("seed %d: united again it is %s, not %s", seed, got, ab)
		}
		if one, other := unite(ab, c, base), unite(unite(b, c, base), a, base); one != other {
			t.Errorf("seed %d: in another order it is %s, not %s", seed, other, one)
		}
		if ab != a && ab != b {
			met++
		}
		if got := unite(base, a, base); got != a {
			t.Errorf("seed %d: what only one side has changed is %s, not %s", seed, got, a)
		}
		if got := unite(a, base, base); got != a {
			t.Errorf("seed %d: what the other side has not changed is %s, not %s", seed, got, a)
		}
	}
	if met < 20 {
		t.Errorf("only %d of the sides had something of both", met)
	}
}

// TestUniteLeavesOut: what is no checkpoint's on the other side, or leads out, is named and left
// out.
func TestUniteLeavesOut(t *testing.T) {
	db := testrepo.New(t).DB
	ours := side(t, db, mustTree(t, db, gitexec.Tree{}), rand.New(rand.NewSource(1)))
	blob, err := db.WriteBlob([]byte("x"))
	testdir.Must(t, err)
	file := gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
	dir := func(tree gitexec.Tree) gitexec.Entry {
		return gitexec.Entry{Mode: gitexec.ModeTree, ID: mustTree(t, db, tree)}
	}
	deep := dir(gitexec.Tree{"f": file})
	for range 20 {
		deep = dir(gitexec.Tree{"d": deep})
	}
	for name, tree := range map[string]gitexec.Tree{
		"dots":                  {"77": dir(gitexec.Tree{"0000000001": dir(gitexec.Tree{"..": deep})})},
		"dots in a session":     {"77": dir(gitexec.Tree{"0000000001": dir(gitexec.Tree{"0": dir(gitexec.Tree{"..": file})})})},
		"git's directory":       {"77": dir(gitexec.Tree{"0000000001": dir(gitexec.Tree{".GIT": deep})})},
		"a symbolic link":       {"77": dir(gitexec.Tree{"0000000001": dir(gitexec.Tree{"full.jsonl": {Mode: gitexec.ModeSymlink, ID: blob}})})},
		"a submodule":           {"77": dir(gitexec.Tree{"0000000001": {Mode: "160000", ID: blob}})},
		"a file":                {"77": dir(gitexec.Tree{"0000000001": file})},
		"too deep":              {"77": dir(gitexec.Tree{"0000000001": deep})},
		"a link that is none":   {"links": dir(gitexec.Tree{"ab": dir(gitexec.Tree{"x": file})})},
		"a symbolic link alone": {"evil": {Mode: gitexec.ModeSymlink, ID: blob}},
	} {
		u, err := Unite(db, Sides{Ours: ours, Theirs: mustTree(t, db, tree)})
		if err != nil || u.Tree != ours || len(u.Skipped) != 1 {
			t.Errorf("%s: %s, skipped %q, %v; not %s", name, u.Tree, u.Skipped, err, ours)
		}
	}
}

func mustTree(t *testing.T, db *gitexec.ODB, tree gitexec.Tree) gitexec.OID {
	t.Helper()
	ids, err := db.WriteTrees(tree)
	testdir.Must(t, err)
	return ids[0]
}
