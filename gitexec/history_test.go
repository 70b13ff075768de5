package gitexec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHistory holds the order of commits against rev-list's, in random histories with merges and with clocks that go backwards or stand.
func TestHistory(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		db := r.ODB(ctx)
		defer db.Close()
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 1))
			var stream strings.Builder
			const commits = 150
			for i := range commits {
				fmt.Fprintf(&stream, "commit refs/heads/random-%d\nmark :%d\ncommitter U <u@example.com> %d +0000\ndata 1\nx\n", seed, i+1, 1000+i/(1+int(seed)%3)+random.IntN(1+int(seed)*3))
				parents := map[int]bool{}
				for j := range random.IntN(4) {
					if p := i - random.IntN(12); p > 0 && !parents[p] {
						fmt.Fprintf(&stream, "%s :%d\n", []string{"from", "merge", "merge", "merge"}[min(j, len(parents))], p)
						parents[p] = true
					}
				}
			}
			if _, err := r.output(ctx, command{args: []string{"fast-import", "--quiet", "--force"}, stdin: strings.NewReader(stream.String())}); err != nil {
				t.Fatal(err)
			}
			rev := fmt.Sprintf("random-%d", seed)
			db.Close() // it doesn't look for new packs
			for _, most := range []int{1, 2, 20, 70, commits, 1000} {
				want, err := r.Latest(ctx, most, rev)
				if err != nil {
					t.Fatal(err)
				}
				found, beside, ok, err := db.History(most, rev, "HEAD^{tree}", "nothing")
				var got []OID
				for _, c := range found {
					got = append(got, c.ID)
				}
				if err != nil || !ok || !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d: ok %v, %v\n%v\nwant\n%v", seed, most, ok, err, got, want)
				}
				if beside[0].ID != r.HeadTree || beside[1].Type != "" {
					t.Errorf("beside: %v", beside)
				}
			}
		}
	})
}

func TestHistoryThatIsNone(t *testing.T) {
	r := repository(t, SHA1)
	git(t, r.Top, "commit", "-q", "--allow-empty", "-m", "second")
	git(t, r.Top, "commit", "-q", "--allow-empty", "-m", "third")
	history := func(rev string) (int, bool) {
		db := r.ODB(context.Background())
		defer db.Close()
		found, _, ok, err := db.History(5, rev)
		if err != nil {
			t.Error(err)
		}
		return len(found), ok
	}
	for _, rev := range []string{"nothing", "HEAD:a.txt", "HEAD~1..HEAD", "^HEAD"} {
		if n, ok := history(rev); ok {
			t.Errorf("%s: %d commits", rev, n)
		}
	}
	if n, ok := history("main"); !ok || n != 3 {
		t.Errorf("main: %d commits, %v", n, ok)
	}
	write(t, r.GitDir, "shallow", git(t, r.Top, "rev-parse", "HEAD~1")+"\n")
	if _, ok := history("HEAD"); ok {
		t.Error("a shallow history was taken for a whole one")
	}
}

// TestGlance holds what is found without a process against what git finds, or finds nothing where it isn't the plainest case.
func TestGlance(t *testing.T) {
	r := repository(t, SHA1)
	sub := filepath.Join(r.Top, "dir")
	same := func(dir string) {
		t.Helper()
		got, ok := Glance(dir, nil)
		if !ok || got.Top != r.Top || got.GitDir != r.GitDir || got.CommonDir != r.CommonDir || got.WorktreeID() != "" {
			t.Errorf("%s: %v, %+v", dir, ok, got)
		}
	}
	none := func(dir, why string) {
		t.Helper()
		if got, ok := Glance(dir, nil); ok {
			t.Errorf("%s: %s", why, got.Top)
		}
	}
	same(r.Top)
	same(sub)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(sub, link); err != nil {
		t.Fatal(err)
	}
	same(link)
	none(t.TempDir(), "no repository")
	none(r.GitDir, "a git directory")
	none(filepath.Join(r.GitDir, "refs"), "within a git directory")
	none(filepath.Join(r.Top, "nothing"), "no directory")
	none(repository(t, SHA256).Top, "SHA-256")
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, r.Top, "worktree", "add", "-q", "--detach", linked)
	none(linked, "a linked worktree")
	inner := filepath.Join(sub, "inner")
	git(t, sub, "init", "-q", "--separate-git-dir="+filepath.Join(t.TempDir(), "apart"), inner)
	none(inner, "a git directory apart")
	if err := os.Mkdir(filepath.Join(inner, "deeper"), 0o755); err != nil {
		t.Fatal(err)
	}
	none(filepath.Join(inner, "deeper"), "below it")
	for key, value := range map[string]string{"core.worktree": "/", "core.bare": "true", "extensions.worktreeConfig": "true"} {
		git(t, r.Top, "config", key, value)
		none(r.Top, key)
		git(t, r.Top, "--git-dir="+r.GitDir, "config", "--unset", key)
	}
	git(t, r.Top, "--git-dir="+r.GitDir, "config", "core.bare", "false")
	same(sub)
	write(t, r.GitDir, "shallow", "\n")
	none(r.Top, "a shallow clone")
	if err := os.Remove(filepath.Join(r.GitDir, "shallow")); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // nobody else may give it away
		for _, path := range []string{r.Top, r.GitDir} {
			if err := os.Chown(path, 12345, -1); err != nil {
				t.Fatal(err)
			}
			none(sub, "somebody else's: "+path)
			if err := os.Chown(path, 0, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(r.Top))
	same(sub)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(r.Top)+":"+r.Top)
	none(sub, "a ceiling")
	same(r.Top)
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, r.GitDir)
			none(r.Top, name)
		})
	}
}
