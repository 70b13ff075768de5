package checkpoints

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
)

// TestHashes: what is written is read again, and rubbish is none.
func TestHashes(t *testing.T) {
	var all []lineage.Line
	texts := []string{"one\n", "two and some words\n", "}\n", "four\n", "five has a fifth word\n"}
	for _, line := range texts {
		all = append(all, lineage.HashLine(line))
	}
	f := OwnedFile{Lines: 5, Ranges: [][3]int{{1, 2, 0}, {4, 2, 1}}}
	f.addHashes(texts)
	want := []lineage.Line{all[0], all[1], all[3], all[4]}
	if !slices.Equal(f.hashes(), want) {
		t.Errorf("%v, want %v", f.hashes(), want)
	}
	marks := f.marks()
	for i, line := range []string{texts[0], texts[1], texts[3], texts[4]} {
		if !bytes.Equal(marks[i].Words, ledger.MarkWords(line)) || marks[i].Line != uint32(want[i]) {
			t.Errorf("%q has the mark %v", line, marks[i])
		}
	}
	for _, rubbish := range []string{"", "%%%", f.Words[:3], "////" + f.Words} {
		bad := f
		bad.Words = rubbish
		if len(bad.marks()) != 4 {
			t.Errorf("with the words %q there are %d marks", rubbish, len(bad.marks()))
		}
	}
	short := OwnedFile{Ranges: [][3]int{{4, 3, 0}}}
	if short.addHashes(texts); short.Hashes != "" {
		t.Error("a range beyond the end has hashes")
	}
	for name, bad := range map[string]OwnedFile{
		"no base64":              {Lines: 5, Ranges: f.Ranges, Hashes: "%%%"},
		"too few":                {Lines: 5, Ranges: f.Ranges, Hashes: f.Hashes[:8]},
		"too many":               {Lines: 5, Ranges: f.Ranges[:1], Hashes: f.Hashes},
		"none":                   {Lines: 5, Ranges: f.Ranges},
		"a negative size":        {Lines: 5, Ranges: [][3]int{{1, -4, 0}, {1, 8, 0}}, Hashes: f.Hashes},
		"a huge one":             {Lines: 5, Ranges: [][3]int{{1, math.MaxInt, 0}, {1, math.MaxInt, 0}}, Hashes: f.Hashes},
		"more than the file has": {Lines: 3, Ranges: f.Ranges, Hashes: f.Hashes},
	} {
		if got := bad.hashes(); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSplitHashes: a line that two ranges claim keeps its hash.
func TestSplitHashes(t *testing.T) {
	owners := Owners{"f": {ranges: []ownersRange{
		{span: span{2, 2}, owner: Line{Session: "a"}, marks: []ledger.Mark{{Line: 2}, {Line: 4}}},
		{span: span{1, 4}, owner: Line{Session: "b"}, marks: []ledger.Mark{{Line: 10}, {Line: 12}, {Line: 14}, {Line: 16}}},
	}}}
	owners.split()
	numbers, marks := owners["f"].Marks()
	var lines []uint32
	for _, m := range marks {
		lines = append(lines, m.Line)
	}
	if !slices.Equal(numbers, []int{1, 2, 3, 4}) || !slices.Equal(lines, []uint32{10, 2, 4, 16}) {
		t.Errorf("%v %v", numbers, lines)
	}
}

// TestWithoutLines: files that the session changed, and that the commit changes, without its lines.
func TestWithoutLines(t *testing.T) {
	owned := OwnedLines{Files: []OwnedFile{{Path: "lines", Ranges: [][3]int{{1, 1, 0}}}, {Path: "lost"}}}
	got := owned.withoutLines([]gitexec.Path{"lines", "lost", "deleted", "uncommitted"}, []gitexec.Change{
		{Path: "lines", New: gitexec.Entry{ID: "1"}}, {Path: "lost", New: gitexec.Entry{ID: "2"}}, {Path: "deleted"},
		{Path: "of the human", New: gitexec.Entry{ID: "3"}},
	})
	want := []OtherFile{{"lost", "2"}, {"deleted", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestEvidence: lines that the commit only moves are none, whatever is listed as moved.
func TestEvidence(t *testing.T) {
	var all []lineage.Line
	texts := strings.SplitAfter("one\ntwo\nthree\nfour\nfive\n", "\n")
	for _, line := range texts {
		all = append(all, lineage.HashLine(line))
	}
	f := OwnedFile{Lines: 5, Ranges: [][3]int{{1, 2, 0}, {4, 2, 1}}}
	f.addHashes(texts)
	f.addMoved([]bool{false, true, true, true, false})
	if want := [][2]int{{2, 1}, {4, 1}}; !slices.Equal(f.Moved, want) {
		t.Errorf("%v, want %v", f.Moved, want)
	}
	if want := []lineage.Line{all[0], all[4]}; !slices.Equal(f.evidence(), want) {
		t.Errorf("%v, want %v", f.evidence(), want)
	}
	for _, bad := range [][2]int{{0, 0}, {-5, 3}, {1, math.MaxInt}, {math.MaxInt, math.MaxInt}, {3, -1}, {9, 9}} {
		f.Moved = [][2]int{bad}
		if got := f.evidence(); len(got) > 4 {
			t.Errorf("%v: %v", bad, got)
		}
	}
	f.addMoved(nil)
}

// TestUnitedFingerprint: what the fingerprints of a checkpoint's sessions say together.
func TestUnitedFingerprint(t *testing.T) {
	commit := func(n string) gitexec.OID { return gitexec.OID(strings.Repeat(n, 40)) }
	u := unitedFingerprint{seen: map[string]bool{}, at: map[gitexec.Path]int{}, changed: map[gitexec.Path]bool{}}
	u.addTimes(at(20), at(15))
	u.addTimes(at(10), at(17))
	u.addTimes(at(30), time.Time{})
	if u.Made != 10 || u.Began != 15 {
		t.Errorf("made at %d, began at %d", u.Made, u.Began)
	}
	list := func(of gitexec.OID, after ...gitexec.OID) OwnedLines {
		return OwnedLines{Fingerprint: Fingerprint{Commit: of, After: after, Before: []string{"a3b2c4d5e6f7", "../x"}}}
	}
	u.addCommits(list(commit("1"), commit("2"), "HEAD", commit("3")), []EarlierAttribution{{Commit: commit("4")}, {Commit: "x"}})
	u.addCommits(list(commit("2"), commit("1"), commit("5")), []EarlierAttribution{{Commit: commit("1")}})
	if !slices.Equal(u.Commits, []gitexec.OID{commit("1"), commit("4")}) || !slices.Equal(u.After, []gitexec.OID{commit("2"), commit("3"), commit("5")}) ||
		!slices.Equal(u.Before, []string{"a3b2c4d5e6f7"}) {
		t.Errorf("commits %q after %q, checkpoints before %q", u.Commits, u.After, u.Before)
	}
	var many []gitexec.OID
	for i := range lineage.MostBefore + 5 {
		many = append(many, gitexec.OID(fmt.Sprintf("%040x", 1000+i)))
	}
	if u.addCommits(list("", many...), nil); len(u.After) != 3+lineage.MostBefore {
		t.Errorf("%d commits before it", len(u.After))
	}
}

// TestUnitedFiles: the files of a checkpoint's sessions, each once, with the lines of all.
func TestUnitedFiles(t *testing.T) {
	file := func(path gitexec.Path, text ...string) OwnedFile {
		f := OwnedFile{Path: path, Blob: "b", Lines: max(9, len(text)), Ranges: [][3]int{{1, len(text), 0}}}
		f.addHashes(text)
		return f
	}
	yes, no := func(gitexec.OID, int) bool { return true }, func(gitexec.OID, int) bool { return false }
	fresh := func() unitedFingerprint {
		return unitedFingerprint{seen: map[string]bool{}, at: map[gitexec.Path]int{}, changed: map[gitexec.Path]bool{}}
	}
	u := fresh()
	for _, o := range []OwnedLines{
		{Files: []OwnedFile{file("f", "one", "two"), {Path: "human", Lines: 3}}},
		{Files: []OwnedFile{file("f", "three"), file("g", "four")}, Fingerprint: Fingerprint{Others: []OtherFile{{Path: "image", Blob: "i"}}}},
	} {
		if !u.addFiles(o, no) {
			t.Fatal("too many lines")
		}
	}
	var got []string
	for _, f := range u.Files {
		got = append(got, fmt.Sprint(f.Path, " ", len(f.Lines), "/", f.All))
	}
	if strings.Join(got, ", ") != "f 3/9, g 1/9, image 0/0" || !u.any || len(u.changed) != 4 {
		t.Errorf("%q, %d changed", got, len(u.changed))
	}
	if u = fresh(); !u.addFiles(OwnedLines{Files: []OwnedFile{{Path: "human"}}}, no) || u.any {
		t.Error("a human's file is a fingerprint")
	}
	large := OwnedLines{Files: []OwnedFile{file("f", make([]string, manyLines+1)...)}}
	if one, other := fresh(), fresh(); one.addFiles(large, no) || !other.addFiles(large, yes) {
		t.Error("more lines than the version has")
	}
	if u = fresh(); u.addFiles(OwnedLines{Files: []OwnedFile{file("f", make([]string, mostHashed+1)...)}}, yes) {
		t.Error("more lines than are read")
	}
}
