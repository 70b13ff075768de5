package gitexec

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const watched = "refs/heads/entire/"

// While refs change at random in every way that git has, and in two that it hasn't, a discovery that says it is still good says what git would.
func TestDiscoveryIsNeverOutOfDate(t *testing.T) {
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked %v", linked), func(t *testing.T) {
			t.Parallel()
			r := repository(t, SHA1)
			if linked {
				dir := filepath.Join(t.TempDir(), "linked")
				git(t, r.Top, "worktree", "add", "-q", "-b", "side", dir)
				r = discover(t, dir)
			}
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			stop, changing := make(chan struct{}), sync.WaitGroup{}
			changing.Go(func() {
				random := rand.New(rand.NewPCG(seed, 1))
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Duration(random.IntN(120)) * time.Millisecond):
						changeRefs(t, r, random)
					}
				}
			})
			good, gone := 0, 0
			// It may take until what cannot be vouched for, as symbolic refs, has gone again.
			for began := time.Now(); time.Since(began) < 4*time.Second || (good == 0 || gone == 0) && time.Since(began) < time.Minute; {
				sight := Look(r.Top)
				found, err := Discover(t.Context(), r.Top, nil)
				if err != nil {
					continue // HEAD leads to what isn't there yet
				}
				said := git(t, r.Top, "for-each-ref", watched)
				d := sight.discovery(found, watched, 50*time.Millisecond)
				for d != nil {
					if d.Again(Look(r.Top), nil) == nil {
						gone++
						break
					}
					now, err := Discover(t.Context(), r.Top, nil)
					says := git(t, r.Top, "for-each-ref", watched)
					again := d.Again(Look(r.Top), nil)
					if again == nil {
						continue
					}
					good++
					if err != nil || says != said || now.Head != again.Head || now.Branch != again.Branch || now.HeadTree != again.HeadTree {
						t.Errorf("git says\n%s\n%v, the discovery\n%s\n%s %s", says, err, said, again.Head, again.Branch)
						break
					}
				}
			}
			close(stop)
			changing.Wait()
			t.Logf("good %d times, out of date %d times", good, gone)
			if good == 0 || gone == 0 {
				t.Error("nothing was tried")
			}
		})
	}
}

