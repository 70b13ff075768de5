package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/hunks"
	"entire-plumb/internal/testdir"
)

// TestHunksAsGitShowsThem holds what is made of hunks without context against git's own three lines
// of it, over random changes.
func TestHunksAsGitShowsThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	function := regexp.MustCompile(`(?m)^(@@ .* @@) .*$`) // git names a line before the hunk
	diff := func(context string) string {
		cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--inter-hunk-context=0", "--diff-algorithm=myers", context, "a",
			"b")
		cmd.Dir = dir
		cmd.Env = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "PATH=" + os.Getenv("PATH")}
		out, _ := cmd.Output() // fails where something differs
		_, body, _ := strings.Cut(string(out), "\n@@ ")
		return function.ReplaceAllString("@@ "+body, "$1")
	}
	for round := range 60 {
		before, after := change(random)
		for name, lines := range map[string][]string{"a": before, "b": after} {
			testdir.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "")), 0o600))
		}
		if slices.Equal(before, after) {
			continue
		}
		var got strings.Builder
		d := differ{old: before, new: after, row: func(r Row) Row { return r }}
		for _, together := range hunks.Near(parsed(t, diff("-U0")), around) {
			hunk, left := d.hunk(together, 1000)
			if left != 0 {
				t.Fatalf("%d lines left out", left)
			}
			fmt.Fprintln(&got, hunk.Head)
			for _, r := range hunk.Rows {
				if r.Sign == `\` {
					r.Text = " No newline at end of file"
				}
				fmt.Fprintln(&got, r.Sign+r.Text)
			}
		}
		if want := diff("-U3"); got.String() != want {
			t.Fatalf("round %d:\n%s\nnot\n%s", round, got.String(), want)
		}
	}
}

// change makes a text and another version of it.
func change(random *rand.Rand) (before, after []string) {
	for i := range random.IntN(40) {
		before = append(before, fmt.Sprintf("line %d\n", i))
	}
	for _, line := range before {
		switch random.IntN(12) {
		case 0:
		case 1:
			after = append(after, "new before\n", line)
		case 2:
			after = append(after, "changed "+line)
		default:
			after = append(after, line)
		}
	}
	if len(after) == 0 || random.IntN(3) == 0 {
		after = append(after, "at the end\n")
	}
	if random.IntN(4) == 0 {
		after[len(after)-1] = strings.TrimSuffix(after[len(after)-1], "\n")
	}
	return before, after
}

// parsed reads the hunks of a patch.
func parsed(t *testing.T, patch string) []gitexec.Hunk {
	t.Helper()
	var hunks []gitexec.Hunk
	err := gitexec.ParsePatch(strings.NewReader("diff --git a/a b/a\n"+patch),
		func(p gitexec.FilePatch) error { hunks = p.Hunks; return nil })
	testdir.Must(t, err)
	return hunks
}

func TestHunkWithoutRoom(t *testing.T) {
	d := differ{old: hunks.Split("a\nb\nc\n"), new: hunks.Split("a\nx\ny\nc"), row: func(r Row) Row { return r }}
	hunk, left := d.hunk([]gitexec.Hunk{{OldStart: 2, OldLines: 2, NewStart: 2, NewLines: 3}}, 2)
	if left != 4 || len(hunk.Rows) != 2 || hunk.Rows[1].Text != "b" || hunk.Head != "@@ -1,3 +1,4 @@" {
		t.Errorf("%d left out, %+v", left, hunk)
	}
}

func TestSpans(t *testing.T) {
	k := &talk{spans: []span{{of: "one", start: 0}, {of: "two", start: 10}, {of: "again", start: 10}, {of: "three", start: 20}}}
	k.close()
	for _, test := range []struct {
		first, last int
		want        []string
	}{{0, 3, []string{"one"}}, {9, 9, []string{"one"}}, {8, 12, []string{"one", "two", "again"}}, {10, 19, []string{"two", "again"}}, {25,
		30, []string{"three"}}} {
		if got := k.chapters(test.first, test.last); !slices.Equal(got, test.want) {
			t.Errorf("lines %d to %d are of %q, not %q", test.first, test.last, got, test.want)
		}
	}
}
