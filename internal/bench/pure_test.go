package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/testdir"
)

// TestParse: which flags are refused, and what sizes and counts are read as.
func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  "[20 20000 100000] 5242880 65536 9",
		"-files 30,5000 -changed 3":         "[30 5000] 5242880 65536 9",
		"-transcript 3MB -growth 7k":        "[20 20000 100000] 3145728 7168 9",
		"-transcript 1000 -runs 1":          "[20 20000 100000] 1000 65536 1",
		"-files 30,x":                       "refused",
		"-files 0":                          "refused",
		"-files 9,5000":                     "refused", // fewer than -changed
		"-files 10 -changed 10":             "[10] 5242880 65536 9",
		"-runs 0":                           "refused",
		"-changed 0":                        "refused",
		"-branches -1":                      "refused",
		"-checkpoints -1":                   "refused",
		"-log -commits 10 -checkpoints 11":  "refused",
		"-commits 0":                        "refused",
		"-scale nothing":                    "refused",
		"-docs docs/speed.md":               "refused",
		"-transcript 2000000MB":             "refused",
		"-growth -1KB":                      "refused",
		"-growth much":                      "refused",
		"more":                              "refused",
		"-log -commits 100 -checkpoints 99": "[20 20000 100000] 5242880 65536 9",
	} {
		var errs bytes.Buffer
		o, err := parse(strings.Fields(args), &errs)
		got := fmt.Sprint(o.files, o.transcript, o.growth, o.runs)
		if err != nil {
			got = "refused"
		}
		if got != want || (err != nil) != (errs.Len() > 0) {
			t.Errorf("%q: %s, want %s; it says %s", args, got, want, errs.String())
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		all  []float64
		want float64
	}{{[]float64{7}, 7}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 9, 3, 2}, 2.5}} {
		if got := median(slices.Clone(c.all)); got != c.want {
			t.Errorf("%v: %v, want %v", c.all, got, c.want)
		}
	}
}