// changeRefs changes something that discovery depends on.
func changeRefs(t *testing.T, r *Repo, random *rand.Rand) {
	stream := fmt.Sprintf("%s%d", watched, random.IntN(4))
	commits := strings.Fields(git(t, r.Top, "rev-list", "--all"))
	commit := commits[random.IntN(len(commits))]
	switch n := random.IntN(24); {
	case n < 5:
		git(t, r.Top, "commit", "-q", "--allow-empty", "-m", "more")
	case n < 6:
		git(t, r.Top, "checkout", "-q", "--detach", commit)
	case n < 7:
		git(t, r.Top, "checkout", "-q", "-B", fmt.Sprintf("deep/%d", random.IntN(3)), commit)
	case n < 12:
		git(t, r.Top, "update-ref", stream, commit)
	case n < 15:
		git(t, r.Top, "update-ref", "--no-deref", "-d", stream)
	case n < 17:
		git(t, r.Top, "pack-refs", "--all")
	case n < 18: // HEAD → alias → main, and back
		git(t, r.Top, "symbolic-ref", "refs/heads/alias", "refs/heads/deep/now")
		git(t, r.Top, "update-ref", "refs/heads/deep/now", commit)
		git(t, r.Top, "symbolic-ref", "HEAD", "refs/heads/alias")
	case n < 19: // a stream that follows a branch
		git(t, r.Top, "symbolic-ref", stream, "refs/heads/deep/now")
		git(t, r.Top, "update-ref", "refs/heads/deep/now", commit)
	case n < 22: // as some scripts do
		if file := filepath.Join(r.CommonDir, stream); plainRef(file) {
			if err := os.WriteFile(file, []byte(commit+"\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
	default:
		git(t, r.Top, "update-ref", "HEAD", commit)
	}
}

// What cannot be vouched for is no discovery at all.
func TestNoDiscovery(t *testing.T) {
	r := repository(t, SHA1)
	sub := filepath.Join(r.Top, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	const wait = 50 * time.Millisecond
	time.Sleep(2 * wait)
	sight := Look(r.Top)
	d := sight.discovery(discover(t, r.Top), watched, wait)
	if d.Again(Look(sub), nil) == nil {
		t.Error("not found again from a directory below")
	}
	if d.Again(Look(filepath.Dir(r.Top)), nil) != nil || d.Again(Look(filepath.Join(r.Top, ".git")), nil) != nil {
		t.Error("found again where it isn't")
	}
	for name, value := range map[string]string{
		"GIT_DIR": r.GitDir, "GIT_WORK_TREE": r.Top, "GIT_CONFIG_PARAMETERS": "'core.bare'='false'", "GIT_CEILING_DIRECTORIES": "/elsewhere:" + r.Top,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if d.Again(Look(sub), nil) != nil {
				t.Error("found again")
			}
		})
	}
	t.Run("ceiling above", func(t *testing.T) {
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(r.Top))
		if d.Again(Look(sub), nil) == nil {
			t.Error("not found again")
		}
	})
	change := func(what string, change func(*Repo) *Repo) {
		t.Run(what, func(t *testing.T) {
			r := repository(t, SHA1)
			time.Sleep(2 * wait)
			found := change(r)
			if what != "just changed" {
				time.Sleep(2 * wait)
			}
			if Look(found.Top).discovery(found, watched, wait) != nil {
				t.Error("vouched for")
			}
		})
	}
	change("just changed", func(r *Repo) *Repo {
		git(t, r.Top, "commit", "-q", "--allow-empty", "-m", "now")
		return discover(t, r.Top)
	})
	change("a branch that is another", func(r *Repo) *Repo {
		git(t, r.Top, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
		git(t, r.Top, "symbolic-ref", "HEAD", "refs/heads/alias")
		return discover(t, r.Top)
	})
	change("a stream that is another", func(r *Repo) *Repo {
		git(t, r.Top, "symbolic-ref", watched+"1", "refs/heads/main")
		return discover(t, r.Top)
	})
	change("a worktree elsewhere", func(r *Repo) *Repo {
		if err := os.Mkdir(filepath.Join(r.Top, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, r.Top, "config", "core.worktree", filepath.Join(r.Top, "sub"))
		return discover(t, filepath.Join(r.Top, "sub"))
	})
	change("a branch of a worktree's own", func(r *Repo) *Repo {
		git(t, r.Top, "update-ref", "refs/worktree/mine", "HEAD")
		git(t, r.Top, "symbolic-ref", "HEAD", "refs/worktree/mine")
		return discover(t, r.Top)
	})
	change("refs kept otherwise", func(r *Repo) *Repo { // as with reftable, which this git may not know
		write(t, r.GitDir, "HEAD", "ref: refs/heads/.invalid\n")
		return r
	})
	if os.Geteuid() == 0 { // who alone can give a directory away
		change("a repository of others", func(r *Repo) *Repo {
			if err := os.Chown(r.GitDir, 12345, 12345); err != nil {
				t.Fatal(err)
			}
			return r
		})
	}
}

// A file that goes while git is asked leaves nothing behind that is young.
func TestDiscoveryOfWhatHasGone(t *testing.T) {
	for _, name := range []string{"shallow", "packed-refs", "config.worktree", "info/grafts"} {
		t.Run(name, func(t *testing.T) {
			r := repository(t, SHA1)
			write(t, r.GitDir, name, "")
			time.Sleep(100 * time.Millisecond)
			sight := Look(r.Top)
			if sight.discovery(r, watched, 50*time.Millisecond) == nil {
				t.Fatal("no discovery of what is there")
			}
			if err := os.Remove(filepath.Join(r.GitDir, name)); err != nil {
				t.Fatal(err)
			}
			if sight.discovery(r, watched, 50*time.Millisecond) != nil {
				t.Error("vouched for")
			}
		})
	}
}

// What git passes over, or has doubts about, is not looked at.
func TestLook(t *testing.T) {
	r := repository(t, SHA1)
	if Look(r.Top) == nil {
		t.Fatal("nothing to be seen")
	}
	for name, make := range map[string]func(dotGit string) error{
		"a fifo": func(dotGit string) error { return syscall.Mkfifo(dotGit, 0o600) },
		"a long file": func(dotGit string) error {
			return os.WriteFile(dotGit, []byte("gitdir: "+strings.Repeat("x", 1<<20)), 0o600)
		},
		"some other file":   func(dotGit string) error { return os.WriteFile(dotGit, []byte("hello"), 0o600) },
		"a file to nowhere": func(dotGit string) error { return os.WriteFile(dotGit, []byte("gitdir: ../nowhere\n"), 0o600) },
		"a loop":            func(dotGit string) error { return os.Symlink(dotGit, dotGit) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(r.Top, name)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := make(filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
			if s := Look(dir); s != nil {
				t.Errorf("%s is seen from there", s.gitDir)
			}
		})
	}
}
