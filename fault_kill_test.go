package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

var (
	killTime = flag.Duration("kill.time", 0, "how long hooks are killed; 0: 6 s, with -short 3 s")
	killSeed = flag.Uint64("kill.seed", 0, "the seed of the kills; 0: another each time")
)

// TestKilledHooks kills hooks at random instants, goes on as a user would, and holds what is there
// against the promises.
func TestKilledHooks(t *testing.T) {
	budget := *killTime
	if budget == 0 {
		budget = 3 * time.Second
		if all() {
			budget = 6 * time.Second
		}
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for _, scope := range []string{"group", "alone"} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			k := &killing{where: newWorld(t), scope: scope, rand: rand.New(rand.NewPCG(seed, uint64(len(scope)))), acked: acknowledged{},
				span: map[string]float64{}, runs: map[string]int{}}
			for end := time.Now().Add(budget); time.Now().Before(end); {
				k.round++
				if err := k.play(); err != nil {
					t.Fatalf("-kill.seed=%d, round %d (%v): %v\n%s", seed, k.round, k.runs, err, k.journal())
				}
			}
			t.Logf("%d rounds, %v", k.round, k.runs)
		})
	}
}

// killing is a user's day on which hooks die.
type killing struct {
	where
	scope string
	rand  *rand.Rand
	round int
	acked acknowledged
	span  map[string]float64 // within which hooks are killed, in nanoseconds
	runs  map[string]int     // how the runs went that were to be killed
}

// play is a turn and a commit. Each hook may be killed, and then everything is done as a user does
// who has noticed nothing.
func (k *killing) play() error {
	begun := k.agent(k.fate("user-prompt-submit"), "user-prompt-submit", "s", fmt.Sprintf("Prompt %d", k.round)) == nil
	file := fmt.Sprintf("f%d.txt", k.round%20)
	k.write(file, fmt.Sprintf("line %d of the agent's", k.round), "and another")
	k.write("shared.txt", fmt.Sprintf("shared line %d", k.round))
	k.use("s", file, "shared.txt") // where the turn's start was killed, this is all that is known of it
	delete(k.acked, file)
	delete(k.acked, "shared.txt")
	if k.agent(k.fate("stop"), "stop", "s", "Stopped.") == nil {
		k.acked.stopped(k.where, file, "shared.txt")
	}
	if k.rand.IntN(2) == 0 { // finish the turn first
		if err := k.finished(); err != nil {
			return err
		}
		if begun { // an interrupted turn continues in the next
			k.acked.stopped(k.where, file, "shared.txt")
		}
		if err := k.acked.lost(k.where); err != nil || k.rand.IntN(2) == 0 {
			return err
		}
	}
	return k.commit(file)
}

// commit is the user's. Half of the time it leaves something to be carried forward, and sometimes
// the next one comes before the agent's next turn.
func (k *killing) commit(file string) error {
	k.git("add", "-A")
	args := []string{"commit", "-qm", "Commit"}
	if k.rand.IntN(2) == 0 {
		args = append(args, "--", file)
	}
	if out, err := k.run(k.fate("post-commit"), nil, "git", args...); err != nil {
		return fmt.Errorf("%s%w", out, err)
	}
	unlinked := false
	if k.rand.IntN(3) == 0 {
		hook := []string{"prepare-commit-msg", "post-commit", "post-rewrite"}[k.rand.IntN(3)]
		if out, err := k.run(k.fate(hook), nil, "git", "commit", "-q", "--amend", "-m", "Amended"); err != nil {
			return fmt.Errorf("%s%w", out, err)
		}
		// Killed, prepare-commit-msg doesn't stop the commit, and nothing else can put the link
		// into its new message.
		log, _ := os.ReadFile(k.log)
		unlinked = strings.HasPrefix(string(log), "prepare-commit-msg") && strings.HasSuffix(string(log), "killed\n")
	}
	commit := k.git("rev-parse", "HEAD")
	if k.rand.IntN(3) == 0 {
		k.write("human.txt", fmt.Sprint(k.round))
		k.git("add", "human.txt")
		k.git("commit", "-qm", "By hand", "--", "human.txt")
	}
	if err := k.finished(); err != nil {
		return err
	}
	if unlinked = unlinked && !strings.Contains(k.git("log", "-1", "--format=%B", commit), "Entire-Checkpoint"); unlinked {
		for _, name := range strings.Fields(k.git("diff-tree", "-r", "--name-only", "--no-commit-id", commit)) {
			if k.acked[name] == k.git("rev-parse", commit+":"+name) {
				delete(k.acked, name)
			}
		}
	} else if err := k.acked.committed(k.where, commit); err != nil {
		return err
	}
	return k.acked.lost(k.where)
}

