package gitexec

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestParseStatus(t *testing.T) {
	const one, two, nought = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222", "0000000000000000000000000000000000000000"
	file := func(id OID) Entry { return Entry{ModeFile, id} }
	for record, want := range map[string]StatusEntry{
		"? new file": {Path: "new file", Index: '.', Worktree: '?'},
		"? x":        {Path: "x", Index: '.', Worktree: '?'},
		"? inner/":   {Path: "inner/", Index: '.', Worktree: '?'},
		"? ? ? ?":    {Path: "? ? ?", Index: '.', Worktree: '?'},
		"1 .M N... 100644 100644 100644 " + one + " " + one +
			" a b  c ": {Path: "a b  c ", Index: '.', Worktree: 'M', Staged: file(one),
			Mode: ModeFile},
		"1 M. N... 100644 100755 100755 " + one + " " + two +
			" a\nb\t\"\xff": {Path: "a\nb\t\"\xff", Index: 'M', Worktree: '.',
			Staged: Entry{ModeExec, two}, Mode: ModeExec},
		"1 D. N... 100644 000000 000000 " + one + " " + nought +
			" gone": {Path: "gone", Index: 'D', Worktree: '.'},
		"1 .D N... 100644 100644 000000 " + one + " " + one +
			" -lost": {Path: "-lost", Index: '.', Worktree: 'D', Staged: file(one)},
		"1 .A N... 000000 000000 100644 " + nought + " " + nought +
			" later": {Path: "later", Index: '.', Worktree: 'A', Mode: ModeFile},
		"1 .T N... 100644 100644 120000 " + one + " " + one +
			" link": {Path: "link", Index: '.', Worktree: 'T', Staged: file(one),
			Mode: ModeSymlink},
		"1 .M SC.. 160000 160000 160000 " + one + " " + one +
			" sub": {Path: "sub", Index: '.', Worktree: 'M',
			Staged: Entry{ModeGitlink, one}, Mode: ModeGitlink},
		"u UU N... 100644 100644 100644 100644 " + one + " " + two + " " + one +
			" torn": {Path: "torn", Index: 'U', Worktree: 'U', Staged: file(two), Mode: ModeFile, Conflict: true},
		"u DU N... 100644 000000 100644 000000 " + one + " " + nought + " " + two +
			" theirs": {Path: "theirs", Index: 'D', Worktree: 'U', Conflict: true},
	} {
		got, err := parseStatus([]byte("# branch.head main\x00! ignored\x00" + record + "\x00"))
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %+v, %v, want %+v", record, got, err, want)
		}
	}
	if got, err := parseStatus(nil); err != nil || got != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	for _, record := range []string{"?", "? ", "1", "1 .M", "1 .M N... 100644 100644 100644 " + one + " " + one, "u UU x",
		"2 R. N... old\x00new", "x y z", "hello"} {
		if got, err := parseStatus([]byte(record + "\x00")); err == nil || !strings.Contains(err.Error(), "git status answered") {
			t.Errorf("%q: %+v, %v, want an error", record, got, err)
		}
	}
}

