package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
)

// TestPromisesNoticed: what scripts and random testers check after everything else finds each fault
// that is made here on purpose.
func TestPromisesNoticed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	testdir.Must(t, w.agent(nil, "user-prompt-submit", "s1", "Write"))
	w.write("f.txt", "a line by the agent", "and another one")
	testdir.Must(t, w.agent(nil, "stop", "s1", "Written"))
	stream := w.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/entire/")
	w.git("add", "-A")
	w.git("commit", "-qm", "Work")
	rewritten := func(files, edit string) string {
		return `git read-tree entire/checkpoints/v1 && for f in $(git ls-files ` + files + `); do
			id=$(git cat-file blob ":$f" | ` + edit + ` | git hash-object -w --stdin) && git update-index --cacheinfo "100644,$id,$f" || exit
		done && git update-ref refs/heads/entire/checkpoints/v1 $(git commit-tree -m x $(git write-tree))`
	}
	for _, c := range []struct{ want, fault string }{
		{"", "true"},
		{"which its commit", rewritten("'*/metadata.json'", `sed 's/"f.txt"/"g.txt"/'`)},
		{"don't add up", rewritten("'*/0/metadata.json'", `sed 's/"agent_lines": 2/"agent_lines": 3/'`)},
		{"cannot be read", rewritten("'*/0/metadata.json'", "tr -d :")},
		{"cannot be read", "git update-ref -d refs/heads/entire/checkpoints/v1"},
		{"took 3 tokens", rewritten("'*/0/metadata.json'", `sed '/ "token_usage"/,/}/s/"output_tokens": 1/"output_tokens": 2/'`)},
		{"no commit links", "git update-ref HEAD HEAD^"},
		{"is committed and linked", "git update-ref " + stream},
		{"a link is pending", "echo x >.git/entire-plumb/pending.json"},
		{"was left behind", "touch .git/packed-refs.lock"},
		{"not sound", "id=$(git rev-parse HEAD:f.txt) && rm -f .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)"},
	} {
		broken := filepath.Join(t.TempDir(), "broken")
		testdir.Must(t, os.CopyFS(broken, os.DirFS(w.dir)))
		run := func(name string, args ...string) (string, error) {
			cmd := exec.Command(name, args...)
			cmd.Dir, cmd.Env = broken, w.env
			out, err := cmd.Output()
			return string(out), err
		}
		if _, err := run("sh", "-c", "export GIT_INDEX_FILE=$PWD/../index; "+c.fault); err != nil {
			t.Fatal(c.fault, err)
		}
		err := replay.Promises(func(args ...string) (string, error) { return run("git", args...) }, true)
		if said := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && !strings.Contains(said, c.want) {
			t.Errorf("%s: %s; want %q", c.fault, said, c.want)
		}
	}
}
