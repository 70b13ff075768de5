package decided

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

var (
	commit = gitexec.OID("aa" + strings.Repeat("1", 38))
	tree   = gitexec.OID(strings.Repeat("2", 40))
)

const one, two = "aaaaaaaaaaaa", "bbbbbbbbbbbb"

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	if _, decided := Open(dir).Links(commit); decided || Begun(dir) {
		t.Fatal("nothing is decided yet")
	}
	entries := []Entry{Links(commit, nil), Links(commit, []string{one}), Links(commit, []string{two, one}), Content(commit, []string{two}),
		Sessions(one, []gitexec.OID{tree}), Sessions(one, []gitexec.OID{commit, tree}), Links("../../x", []string{one})}
	testdir.Must(t, Append(dir, entries...))
	r := Open(dir)
	if ids, decided := r.Links(commit); !decided || !slices.Equal(ids, []string{one, two}) {
		t.Errorf("links %q, %v", ids, decided)
	}
	if got := r.Content(commit); !slices.Equal(got, []string{two}) {
		t.Errorf("content %q", got)
	}
	if got := r.Sessions(one); !slices.Equal(got, []gitexec.OID{commit, tree}) || !slices.Equal(r.Checkpoints(), []string{one}) {
		t.Errorf("sessions %q of %q", got, r.Checkpoints())
	}
	testdir.Must(t, Append(dir, Only(commit, nil), Links(commit, []string{two})))
	if ids, _ := Open(dir).Links(commit); !slices.Equal(ids, []string{two}) {
		t.Errorf("only none, and then %q", ids)
	}
	testdir.Must(t, Append(dir, Sessions(one, nil)))
	r = Open(dir)
	if ids, decided := r.Links(commit); len(r.Sessions(one)) != 0 || !decided || len(ids) != 1 {
		t.Errorf("after forgetting, %q and links %q", r.Sessions(one), ids)
	}
}

// TestRecordKilled: a line whose writer was killed at any byte says nothing, and ends no other.
func TestRecordKilled(t *testing.T) {
	line := "\nlinks " + string(commit) + " " + one + " " + two + " .\n"
	for cut := range len(line) {
		dir := t.TempDir()
		testdir.Must(t, Append(dir, Links(commit, []string{"cccccccccccc"})))
		f, _ := os.OpenFile(filepath.Join(dir, "decided", "aa"), os.O_APPEND|os.O_WRONLY, 0)
		f.WriteString(line[:cut])
		f.Close()
		want := []string{"cccccccccccc"}
		if cut == len(line)-1 { // only the line break is missing
			want = append(want, one, two)
		}
		for range 2 {
			if ids, _ := Open(dir).Links(commit); !slices.Equal(ids, want) {
				t.Errorf("cut at %d: %q", cut, ids)
			}
			testdir.Must(t, Append(dir, Links(commit, []string{"dddddddddddd"})))
			want = append(want, "dddddddddddd")
		}
	}
}

func TestRecordTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if err := Append(dir, Links(commit, []string{fmt.Sprintf("%012x", i)})); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if ids, _ := Open(dir).Links(commit); len(ids) != 50 {
		t.Errorf("%d of 50", len(ids))
	}
}

// TestRecordHostile: what a copied repository brings hangs nothing, and names no file.
func TestRecordHostile(t *testing.T) {
	for name, content := range map[string]string{
		"rubbish":     "\x00\xff\n.\n. . .\nlinks\nlinks . .\nlinks aa .\n",
		"other IDs":   "links " + string(commit) + " ../../x .\nsessions " + one + " HEAD .\nonly HEAD " + one + " .\n",
		"unfinished":  "links " + string(commit) + " " + one + "\n",
		"one line":    strings.Repeat("links ", 1<<19),
		"over limits": strings.Repeat("x", largest+1),
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, "decided"), 0o700)
		os.WriteFile(filepath.Join(dir, "decided", "aa"), []byte(content), 0o600)
		r := Open(dir)
		if ids, decided := r.Links(commit); decided || len(r.Sessions(one)) > 0 || (r.Err != nil) != (name == "over limits") {
			t.Errorf("%s: %q, %q, %v", name, ids, r.Sessions(one), r.Err)
		}
	}
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "decided"), 0o700)
	secret := filepath.Join(dir, "secret")
	os.WriteFile(secret, []byte("links "+string(commit)+" "+one+" .\n"), 0o600)
	os.Symlink(secret, filepath.Join(dir, "decided", "aa"))
	r := Open(dir)
	if _, decided := r.Links(commit); decided || r.Err == nil {
		t.Error("a symbolic link was followed")
	}
	if err := Append(dir, Links(commit, nil)); err == nil {
		t.Error("written through a symbolic link")
	}
	dir = t.TempDir()
	elsewhere := t.TempDir()
	testdir.Must(t, Append(elsewhere, Links(commit, nil), Sessions(one, []gitexec.OID{tree})))
	os.Symlink(filepath.Join(elsewhere, "decided"), filepath.Join(dir, "decided"))
	r = Open(dir)
	if _, decided := r.Links(commit); decided || len(r.Checkpoints()) > 0 || r.Err == nil || Begun(dir) {
		t.Error("a directory that is a symbolic link was followed")
	}
	if Append(dir, Links(commit, nil)) == nil || Begin(dir, nil) == nil {
		t.Error("written below a directory that is a symbolic link")
	}
	dir = filepath.Join(t.TempDir(), "entire-plumb")
	os.Symlink(elsewhere, dir)
	if _, decided := Open(dir).Links(commit); decided || Begun(dir) || Append(dir, Links(commit, nil)) == nil {
		t.Error("a shared directory that is a symbolic link was followed")
	}
}

