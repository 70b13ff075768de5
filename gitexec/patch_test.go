package gitexec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func patches(t *testing.T, log string) ([]FilePatch, error) {
	t.Helper()
	var all []FilePatch
	err := ParsePatchLog(strings.NewReader(log), func(f FilePatch) error { all = append(all, f); return nil })
	return all, err
}

// TestParsePatchLog: each header says something of the file, a hunk's lines are never taken for one,
// and the last line may have no newline.
func TestParsePatchLog(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	head := "\x01commit " + a + " " + b + "\n\n"
	base := FilePatch{Commit: OID(a), Parent: OID(b), Old: "f", New: "f"}
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
		{"a commit without files", head, nil},
		{"headers outside a file", head + "new mode 100755\nrename to x\n@@ -1 +1 @@\n", nil},
		{"no commit at all", "\x01commit \n", nil},
		{"a root commit", "\x01commit " + a + "\n" + diff, []FilePatch{{Commit: OID(a), Old: "f", New: "f"}}},
		{"only a mode", head + diff + "old mode 100644\nnew mode 100755\n", with(func(f *FilePatch) { f.Mode = "100755" })},
		{"an added file", head + diff + "new file mode 100644\nindex 000..abc\n", with(func(f *FilePatch) {
			f.Old, f.Mode, f.OldBlob, f.NewBlob = "", "100644", "000", "abc"
		})},
		{"a deleted file", head + diff + "deleted file mode 100644\nindex abc..000\n", with(func(f *FilePatch) {
			f.New, f.Mode, f.OldBlob, f.NewBlob = "", "100644", "abc", "000"
		})},
		{"a rename", head + "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to \"g\\t\"\nindex ab..cd 100644\n", with(func(f *FilePatch) {
			f.New, f.Mode, f.OldBlob, f.NewBlob = "g\t", "100644", "ab", "cd"
		})},
		{"a binary file", head + diff + "index ab..cd 100644\nBinary files a/f and b/f differ\n", with(func(f *FilePatch) {
			f.Mode, f.OldBlob, f.NewBlob, f.Binary = "100644", "ab", "cd", true
		})},
		{"a quoted name", head + "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n", with(func(f *FilePatch) { f.Old, f.New = "ä", "ä" })},
		{"hunks", head + diff + "--- a/f\n+++ b/f\n@@ -1 +1,2 @@ func x\n-diff --git a/x b/x\n+@@ -1 +1 @@\n+\x01commit " + b + "\n@@ -9,0 +11 @@\n+new mode 1\n",
			with(func(f *FilePatch) {
				f.Hunks = []Hunk{
					{1, 1, 1, 2, []string{"diff --git a/x b/x\n"}, []string{"@@ -1 +1 @@\n", "\x01commit " + b + "\n"}},
					{9, 0, 11, 1, nil, []string{"new mode 1\n"}},
				}
			})},
		{"no newline at the end", head + diff + "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n", with(func(f *FilePatch) {
			f.Hunks = []Hunk{{1, 1, 1, 1, []string{"old"}, []string{"new"}}}
		})},
		{"two files", head + diff + "new mode 100755\ndiff --git a/g b/g\nnew mode 100644\n",
			append(with(func(f *FilePatch) { f.Mode = "100755" }), with(func(f *FilePatch) { f.Old, f.New, f.Mode = "g", "g", "100644" })...)},
	} {
		if got, err := patches(t, c.log); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
	for _, damaged := range []string{"@@ 1 1 @@\n", "@@ -1\n", "@@ -x +1 @@\n", "@@ -1 +1 @@\n context\n", "\\ No newline at end of file\n"} {
		if got, err := patches(t, head+diff+damaged); err == nil {
			t.Errorf("%q: %+v", damaged, got)
		}
	}
}

// TestPatchLog: merges are compared with their first parent, paths are literal, and what each
// returns ends it.
func TestPatchLog(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		git(t, r.Top, "checkout", "-q", "-b", "side")
		write(t, r.Top, "*.txt", "star\n")
		git(t, r.Top, "add", "-A")
		git(t, r.Top, "commit", "-qm", "star")
		git(t, r.Top, "checkout", "-q", "main")
		write(t, r.Top, "a.txt", "1\n")
		git(t, r.Top, "commit", "-qam", "one")
		git(t, r.Top, "merge", "-q", "--no-edit", "side")
		list := func(paths ...Path) string {
			var got []string
			err := r.PatchLog(context.Background(), []string{"HEAD"}, paths, func(f FilePatch) error {
				got = append(got, fmt.Sprintf("%s>%s", f.Old, f.New))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return strings.Join(got, " ")
		}
		if got, want := list(), ">a.txt >dir/b.txt a.txt>a.txt >*.txt"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := list("*.txt"), ">*.txt"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		enough := errors.New("enough")
		if err := r.PatchLog(context.Background(), []string{"HEAD"}, nil, func(FilePatch) error { return enough }); err != enough {
			t.Errorf("%v", err)
		}
	})
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
		want := strings.Join([]string{"0 a.txt>a.txt [{1 0 2 1 [] []}]", "2 >a.txt [{0 0 1 1 [] []}]", "2 >dir/b.txt [{0 0 1 1 [] []}]", "3 dir/b.txt>c.txt []"}, "\n")
		if got := list(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		discard := r.WarmPatchTrees(context.Background(), []Path{"a.txt"})
		before := r.Processes()
		if got, want := list("a.txt"), "0 a.txt>a.txt [{1 0 2 1 [] []}]\n2 >a.txt [{0 0 1 1 [] []}]"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if n := r.Processes() - before; n > 1 { // the warm one may have been counted before
			t.Errorf("%d processes", n)
		}
		if err := discard(); err != nil {
			t.Error(err)
		}
		if err := r.WarmPatchTrees(context.Background(), nil)(); err != nil { // unused
			t.Error(err)
		}
	})
}

// TestSkippedHunks: where the text of hunks is not kept, long lines are passed over, and a hunk that
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
