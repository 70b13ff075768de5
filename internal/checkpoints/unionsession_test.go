package checkpoints

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

// partOf is a session's part with a file for each name and object: "full.jsonl=1".
func partOf(meta SessionMetadata, files ...string) sessionDir {
	s := sessionDir{meta: meta, files: gitexec.Tree{}}
	for _, text := range files {
		name, id, _ := strings.Cut(text, "=")
		s.files[name] = gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(id)}
	}
	return s
}

// TestIsLines: which files are of the versions of lines.
func TestIsLines(t *testing.T) {
	for name, want := range map[string]bool{"lines.json": true, "lines-c.json": true, "lines-c": false, "lines": false, "full.jsonl": false, "x-lines.json": false} {
		if got := isLines(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestWithVersions: a conversation of one part, with the versions of another, and those that only
// others have.
func TestWithVersions(t *testing.T) {
	talk := partOf(SessionMetadata{SessionID: "s", Model: "m", AttributedCommit: "t", FilesTouched: []gitexec.Path{"talk"}}, "full.jsonl=1", "lines.json=2")
	lines := partOf(versionsOf("c: a"), "full.jsonl=3", "lines.json=4", "lines-a.json=5")
	lines.meta.FilesTouched = []gitexec.Path{"lines"}
	more := partOf(versionsOf("e: b d"), "lines.json=6", "lines-b.json=7")
	united := talk.withVersions(lines, talk, lines, more)
	var commits, files []string
	for _, e := range united.meta.EarlierAttributions {
		commits = append(commits, string(e.Commit))
	}
	for name, e := range united.files {
		files = append(files, name+"="+string(e.ID))
	}
	slices.Sort(files)
	if got := strings.Join(commits, " "); got != "a b d e t" || united.meta.AttributedCommit != "c" {
		t.Errorf("%q before %s", got, united.meta.AttributedCommit)
	}
	if got := strings.Join(files, " "); got != "full.jsonl=1 lines-a.json=5 lines-b.json=7 lines-e.json=6 lines-t.json=2 lines.json=4" {
		t.Errorf("%s", got)
	}
	if united.meta.Model != "m" || !slices.Equal(united.meta.FilesTouched, []gitexec.Path{"lines"}) {
		t.Errorf("%+v", united.meta)
	}
	same := partOf(versionsOf(""), "lines.json=4")
	same.meta.InitialAttribution = lines.meta.InitialAttribution
	same.meta.AttributedCommit = ""
	if again := lines.withVersions(lines, same); len(again.meta.EarlierAttributions) != 1 {
		t.Errorf("a version without a commit is another one: %+v", again.meta.EarlierAttributions)
	}
}

// TestHasVersions: whether one part has all versions of another, with their lines and numbers.
func TestHasVersions(t *testing.T) {
	whole := partOf(versionsOf("c: a b"), "lines.json=1", "lines-a.json=2", "lines-b.json=3")
	otherNumbers := partOf(versionsOf("c:"), "lines.json=1")
	otherNumbers.meta.InitialAttribution = &InitialAttribution{AgentLines: 7}
	unnamed := partOf(versionsOf(""), "lines.json=1")
	later := partOf(versionsOf("c:"), "lines.json=1")
	later.meta.InitialAttribution = &InitialAttribution{AgentLines: 100, CalculatedAt: at(99)}
	for name, c := range map[string]struct {
		less sessionDir
		want bool
	}{
		"itself":               {whole, true},
		"its last one":         {partOf(versionsOf("c:"), "lines.json=1"), true},
		"with other lines":     {partOf(versionsOf("c:"), "lines.json=9"), false},
		"with other numbers":   {otherNumbers, false},
		"computed later":       {later, true},
		"of another commit":    {partOf(versionsOf("d:"), "lines.json=1"), false},
		"that names no commit": {unnamed, true},
		"with one more":        {partOf(versionsOf("c: x"), "lines.json=1"), false},
	} {
		if got := hasVersions(nil, &whole, &c.less); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestOrderOfHalves: which conversation, and which versions, are the larger ones, the same for all.
func TestOrderOfHalves(t *testing.T) {
	usage := func(tokens, calls int) SessionMetadata {
		return SessionMetadata{TokenUsage: &transcript.Usage{OutputTokens: tokens, APICallCount: calls}}
	}
	created := usage(5, 1)
	created.CreatedAt = at(9)
	talks := []sessionDir{ // from the smallest
		partOf(SessionMetadata{}, "full.jsonl=1"),
		partOf(usage(4, 1), "full.jsonl=1"),
		partOf(usage(5, 1), "full.jsonl=1"),
		partOf(usage(5, 1), "full.jsonl=2", "lines.json=0"),
		partOf(created, "full.jsonl=0"),
		partOf(usage(5, 2), "full.jsonl=1"),
		partOf(SessionMetadata{}, "full.jsonl=1", "full.jsonl.001=1"),
	}
	lines := []sessionDir{
		partOf(versionsOf(""), "lines.json=9"),
		partOf(versionsOf("a:"), "lines.json=1"),
		partOf(versionsOf("a:"), "lines.json=2"),
		partOf(versionsOf("b:"), "lines.json=1"),
		partOf(versionsOf("a: b")),
	}
	for what, c := range map[string]struct {
		parts []sessionDir
		order func(a, b *sessionDir) int
	}{"conversations": {talks, moreSaid}, "versions": {lines, moreVersions}} {
		for i := range c.parts {
			for j := range c.parts {
				if got := c.order(&c.parts[i], &c.parts[j]); (got < 0) != (i < j) || (got > 0) != (i > j) {
					t.Errorf("%s %d and %d: %d", what, i, j, got)
				}
			}
		}
	}
}

// TestLaterParts: of two checkpoints with the same conversations and versions, which is the later.
func TestLaterParts(t *testing.T) {
	checkpointOf := func(m SessionMetadata) *checkpoint { return &checkpoint{sessions: []sessionDir{{meta: m}}} }
	files := []gitexec.Path{"f", "g"}
	early := SessionMetadata{CreatedAt: at(1), FilesTouched: files}
	late := SessionMetadata{CreatedAt: at(2), FilesTouched: files}
	said := SessionMetadata{CreatedAt: at(1), FilesTouched: files, TokenUsage: &transcript.Usage{OutputTokens: 1}}
	fewer := SessionMetadata{CreatedAt: at(1), FilesTouched: files[:1]}
	for name, c := range map[string]struct{ earlier, later SessionMetadata }{
		"more was said":      {late, said},
		"it was made later":  {early, late},
		"fewer files remain": {early, fewer},
	} {
		s := sides{ours: gitexec.Entry{ID: "2"}, theirs: gitexec.Entry{ID: "1"}}
		if laterParts(checkpointOf(c.later), checkpointOf(c.earlier), s) <= 0 || laterParts(checkpointOf(c.earlier), checkpointOf(c.later), s) >= 0 {
			t.Errorf("%s: it is not the later one", name)
		}
	}
	s := sides{ours: gitexec.Entry{ID: "1"}, theirs: gitexec.Entry{ID: "2"}}
	if laterParts(checkpointOf(early), checkpointOf(early), s) >= 0 {
		t.Error("of equals the object's ID decides")
	}
}

// TestHarmlessName: which names a directory may hold on any system.
func TestHarmlessName(t *testing.T) {
	for name, want := range map[string]bool{
		"full.jsonl": true, "0": true, ".hidden": true, "gitx": true, "a b": true, "größe": true,
		"": false, ".": false, "..": false, ".git": false, ".GIT": false, "git~1": false, "GIT~2": false, "a/b": false, "a\\b": false, "a:b": false, "a\nb": false, "a\x00b": false,
	} {
		if got := harmlessName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
