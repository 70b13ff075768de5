package attribution

import (
	"strings"
	"testing"

	"entire-plumb/internal/checkpoints"
)

func TestAuthor(t *testing.T) {
	s1, s2 := &checkpoints.Line{Session: "s1"}, &checkpoints.Line{Session: "s2"}
	first := layer{checkpoint: "a", lost: "it was lost", owners: []*checkpoints.Line{nil, s1, nil, nil}, unknown: []bool{false, false, false, true}}
	moved := layer{checkpoint: "b", lost: "it was lost", owners: []*checkpoints.Line{nil, s2, nil}, unknown: []bool{false, false, true},
		at: map[int]int{1: 1, 3: 1, 2: 2, 4: 9}}
	imported := layer{lost: "the conversation was imported", owners: make([]*checkpoints.Line, 3), unknown: []bool{false, false, true}}
	for _, test := range []struct {
		name    string
		file    File
		line    int
		kind    Kind
		session string
	}{
		{"the first that knows an agent", File{layers: []layer{first, moved}}, 1, Agent, "s1"},
		{"an agent's by another version", File{layers: []layer{first, moved}}, 3, Agent, "s2"},
		{"unknown by another version", File{layers: []layer{moved}}, 2, Unknown, ""},
		{"unknown when it was recorded", File{layers: []layer{first}}, 3, Unknown, ""},
		{"a human's, as all is known", File{layers: []layer{first}}, 2, Human, ""},
		{"beyond what is recorded", File{layers: []layer{first, moved}}, 4, Human, ""},
		{"in doubt", File{layers: []layer{first}, doubts: []string{"one is not here"}}, 2, Unknown, ""},
		{"an agent's beyond doubt", File{layers: []layer{first}, doubts: []string{"one is not here"}}, 1, Agent, "s1"},
		{"imported and unknown", File{layers: []layer{imported, first}}, 2, Unknown, ""},
		{"imported, and another knows it is unknown", File{layers: []layer{imported, first}}, 3, Unknown, ""},
		{"imported, and not unknown", File{layers: []layer{imported}}, 1, Human, ""},
		{"nothing recorded", File{}, 1, Human, ""},
	} {
		got := test.file.Author(test.line)
		if got.Kind != test.kind || got.Session != test.session || (got.Kind == Unknown) != (got.Reason != "") {
			t.Errorf("%s: %+v", test.name, got)
		}
		if strings.HasPrefix(got.Reason, "the conversation was imported") != (test.name == "imported and unknown") {
			t.Errorf("%s: %s", test.name, got.Reason)
		}
	}
}

func TestExtended(t *testing.T) {
	var ranges [][2]int
	for _, lines := range [][2]int{{1, 1}, {2, 1}, {5, 2}, {7, 1}, {9, 1}} {
		ranges = extended(ranges, lines)
	}
	if len(ranges) != 3 || ranges[0] != [2]int{1, 2} || ranges[1] != [2]int{5, 3} || ranges[2] != [2]int{9, 1} {
		t.Errorf("%v", ranges)
	}
}
