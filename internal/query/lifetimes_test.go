package query

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/index"
	"entire-plumb/internal/survival"
	"entire-plumb/internal/transcript"

	"entire-plumb/internal/testdir"
)

// tree is the content of a commit, by path.
type tree map[string][]string

// history makes random commits.
type history struct {
	*repository
	*rand.Rand
	binary bool // files are binary for a while
	ids    []gitexec.OID
	trees  []tree
}

func (h *history) commit(files tree, parents ...gitexec.OID) gitexec.OID {
	edits := gitexec.Edits{}
	for path, lines := range files {
		text := strings.Join(lines, "\n")
		if len(lines) > 0 && !strings.HasPrefix(lines[0], "open") { // one without a line's end at the end
			text += "\n"
		}
		edits[gitexec.Path(path)] = h.Blob(text)
	}
	who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1_700_000_000+int64(len(h.ids))*3600, 0)}
	ids, err := h.Reader.DB.CommitTree(gitexec.NewCommit{Tree: h.EditTree("", edits), Parents: parents, Author: who, Committer: who, Message: "Change\n"})
	h.Must(err)
	h.Must(h.Reader.DB.Flush())
	h.ids, h.trees = append(h.ids, ids[0]), append(h.trees, files)
	return ids[0]
}

// line is one of few, or a new one.
func (h *history) line() string {
	if h.IntN(3) == 0 {
		return []string{"}", "", "\treturn nil", "open"}[h.IntN(4)]
	}
	return fmt.Sprintf("line %d of the text", h.Int())
}

func (h *history) edit(lines []string) []string {
	lines = slices.Clone(lines)
	for range 1 + h.IntN(3) {
		at := h.IntN(len(lines) + 1)
		lines = slices.Delete(lines, at, min(len(lines), at+h.IntN(4)))
		for range h.IntN(4) {
			lines = slices.Insert(lines, at, h.line())
		}
	}
	return lines
}

// change is a commit's next tree.
func (h *history) change(from tree) tree {
	to := maps.Clone(from)
	paths := slices.Sorted(maps.Keys(to))
	path := paths[h.IntN(len(paths))]
	other := fmt.Sprintf("d%d/f%d", h.IntN(2), h.IntN(6))
	switch h.IntN(12) {
	case 0: // a new file
		var lines []string
		for range 5 + h.IntN(15) {
			lines = append(lines, h.line())
		}
		to[other] = lines
	case 1, 2: // a rename, with an edit
		delete(to, path)
		to[other] = from[path]
		if h.IntN(2) == 0 {
			to[other] = h.edit(from[path])
		}
	case 3: // a copy
		to[other] = slices.Clone(from[path])
	case 4:
		if len(to) > 1 {
			delete(to, path)
		}
	case 5: // an older version
		if old, ok := h.trees[h.IntN(len(h.trees))][path]; ok {
			to[path] = old
		}
	case 6: // two renames at once, and a file in the place of one
		third := paths[h.IntN(len(paths))]
		delete(to, path)
		to[other], to["g"+fmt.Sprint(h.IntN(3))] = from[path], h.edit(from[third])
	case 7:
		if h.binary {
			to[path] = append([]string{"\x00"}, from[path]...)
		}
	default:
		to[path] = h.edit(from[path])
	}
	for path, lines := range to {
		if len(lines) > 1 && lines[0] == "\x00" && h.IntN(2) == 0 {
			to[path] = lines[1:]
		}
		if len(lines) == 0 {
			to[path] = []string{h.line()}
		}
	}
	return to
}

// merge is the tree of a merge: of each file one side's version, or a mix.
func (h *history) merge(a, b tree) tree {
	to := maps.Clone(a)
	for path, lines := range b {
		switch mine, both := a[path]; {
		case h.IntN(3) == 0 || !both && h.IntN(2) == 0:
			to[path] = lines
		case both && h.IntN(2) == 0:
			half := min(len(mine), len(lines)) / 2
			to[path] = append(slices.Clone(mine[:half]), lines[half:]...)
			if h.IntN(3) == 0 {
				to[path] = h.edit(to[path])
			}
		}
	}
	return to
}

// grow adds random commits.
func (h *history) grow(n int) {
	for range n {
		last := max(0, len(h.ids)-1-h.IntN(4))
		if h.IntN(4) == 0 && len(h.ids) > 2 {
			other := h.IntN(len(h.ids))
			tree := h.merge(h.trees[last], h.trees[other])
			if h.IntN(4) == 0 {
				h.commit(tree, h.ids[last], h.ids[other], h.ids[h.IntN(len(h.ids))])
			} else {
				h.commit(tree, h.ids[last], h.ids[other])
			}
			continue
		}
		h.commit(h.change(h.trees[last]), h.ids[last])
	}
	h.Git("update-ref", "refs/heads/main", string(h.ids[len(h.ids)-1]))
	h.Git("reset", "-q", "--hard")
	h.open()
}

// where is a line's origin.
type where struct {
	commit gitexec.OID
	path   gitexec.Path
	line   int
}

// alive are the origins of the lines of HEAD's files that the history says are alive, sorted.
func alive(l *lifetimes) (all []string) {
	for _, b := range l.births {
		for _, s := range b.Alive {
			for line := s.Start; line < s.End(); line++ {
				all = append(all, fmt.Sprint(where{l.order[b.Commit], b.Path, line}))
			}
		}
	}
	slices.Sort(all)
	return all
}

