package checkpoints

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

// TestNamesOnBranch: what the branch holds, by the names of its directories.
func TestNamesOnBranch(t *testing.T) {
	tree, file := gitexec.Entry{Mode: gitexec.ModeTree, ID: "1"}, gitexec.Entry{Mode: gitexec.ModeFile, ID: "2"}
	for _, c := range []struct {
		name  string
		e     gitexec.Entry
		below string
		top   bool
		in    bool
	}{
		{"a3", tree, "b2c4d5e6f7", true, true},
		{"a3", tree, "b2c4d5e6", true, false},
		{"a3", file, "b2c4d5e6f7", false, false},
		{"links", tree, "a3", true, true},
		{"links", tree, "a3b2c4d5e6f7", true, false},
		{"purged", tree, "a3", true, true},
		{"other", tree, "a3", false, true},
		{"xyz", tree, "b2c4d5e6f7", false, false},
	} {
		if got := namesTop(c.name, c.e); got != c.top {
			t.Errorf("%s at the top: %v", c.name, got)
		}
		if got := namesBelow(c.name, c.below, c.e); got != c.in {
			t.Errorf("%s in %s: %v", c.below, c.name, got)
		}
	}
	if namesBelow("links", "a3", file) || namesBelow("a3", "b2c4d5e6f7", file) {
		t.Error("a file is a directory")
	}
}

