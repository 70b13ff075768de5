package report

import (
	"strings"
	"testing"
)

func TestChunks(t *testing.T) {
	file := File{Hunks: []Hunk{{Head: "@@ 1", Rows: []Row{{Sign: " ", Old: 9, New: 10, Text: "a"}, {Sign: "-", Old: 10}}}, {Head: "@@ 2"}}}
	for range chunkRows {
		file.Hunks[1].Rows = append(file.Hunks[1].Rows, Row{Sign: "+", New: 100, Owner: &Owner{Kind: Human}})
	}
	all := chunks(file)
	if len(all) != 2 || all[0].Short || len(all[0].Rows) != chunkRows || !all[1].Short || len(all[1].Rows) != 4 {
		t.Fatalf("%+v", all)
	}
	for i, want := range []shownRow{{Class: "hunk", Old: "   ", New: "   "}, {Class: "same", Old: "  9", New: " 10"},
		{Class: "del", Old: " 10", New: "   "}, {Class: "hunk", Old: "   ", New: "   "}, {Class: "add human", Old: "   ", New: "100"}} {
		if got := all[0].Rows[i]; got.Class != want.Class || got.Old != want.Old || got.New != want.New {
			t.Errorf("row %d: %+v", i, got)
		}
	}
	if got := chunks(File{}); got != nil {
		t.Errorf("%+v", got)
	}
	if (Row{Sign: "+"}).class() != "add" || (Row{Sign: `\\`}).class() != "end" {
		t.Error("a class")
	}
}

func TestWidest(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "a\tb": 5, "\t\t": 8, "漢字": 4, "e\u0301": 1} {
		if got := columns(text); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	file := File{Hunks: []Hunk{{Head: "@", Rows: []Row{{New: 10, Text: "abc", Mark: "A1"}, {Text: "a"}}}}}
	if got := widest(file); got != strings.Repeat(" ", 7) || broad(file) {
		t.Errorf("%q", got)
	}
	if file.Hunks[0].Rows[0].Mark = "A1,22"; !broad(file) {
		t.Error("a long mark")
	}
}
