package relink

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
)

// checkpoint is one with a file, and those that come before it on its branch.
func checkpoint(id string, before []string, path gitexec.Path, lines ...string) lineage.Checkpoint {
	return lineage.Checkpoint{ID: id, Before: before, Files: []lineage.File{{Path: path, Lines: hashed(lines...)}}}
}

// changing is a commit that changes a file, or adds it.
func changing(isNew bool, path gitexec.Path, lines ...string) lineage.Unlinked {
	return lineage.Unlinked{Files: []lineage.File{{Path: path, New: isNew, Lines: hashed(lines...)}}}
}

func ids(known []lineage.Checkpoint) string {
	var all []string
	for _, k := range known {
		all = append(all, k.ID)
	}
	return strings.Join(all, " ")
}

// TestRelated: which checkpoints are compared with commits.
func TestRelated(t *testing.T) {
	const line, other = "the agent wrote one", "the agent wrote two"
	branch := []lineage.Checkpoint{checkpoint("a", nil, "f", line), checkpoint("b", []string{"a"}, "g", other), checkpoint("c", []string{"b", "x"}, "h", other)}
	for name, c := range map[string]struct {
		known   []lineage.Checkpoint
		commits []lineage.Unlinked
		want    string
	}{
		"the same file":               {branch[:1], []lineage.Unlinked{changing(false, "f", "x")}, "a"},
		"another file":                {branch[:1], []lineage.Unlinked{changing(false, "z", line)}, ""},
		"its line in a new file":      {branch[:1], []lineage.Unlinked{changing(true, "z", line)}, "a"},
		"another line in a new file":  {branch[:1], []lineage.Unlinked{changing(true, "z", other)}, ""},
		"a brace in a new file":       {[]lineage.Checkpoint{checkpoint("a", nil, "f", "}")}, []lineage.Unlinked{changing(true, "z", "}")}, ""},
		"the branch of the first":     {branch, []lineage.Unlinked{changing(false, "f", "x")}, "a b c"},
		"the branch of the last":      {branch, []lineage.Unlinked{changing(false, "h", "x")}, "a b c"},
		"another branch":              {append(slices.Clone(branch), checkpoint("z", nil, "i", line)), []lineage.Unlinked{changing(false, "g", "x")}, "a b c"},
		"of one of several commits":   {branch[:1], []lineage.Unlinked{changing(false, "z", "x"), changing(false, "f", "x")}, "a"},
		"a ring":                      {[]lineage.Checkpoint{checkpoint("a", []string{"b"}, "f", line), checkpoint("b", []string{"a"}, "g", line)}, []lineage.Unlinked{changing(false, "g", "x")}, "a b"},
		"a checkpoint without a file": {[]lineage.Checkpoint{{ID: "a"}}, []lineage.Unlinked{changing(true, "f", line)}, ""},
	} {
		if got := ids(related(c.known, c.commits)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// indexed is a search with these checkpoints in its index.
func indexed(known ...lineage.Checkpoint) *Search {
	return &Search{index: &checkpoints.Index{Checkpoints: known}}
}

// TestFingerprints: the checkpoints that may be older than a commit, with the commits that those of
// their branches follow.
func TestFingerprints(t *testing.T) {
	const day = 24 * 60 * 60
	s := indexed(
		lineage.Checkpoint{ID: "a", Made: 1 * day, After: []gitexec.OID{"1"}},
		lineage.Checkpoint{ID: "b", Made: 2 * day, After: []gitexec.OID{"2"}, Before: []string{"a", "over", "none"}},
		lineage.Checkpoint{ID: "c", Made: 3 * day, After: []gitexec.OID{"3"}, Before: []string{"b", "c"}})
	commit := func(days int) gitexec.Commit { return gitexec.Commit{When: time.Unix(int64(days)*day, 0)} }
	for name, c := range map[string]struct {
		commits []gitexec.Commit
		want    string
	}{
		"all are older":   {[]gitexec.Commit{commit(9)}, "a b c"},
		"some are":        {[]gitexec.Commit{commit(2)}, "a b"},
		"than the latest": {[]gitexec.Commit{commit(1), commit(3), commit(2)}, "a b c"},
		"none is":         {[]gitexec.Commit{commit(0)}, ""},
		"no commit":       {nil, ""},
	} {
		if got := ids(s.fingerprints(c.commits)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for id, want := range map[string]string{"a": "1", "b": "2 1", "c": "3 2 1"} {
		var got []string
		for _, commit := range s.after(*s.index.Of(id)) {
			got = append(got, string(commit))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s follows %q, want %q", id, got, want)
		}
	}
}

// TestAsk: each checkpoint is asked for once, back to when the first one's work began.
func TestAsk(t *testing.T) {
	s := indexed(lineage.Checkpoint{ID: "a", Made: 5000}, lineage.Checkpoint{ID: "b", Made: 3000}, lineage.Checkpoint{ID: "c", Made: 4000})
	asked := map[string]bool{}
	found := [][]lineage.Found{{{ID: "a"}, {ID: "b"}}, nil, {{ID: "a"}, {ID: "c"}}}
	if got, since := s.ask(found, asked); strings.Join(got, " ") != "a b c" || since != 3000-lineage.MostSkew {
		t.Errorf("%q since %d", got, since)
	}
	asked["a"] = true
	if got, since := s.ask(found, asked); len(got) > 0 || since != 0 || !asked["a"] || asked["b"] {
		t.Errorf("again: %q since %d, %v", got, since, asked)
	}
}

// TestFormedFiles: the files of checkpoints that are compared by their words, without those that
// have no lines, or too many.
func TestFormedFiles(t *testing.T) {
	large := checkpoint("c", nil, "f")
	large.Files[0].Lines = make([]lineage.Line, ledger.MostFormed+1)
	files, lines := formedFiles([]lineage.Checkpoint{checkpoint("a", nil, "f", "one", "two"), checkpoint("b", nil, "f", "three"), large, checkpoint("d", nil, "g")})
	if !slices.Equal(files["f"], []string{"a", "b"}) || len(files) != 1 {
		t.Errorf("%v", files)
	}
	if len(lines["a"]["f"]) != 2 || len(lines["b"]["f"]) != 1 || len(lines["c"]) != 0 {
		t.Errorf("%v", lines)
	}
}
