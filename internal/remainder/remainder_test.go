package remainder

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
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

// TestStreamsOf: the streams of works, each once; work of a turn in progress is on none.
func TestStreamsOf(t *testing.T) {
	var got []int
	for _, s := range streamsOf([]condense.Work{on(2), {Session: &session.State{}}, on(1), on(2)}) {
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

// TestNamesOnStreams: the later names of files that works renamed, stream by stream.
func TestNamesOnStreams(t *testing.T) {
	renames := func(from, to gitexec.Path, version gitexec.OID) []suffix.Change {
		return []suffix.Change{{Path: from, Before: file(version)}, {Path: to, After: file(version)}}
	}
	works := []condense.Work{
		on(1, renames("a", "b", "1")...),
		on(1, renames("b", "c", "2")...),
		on(1, renames("c", "a", "3")...), // and back
		on(2, renames("a", "z", "4")...),
		on(3, suffix.Change{Path: "a", Before: file("5")}, suffix.Change{Path: "y", Before: file("6"), After: file("7")}),
	}
	renamed, err := namesOnStreams(works, &shadow.Texts{})
	testdir.Must(t, err)
	for _, c := range []struct {
		stream int
		path   gitexec.Path
		want   string
	}{{1, "a", "b c"}, {1, "b", "c a"}, {1, "c", "a b"}, {2, "a", "z"}, {2, "b", ""}, {3, "a", ""}, {4, "a", ""}} {
		r := condense.Remainder{Work: on(c.stream), Changes: []suffix.Change{{Path: c.path}}}
		if got := joined(renamed.after(r)); got != c.want {
			t.Errorf("%s on stream %d: %q, want %q", c.path, c.stream, got, c.want)
		}
		if got := joined(names(nil).after(r)); got != "" {
			t.Errorf("%s, where nothing is stashed: %q", c.path, got)
		}
	}
}