// blamed are those that git blame names, of files with lines.
func (h *history) blamed() (all []string) {
	for path, lines := range h.trees[len(h.trees)-1] {
		if len(lines) == 0 || lines[0] == "\x00" {
			continue
		}
		found, err := h.Reader.Repo.Blame(h.Context(), h.Reader.Repo.Head.ID, path, gitexec.BlameOptions{})
		h.Must(err)
		for _, l := range found {
			all = append(all, fmt.Sprint(where{l.Commit, l.Path, l.Line}))
		}
	}
	slices.Sort(all)
	return all
}

// The lines that are alive are those of git blame, over all files, whatever renames, merges,
// deletions and reverts there were; also where the history grew since the index was made.
func TestLifetimesAreThoseOfBlame(t *testing.T) {
	wrong, lines := 0, 0
	for seed := range testdir.Times(uint64(6), 1) {
		h := &history{repository: newRepository(t), Rand: rand.New(rand.NewPCG(seed, 7))}
		h.commit(tree{"f": {"one", "two", "three"}})
		for range 3 {
			h.grow(15)
			l, err := openLifetimes(t.Context(), h.Reader)
			if err != nil {
				t.Fatal(err)
			}
			got, want := alive(l), h.blamed()
			lines += len(want)
			if !slices.Equal(got, want) {
				left := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return slices.Contains(want, s) })
				wrong += max(len(left), 1)
				t.Logf("seed %d, %d commits: %d lines, git blame has %d", seed, len(h.ids), len(got), len(want))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d lines are elsewhere", wrong, lines)
	}
}

// A file that is binary for a while is new afterwards; no line is lost or counted twice.
func TestLifetimesOfBinaryFiles(t *testing.T) {
	for seed := range testdir.Times(uint64(6), 1) {
		h := &history{repository: newRepository(t), Rand: rand.New(rand.NewPCG(seed, 8)), binary: true}
		h.commit(tree{"f": {"one", "two", "three"}})
		for range 2 {
			h.grow(15)
			l, err := openLifetimes(t.Context(), h.Reader)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := alive(l), h.blamed(); len(got) != len(want) {
				t.Errorf("seed %d: %d lines, git blame has %d", seed, len(got), len(want))
			}
		}
	}
}

// What the index keeps comes back as it was, and what is cut off is no record.
func TestPastRecords(t *testing.T) {
	h := past{parents: []gitexec.OID{id("1"), id("2")}, cut: true, when: 1_700_000_000, author: "A <a@b>", trailers: []byte("Entire-Checkpoint: 0123456789ab\n"),
		changes: []survival.Change{{New: "a", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 3}}}, {Old: "b", New: "c", Fresh: 3}, {Old: "d", New: "d", From: 1},
			{Old: "e", New: "e", NoText: true}, {Old: "gone"}},
		others: [][]survival.Change{{{Old: "a", New: "a", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 3}}}}}}
	got, err := unpack(pack(h, pastFields), pastFields)
	if err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("%+v, %v", got, err)
	}
	o := lineOwners{links: []named{{"0123456789ab", id("3")}}, kept: []named{{"ba9876543210", ""}}, follows: []gitexec.OID{id("4")}, missing: true,
		owners: []lineOwner{{kind: attribution.Agent, checkpoint: "0123456789ab", session: "s", turn: "t"}, human},
		files:  []ownedFile{{path: "a", fresh: true, runs: []owned{{survival.Span{Start: 1, N: 2}, 0}, {survival.Span{Start: 3, N: 1}, 1}}}}}
	again, err := unpack(pack(o, ownerFields), ownerFields)
	if err != nil || !reflect.DeepEqual(again, o) {
		t.Errorf("%+v, %v", again, err)
	}
	f := checkpointFacts{dir: id("5"), branch: "main", modified: 4, damaged: "x", sessions: []sessionFacts{{"s", "Codex", "gpt-5", time.Unix(9, 0).UTC(),
		&transcript.Usage{InputTokens: 1}}}}
	same, err := unpack(pack(f, factFields), factFields)
	if err != nil || !reflect.DeepEqual(same, f) {
		t.Errorf("%+v, %v", same, err)
	}
	for n := range len(pack(h, pastFields)) {
		if _, err := unpack(pack(h, pastFields)[:n], pastFields); err == nil {
			t.Errorf("%d bytes are a record", n)
		}
	}
	for n := range len(pack(o, ownerFields)) {
		if _, err := unpack(pack(o, ownerFields)[:n], ownerFields); err == nil {
			t.Errorf("%d bytes are owners", n)
		}
	}
}

// An index that is saved while it is made is gone on with, and says the same.
func TestLifetimesGoOn(t *testing.T) {
	h := &history{repository: newRepository(t), Rand: rand.New(rand.NewPCG(1, 9))}
	h.commit(tree{"f": {"one", "two", "three"}})
	h.grow(10)
	l, err := openLifetimes(t.Context(), h.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x := index.Open(filepath.Join(index.Home(h.Reader.Repo.CommonDir, h.Reader.Repo.SharedDir()), "lines"), linesForm)
	for _, id := range l.order[5:] {
		x.Delete(keyPast + string(id))
	}
	state, err := json.Marshal(l.state(nil))
	h.Must(err)
	h.Must(x.Save(state))
	x.Close()
	again, err := openLifetimes(t.Context(), h.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := alive(again), h.blamed(); !slices.Equal(got, want) {
		t.Errorf("%d lines, git blame has %d", len(got), len(want))
	}
}
