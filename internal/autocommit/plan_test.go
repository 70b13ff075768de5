package autocommit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// TestPlan has a user edit lines of files, stage some of that, and an agent edit others, far
// enough from theirs or just on them. The commit must be HEAD with the agent's lines and no other,
// the index what was staged with them; and what cannot be separated must stay uncommitted.
func TestPlan(t *testing.T) {
	made := testrepo.New(t)
	made.Commit("First")
	repo, db := made.Repo, made.DB
	r := rand.New(rand.NewPCG(1, 2))
	mixed, uncommitted := 0, 0
	for round := range 40 {
		trees := map[string]gitexec.Edits{"head": {}, "staged": {}, "began": {}, "ended": {}}
		want := map[gitexec.Path][2]string{} // of those that can be separated: commit and index
		var touched []gitexec.Path
		for f := range 4 {
			path := gitexec.Path(fmt.Sprintf("dir %d/file\n%d", f%2, f))
			v := newVersions(r, round)
			for name, lines := range map[string][]string{"head": v.head, "staged": v.staged, "began": v.began, "ended": v.ended} {
				trees[name][path] = made.Blob(text(lines))
			}
			if !slices.Equal(v.began, v.ended) {
				touched = append(touched, path)
				if !v.clash {
					want[path] = [2]string{text(v.commit), text(v.index)}
				}
			}
		}
		ids := map[string]gitexec.OID{}
		for name, edits := range trees {
			ids[name] = made.EditTree(repo.Head.Tree, edits)
		}
		staged, err := db.DiffTrees(ids["head"], ids["staged"])
		testdir.Must(t, err)
		var before []gitexec.Path
		for _, c := range staged {
			before = append(before, c.Path)
		}
		slices.Sort(touched)
		plan, err := Plan(t.Context(), repo, db, Turn{ids["head"], ids["began"], ids["ended"], touched, staged, before})
		testdir.Must(t, err)
		for _, path := range touched {
			expected, apart := want[path]
			if !apart {
				uncommitted++
				if !slices.Contains(plan.Remainder, path) {
					t.Errorf("round %d: %q was on the user's lines, and is committed", round, path)
				}
				continue
			}
			mixed++
			if !slices.Contains(plan.Paths, path) {
				t.Errorf("round %d: %q is not committed", round, path)
				continue
			}
			held, moves := plan.Index[path]
			if !moves {
				held = trees["staged"][path]
			}
			if got := read(t, db, plan.Tree, path); got != expected[0] {
				t.Errorf("round %d: the commit has\n%s\nnot\n%s", round, got, expected[0])
			}
			data, err := db.Blob(held.ID, 1<<20)
			if err != nil || string(data) != expected[1] {
				t.Errorf("round %d: the index has\n%s\nnot\n%s", round, data, expected[1])
			}
		}
		if diff, err := db.DiffTrees(ids["head"], plan.Tree); err != nil || len(diff) != len(plan.Paths) {
			t.Errorf("round %d: %d files are in the commit, and %d were to be (%v)", round, len(diff), len(plan.Paths), err)
		}
	}
	if mixed < 50 || uncommitted < 10 {
		t.Errorf("%d files could be separated and %d could not: the test needs more of each", mixed, uncommitted)
	}
}

// versions of a file: the user changed lines of HEAD's, and staged some of that; then the agent
// changed others.
type versions struct {
	head, staged, began, ended []string
	commit, index              []string // as they are to be
	clash                      bool     // the agent changed a line that the user had changed
}

func newVersions(r *rand.Rand, round int) versions {
	var v versions
	for i := range 40 {
		v.head = append(v.head, fmt.Sprintf("line %d", i))
	}
	v.staged, v.began, v.commit = slices.Clone(v.head), slices.Clone(v.head), slices.Clone(v.head)
	var users []int
	for i := 0; i < len(v.head); i += 8 { // every eighth line may be the user's
		if r.IntN(2) == 0 {
			continue
		}
		v.began[i] = fmt.Sprintf("the user's %d in %d", i, round)
		if r.IntN(2) == 0 {
			v.staged[i] = v.began[i]
		}
		users = append(users, i)
	}
	v.ended, v.index = slices.Clone(v.began), slices.Clone(v.staged)
	for i := 4; i < len(v.head); i += 8 {
		if r.IntN(3) > 0 {
			for _, lines := range [][]string{v.ended, v.commit, v.index} {
				lines[i] = fmt.Sprintf("the agent's %d in %d", i, round)
			}
		}
	}
	if len(users) > 0 && r.IntN(4) == 0 {
		v.ended[users[0]], v.clash = "the agent's over the user's", true
	}
	return v
}

func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

func read(t *testing.T, db *gitexec.ODB, tree gitexec.OID, path gitexec.Path) string {
	found, err := db.Lookup(tree, path)
	testdir.Must(t, err)
	data, err := db.Blob(found[0].ID, 1<<20)
	testdir.Must(t, err)
	return string(data)
}