// finished plays a turn that is not killed, after which all promises must hold.
func (k *killing) finished() error {
	if err := k.turn(); err != nil {
		return err
	}
	return k.promises()
}

func (k *killing) turn() error {
	if err := k.agent(nil, "user-prompt-submit", "s", "Go on"); err != nil {
		return err
	}
	return k.agent(nil, "stop", "s", "Gone on.")
}

// fate decides whether a hook is killed, and when. The delays are spread over the time that the
// hook takes, which shows in how often it is over before: about one time in five.
func (k *killing) fate(hook string) []string {
	if k.rand.IntN(4) == 0 {
		return nil
	}
	log, _ := os.ReadFile(k.log)
	if last := strings.Fields(string(log)); len(last) >= 3 {
		factor := map[string]float64{"killed": 1.25, "done": 0.7}[last[len(last)-1]]
		k.span[last[len(last)-3]] *= factor
		os.Truncate(k.log, 0)
		k.runs[last[len(last)-3]+" "+last[len(last)-1]]++
	}
	if k.span[hook] == 0 {
		k.span[hook] = float64(30 * time.Millisecond)
	}
	return k.kill(hook, k.scope, time.Duration(k.rand.Float64()*k.span[hook]))
}

func (k *killing) journal() string {
	data, _ := os.ReadFile(k.repo + "/.git/entire-plumb/journal.jsonl")
	return string(data[max(0, len(data)-3000):])
}

// TestLinkFilledLater kills post-commit before it has done anything. Whatever the user does next,
// the link resolves then.
func TestLinkFilledLater(t *testing.T) {
	t.Parallel()
	whole(t)
	for name, next := range map[string]func(w where){
		"commit": func(w where) {
			w.write("other", "by the user")
			w.git("add", "other")
			w.git("commit", "-qm",
				"Other")
		},
		"amend":                    func(w where) { w.git("commit", "-q", "--amend", "-m", "Amended") },
		"amend with the link kept": func(w where) { w.git("commit", "-q", "--amend", "--no-edit") },
		"merge":                    func(w where) { w.git("merge", "-q", "--no-edit", "side") },
		"rebase":                   func(w where) { w.git("rebase", "-q", "side") },
		"cherry-pick":              func(w where) { w.git("cherry-pick", "side") },
		"branch":                   func(w where) { w.git("checkout", "-q", "-b", "new") },
		"switch":                   func(w where) { w.git("checkout", "-q", "side") },
		"tag":                      func(w where) { w.git("tag", "v1") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.git("checkout", "-q", "-b", "side")
			w.write("side.txt", "on the side")
			w.git("add", "-A")
			w.git("commit", "-qm", "Side")
			w.git("checkout", "-q", "main")
			w.agent(nil, "user-prompt-submit", "s", "Go on")
			w.write("file.txt", "by the agent")
			testdir.Must(t, w.agent(nil, "stop", "s", "Done."))
			w.git("add", "-A")
			if _, err := w.run(w.kill("post-commit", "group", 0), nil, "git", "commit", "-qm", "Work"); err != nil {
				t.Fatal(err)
			}
			link := w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)")
			if w.linksResolve() == nil || link == "" {
				t.Fatal("the hook was not killed in time: this test tests nothing")
			}
			next(w)
			testdir.Must(t, w.agent(nil, "user-prompt-submit", "s", "Go on"))
			if err := w.promises(); err != nil {
				t.Error(err)
			}
			files := w.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
			if want := link[:2] + "/" + link[2:] + "/0/metadata.json"; name != "amend" && !strings.Contains(files, want) {
				t.Errorf("%s is not among %q", want, files)
			}
		})
	}
}
