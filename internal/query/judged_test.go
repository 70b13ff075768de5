package query

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

// TestJudged: a checkpoint that this clone didn't write counts once a commit of its history links
// it, be it fetched; beside a commit that is enough for sessions of others alone.
func TestJudged(t *testing.T) {
	r := newRepository(t)
	commit := func(name, id string) gitexec.OID {
		made := gitexec.OID(strings.TrimSpace(r.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", name, "-m", "Entire-Checkpoint: "+id)))
		r.Git("update-ref", name, string(made))
		return made
	}
	beside := func(id string) {
		edits := gitexec.Edits{}
		branch, err := checkpoints.ReadBranches(t.Context(), r.Repository.Repo, r.Repository.DB)
		r.Must(err)
		head := gitexec.OID(strings.TrimSpace(r.Git("rev-parse", "HEAD")))
		r.Must(checkpoints.WriteSideLink(r.Repository.DB, branch, checkpoints.SideLink{Commit: head, How: checkpoints.Hookless, Checkpoints: []string{id}}, edits))
		root := r.EditTree(branch.Tree, edits)
		r.Git("update-ref", "refs/heads/entire/checkpoints/v1", strings.TrimSpace(r.Git("commit-tree", string(root), "-m", "A link")))
	}
	shallow := func(string) { r.Write(".git/shallow", strings.TrimSpace(r.Git("rev-parse", "HEAD"))+"\n") }
	record := func(id string) {
		testdir.Must(t, decided.Append(r.Repository.DB.SharedDir(), decided.Sessions(id, []gitexec.OID{gitexec.OID(strings.Repeat("1", 40))})))
	}
	on := func(ref string) func(string) { return func(id string) { commit(ref, id) } }
	for _, c := range []struct {
		name         string
		link         func(id string)
		theirs, mine bool // what is judged: of a session of others, and of this clone's
	}{
		{"nothing links it", func(string) {}, true, true},
		{"a branch of ours has it", on("refs/heads/entire/x"), true, true},
		{"a fetched branch of ours has it", on("refs/remotes/origin/entire/x"), true, true},
		{"a note has it", on("refs/notes/x"), true, true},
		{"a branch", on("refs/heads/x"), false, false},
		{"a tag", on("refs/tags/x"), false, false},
		{"what was fetched", on("refs/remotes/origin/x"), false, false},
		{"beside a commit", beside, false, true},
		{"a shallow history", shallow, false, true},
		{"it was written here", record, false, false},
	} {
		r = newRepository(t)
		r.state(&session.State{SessionID: "mine"})
		r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "mine", 5, "f"), part("aaaaaaaaaaaa", "theirs", 6, "f")})
		c.link("aaaaaaaaaaaa")
		r.open()
		got, err := judge(t.Context(), r.Reader)
		if r.Must(err); got.has("aaaaaaaaaaaa", "theirs") != c.theirs || got.has("aaaaaaaaaaaa", "mine") != c.mine {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestJudgedLater: what cannot be found out is asked for once, and not for each checkpoint.
func TestJudgedLater(t *testing.T) {
	r := newRepository(t)
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "theirs", 6, "f")})
	r.open()
	broken := filepath.Join(r.Dir, ".git", "packed-refs")
	testdir.Must(t, os.WriteFile(broken, []byte("not a ref\n"), 0o644))
	branch := judgedLater(t.Context(), r.Reader, r.Reader.Branch)
	for range 2 {
		found, err := checkpoints.Describe(r.Reader.DB, branch, []string{"aaaaaaaaaaaa"})
		if r.Must(err); len(found[0].Added) != 0 || r.judged != nil {
			t.Errorf("%v of %v", found[0].Added, r.judged)
		}
		testdir.Must(t, os.WriteFile(broken, nil, 0o644))
	}
}

// TestJudgedAgain: what was found out is asked once, until a link or a history comes or goes.
func TestJudgedAgain(t *testing.T) {
	r := newRepository(t)
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "theirs", 6, "f")})
	linking := strings.TrimSpace(r.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "x", "-m", "Entire-Checkpoint: aaaaaaaaaaaa"))
	for _, c := range []struct {
		git    []string
		judged bool
	}{
		{[]string{"status"}, true},
		{[]string{"update-ref", "refs/remotes/origin/x", linking}, false},
		{[]string{"update-ref", "refs/heads/x", linking}, false},
		{[]string{"update-ref", "-d", "refs/remotes/origin/x"}, false},
		{[]string{"update-ref", "-d", "refs/heads/x"}, true},
		{[]string{"update-ref", "refs/tags/x", linking}, false},
	} {
		r.Git(c.git...)
		for range 2 {
			r.open()
			got, err := judge(t.Context(), r.Reader)
			if r.Must(err); got.has("aaaaaaaaaaaa", "theirs") != c.judged {
				t.Errorf("%q: %v", c.git, got)
			}
		}
	}
}

// TestJudgedWithout: of some checkpoints those of others are left out, unless there is nothing else.
func TestJudgedWithout(t *testing.T) {
	j := judged{{"b", "s"}: true}
	for _, c := range []struct {
		ids   string
		other bool
		want  string
	}{{"a b", false, "a"}, {"b", false, "b"}, {"b", true, ""}, {"a", true, "a"}} {
		if got := j.without(strings.Fields(c.ids), c.other); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
