package checkpoints

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// fingerprinted writes a branch of checkpoints, each with one file of so many lines, all of them
// equal.
func fingerprinted(t *testing.T, db *gitexec.ODB, lines ...int) Branch {
	t.Helper()
	edits := gitexec.Edits{}
	blob := func(data []byte) gitexec.Entry {
		id, err := db.WriteBlob(data)
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	for i, n := range lines {
		version := blob([]byte(strings.Repeat("\n", n) + fmt.Sprint(i)))
		owned := OwnedLines{Version: linesVersion, Turns: []string{"t"}, Prompts: []string{"p"}, Files: []OwnedFile{{
			Path: "f", Blob: version.ID, Lines: n, Ranges: [][3]int{{1, n, 0}}, Hashes: base64.RawStdEncoding.EncodeToString(make([]byte, 4*n))}}}
		data, err := json.Marshal(owned)
		testdir.Must(t, err)
		meta, err := json.Marshal(SessionMetadata{SessionID: "s", FilesTouched: []gitexec.Path{"f"}})
		testdir.Must(t, err)
		dir := place(fmt.Sprintf("%012x", i)) + "/0/"
		edits[gitexec.Path(dir+"metadata.json")], edits[gitexec.Path(dir+linesFile)] = blob(meta), blob(data)
	}
	tree, err := db.EditTree("", edits)
	testdir.Must(t, err)
	return Branch{Tree: tree}
}

// same writes a branch of n checkpoints in the directories 00 and 01, all of which are the same, with
// so many lines.
func same(t *testing.T, db *gitexec.ODB, n, lines int) Branch {
	t.Helper()
	b := fingerprinted(t, db, lines)
	found, err := db.Lookup(b.Tree, gitexec.Path(place("000000000000")))
	testdir.Must(t, err)
	edits := gitexec.Edits{}
	for i := range n {
		edits[gitexec.Path(place(fmt.Sprintf("0%d%010x", i%2, i)))] = found[0]
	}
	b.Tree, err = db.EditTree("", edits)
	testdir.Must(t, err)
	testdir.Must(t, db.Flush())
	return b
}

// reading reads indexes with a cache.
type reading struct {
	*testing.T
	*testrepo.Repository
	cache string
	over  []string // by the last one
	read  int
}

func newReading(t *testing.T) *reading {
	return &reading{t, testrepo.New(t), filepath.Join(t.TempDir(), "fingerprints"), nil, 0}
}

func (r *reading) index(b Branch, some bool) (Index, error) {
	r.over, r.read = nil, 0
	return ReadIndex(r.Context(), r.DB, b, IndexReading{Dir: r.cache, Some: some, Over: func(ids []string) { r.over = append(r.over, ids...) },
		Progress: func(read int) { r.read = read }})
}

func (r *reading) all(b Branch) Index {
	r.Helper()
	x, err := r.index(b, false)
	testdir.Must(r.T, err)
	return x
}

// linesOf is how many lines the fingerprint of a checkpoint has.
func linesOf(k *lineage.Checkpoint) (n int) {
	if k != nil {
		for _, f := range k.Files {
			n += len(f.Lines)
		}
	}
	return n
}

// TestIndexBounds: a list with more lines than a commit's fingerprint may have is not kept, and is
// named once; the others are.
func TestIndexBounds(t *testing.T) {
	r := newReading(t)
	b := fingerprinted(t, r.DB, 5, mostHashed+1, mostHashed, 1_000_000)
	for i, over := range [][]string{{"000000000001", "000000000003"}, nil} {
		x := r.all(b)
		if !slices.Equal(r.over, over) || i == 1 && r.read > 0 {
			t.Errorf("over the limit: %v, want %v; %d are read", r.over, over, r.read)
		}
		for id, want := range map[string]int{"000000000000": 5, "000000000001": 0, "000000000002": mostHashed, "000000000003": 0} {
			if got := linesOf(x.Of(id)); got != want {
				t.Errorf("%s: %d lines, want %d", id, got, want)
			}
		}
	}
}

// TestIndexChanges: what is added to the branch, changed there, or removed, is so in the index.
func TestIndexChanges(t *testing.T) {
	r := newReading(t)
	for _, lines := range [][]int{{}, {5, 6, 7}, {5, 6}, {5, 9, 1}, {5, 9, 1}, {mostHashed + 1, 9, 1}, {}, {2}} {
		x := r.all(fingerprinted(t, r.DB, lines...))
		var got, want []int
		for _, k := range x.Checkpoints {
			got = append(got, linesOf(&k))
		}
		for _, n := range lines {
			if n <= mostHashed {
				want = append(want, n)
			}
		}
		if !slices.Equal(got, want) || x.None != (len(lines) == 0) {
			t.Errorf("%d, want %d; none: %v", got, want, x.None)
		}
	}
}

// TestIndexAllowance: what the large lists of a branch have in all is limited, and small ones cost
// nothing of it.
func TestIndexAllowance(t *testing.T) {
	r := newReading(t)
	b := fingerprinted(t, r.DB, 20_000, 20_000, 20_000, 7)
	s := newStep(r.cache)
	s.db, s.allowed = r.DB, &allowance{large: 250_000} // two lists have 107 kB each
	for i := range 4 {
		id := fmt.Sprintf("%012x", i)
		found, err := r.DB.Lookup(b.Tree, gitexec.Path(place(id)))
		testdir.Must(t, err)
		s.add(id, found[0])
	}
	if got := s.lines(); !slices.Equal(got, []int{20_000, 20_000, -1, 7}) {
		t.Errorf("%d lines", got)
	}
}

func newStep(dir string) *indexStep {
	return &indexStep{indexCache: &indexCache{Index: index.Open(dir, indexForm), dir: dir}, over: map[string]bool{}}
}

// lines are how many each fingerprint has; -1: it is over a limit.
func (s *indexStep) lines() (all []int) {
	for id, value := range s.Scan("") {
		e, err := entryIn(id, value)
		n := linesOf(e.fingerprint)
		if e.over {
			n = -1
		}
		if err == nil {
			all = append(all, n)
		}
	}
	return all
}

// TestIndexSheds: beyond the limit for a branch the largest fingerprints go, not those of the last
// checkpoints.
func TestIndexSheds(t *testing.T) {
	s := newStep(t.TempDir())
	for i, n := range []int{30, 500, 40, 400} {
		s.put(fmt.Sprint(i), indexEntry{fingerprint: &lineage.Checkpoint{Files: []lineage.File{{Lines: make([]lineage.Line, n)}}}})
	}
	for range 2 { // the second time they fit
		s.shed(2000)
		if got := s.lines(); !slices.Equal(got, []int{30, -1, 40, 400}) || s.made.Size > 2000 || !slices.Equal(s.newlyOver(), []string{"1"}) {
			t.Errorf("%d lines, %d bytes, over the limit: %v", got, s.made.Size, s.newlyOver())
		}
	}
}

// TestIndexSteps: a hook reads so many checkpoints, and so many bytes, as are in the limits of a
// step. What it has read is kept: at last all is there, as without these limits.
func TestIndexSteps(t *testing.T) {
	for name, c := range map[string]struct{ checkpoints, lines, least, steps int }{
		"many checkpoints": {2*stepCheckpoints + 10, 3, stepCheckpoints, 3},
		"long lists":       {60, 90_000, 25, 2}, // of 480 kB each
	} {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			b := same(t, r.DB, c.checkpoints, c.lines)
			done, steps := 0, 1
			for ; ; steps++ {
				asked := r.Repo.ObjectsAsked()
				x, err := r.index(b, true)
				if done += r.read; err == nil {
					break
				}
				if !errors.Is(err, ErrUnfinished) || len(x.Checkpoints) > 0 || r.read < c.least || r.read > stepCheckpoints || steps == c.steps {
					t.Fatalf("step %d: %v, %d checkpoints were read", steps, err, r.read)
				}
				if asked = r.Repo.ObjectsAsked() - asked; asked == 0 || asked > 12*stepCheckpoints {
					t.Errorf("step %d asks for %d objects", steps, asked)
				}
			}
			if done != c.checkpoints || steps != c.steps {
				t.Errorf("%d checkpoints in %d steps, want %d in %d", done, steps, c.checkpoints, c.steps)
			}
			stepped := r.all(b)
			r.cache += " of one reading"
			if atOnce := r.all(b); r.read != c.checkpoints || len(stepped.Checkpoints) != c.checkpoints || !reflect.DeepEqual(atOnce, stepped) {
				t.Errorf("in steps %d of %d, which differ", len(stepped.Checkpoints), r.read)
			}
		})
	}
}