// TestShown: how numbers, sizes and times are written.
func TestShown(t *testing.T) {
	for got, want := range map[string]string{
		grouped(0): "0", grouped(999): "999", grouped(1000): "1,000", grouped(1234567): "1,234,567",
		bytesShown(512): "0.5 KB", bytesShown(64 << 10): "64 KB", bytesShown(1<<20 - 1024): "1023 KB", bytesShown(5 << 20): "5 MB",
		milliseconds(1_250_000): "1.2", milliseconds(0): "0.0",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// runOf is a run in which each row took so many milliseconds, and git status and a commit 2 and 4.
func runOf(took map[string]int) results {
	r := results{samples: map[string]sample{}, commits: []time.Duration{4 * time.Millisecond}}
	for row, ms := range took {
		r.samples[row] = sample{took: time.Duration(ms) * time.Millisecond, status: 2 * time.Millisecond, processes: ms}
	}
	return r
}

// TestCells: a row has medians over the runs and the most processes, and is omitted where a run
// lacks it.
func TestCells(t *testing.T) {
	runs := []results{runOf(map[string]int{rowStop: 6, rowPrompt: 1}), runOf(map[string]int{rowStop: 2}), runOf(map[string]int{rowStop: 8})}
	if got, want := cellsOf(rowStop, runs), []string{rowStop, "8", "6.0", "3.00", "1.50"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := cellsOf(rowPrompt, runs); got != nil {
		t.Errorf("two runs lack it: %q", got)
	}
	if status, plain := references(runs); milliseconds(status) != "2.0" || milliseconds(plain) != "4.0" {
		t.Errorf("%v and %v", status, plain)
	}
}

// TestPaired: the ratio of two rows is the median of those within a run.
func TestPaired(t *testing.T) {
	runs := []results{runOf(map[string]int{rowStop: 6, rowPrompt: 2}), runOf(map[string]int{rowStop: 8, rowPrompt: 8}), runOf(map[string]int{rowStop: 4, rowPrompt: 2})}
	if got, ok := paired(runs, rowStop, rowPrompt); !ok || got != 2 {
		t.Errorf("%v, %t", got, ok)
	}
	if _, ok := paired(runs, rowStop, rowCommit); ok {
		t.Error("there is no such row")
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	printMarkdown(&out, [][]string{{"", "a"}, {"b", "1"}})
	if want := "|  | a |\n|---|---:|\n| b | 1 |\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestTexts: a text has the size that is asked for, and others another one; an edit changes three
// lines as none before did; directories have 20 to 100 files.
func TestTexts(t *testing.T) {
	if text(3, 900) == text(4, 900) || len(text(3, 900)) < 900 || len(text(3, 900)) > 1100 {
		t.Errorf("%q", text(3, 900))
	}
	before := text(3, 900)
	for n := range 3 {
		after, differ := edit(before, n), 0
		now := strings.Split(after, "\n")
		for i, line := range strings.Split(before, "\n") {
			if now[i] != line {
				differ++
			}
		}
		if differ != 3 || len(now) != strings.Count(before, "\n")+1 {
			t.Errorf("edit %d changes %d lines", n, differ)
		}
		before = after
	}
	paths := layout(500)
	sizes := map[string]int{}
	for _, p := range paths {
		sizes[p[:strings.LastIndex(p, "/")]]++
	}
	if slices.Sort(paths); len(slices.Compact(paths)) != 500 {
		t.Error("two files have one name")
	}
	small := 0
	for _, n := range sizes {
		if n < 20 {
			small++
		}
		if n > 100 {
			t.Errorf("a directory of %d files", n)
		}
	}
	if small > 1 { // the last one
		t.Errorf("%d small directories", small)
	}
}

func TestNext(t *testing.T) {
	r := &repository{paths: layout(40)}
	for turn := range 5 {
		paths := r.next(10, turn)
		if slices.Sort(paths); len(slices.Compact(paths)) != 10 {
			t.Errorf("turn %d: %q", turn, paths)
		}
	}
	if slices.Equal(r.next(10, 1), r.next(10, 2)) {
		t.Error("two turns have the same files")
	}
}

// TestMatrixTable: results are rows, and a script that failed is listed with all places.
func TestMatrixTable(t *testing.T) {
	one, two := variant{version: "2.50", format: "SHA-1"}, variant{version: "2.50", format: "SHA-256"}
	for name, c := range map[string]struct {
		results  []result
		failures int
		has      []string
	}{
		"none failed": {[]result{{one, 3, 1, nil}}, 0, []string{"| 2.50 | SHA-1 | 3 | 1 | 0 |\n"}},
		"one in both": {[]result{{one, 3, 1, []string{"a"}}, {two, 4, 0, []string{"a", "b"}}}, 3,
			[]string{"| 2.50 | SHA-256 | 4 | 0 | 2 |\n", "\n- `a`: 2.50 SHA-1, 2.50 SHA-256\n", "\n- `b`: 2.50 SHA-256\n"}},
	} {
		var out bytes.Buffer
		if got := printMatrix(&out, c.results); got != c.failures {
			t.Errorf("%s: %d failures", name, got)
		}
		for _, part := range c.has {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q is not in %q", name, part, out.String())
			}
		}
	}
}

const lightLine, heavyLine, otherLine = lineage.Line(1), lineage.Line(2), lineage.Line(4)

// fileOf is a version of a file with lines.
func fileOf(path, blob string, lines ...lineage.Line) lineage.File {
	return lineage.File{Path: gitexec.Path(path), Blob: gitexec.OID(blob), Lines: lines}
}

// TestIn: which commits of a pull request are in what was made of it: surely, perhaps, or not.
func TestIn(t *testing.T) {
	if !lightLine.Light() || heavyLine.Light() || otherLine.Light() {
		t.Fatal("the lines weigh something else")
	}
	for name, c := range map[string]struct {
		commit, made lineage.File
		want         string
	}{
		"its line":                      {fileOf("f", "1", heavyLine), fileOf("f", "2", heavyLine), "true"},
		"half of its lines":             {fileOf("f", "1", heavyLine, otherLine), fileOf("f", "2", heavyLine), "true"},
		"a third of its lines":          {fileOf("f", "1", heavyLine, otherLine, 8), fileOf("f", "2", heavyLine), "false"},
		"none of them":                  {fileOf("f", "1", heavyLine), fileOf("f", "2", otherLine), ""},
		"a line that weighs nothing":    {fileOf("f", "1", lightLine), fileOf("f", "2", lightLine), ""},
		"the same version, no lines":    {fileOf("f", "1"), fileOf("g", "1"), "true"},
		"another version, no lines":     {fileOf("f", "1"), fileOf("f", "2"), ""},
		"both delete it":                {fileOf("f", ""), fileOf("f", ""), "true"},
		"its file is deleted there":     {fileOf("f", "1"), fileOf("f", ""), ""},
		"another file is deleted there": {fileOf("f", ""), fileOf("g", ""), ""},
	} {
		p := pull{commits: []pulled{{Unlinked: lineage.Unlinked{Commit: "c", Files: []lineage.File{c.commit}}}}}
		got := ""
		if sure, in := p.in(lineage.Unlinked{Files: []lineage.File{c.made}})["c"]; in {
			got = fmt.Sprint(sure)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestJudge: a link that cannot be said to be right is neither right nor wrong.
func TestJudge(t *testing.T) {
	r := &relinked{truth: []map[string]bool{{"a": true, "b": false}, {"c": true}}}
	right, wrong := r.judge([][]lineage.Found{{{ID: "a"}, {ID: "b"}, {ID: "x"}}, {{ID: "a"}}})
	if right != 1 || wrong != 2 || r.links() != 2 {
		t.Errorf("%d right, %d wrong, of %d", right, wrong, r.links())
	}
}

// TestEdited: a share of the lines is replaced, in a copy.
func TestEdited(t *testing.T) {
	lines := make([]lineage.Line, 1000)
	for i := range lines {
		lines[i] = lineage.Line(2 * i)
	}
	c := lineage.Unlinked{Files: []lineage.File{fileOf("f", "1", lines...)}}
	made := edited(c, 0.2, rand.New(rand.NewPCG(1, 2)))
	same := 0
	for i, line := range made.Files[0].Lines {
		if line == lineage.Line(2*i) {
			same++
		}
		if line.Light() {
			t.Errorf("line %d weighs nothing", i)
		}
	}
	if same < 750 || same > 850 || made.Files[0].Blob == "1" || c.Files[0].Blob != "1" || c.Files[0].Lines[0] != 0 {
		t.Errorf("%d lines are the same", same)
	}
}

// TestPartial: of a commit with files on both sides it cannot be said whether it is in a part.
func TestPartial(t *testing.T) {
	files := func(from, to int) (all []lineage.File) {
		for i := from; i < to; i++ {
			all = append(all, fileOf(fmt.Sprint(i), fmt.Sprint("blob", i), lineage.Line(2*i+2)))
		}
		return all
	}
	p := pull{merge: lineage.Unlinked{Files: files(0, 30)}, commits: []pulled{{Unlinked: lineage.Unlinked{Commit: "all", Files: files(0, 30)}}}}
	for i := range 30 {
		p.commits = append(p.commits, pulled{Unlinked: lineage.Unlinked{Commit: gitexec.OID(fmt.Sprint(i)), Files: files(i, i+1)}})
	}
	c, of := partial(p, rand.New(rand.NewPCG(1, 2)))
	if n := len(c.Files); n < 10 || n == 30 {
		t.Fatalf("%d files", n)
	}
	if sure, in := of["all"]; sure || !in {
		t.Errorf("the commit with all files: %t %t", sure, in)
	}
	for i := range 30 {
		there := slices.ContainsFunc(c.Files, func(f lineage.File) bool { return f.Path == gitexec.Path(fmt.Sprint(i)) })
		if of[fmt.Sprint(i)] != there {
			t.Errorf("file %d: %t", i, there)
		}
	}
}

// A part of a page is replaced, and the rest stays; a page without that part is not written.
func TestWriteInto(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	mark := "<!-- written by: go run ./internal/bench -scale %s -docs docs/scale.md -->\n"
	before := fmt.Sprintf("One.\n"+mark+"old\n"+endOfWritten+"Two.\n"+mark+"old\n"+endOfWritten+"Three.\n", "a", "b")
	testdir.Must(t, os.WriteFile(page, []byte(before), 0o600))
	testdir.Must(t, writeInto(page, "-scale b", "| new |\n"))
	after, err := os.ReadFile(page)
	testdir.Must(t, err)
	want := fmt.Sprintf("One.\n"+mark+"old\n"+endOfWritten+"Two.\n"+mark+"\n| new |\n"+endOfWritten+"Three.\n", "a", "b")
	if string(after) != want {
		t.Errorf("the page is\n%s", after)
	}
	if err := writeInto(page, "-scale c", ""); err == nil {
		t.Error("a part that is not there was written")
	}
}

func TestNamesOfProcesses(t *testing.T) {
	n := names{}
	for _, c := range []struct{ args, want string }{
		{"-c a=b -c c.d=e cat-file --batch-command=%(x) -Z", "git cat-file --batch-command"},
		{"for-each-ref '--format=%(x)' refs", "git for-each-ref --format"},
		{"read-tree HEAD", "git read-tree"},
		{"cat-file --batch-command", "git cat-file --batch-command, 2"},
	} {
		if got := n.next(strings.Fields(c.args)); got != c.want {
			t.Errorf("%s is %q, not %q", c.args, got, c.want)
		}
	}
}

// What -scale says is of processor time, within each run.
func TestProcessorTime(t *testing.T) {
	runs := []results{
		{samples: map[string]sample{rowStop: {cpu: 30, statusCPU: 10, took: 999}, rowPrompt: {cpu: 8, statusCPU: 4}}},
		{samples: map[string]sample{rowStop: {cpu: 20, statusCPU: 5}, rowPrompt: {cpu: 12, statusCPU: 4}}},
	}
	for row, want := range map[string]string{rowStop: "[3 4]", rowPrompt: "[2 3]", rowPrepare: "[]"} {
		if got := fmt.Sprint(each(runs, func(r results) []float64 { return processorOf(r, row, false) })); got != want {
			t.Errorf("%s: %s, not %s", row, got, want)
		}
	}
	statuses := each(runs, func(r results) []float64 { return processorOf(r, "", true) })
	if slices.Sort(statuses); fmt.Sprint(statuses) != "[4 4 5 10]" {
		t.Errorf("git status took %v", statuses)
	}
}

func TestDimensions(t *testing.T) {
	for _, d := range dimensions {
		if !slices.IsSorted(d.sizes) || len(d.sizes) < 3 || !slices.Contains(dimensionNames(), d.name) {
			t.Errorf("%s has the sizes %v", d.name, d.sizes)
		}
		for _, row := range d.rows {
			if !slices.Contains(rows, row) {
				t.Errorf("%s: no hook is %q", d.name, row)
			}
		}
	}
}
