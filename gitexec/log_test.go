package gitexec

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestReachable: other branches and tags count, our own don't, and there may be many commits.
func TestReachable(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		commit := func(name string) OID {
			git(t, r.Top, "commit", "-q", "--allow-empty", "-m", name)
			return OID(git(t, r.Top, "rev-parse", "HEAD"))
		}
		first := commit("first")
		tagged := commit("tagged")
		git(t, r.Top, "tag", "t")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		ours := commit("ours")
		git(t, r.Top, "branch", "entire/1-1")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		lost := commit("lost")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		all := slices.Repeat([]OID{first, tagged, ours, lost}, 20000)
		got, err := r.Reachable(t.Context(), all)
		if err != nil || !slices.Equal(got, slices.Repeat([]OID{first, tagged}, 20000)) {
			t.Errorf("%d, %v", len(got), err)
		}
	})
}

// history makes this history, with a commit a second, and gives its commits by their names. The
// branch entire/x is one of ours. first is what HEAD was.
//
//	first ── one ── two ───── merge   main
//	            └── side ──┘          side, tag t
//	                  └── ours        entire/x
func history(t *testing.T, r *Repo) map[string]OID {
	t.Helper()
	ids := map[string]OID{"first": r.Head.ID}
	date := 1_700_000_000
	commit := func(name string, args ...string) {
		t.Helper()
		date += 10
		at := time.Unix(int64(date), 0).UTC().Format(time.RFC3339)
		t.Setenv("GIT_COMMITTER_DATE", at)
		git(t, r.Top, append(args, "-m", name+"\n\nMark: "+name+"\n")...)
		ids[name] = OID(git(t, r.Top, "rev-parse", "HEAD"))
	}
	write(t, r.Top, "a.txt", "1\n")
	commit("one", "commit", "-qa")
	git(t, r.Top, "checkout", "-q", "-b", "side")
	write(t, r.Top, "dir/b.txt", "side\n")
	commit("side", "commit", "-qa")
	git(t, r.Top, "tag", "t")
	git(t, r.Top, "checkout", "-q", "-b", "entire/x")
	commit("ours", "commit", "-q", "--allow-empty")
	git(t, r.Top, "checkout", "-q", "main")
	write(t, r.Top, "a.txt", "2\n")
	commit("two", "commit", "-qa")
	commit("merge", "merge", "-q", "--no-ff", "side")
	return ids
}

// TestLists: each list of commits has what its comment says, newest first, and nothing else.
func TestLists(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ids := history(t, r)
		testdir.Write(t, r.Top, "HEAD", "") // a file with the name of a revision
		ctx := context.Background()
		after := func(name string) time.Time {
			commits, err := r.Objects(ctx).Commits(ids[name])
			testdir.Must(t, err)
			return commits[0].When
		}
		one := func(id OID, err error) ([]OID, error) {
			if id == "" {
				return nil, err
			}
			return []OID{id}, err
		}
		list := func(ids []OID, err error) ([]OID, error) { return ids, err }
		missing := OID(strings.Repeat("1", r.Format.HexLen()))
		tip, side := ids["merge"], ids["side"]
		for _, c := range []struct {
			name, want string
			ask        func() ([]OID, error)
		}{
			{"a commit with a text", "two", func() ([]OID, error) { return one(r.FindCommit(ctx, "Mark: two", "")) }},
			{"a text is no expression", "", func() ([]OID, error) { return one(r.FindCommit(ctx, "Mark: t.o", "")) }},
			{"not before since", "", func() ([]OID, error) { return one(r.FindCommit(ctx, "Mark: one", ids["two"])) }},
			{"on our own branches", "ours", func() ([]OID, error) { return one(r.FindCommit(ctx, "Mark: ours", "")) }},
			{"texts, but not on our own branches", "side one", func() ([]OID, error) {
				return list(r.FindCommits(ctx, []string{"Mark: one", "Mark: side", "Mark: ours"}))
			}},
			{"texts, also there", "ours one", func() ([]OID, error) {
				return list(r.FindCommits(ctx, []string{"Mark: one", "Mark: ours"}, ids["ours"], missing))
			}},
			{"first parents", "merge two one first", func() ([]OID, error) { return list(r.FirstParents(ctx, []OID{tip}, nil, time.Time{})) }},
			{"first parents without", "merge two", func() ([]OID, error) { return list(r.FirstParents(ctx, []OID{tip, missing}, []OID{side}, time.Time{})) }},
			{"first parents since", "merge two", func() ([]OID, error) { return list(r.FirstParents(ctx, []OID{tip}, nil, after("two"))) }},
			{"mentioning", "merge two", func() ([]OID, error) {
				return list(Outgoing{Tips: []OID{tip}}.Containing(ctx, r, "Mark: ", after("two")))
			}},
			{"mentioning anywhere", "ours", func() ([]OID, error) { return list(r.MentioningAnywhere(ctx, "Mark: ours")) }},
			{"own", "merge two", func() ([]OID, error) { return list(r.Own(ctx, tip, []OID{side}, 9)) }},
			{"own, at most one", "merge", func() ([]OID, error) { return list(r.Own(ctx, tip, nil, 1)) }},
			{"the last change", "side", func() ([]OID, error) { return one(r.LastChange(ctx, tip, "dir/b.txt")) }},
			{"the last change of a pattern", "", func() ([]OID, error) { return one(r.LastChange(ctx, tip, "dir/*")) }},
			{"a revision", "side", func() ([]OID, error) { return list(r.History(ctx, History{Revs: []string{"side"}, NoWalk: true})) }},
			{"a range", "merge side two", func() ([]OID, error) {
				return list(r.History(ctx, History{Revs: []string{"main~2..main"}, NoWalk: true}))
			}},
			{"the latest", "merge two", func() ([]OID, error) { return list(r.History(ctx, History{Revs: []string{"main"}, Most: 2})) }},
			{"that change a path", "side first", func() ([]OID, error) { return list(r.History(ctx, History{Paths: Pathspecs{All: []string{"dir"}}})) }},
			{"of an author who is unknown", "", func() ([]OID, error) { return list(r.History(ctx, History{Author: "x{9}"})) }},
			{"beyond HEAD", "ours", func() ([]OID, error) { return list(r.BeyondHistory(ctx, []OID{ids["ours"], missing}, 0)) }},
			{"not in a history", "two ours", func() ([]OID, error) {
				return list(r.NotInHistory(ctx, []OID{ids["two"], ids["one"], ids["ours"]}, side))
			}},
			{"outgoing", "merge two", func() ([]OID, error) {
				return list(Outgoing{Tips: []OID{tip}, Has: []OID{side, missing}}.Commits(ctx, r))
			}},
			{"outgoing since, without merges", "two", func() ([]OID, error) { return list(Outgoing{Tips: []OID{tip}}.Since(ctx, r, after("two"))) }},
			{"the first that changes a file", "side", func() ([]OID, error) {
				return one(Outgoing{Tips: []OID{tip}, Has: []OID{ids["first"]}}.First(ctx, r, "dir"))
			}},
			{"none changes it", "", func() ([]OID, error) { return one(Outgoing{Tips: []OID{tip}}.First(ctx, r, "*")) }},
		} {
			got, err := c.ask()
			var names []string
			for _, id := range got {
				for name := range ids {
					if ids[name] == id {
						names = append(names, name)
					}
				}
			}
			want := strings.Fields(c.want)
			if strings.HasPrefix(c.name, "a range") { // commits side by side have no order
				slices.Sort(names)
				slices.Sort(want)
			}
			if err != nil || len(names) != len(got) || !slices.Equal(names, want) {
				t.Errorf("%s: %v, %v, want %v", c.name, names, err, want)
			}
		}
	})
}