func TestStatusOfHostileNames(t *testing.T) {
	r := repository(t, SHA1)
	want := map[Path]bool{}
	for _, name := range []string{" a ", "-rf", "a\nb", "tab\there", `quo"te`, `back\slash`, "\xff\xfe", "é", "? x", "1 .M", "*",
		":(top)x"} {
		write(t, r.Top, name, "x")
		want[Path(name)] = true
	}
	index := filepath.Join(t.TempDir(), "index")
	testdir.Must(t, r.CopyIndex(r.IndexFile, index))
	entries, head, err := r.Status(context.Background(), index, true)
	testdir.Must(t, err)
	if head != r.Head.ID {
		t.Errorf("HEAD is said to be at %q, and is at %q", head, r.Head.ID)
	}
	got := map[Path]bool{}
	for _, e := range entries {
		if got[e.Path] = true; !e.Untracked() {
			t.Errorf("%+v is not untracked", e)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Status gave %v, want %v", got, want)
	}
}

// TestListIndexSparse: a directory that is not checked out is one entry, so that the list is as long
// as what is checked out.
func TestListIndexSparse(t *testing.T) {
	r := repository(t, SHA1)
	write(t, r.Top, "in/a", "a\n")
	write(t, r.Top, "out/b", "b\n")
	write(t, r.Top, "out/c", "c\n")
	git(t, r.Top, "add", "-A")
	git(t, r.Top, "commit", "-qm", "x")
	git(t, r.Top, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
	listed, err := r.ListIndex(t.Context(), filepath.Join(r.Top, ".git", "index"))
	testdir.Must(t, err)
	modes := map[Path]string{}
	for _, e := range listed {
		modes[e.Path] = e.Entry.Mode
	}
	if _, expanded := modes["out/b"]; expanded || modes["in/a"] != ModeFile || modes["out/"] != ModeTree {
		t.Errorf("%v", modes)
	}
}

func TestHashInto(t *testing.T) {
	ctx := context.Background()
	r := repository(t, SHA1)
	db := r.ODB(ctx)
	write(t, r.Top, "good", "good\n")
	write(t, r.Top, "-x \n\xff", "odd\n")
	write(t, r.Top, "inner/file", "x\n")
	git(t, filepath.Join(r.Top, "inner"), "init", "-q") // no commit: git cannot add it
	if err := os.Symlink("nowhere", filepath.Join(r.Top, "link")); err != nil {
		t.Skip(err)
	}
	paths := []Path{"good", "-x \n\xff", "link", "vanished", "dir/vanished", "inner", "a.txt"}
	entries, refused, err := db.HashInto(map[Path]Entry{"vanished": {ModeFile, OID(git(t, r.Top, "rev-parse", "HEAD:a.txt"))}}, "", paths)
	testdir.Must(t, err)
	if len(refused) != 1 || !strings.Contains(refused["inner"], "inner") {
		t.Errorf("refused: %q", refused)
	}
	want := map[Path]Entry{"vanished": {}, "dir/vanished": {}}
	for name, mode := range map[string]string{"good": ModeFile, "-x \n\xff": ModeFile, "a.txt": ModeFile} {
		want[Path(name)] = Entry{mode, OID(git(t, r.Top, "hash-object", "--", name))}
	}
	write(t, r.Top, "target", "nowhere")
	want["link"] = Entry{ModeSymlink, OID(git(t, r.Top, "hash-object", "target"))}
	if !reflect.DeepEqual(entries, want) {
		t.Errorf("HashInto gave\n%q\nwant\n%q", entries, want)
	}
	if left, _ := os.ReadDir(filepath.Join(r.PrivateDir(), "tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if entries, refused, err := db.HashInto(nil, "", nil); entries != nil || refused != nil || err != nil {
		t.Errorf("of no paths: %v, %v, %v", entries, refused, err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, _, err := r.ODB(cancelled).HashInto(nil, "", paths); err == nil {
		t.Error("a cancelled HashInto succeeded")
	}
}

func TestDiffering(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		if none, err := r.Differing(t.Context(), nil); err != nil || len(none) > 0 {
			t.Errorf("of no files: %v, %v", none, err)
		}
		for _, name := range []string{"same", "changed", "removed", "dir/*"} {
			write(t, r.Top, name, "one\n")
		}
		git(t, r.Top, "add", "-A")
		git(t, r.Top, "commit", "-qm", "first")
		write(t, r.Top, "changed", "two\n")
		write(t, r.Top, "dir/new file", "two\n")
		write(t, r.Top, "other", "two\n")
		if err := os.Remove(filepath.Join(r.Top, "removed")); err != nil {
			t.Fatal(err)
		}
		files := []Path{"same", "changed", "removed", "dir/*", "dir/new file", "never"}
		for _, dir := range []string{r.Top, filepath.Join(r.Top, "dir")} {
			got, err := Here(dir, nil).Differing(t.Context(), files)
			if want := (map[Path]bool{"changed": true, "removed": true, "dir/new file": true}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v", got, err)
			}
		}
		for range mostNamedFiles {
			files = append(files, "never")
		}
		if got, err := r.Differing(t.Context(), files); err != nil || !got["changed"] || got["same"] {
			t.Errorf("of many: %v, %v", got, err)
		}
	})
}
