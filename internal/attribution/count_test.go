package attribution

import (
	"maps"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
)

// TestShare: the share is that of the lines with a known author.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		sum  Sum
		want string
	}{
		{Sum{}, "-"},
		{Sum{Unknown: 3}, "? (3 unknown)"},
		{Sum{Agent: 1, Human: 1}, "50 %"},
		{Sum{Human: 2}, "0 %"},
		{Sum{Agent: 3, Human: 1, Unknown: 4}, "75 %, 4 unknown"},
	} {
		if got := c.sum.Share(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sum, got, c.want)
		}
	}
}

func TestSumAdd(t *testing.T) {
	var s Sum
	for _, kind := range []Kind{Agent, Agent, Human, Unknown, Unknown, "another"} {
		s.add(kind, 1)
	}
	if s != (Sum{2, 1, 3}) || s.All() != 6 {
		t.Errorf("%+v", s)
	}
}

// TestNewLines: binary files, symlinks, submodules and deleted files have no new lines.
func TestNewLines(t *testing.T) {
	hunks := []gitexec.Hunk{{NewStart: 2, NewLines: 2}, {NewStart: 7, NewLines: 0}, {NewStart: 9, NewLines: 1}}
	for name, c := range map[string]struct {
		patch gitexec.FilePatch
		want  []int
	}{
		"a file":     {gitexec.FilePatch{New: "f", Mode: gitexec.ModeFile, Hunks: hunks}, []int{2, 3, 9}},
		"deleted":    {gitexec.FilePatch{Old: "f", Mode: gitexec.ModeFile, Hunks: hunks}, nil},
		"binary":     {gitexec.FilePatch{New: "f", Mode: gitexec.ModeFile, Binary: true, Hunks: hunks}, nil},
		"a symlink":  {gitexec.FilePatch{New: "f", Mode: gitexec.ModeSymlink, Hunks: hunks}, nil},
		"submodule":  {gitexec.FilePatch{New: "f", Mode: gitexec.ModeGitlink, Hunks: hunks}, nil},
		"no changes": {gitexec.FilePatch{New: "f", Mode: gitexec.ModeExec}, nil},
	} {
		if got := newLines(c.patch); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestOwn: of a merge, lines that another parent has are not its own.
func TestOwn(t *testing.T) {
	merge := gitexec.Commit{Parents: []gitexec.OID{"1", "2", "3"}}
	links := []checkpoints.Recorded{{ID: "c1"}}
	others := map[gitexec.Path]map[int]int{"f": {1: 2, 2: 1}}
	for name, c := range map[string]struct {
		commit Commit
		want   []int
	}{
		"a merge":             {Commit{of: merge, Links: links, others: others, sides: 2}, []int{1}},
		"one side is missing": {Commit{of: merge, Links: links, others: others, sides: 1}, []int{1, 2}},
		"without a link":      {Commit{of: merge, others: others, sides: 2}, []int{1}},
		"no merge":            {Commit{of: gitexec.Commit{Parents: merge.Parents[:1]}, Links: links, others: others, sides: 2}, []int{1, 2, 3}},
	} {
		if got, err := c.commit.own("f", []int{1, 2, 3}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// TestByVersion: lines are asked for once a version, in order.
func TestByVersion(t *testing.T) {
	one, two := version{"c1", "f"}, version{"c2", "f"}
	order, now := byVersion(map[int]place{1: {"c2", "f", 8}, 2: {"c1", "f", 3}, 4: {"c1", "f", 3}, 5: {"c1", "f", 4}}, []int{2, 3, 4, 1})
	if !slices.Equal(order, []version{one, two}) || !maps.EqualFunc(now[one], map[int][]int{3: {2, 4}}, slices.Equal) ||
		!maps.EqualFunc(now[two], map[int][]int{8: {1}}, slices.Equal) {
		t.Errorf("%v %v", order, now)
	}
}

func TestFollows(t *testing.T) {
	branch := checkpoints.Branch{Tree: "t"}
	for name, c := range map[string]struct {
		reader *Reader
		want   bool
	}{
		"uncommitted work": {nil, false}, "no checkpoints": {&Reader{}, false}, "checkpoints": {&Reader{Branch: branch}, true},
		"the last commit":  {&Reader{Branch: branch, depth: mostFollowed - 1}, true},
		"too many commits": {&Reader{Branch: branch, depth: mostFollowed}, false},
	} {
		if got := c.reader.follows(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNoMoreBlames: where no more processes may start, no author is found, and none is surely the
// human's.
func TestNoMoreBlames(t *testing.T) {
	for name, r := range map[string]*Reader{
		"as many as it may": {Most: 2, blames: 2},
		"too late":          {Until: time.Now().Add(-time.Hour)},
	} {
		wrote, err := r.Wrote("c1", "f", []int{1})
		if err != nil || len(wrote) != 0 || !r.unsure {
			t.Errorf("%s: %v, %v", name, wrote, err)
		}
	}
}

// TestCountedOf: the agents' and the human's lines add up to all that are known.
func TestCountedOf(t *testing.T) {
	n := Counted{Lines: Sum{Agent: 5, Human: 4, Unknown: 1}, Parts: map[Part]int{{"c1", "s1"}: 3}}
	claim := func(modified int) *checkpoints.InitialAttribution {
		return &checkpoints.InitialAttribution{HumanModified: modified, HumanRemoved: 7, Estimated: true}
	}
	for name, c := range map[string]struct {
		session                          checkpoints.RecordedSession
		agent, others, added, mod, total int
	}{
		"nothing claimed":   {checkpoints.RecordedSession{SessionID: "s1"}, 3, 2, 4, 0, 7},
		"claimed":           {checkpoints.RecordedSession{SessionID: "s1", Claimed: claim(1)}, 3, 2, 3, 1, 7},
		"claimed too much":  {checkpoints.RecordedSession{SessionID: "s1", Claimed: claim(9)}, 3, 2, 0, 4, 7},
		"claimed too few":   {checkpoints.RecordedSession{SessionID: "s1", Claimed: claim(-1)}, 3, 2, 4, 0, 7},
		"without any lines": {checkpoints.RecordedSession{SessionID: "s2"}, 0, 5, 4, 0, 4},
	} {
		a := n.Of("c1", c.session)
		if a.AgentLines != c.agent || a.OtherSessions != c.others || a.HumanAdded != c.added || a.HumanModified != c.mod ||
			a.TotalCommitted != c.total || a.Unknown != 1 || a.Estimated != (c.session.Claimed != nil) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if n.NotCounted = "its parent is missing"; n.Of("c1", checkpoints.RecordedSession{}) != nil {
		t.Error("what could not be counted has numbers")
	}
}