// TestHistories: what is asked of commits, refs and edges between them.
func TestHistories(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ids := history(t, r)
		ctx := context.Background()
		for _, c := range []struct {
			id, of string
			want   bool
		}{{"one", "merge", true}, {"merge", "merge", true}, {"merge", "one", false}, {"ours", "merge", false}} {
			if got, err := r.InHistory(ctx, ids[c.id], ids[c.of]); err != nil || got != c.want {
				t.Errorf("%s in %s: %v, %v", c.id, c.of, got, err)
			}
		}
		graph, err := Outgoing{Tips: []OID{ids["two"]}, Has: []OID{ids["first"]}}.Parents(ctx, r)
		if err != nil || len(graph) != 2 || !slices.Equal(graph[1], []OID{ids["two"], ids["one"]}) {
			t.Errorf("%v, %v", graph, err)
		}
		if got, err := r.MergeBase(ctx, ids["two"], ids["ours"]); err != nil || got != ids["one"] {
			t.Errorf("%s, %v", got, err)
		}
		if got, err := r.BranchesWith(ctx, ids["side"]); err != nil || !slices.Equal(got, []string{"refs/heads/entire/x", "refs/heads/main", "refs/heads/side"}) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := r.LatestBranches(ctx, 2); err != nil || len(got) != 2 || got[0].Name != "refs/heads/main" || got[1].Name != "refs/heads/entire/x" {
			t.Errorf("%v, %v", got, err)
		}
		var added []string
		err = Outgoing{Tips: []OID{ids["merge"]}}.Added(ctx, r, "**/*.txt", func(a Touched) {
			added = append(added, string(a.Name))
			if a.Commit != ids["first"] || a.Committer == "" || a.When.IsZero() {
				t.Errorf("%+v", a)
			}
		})
		if err != nil || !slices.Equal(added, []string{"a.txt", "dir/b.txt"}) {
			t.Errorf("%v, %v", added, err)
		}
		objects, err := Outgoing{Tips: []OID{ids["side"]}, Has: []OID{ids["one"]}}.Objects(ctx, r)
		if err != nil || len(objects) != 4 || objects[OID(git(t, r.Top, "rev-parse", "side:dir/b.txt"))] != "dir/b.txt" {
			t.Errorf("%v, %v", objects, err)
		}
	})
}

// TestRemotesCount: a remote's name with signs of patterns means itself alone.
func TestRemotesCount(t *testing.T) {
	r := repository(t, SHA1)
	ids := history(t, r)
	git(t, r.Top, "update-ref", "refs/remotes/origin/main", string(ids["two"]))
	for _, c := range []struct {
		o    Outgoing
		want int
	}{
		{Outgoing{Remote: "o*"}, 5},
		{Outgoing{Remote: "origin"}, 2},
		{Outgoing{Remote: "other"}, 5},
		{Outgoing{AnyRemote: true}, 2},
	} {
		c.o.Tips = []OID{ids["merge"]}
		if got, err := c.o.Commits(context.Background(), r); err != nil || len(got) != c.want {
			t.Errorf("%+v: %d commits, %v", c.o, len(got), err)
		}
	}
}