// someEntries are entries of each kind.
func someEntries() []indexEntry {
	return []indexEntry{{dir: "1"}, {dir: "2", over: true}, {dir: "3", fingerprint: &lineage.Checkpoint{ID: "a"}},
		{dir: "4", fingerprint: &lineage.Checkpoint{ID: "a", Made: 7, Began: -1 << 60, Changed: 5, Before: []string{"b", ""}, Commits: []gitexec.OID{"c"},
			After: []gitexec.OID{"d", "e"}, Files: []lineage.File{{Path: "f\xff", Blob: "3", Lines: []lineage.Line{4, 1<<32 - 1}, All: 6}, {Path: "g"}}}}}
}

// TestIndexEntry: an entry is read as it was written; a part of one, or more than one, is damaged,
// and so are lists of any length.
func TestIndexEntry(t *testing.T) {
	for _, e := range someEntries() {
		value := e.pack()
		if got, err := entryIn("a", value); err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("%+v, want %+v; %v", got, e, err)
		}
		for n := range value {
			if got, err := entryIn("a", value[:n]); err == nil {
				t.Errorf("%d bytes are %+v", n, got)
			}
		}
		if got, err := entryIn("a", append(value, 0)); err == nil {
			t.Errorf("with a byte more: %+v", got)
		}
		for i := range value {
			huge := append(slices.Clone(value[:i]), "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)
			if allocated := testing.AllocsPerRun(1, func() { entryIn("a", append(huge, value[i:]...)) }); allocated > 40 {
				t.Errorf("a length of 2^63 at %d: %.0f pieces of memory", i, allocated)
			}
		}
	}
}

