package remainder

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

func file(id gitexec.OID) gitexec.Entry { return gitexec.Entry{Mode: gitexec.ModeFile, ID: id} }

// on is work on a stream of one base.
func on(number int, changes ...suffix.Change) condense.Work {
	return condense.Work{Session: &session.State{SessionID: "s"}, Changes: changes,
		Stream: &shadow.Stream{Name: shadow.Name{Base: "abc1234", Suffix: number}}}
}

func joined(paths []gitexec.Path) string {
	var all []string
	for _, path := range paths {
		all = append(all, string(path))
	}
	return strings.Join(all, " ")
}

// TestPathsOf: the files of works, also by the names that they had, each once.
func TestPathsOf(t *testing.T) {
	for name, c := range map[string]struct {
		works []condense.Work
		want  string
	}{
		"none":                      {nil, ""},
		"a file":                    {[]condense.Work{on(1, suffix.Change{Path: "f"})}, "f"},
		"two turns, two works":      {[]condense.Work{on(1, suffix.Change{Path: "g"}, suffix.Change{Path: "f"}), on(2, suffix.Change{Path: "g"})}, "f g"},
		"renamed since":             {[]condense.Work{on(1, suffix.Change{Path: "new", Was: "old"})}, "new old"},
		"renamed, and another's":    {[]condense.Work{on(1, suffix.Change{Path: "new", Was: "old"}), on(2, suffix.Change{Path: "old"})}, "new old"},
		"of a work without changes": {[]condense.Work{on(1)}, ""},
	} {
		if got := joined(pathsOf(c.works)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestStreamsOf: the streams of works, each once.
func TestStreamsOf(t *testing.T) {
	var got []int
	for _, s := range streamsOf([]condense.Work{on(2), on(1), on(2)}) {
		got = append(got, s.Suffix)
	}
	if !slices.Equal(got, []int{2, 1}) {
		t.Errorf("%v", got)
	}
}

// TestUnderOldName: a renamed file's changes under the name that it had; the others stay as they
// are.
func TestUnderOldName(t *testing.T) {
	changes := []suffix.Change{{Path: "new", Was: "old", Before: file("1"), After: file("2")}, {Path: "new", Was: "old", Before: file("2"), After: file("3")}}
	for i, c := range underOldName(changes) {
		if c.Path != "old" || c.Was != "" || c.Before != changes[i].Before || c.After != changes[i].After {
			t.Errorf("%+v", c)
		}
	}
	if changes[0].Path != "new" || changes[0].Was != "old" {
		t.Error("the changes themselves are changed")
	}
}
