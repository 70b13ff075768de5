//go:build unix

package gitexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestReceiverEndsByItself: where a push takes too long, the sender is ended, and a receiver on this
// machine is left to remove what it has received in part; one that doesn't end is ended.
func TestReceiverEndsByItself(t *testing.T) {
	for name, want := range map[string]string{
		`trap 'echo ended >>mark' TERM; cat >/dev/null; sleep 0.2; echo removed >>mark`: "removed\n",
		`trap '' TERM; sleep 60; echo alive >>mark`:                                     "",
		// git passes the signal on: it may come twice.
		`exec 2>/dev/null; trap 'trap "" TERM; echo ended >>mark; exit' TERM; while :; do sleep 0.05; done`: "ended\n",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel() // they wait
			repo := repository(t, SHA1)
			dir := repo.Top
			script := filepath.Join(dir, "receive.sh")
			testdir.Must(t, os.WriteFile(script, []byte("cd '"+dir+"'\necho $$ >pid\n"+name+"\n"), 0o700))
			git(t, dir, "config", "remote.there.url", dir)
			git(t, dir, "config", "remote.there.receivepack", "sh "+script)
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
			repo = discover(t, dir)
			begun := time.Now()
			_, err := repo.Push(t.Context(), Remote{Name: "there", Patience: 300 * time.Millisecond, Here: strings.HasPrefix(want, "removed")}, []RefSpec{{From: repo.Head.ID, To: "refs/heads/x"}})
			if err == nil || time.Since(begun) > 20*time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(begun))
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "mark")); string(got) != want {
				t.Errorf("%s: it left %q, not %q", name, got, want)
			}
		})
	}
}

// TestParsePushed: what became of each ref, and whether the remote's is another than was thought.
func TestParsePushed(t *testing.T) {
	for line, want := range map[string]Pushed{
		" \ta:refs/x\t1..2":                                       {To: "refs/x", Done: true},
		"=\ta:refs/x\t[up to date]":                               {To: "refs/x", Done: true},
		"-\t:refs/x\t[deleted]":                                   {To: "refs/x", Done: true, Deleted: true},
		"!\ta:refs/x\t[rejected] (fetch first)":                   {To: "refs/x", Why: "fetch first", Behind: true},
		"!\ta:refs/x\t[rejected] (stale info)":                    {To: "refs/x", Why: "stale info", Behind: true},
		"!\ta:refs/x\t[remote rejected] (hook declined)":          {To: "refs/x", Why: "hook declined"},
		"!\ta:refs/x\t[remote failure]":                           {To: "refs/x", Why: "remote failure"},
		"!\ta:refs/x\t[remote rejected] (cannot lock ref 'x': y)": {To: "refs/x", Why: "cannot lock ref 'x': y", Behind: true},
	} {
		if got := parsePushed("To /a/b\n" + line + "\nDone\n"); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
	for _, other := range []string{"", "To x\n", "Done\n", "ab\ta:b\tc\n", " \ta:b\n"} {
		if got := parsePushed(other); got != nil {
			t.Errorf("%q: %+v", other, got)
		}
	}
}