// TestIndexDamage: an index is the same, whatever has become of the files of its cache, which are
// written again.
func TestIndexDamage(t *testing.T) {
	r := newReading(t)
	b := fingerprinted(t, r.DB, 5, 6)
	want := r.all(b)
	state, _ := json.Marshal(map[string]any{"form": indexForm, "state": []byte(`{"shards":{"00":["1"]},"size":-1}`), "segments": []string{"../x"}})
	files := map[string][]byte{}
	for _, file := range safefile.Glob(r.cache, "*") {
		var err error
		files[file], err = os.ReadFile(file)
		testdir.Must(t, err)
	}
	for file, intact := range files {
		damaged := map[string][]byte{"rubbish": []byte("rubbish"), "of another directory": state, "of another form": bytes.Replace(intact, []byte(`"fingerprints`), []byte(`"footprints`), 1)}
		for i := range intact {
			flipped := slices.Clone(intact)
			flipped[i] ^= 1 << (i % 8)
			damaged[fmt.Sprintf("another bit in byte %d", i)] = flipped
			if i%5 == 0 {
				damaged[fmt.Sprintf("%d bytes", i)] = intact[:i]
			}
		}
		for name, data := range damaged {
			for other, intact := range files {
				testdir.Must(t, os.WriteFile(other, intact, 0o600))
			}
			testdir.Must(t, os.WriteFile(file, data, 0o600))
			if got := r.all(b); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %+v", filepath.Base(file), name, got)
			}
			if got := r.all(b); !reflect.DeepEqual(got, want) || r.read > 0 {
				t.Errorf("%s, %s, again: %d are read", filepath.Base(file), name, r.read)
			}
		}
	}
	testdir.Must(t, os.RemoveAll(r.cache))
	testdir.Must(t, os.WriteFile(r.cache, []byte("of an earlier version"), 0o600))
	r.all(b)
	if got := r.all(b); !reflect.DeepEqual(got, want) || r.read > 0 {
		t.Errorf("after a file of an earlier version %d are read", r.read)
	}
}

// TestIndexWithoutCache: where nothing can be written, the fingerprints are read all the same.
func TestIndexWithoutCache(t *testing.T) {
	r := newReading(t)
	r.cache = filepath.Join(r.Dir, ".git", "HEAD", "fingerprints")
	if x := r.all(fingerprinted(t, r.DB, 5, 6)); len(x.Checkpoints) != 2 {
		t.Errorf("%+v", x)
	}
}