// TestUnadoptable: what is not adopted from others, and why.
func TestUnadoptable(t *testing.T) {
	for name, c := range map[string]struct {
		mode string
		want string
	}{
		"full.jsonl": {gitexec.ModeFile, ""}, "tasks": {gitexec.ModeTree, ""}, "run": {gitexec.ModeExec, "run is not a file"},
		"link": {gitexec.ModeSymlink, "link is not a file"}, "module": {gitexec.ModeGitlink, "module is not a file"}, ".git": {gitexec.ModeTree, `it holds the name ".git"`},
	} {
		if got := unadoptable(name, gitexec.Entry{Mode: c.mode, ID: "1"}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestIsTranscript: which files of a checkpoint's directory hold transcripts, by their paths.
func TestIsTranscript(t *testing.T) {
	for path, want := range map[string]bool{
		"0/full.jsonl": true, "0/full.jsonl.001": true, "12/full.jsonl": true, "0/tasks/toolu_1/agent-1.jsonl": true,
		"full.jsonl": false, "x/full.jsonl": false, "0/prompt.txt": false, "0/other/full.jsonl": false, "0/tasks/agent-1.jsonl": false,
		"0/tasks/toolu_1/full.jsonl": false, "0/tasks/toolu_1/agent-1.json": false, "0/tasks/toolu_1/x/agent-1.jsonl": false, "0/full.json": false,
	} {
		parts := strings.Split(path, "/")
		got := isTranscript(parts[len(parts)-1], len(parts)-1)
		for depth, dir := range parts[:len(parts)-1] {
			got = got && mayHoldTranscripts(dir, depth)
		}
		if got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestReplacement: what is in the place of a purged blob.
func TestReplacement(t *testing.T) {
	id := gitexec.OID(strings.Repeat("1", 40))
	for now, want := range map[gitexec.OID]gitexec.Entry{"": {}, "HEAD": {}, id: {Mode: gitexec.ModeFile, ID: id}} {
		if got := (PurgedEntry{Now: now}).replacement(); got != want {
			t.Errorf("%q: %v", now, got)
		}
	}
}

// TestTouched: which checkpoints, and purged blobs, edits are about.
func TestTouched(t *testing.T) {
	got := touched(gitexec.Edits{"a3/b2c4d5e6f7": {}, "b3/b2c4d5e6f7/0/full.jsonl": {}, "purged/c3/b2c4d5e6f7": {}, "other": {}})
	want := map[string]bool{"a3b2c4d5e6f7": true, "b3b2c4d5e6f7": true, "c3b2c4d5e6f7": true}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
}

// TestDoubtLines: why a list doesn't have the authors of all lines, each reason once.
func TestDoubtLines(t *testing.T) {
	s := sessionDir{meta: SessionMetadata{SessionID: "s"}}
	unknown := &InitialAttribution{Unknown: 3}
	lists := OwnedLines{Files: []OwnedFile{{Unknown: [][2]int{{1, 3}}}}}
	for name, c := range map[string]struct {
		there   bool
		claimed *InitialAttribution
		owned   OwnedLines
		err     error
		want    string
	}{
		"all is recorded":           {true, &InitialAttribution{}, OwnedLines{}, nil, ""},
		"no numbers":                {true, nil, OwnedLines{}, nil, ""},
		"of a newer version":        {true, unknown, OwnedLines{}, fmt.Errorf("lines.json: %w", errNewerLines), "checkpoint k: lines.json: a newer version of this program wrote it"},
		"damaged":                   {true, unknown, OwnedLines{}, errors.New("x"), "checkpoint k is damaged"},
		"none is there":             {false, unknown, OwnedLines{}, nil, "checkpoint k does not record whose the lines of session s are"},
		"some were not known":       {true, unknown, OwnedLines{}, nil, "checkpoint k: 3 lines had no known author when it was made"},
		"some, and the list has it": {true, unknown, lists, nil, ""},
	} {
		r := Recorded{ID: "k"}
		for range 2 {
			r.doubtLines(s, c.there, c.claimed, c.owned, c.err)
		}
		if got := strings.Join(r.Doubts, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestNoText: a file without lines is one that a part in the commit calls so.
func TestNoText(t *testing.T) {
	r := Recorded{Found: true, Sessions: []RecordedSession{{}, {Claimed: &InitialAttribution{NoText: []gitexec.Path{"image"}}}}}
	if !r.NoText("image") || r.NoText("f") || r.Missing() {
		t.Errorf("%+v", r)
	}
	if !(Recorded{}).Missing() || (Recorded{Purged: "today"}).Missing() {
		t.Error("missing")
	}
}

// TestLike: how much a file that a commit changes is like one of a version.
func TestLike(t *testing.T) {
	file := &changedFile{Change: gitexec.Change{New: gitexec.Entry{Mode: gitexec.ModeFile, ID: "b"}}, lines: 5}
	for name, c := range map[string]struct {
		file     *changedFile
		recorded OwnedFile
		want     int
	}{
		"the same change":       {file, OwnedFile{Blob: "b", Lines: 5}, 4},
		"of another base":       {file, OwnedFile{Blob: "b", Lines: 6}, 3},
		"another version":       {file, OwnedFile{Blob: "c", Lines: 5}, 1},
		"it is not changed":     {nil, OwnedFile{Blob: "b", Lines: 5}, -1},
		"its lines are counted": {&changedFile{Change: file.Change}, OwnedFile{Blob: "b"}, 4},
	} {
		if got := c.file.like(nil, c.recorded); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestAfter: of two parts of a session which was made later, where that can be said.
func TestAfter(t *testing.T) {
	order := []SessionMetadata{
		{CreatedAt: at(1), CheckpointTranscriptStart: 9},
		{CreatedAt: at(2), CheckpointTranscriptStart: 1, CheckpointPromptStart: 9},
		{CreatedAt: at(2), CheckpointTranscriptStart: 2},
		{CreatedAt: at(2), CheckpointTranscriptStart: 2, CheckpointPromptStart: 1},
		{CreatedAt: at(2), CheckpointTranscriptStart: 2, CheckpointPromptStart: 1, TokenUsage: &transcript.Usage{APICallCount: 1}},
		{CreatedAt: at(2), CheckpointTranscriptStart: 2, CheckpointPromptStart: 1, TokenUsage: &transcript.Usage{APICallCount: 2}},
	}
	for i, a := range order {
		for j, b := range order {
			if got := a.After(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%d and %d: %d", i, j, got)
			}
		}
	}
}

// TestLaterFirst: the order of checkpoints in lists.
func TestLaterFirst(t *testing.T) {
	info := func(second int, sessions ...SessionMetadata) CommittedInfo {
		return CommittedInfo{When: at(second), Sessions: sessions}
	}
	one := SessionMetadata{SessionID: "a", CreatedAt: at(5), CheckpointTranscriptStart: 1}
	more := SessionMetadata{SessionID: "a", CreatedAt: at(5), CheckpointTranscriptStart: 7}
	order := []CommittedInfo{info(9), info(5, more), info(5, one), info(5, SessionMetadata{SessionID: "b", CreatedAt: at(5)}), info(5), info(1, one)}
	for i, a := range order {
		for j, b := range order {
			if got := laterFirst(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%d and %d: %d", i, j, got)
			}
		}
	}
	if !order[1].Has("a") || order[1].Has("b") || order[0].Has("a") {
		t.Error("which sessions it has")
	}
}

// TestAddInfo: the first of its sessions' times is a checkpoint's, but for those that others added,
// and a sealed conversation is named.
func TestAddInfo(t *testing.T) {
	var info CommittedInfo
	info.add(SessionMetadata{SessionID: "a", CreatedAt: at(5)}, promptText{text: "one"}, false)
	info.add(SessionMetadata{SessionID: "b", CreatedAt: at(3)}, promptText{text: "two", sealed: "Ada"}, false)
	info.add(SessionMetadata{SessionID: "c", CreatedAt: at(1)}, promptText{text: "three", sealed: "Bob"}, true)
	if !slices.Equal(info.Added, []string{"c"}) || info.IsAdded(1) || !info.IsAdded(2) {
		t.Errorf("%q", info.Added)
	}
	if !info.When.Equal(at(3)) || info.Sealed != "Ada" || len(info.Sessions) != 3 || !slices.Equal(info.Prompts, []string{"one", "two", "three"}) {
		t.Errorf("%+v", info)
	}
}

// TestNamesIn: each directory of a shard once, sorted; equal ones are damage.
func TestNamesIn(t *testing.T) {
	tree := func(id gitexec.OID) gitexec.Entry { return gitexec.Entry{Mode: gitexec.ModeTree, ID: id} }
	level := gitexec.Tree{"b2c4d5e6f7": tree("1"), "a2c4d5e6f7": tree("2"), "c2c4d5e6f7": tree("1"), "d2c4d5e6f7": {Mode: gitexec.ModeFile, ID: "2"}, "no": tree("9")}
	seen := map[gitexec.OID]bool{}
	names, duplicates := namesIn("a3", level, func(string) map[gitexec.OID]bool { return seen })
	if !slices.Equal(names, []string{"a2c4d5e6f7", "b2c4d5e6f7", "d2c4d5e6f7"}) || duplicates != 1 {
		t.Errorf("%q, %d duplicates", names, duplicates)
	}
}

// TestFileOwners: the lines of a file by their owners.
func TestFileOwners(t *testing.T) {
	f := FileOwners{ranges: []ownersRange{{span: span{2, 2}, owner: Line{Session: "s"}}, {span: span{9, 5}, owner: Line{Session: "o"}}}, unknown: []span{{3, 2}}}
	owners, unknown := f.Spread(10)
	got := ""
	for n := 1; n <= 10; n++ {
		switch {
		case owners[n] != nil:
			got += owners[n].Session
		case unknown[n]:
			got += "?"
		default:
			got += "."
		}
	}
	if got != ".ss?....oo" || f.Count() != 7 || !f.HasUnknown() || f.Empty() || !(FileOwners{}).Empty() {
		t.Errorf("%q, %d agents' lines", got, f.Count())
	}
}
