package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// A former name of a verb is the verb: called wrongly, both say how the verb is used, by its name.
// The scripts of this repository, which Params serves, don't have them.
func TestFormerNames(t *testing.T) {
	log := func(verb string) string {
		file := filepath.Join(t.TempDir(), "script.txtar")
		testdir.Must(t, os.WriteFile(file, []byte(verb+"\n"), 0o644))
		var text string
		testdir.Must(t, Run(os.Args[0], []string{file}, func(r Result) { _, text, _ = strings.Cut(r.Log, "FAIL: ") }))
		_, text, _ = strings.Cut(text, ":1: ")
		return text
	}
	for former, name := range formerNames {
		got := log(former)
		if want := "usage: " + name + " "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", former, got, want)
		}
		if want := log(name); got != want {
			t.Errorf("%s says %q, %s %q", former, got, name, want)
		}
		if Params().Cmds[former] != nil {
			t.Errorf("%s is a verb of this repository's scripts", former)
		}
		if got := log("processes 1 " + former); got != log("processes 1 "+name) {
			t.Errorf("processes 1 %s: %q", former, got)
		}
	}
}
