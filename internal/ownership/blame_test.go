package ownership_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
)

var (
	histories = flag.Int("histories", 400, "how many histories TestAgainstBlame makes")
	seed      = flag.Uint64("seed", 1, "what they are made from")
)

// history is a chain of versions of a few files.
type history struct {
	commits []string // object IDs, oldest first
	files   map[string][]string
	named   bool // the commit in the making has a new path: of two that are like one that went, git log and git blame differ on which it became
}

// TestAgainstBlame makes random histories and asks git blame whose each line of their last commit
// is.
func TestAgainstBlame(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, nil, "init", "-q", ".")
	rng := rand.New(rand.NewPCG(*seed, 0))
	all := make([]history, *histories)
	var stream bytes.Buffer
	mark := 0
	for i := range all {
		all[i] = made(rng, i, &stream, &mark)
	}
	git(t, dir, &stream, "fast-import", "--quiet", "--export-marks="+filepath.Join(dir, "marks"))
	data, err := os.ReadFile(filepath.Join(dir, "marks"))
	if err != nil {
		t.Fatal(err)
	}
	marks := strings.Fields(string(data))
	ids := map[string]string{}
	for i := 0; i+1 < len(marks); i += 2 {
		ids[marks[i]] = marks[i+1]
	}
	var commits []string
	for i := range all {
		for j, m := range all[i].commits {
			all[i].commits[j] = ids[m]
			commits = append(commits, ids[m]+"^{tree}")
		}
	}
	trees := strings.Fields(string(git(t, dir, strings.NewReader(strings.Join(commits, "\n")+"\n"), "cat-file", "--batch-check=%(objectname)")))
	replayed := replay(t, dir, all, trees)
	lines := 0
	for i, h := range all {
		for path := range h.files {
			want := blame(t, dir, h, path)
			if got := flat(replayed[i].Files[gitexec.Path(path)].Lines); !slices.Equal(got, want) {
				t.Fatalf("history %d, seed %d, %s:\ngot  %v\nwant %v\n%s", i, *seed, path, got, want, git(t, dir, nil, "log", "-p", "-U0", "--reverse", h.commits[len(h.commits)-1], "--"))
			}
			lines += len(want)
		}
	}
	if lines < 10*(*histories) {
		t.Errorf("only %d lines were compared", lines)
	}
}

// replay plays all histories' steps, each step an owner of its own.
func replay(t *testing.T, dir string, all []history, trees []string) []*ownership.History {
	repo, err := gitexec.Discover(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]gitexec.OID
	for _, h := range all {
		before := gitexec.OID("")
		for range h.commits {
			pairs = append(pairs, [2]gitexec.OID{before, gitexec.OID(trees[0])})
			before, trees = gitexec.OID(trees[0]), trees[1:]
		}
	}
	steps := make([][]gitexec.FilePatch, len(pairs))
	err = repo.PatchTrees(context.Background(), pairs, nil, func(p gitexec.FilePatch) error {
		steps[p.Pair] = append(steps[p.Pair], p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	replayed := make([]*ownership.History, len(all))
	for i, h := range all {
		replayed[i] = ownership.NewHistory(nil)
		for j := range h.commits {
			replayed[i].Step(steps[0], ownership.FirstTurn+ownership.Owner(j))
			steps = steps[1:]
		}
	}
	return replayed
}

// flat gives the step of each line.
func flat(lines ownership.Lines) []int {
	var steps []int
	for _, r := range lines {
		for range r.Count {
			steps = append(steps, int(r.Owner-ownership.FirstTurn))
		}
	}
	return steps
}

// blame asks git for the same.
func blame(t *testing.T, dir string, h history, path string) []int {
	var steps []int
	for line := range strings.Lines(string(git(t, dir, nil, "blame", "--porcelain", h.commits[len(h.commits)-1], "--", path))) {
		if id, rest, ok := strings.Cut(line, " "); ok && len(id) == 40 && strings.Trim(id, "0123456789abcdef") == "" {
			if f := strings.Fields(rest); len(f) < 2 || len(f) > 3 {
				continue // a line of the file's begins with a tab; this is one of the header
			}
			steps = append(steps, slices.Index(h.commits, id))
		}
	}
	return steps
}

func git(t *testing.T, dir string, in io.Reader, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, said.String())
	}
	return out.Bytes()
}

// made makes a random history, as a stream for fast-import.
func made(rng *rand.Rand, number int, out *bytes.Buffer, mark *int) history {
	h := history{files: map[string][]string{}}
	for j := range 3 + rng.IntN(5) {
		h.named = false
		for range 1 + rng.IntN(3) {
			h.edit(rng)
		}
		if j == 0 || len(h.files) == 0 && !h.named {
			h.files["first"] = text(rng, 5+rng.IntN(30))
		}
		*mark++
		h.commits = append(h.commits, fmt.Sprintf(":%d", *mark))
		fmt.Fprintf(out, "commit refs/heads/h%d\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 0\n", number, *mark, 1_700_000_000+*mark)
		fmt.Fprintln(out, "deleteall")
		for path, lines := range h.files {
			content := strings.Join(lines, "")
			fmt.Fprintf(out, "M 100644 inline %q\ndata %d\n%s\n", path, len(content), content)
		}
		fmt.Fprintln(out)
	}
	return h
}

// common are lines that stand in a file many times.
var common = []string{"}\n", "\t}\n", "\n", "\treturn nil\n", "{\n", "end\r\n"}

func text(rng *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = common[rng.IntN(len(common))]
		if rng.IntN(2) == 0 {
			lines[i] = fmt.Sprintf("line %d\n", rng.IntN(40))
		}
	}
	return lines
}

// edit does something to one of the files.
func (h *history) edit(rng *rand.Rand) {
	var paths []string
	for path := range h.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if len(paths) == 0 || rng.IntN(6) == 0 {
		if h.named {
			return
		}
		h.named = true
		h.files[fmt.Sprintf("file %d", rng.IntN(6))] = text(rng, rng.IntN(30))
		return
	}
	path := paths[rng.IntN(len(paths))]
	lines := slices.Clone(h.files[path])
	at := rng.IntN(len(lines) + 1)
	n := rng.IntN(min(8, len(lines)-at) + 1)
	switch rng.IntN(10) {
	case 0: // renamed, perhaps over another
		if h.named {
			return
		}
		h.named = true
		delete(h.files, path)
		path = fmt.Sprintf("moved %d", rng.IntN(4))
	case 1: // deleted
		delete(h.files, path)
		return
	case 2, 3: // lines move
		block := slices.Clone(lines[at : at+n])
		lines = slices.Delete(lines, at, at+n)
		to := rng.IntN(len(lines) + 1)
		lines = slices.Insert(lines, to, block...)
	case 4: // no newline at the end, or one again
		if last := len(lines) - 1; last >= 0 {
			if cut, ok := strings.CutSuffix(lines[last], "\n"); ok && cut != "" {
				lines[last] = cut
			}
		}
	case 5: // other line ends
		for i := at; i < at+n; i++ {
			lines[i] = strings.TrimRight(lines[i], "\r\n") + "\r\n"
		}
	case 6, 7:
		lines = slices.Insert(lines, at, text(rng, 1+rng.IntN(6))...)
	default:
		lines = slices.Replace(lines, at, at+n, text(rng, 1+rng.IntN(4))...)
	}
	for i := range lines[:max(0, len(lines)-1)] { // only the last one may be without
		if !strings.HasSuffix(lines[i], "\n") {
			lines[i] += "\n"
		}
	}
	h.files[path] = lines
}