// TestMade: beside a commit that git made here counts what was found by content here, and what was
// decided later.
func TestMade(t *testing.T) {
	dir := t.TempDir()
	if _, known := Open(dir).Beside(commit); known {
		t.Error("of a commit that was made elsewhere others know more")
	}
	for i, step := range []struct {
		entry   Entry
		decided bool
		ids     []string
	}{
		{Made(commit), false, nil},
		{Content(commit, []string{one}), false, []string{one}},
		{Links(commit, []string{two}), true, []string{two}},
		{Made(commit), true, []string{two}},
	} {
		testdir.Must(t, Append(dir, step.entry))
		r := Open(dir)
		ids, known := r.Beside(commit)
		if _, decided := r.Links(commit); !known || decided != step.decided || !slices.Equal(ids, step.ids) {
			t.Errorf("step %d: %v %t %t", i, ids, known, decided)
		}
	}
}

// TestBegin: a record begins with what is known, and not by adding nothing to it.
func TestBegin(t *testing.T) {
	dir := t.TempDir()
	if testdir.Must(t, Append(dir)); Begun(dir) {
		t.Error("a record without an entry has begun")
	}
	r := Open(dir)
	if ids, decided := r.Links(commit); len(ids) > 0 || decided || len(r.Checkpoints()) > 0 || r.Err != nil {
		t.Errorf("of no record: %q, %v, %v", ids, decided, r.Err)
	}
	testdir.Must(t, Begin(dir, []Entry{Links(commit, []string{one})}))
	r = Open(dir)
	if ids, _ := r.Links(commit); !Begun(dir) || !slices.Equal(ids, []string{one}) {
		t.Errorf("%v with %q", Begun(dir), ids)
	}
	for _, id := range []gitexec.OID{"", "a", "..", "a/b", commit[:2], "bb"} {
		if ids, decided := r.Links(id); len(ids) > 0 || decided || r.Err != nil {
			t.Errorf("%s: %q, %v, %v", id, ids, decided, r.Err)
		}
	}
}

// TestFrom: what a checkpoint had when it was written here was written, and is no present session.
func TestFrom(t *testing.T) {
	dir := t.TempDir()
	testdir.Must(t, Append(dir, From(one, []gitexec.OID{tree}), Sessions(one, []gitexec.OID{commit}), From(two, []gitexec.OID{tree})))
	for _, id := range []string{"cccccccccccc", "ddddddddffff", "dddddddddddd", "ffffffffffff", "eeeeeeeeeeee"} {
		testdir.Must(t, Append(dir, Sessions(id, []gitexec.OID{tree})))
	}
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "decided", "aa.old"), nil, 0o600))
	r := Open(dir)
	if got := r.Sessions(one); !slices.Equal(got, []gitexec.OID{commit}) || !r.Wrote(one, tree) || !r.Wrote(one, commit) || !r.Wrote(two, tree) || r.Wrote(two, commit) {
		t.Errorf("%q, wrote %v", got, r.file(one).wrote)
	}
	if got := r.Checkpoints(); !slices.Equal(got, []string{one, "cccccccccccc", "dddddddddddd", "ddddddddffff", "eeeeeeeeeeee", "ffffffffffff"}) {
		t.Errorf("%q", got)
	}
}

// TestKinds: a line says what its kind says of its kind of ID.
func TestKinds(t *testing.T) {
	for line, want := range map[string]string{
		"links " + string(commit) + " " + one + " .":          "links",
		"links HEAD " + one + " .":                            "",
		"made " + string(commit) + " .":                       "made",
		"made " + string(commit) + " " + one + " .":           "",
		"other " + string(commit) + " .":                      "",
		"sessions " + one + " " + string(tree) + " .":         "sessions wrote",
		"from " + one + " " + string(tree) + " .":             "wrote",
		"other " + one + " " + string(tree) + " .":            "",
		"sessions " + string(commit) + " " + one + " .":       "",
		"content " + string(commit) + " " + one + " . more .": "",
	} {
		f, got := parse([]byte(line)), []string{}
		for kind, n := range map[string]int{"content": len(f.content), "links": len(f.links), "made": len(f.made), "sessions": len(f.sessions), "wrote": len(f.wrote)} {
			if n > 0 {
				got = append(got, kind)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestLargest: a file is as large as is read, and no larger.
func TestLargest(t *testing.T) {
	dir := t.TempDir()
	line := "\nlinks " + string(commit) + " " + one + " .\n"
	file := filepath.Join(dir, "decided", "aa")
	for room, fits := range map[int]bool{len(line): true, len(line) - 1: false} {
		testdir.Must(t, makeDir(dir))
		testdir.Must(t, os.WriteFile(file, []byte(strings.Repeat("\n", largest-room)), 0o600))
		if err := Append(dir, Links(commit, []string{one})); (err == nil) != fits {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if r := Open(dir); r.file(one).links[commit] == nil == fits || r.Err != nil {
			t.Errorf("room for %d bytes: %v", room, r.Err)
		}
	}
}

// TestNoDirectory: where the record cannot be used nothing is read of the directory that one is in.
func TestNoDirectory(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	testdir.Must(t, Append(elsewhere, Links(commit, []string{one}), Sessions(one, []gitexec.OID{tree})))
	testdir.Must(t, os.Symlink(elsewhere, filepath.Join(dir, "decided")))
	t.Chdir(filepath.Join(elsewhere, "decided"))
	r := Open(dir)
	if _, decided := r.Links(commit); decided || len(r.Checkpoints()) > 0 || r.Err == nil {
		t.Errorf("%v, %v, %v", decided, r.Checkpoints(), r.Err)
	}
}
