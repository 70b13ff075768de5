package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/replay"
	"entire-plumb/suffix"
)

// TestAgainstTheProgram plays random workflows with the real program and git: the streams there are after each turn and
// commit, each commit's link, and the sessions that its checkpoint holds must be those of the run in memory.
func TestAgainstTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("plays workflows with real git")
	}
	dir := t.TempDir()
	exe := filepath.Join(dir, "entire-plumb")
	if out, err := exec.Command("go", "build", "-o", exe, "entire-plumb").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var files []string
	for number := range uint64(14) {
		const s = 1 // a workflow that the script cannot say in real git would be no fault of the program
		p := newPlumb(suffix.Exact)
		p.replay = true
		w := run(s, number, p)
		file := filepath.Join(dir, fmt.Sprintf("workflow_%d_%d.txtar", s, number))
		if err := os.WriteFile(file, []byte(w.script.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	err := replay.Run(exe, files, func(r replay.Result) {
		if r.Failed {
			t.Errorf("%s goes otherwise in memory (go run ./internal/simulate -first NUMBER -n 1 -seed SEED -o DIR)\n%s", r.Name, tail(r.Log, 40))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func tail(log string, n int) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
