package attribution

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// TestRuns: consecutive lines with places count, where they say enough together.
func TestRuns(t *testing.T) {
	long, short := "measure(harbor)", "}"
	for name, c := range map[string]struct {
		lines   []int
		texts   []string
		places  []int
		numbers []int
		want    map[int]int
	}{
		"nothing":             {nil, nil, nil, nil, map[int]int{}},
		"three":               {[]int{4, 5, 6}, []string{long, long, long}, []int{0, 1, 2}, []int{7, 8, 9}, map[int]int{4: 7, 5: 8, 6: 9}},
		"two":                 {[]int{4, 5}, []string{long, long}, []int{0, 1}, []int{7, 8}, map[int]int{}},
		"short ones between":  {[]int{1, 2, 3, 4}, []string{long, short, long, long}, []int{0, 1, 2, 3}, []int{1, 2, 3, 4}, map[int]int{1: 1, 2: 2, 3: 3, 4: 4}},
		"a line between":      {[]int{1, 2, 4}, []string{long, long, long}, []int{0, 1, 2}, []int{1, 2, 3}, map[int]int{}},
		"a new one ends them": {[]int{1, 2, 3, 4}, []string{long, long, "new", long}, []int{0, 1, -1, 2}, []int{1, 2, 3}, map[int]int{}},
	} {
		if got := runs(c.lines, c.texts, c.places, c.numbers); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// hashed records all lines of a text as the agent's, with their hashes.
func hashed(path gitexec.Path, version gitexec.OID, lines []string) checkpoints.OwnedFile {
	f := ofAgent(path, version, 1, len(lines))
	var data []byte
	for _, line := range lines {
		data = binary.BigEndian.AppendUint32(data, uint32(lineage.HashLine(line)))
	}
	f.Lines, f.Hashes = len(lines), base64.RawStdEncoding.EncodeToString(data)
	return f
}

// TestMovedToAnotherFile: lines that a checkpoint records in one file are the agent's in another, if
// the commit has them in the first one no more.
func TestMovedToAnotherFile(t *testing.T) {
	db := testrepo.New(t).DB
	lines := strings.Split("alpha harbor/beta engine/gamma mirror/delta window/epsilon cloud/zeta violet", "/")
	text := func(parts ...string) gitexec.Entry { return blob(t, db, strings.Join(parts, "\n")+"\n") }
	all := text(lines...)
	moved := append([]string{"by a human"}, lines[3:]...)
	for name, c := range map[string]struct {
		files gitexec.Edits
		want  []Kind // of g's lines
	}{
		"moved":                     {gitexec.Edits{"f": text(lines[:3]...), "g": text(moved...)}, []Kind{Human, Agent, Agent, Agent}},
		"copied":                    {gitexec.Edits{"f": text(append([]string{"a new line"}, lines...)...), "g": text(moved...)}, []Kind{Human, Human, Human, Human}},
		"copied from what is as is": {gitexec.Edits{"f": all, "g": text(moved...)}, []Kind{Human, Human, Human, Human}},
		"copied from a large one":   {gitexec.Edits{"f": text(append(slices.Repeat([]string{"a new line"}, mostCompared), lines...)...), "g": text(moved...)}, []Kind{Human, Human, Human, Human}},
		"two lines alone":           {gitexec.Edits{"f": text(lines[:4]...), "g": text(lines[4:]...)}, []Kind{Human, Human}},
	} {
		commit := Of(db, tree(t, db, c.files), owned(t, db, hashed("f", all.ID, lines)))
		numbers := []int{}
		for i := range c.want {
			numbers = append(numbers, i+1)
		}
		f, err := commit.File("g", c.files["g"], numbers)
		testdir.Must(t, err)
		for i, want := range c.want {
			if got := f.Author(i + 1); got.Kind != want {
				t.Errorf("%s: line %d: %+v, want %s", name, i+1, got, want)
			}
		}
	}
}

// TestMostSought: so many files are compared for lines that were moved out of them, and no more.
func TestMostSought(t *testing.T) {
	db := testrepo.New(t).DB
	lines := strings.Split("alpha harbor/beta engine/gamma mirror", "/")
	was, more := blob(t, db, strings.Join(lines, "\n")+"\n"), blob(t, db, strings.Join(lines, "\n")+"\nby a human\n")
	for name, c := range map[string]struct {
		others int
		want   Kind
	}{"few": {mostSought - 1, Agent}, "many": {mostSought, Human}} {
		recorded := []checkpoints.OwnedFile{hashed("z", was.ID, lines)}
		files := gitexec.Edits{"new": was, "z": blob(t, db, "by a human\n")}
		for i := range c.others {
			path := gitexec.Path(fmt.Sprintf("f%d", i))
			recorded, files[path] = append(recorded, hashed(path, was.ID, lines)), more
		}
		f, err := Of(db, tree(t, db, files), owned(t, db, recorded...)).File("new", was, []int{1, 2, 3})
		testdir.Must(t, err)
		if got := f.Author(1).Kind; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestMovedOutOfWhatIsMissing: a version that a partial clone lacks tells nothing, and other lines
// have their authors.
func TestMovedOutOfWhatIsMissing(t *testing.T) {
	db := testrepo.New(t).DB
	lines := strings.Split("alpha harbor/beta engine/gamma mirror", "/")
	was := blob(t, db, strings.Join(lines, "\n")+"\n")
	missing := gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(strings.Repeat("1", len(was.ID)))}
	files := gitexec.Edits{"a": missing, "new": was, "z": blob(t, db, "by a human\n")}
	f, err := Of(db, tree(t, db, files), owned(t, db, hashed("a", was.ID, lines), hashed("z", was.ID, lines))).File("new", was, []int{1, 2, 3})
	if got := f.Author(1).Kind; err != nil || got != Agent {
		t.Errorf("%s, %v", got, err)
	}
}
