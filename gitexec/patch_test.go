package gitexec

import (
	"bufio"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func patches(t *testing.T, log string) ([]FilePatch, error) {
	t.Helper()
	var all []FilePatch
	err := ParsePatch(strings.NewReader(log), func(f FilePatch) error { all = append(all, f); return nil })
	return all, err
}

// TestParsePatch: each header says something of the file, a hunk's lines are never taken for one,
// and the last line may have no newline.
func TestParsePatch(t *testing.T) {
	base := FilePatch{Old: "f", New: "f"}
	with := func(change func(*FilePatch)) []FilePatch {
		f := base
		change(&f)
		return []FilePatch{f}
	}
	const diff = "diff --git a/f b/f\n"
	for _, c := range []struct {
		name, log string
		want      []FilePatch
	}{
		{"nothing", "", nil},
		{"headers outside a file", "new mode 100755\nrename to x\n@@ -1 +1 @@\n", nil},
		{"only a mode", diff + "old mode 100644\nnew mode 100755\n", with(func(f *FilePatch) { f.Mode = "100755" })},
		{"an added file", diff + "new file mode 100644\nindex 000..abc\n", with(func(f *FilePatch) {
			f.Old, f.Mode, f.OldBlob = "", "100644", "000"
		})},
		{"a deleted file", diff + "deleted file mode 100644\nindex abc..000\n", with(func(f *FilePatch) {
			f.New, f.Mode, f.OldBlob = "", "100644", "abc"
		})},
		{"a rename", "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to \"g\\t\"\nindex ab..cd 100644\n", with(func(f *FilePatch) {
			f.New, f.Mode, f.OldBlob = "g\t", "100644", "ab"
		})},
		{"a binary file", diff + "index ab..cd 100644\nBinary files a/f and b/f differ\n", with(func(f *FilePatch) {
			f.Mode, f.OldBlob, f.Binary = "100644", "ab", true
		})},
		{"a quoted name", "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n", with(func(f *FilePatch) { f.Old, f.New = "ä", "ä" })},
		{"hunks", diff + "--- a/f\n+++ b/f\n@@ -1 +1,2 @@ func x\n-diff --git a/x b/x\n+@@ -1 +1 @@\n+new file mode 1\n@@ -9,0 +11 @@\n+new mode 1\n",
			with(func(f *FilePatch) { f.Hunks = []Hunk{{1, 1, 1, 2}, {9, 0, 11, 1}} })},
		{"no newline at the end", diff + "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n", with(func(f *FilePatch) {
			f.Hunks = []Hunk{{1, 1, 1, 1}}
		})},
		{"two files", diff + "new mode 100755\ndiff --git a/g b/g\nnew mode 100644\n",
			append(with(func(f *FilePatch) { f.Mode = "100755" }), with(func(f *FilePatch) { f.Old, f.New, f.Mode = "g", "g", "100644" })...)},
	} {
		if got, err := patches(t, c.log); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
	for _, damaged := range []string{"@@ 1 1 @@\n", "@@ -1\n", "@@ -x +1 @@\n", "@@ -1 +1 @@\n context\n", "@@ -1 +1 @@\n-one\n"} {
		if got, err := patches(t, diff+damaged); err == nil {
			t.Errorf("%q: %+v", damaged, got)
		}
	}
}

// TestPatchTrees: the patches of several pairs come in their order, of the paths alone, from a
// process that runs already or not.
func TestPatchTrees(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		tree := func() OID {
			git(t, r.Top, "add", "-A")
			return OID(git(t, r.Top, "write-tree"))
		}
		first := r.Head.Tree
		write(t, r.Top, "a.txt", "one\ntwo\n")
		write(t, r.Top, ".entire/metadata/x", "no\n")
		second := tree()
		git(t, r.Top, "mv", "dir/b.txt", "c.txt")
		third := tree()
		list := func(paths ...Path) string {
			var got []string
			err := r.PatchTrees(context.Background(), [][2]OID{{first, second}, {third, third}, {"", first}, {second, third}}, paths, func(f FilePatch) error {
				got = append(got, fmt.Sprintf("%d %s>%s %v", f.Pair, f.Old, f.New, f.Hunks))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return strings.Join(got, "\n")
		}
		want := strings.Join([]string{"0 a.txt>a.txt [{1 0 2 1}]", "2 >a.txt [{0 0 1 1}]", "2 >dir/b.txt [{0 0 1 1}]", "3 dir/b.txt>c.txt []"}, "\n")
		if got := list(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		discard := r.WarmPatchTrees(context.Background())
		before := r.Processes()
		if got := list(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got, want := list("a.txt"), "0 a.txt>a.txt [{1 0 2 1}]\n2 >a.txt [{0 0 1 1}]"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if n := r.Processes() - before; n > 2 { // the warm one may have been counted before
			t.Errorf("%d processes", n)
		}
		if err := discard(); err != nil {
			t.Error(err)
		}
		if err := r.WarmPatchTrees(context.Background())(); err != nil { // unused
			t.Error(err)
		}
	})
}

// TestSkippedHunks: long lines are passed over, and a hunk that
// ends early is an error.
func TestSkippedHunks(t *testing.T) {
	ids := strings.Repeat("a", 40) + " " + strings.Repeat("b", 40) + "\n"
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		log string
		n   int
		ok  bool
	}{
		{ids + "diff --git a/f b/f\n@@ -1 +1 @@\n-" + long + "\n\\ No newline\n+" + long + "\ndiff --git a/g b/g\n", 2, true},
		{ids + "diff --git a/f b/f\n@@ -1 +1 @@\n-x\n", 0, false},
		{ids + "diff --git a/f b/f\n@@ -1 +1 @@\n context\n+x\n", 0, false},
	} {
		n := 0
		p := patchParser{in: bufio.NewReaderSize(strings.NewReader(c.log), 64<<10), id: 40, pair: -1, each: func(FilePatch) error { n++; return nil }}
		if err := p.all(); (err == nil) != c.ok || n != c.n {
			t.Errorf("%.80q: %d files, %v", c.log, n, err)
		}
	}
}
