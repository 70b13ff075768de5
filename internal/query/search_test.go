package query

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/testdir"
)

// TestMatches: all fields of a search must match.
func TestMatches(t *testing.T) {
	k := checkpoints.CommittedInfo{ID: "aaaaaaaaaaaa", Directory: gitexec.Entry{ID: "aa"}, Encrypted: []bool{false, false}, Files: []gitexec.Path{"dir/a", "b"}, Prompts: []string{"Fix the Bug\n\n---\n\nNow test", "Other words"},
		Sessions: []checkpoints.SessionMetadata{{SessionID: "s1"}, {SessionID: "s10"}}}
	cat := inMemory(t)
	cat.add(k)
	for _, c := range []struct {
		q    Search
		want bool
	}{
		{Search{File: "b"}, true},
		{Search{File: "dir"}, true},
		{Search{File: "dir/"}, true},
		{Search{File: "di"}, false},
		{Search{File: "dir/a/"}, false},
		{Search{File: "c"}, false},
		{Search{Session: "s"}, true},
		{Search{Session: "s10"}, true},
		{Search{Session: "s2"}, false},
		{Search{Session: "s1", only: "s1"}, true},
		{Search{Session: "s1", only: "s11"}, false},
		{Search{Text: "bug"}, true},
		{Search{Text: "OTHER"}, true},
		{Search{Text: "words now"}, false},
		{Search{File: "b", Session: "s1", Text: "test"}, true},
		{Search{File: "c", Session: "s1", Text: "test"}, false},
		{Search{File: "b", Session: "s2", Text: "test"}, false},
		{Search{File: "b", Session: "s1", Text: "none"}, false},
	} {
		found, err := cat.matching(c.q, &Found{})
		if got := len(found) > 0; got != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c.q, got, err)
		}
	}
}

// TestOwnPrompts: prompts of earlier checkpoints are left out, but never the last one; where the
// metadata is missing all are its own.
func TestOwnPrompts(t *testing.T) {
	const text = "a\n\n---\n\nb\n\n---\n\nc"
	for _, c := range []struct {
		start int // -1: no metadata
		text  string
		want  string
	}{
		{0, text, "a b c"}, {1, text, "b c"}, {2, text, "c"}, {3, text, "c"}, {9, text, "c"}, {-1, text, "a b c"}, {0, "", ""}, {2, "", ""},
	} {
		k := checkpoints.CommittedInfo{Prompts: []string{c.text}}
		if c.start >= 0 {
			k.Sessions = []checkpoints.SessionMetadata{{CheckpointPromptStart: c.start}}
		}
		if got := ownPrompts(k); strings.Join(got, " ") != c.want {
			t.Errorf("%d: %q", c.start, got)
		}
	}
}

func TestFromTop(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	testdir.Must(t, errors.Join(os.Mkdir(filepath.Join(top, "sub"), 0o700), os.Symlink(filepath.Join(top, "sub"), filepath.Join(top, "link"))))
	for _, c := range []struct{ dir, file, want string }{
		{"", "f", "f"},
		{"sub", "f", "sub/f"},
		{"link", "f", "sub/f"},
		{"sub", "../f", "f"},
		{"sub", "../..f", "..f"},
		{"sub", filepath.Join(top, "g"), "g"},
		{"", "../f", filepath.Join(top, "..", "f")},
		{"", "..", filepath.Join(top, "..")},
	} {
		if got := fromTop(top, filepath.Join(top, c.dir), c.file); got != c.want {
			t.Errorf("%s in %s: %s", c.file, c.dir, got)
		}
	}
}

// TestPrefixOfOthers: only an ID that is itself the beginning of others needs a second search.
func TestPrefixOfOthers(t *testing.T) {
	for _, c := range []struct {
		ids, prefix, want string
		ambiguous         bool
	}{
		{"s1 s10", "s1", "s1", false},
		{"s1 t", "s1", "", false},
		{"s1 t", "s", "", false},
		{"s1 s1", "s1", "", false},
		{"s10 s11", "s1", "", true},
		{"t", "s", "", false},
		{"", "s", "", false},
	} {
		got, err := prefixOfOthers(strings.Fields(c.ids), c.prefix)
		if got != c.want || (err != nil) != c.ambiguous {
			t.Errorf("%s among %q: %q, %v", c.prefix, c.ids, got, err)
		}
	}
}

// TestCheckpoints: a search lists the latest first, and counts all.
func TestCheckpoints(t *testing.T) {
	r := newRepository(t)
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")}, []checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s10", 9, "g")},
		[]checkpoints.SessionMetadata{part("cccccccccccc", "s1", 7, "g")})
	for _, c := range []struct {
		q     Search
		most  int
		want  string
		count int
	}{
		{Search{}, 0, "b c a", 3},
		{Search{}, 2, "b c", 3},
		{Search{File: "g"}, 0, "b c", 2},
		{Search{Session: "s1"}, 0, "c a", 2},
		{Search{Session: "s1"}, 1, "c", 2},
		{Search{Session: "s10"}, 0, "b", 1},
		{Search{Text: "do s10"}, 0, "b", 1},
	} {
		if c.q.Session == "s1" {
			_, err := r.source.Checkpoints(t.Context(), Search{Session: "none"}, 0)
			if unknown := new(MisnamedError); !errors.As(err, &unknown) || unknown.Wanted != ASession {
				t.Errorf("of a session that is not known: %v", err)
			}
		}
		found, err := r.source.Checkpoints(t.Context(), c.q, c.most)
		r.Must(err)
		var got []string
		for _, k := range found.Checkpoints {
			got = append(got, k.ID[:1])
		}
		if strings.Join(got, " ") != c.want || found.Count != c.count || len(found.Damaged) > 0 {
			t.Errorf("%+v, %d: %q of %d", c.q, c.most, got, found.Count)
		}
	}
	if _, err := r.source.Checkpoints(t.Context(), Search{Session: "s"}, 0); !errors.As(err, new(*checkpoints.AmbiguousError)) {
		t.Errorf("two sessions: %v", err)
	}
}

func TestWith(t *testing.T) {
	if got := sets.With([]string{"a"}, "b", "a", "b", "c"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
}
