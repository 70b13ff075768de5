package checkpoints

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// versionsOf is a session's metadata: the last commit, and those before, "c: a b".
func versionsOf(text string) SessionMetadata {
	last, before, _ := strings.Cut(text, ":")
	m := SessionMetadata{SessionID: "s", AttributedCommit: gitexec.OID(last), InitialAttribution: &InitialAttribution{AgentLines: 100}}
	for i, commit := range strings.Fields(before) {
		m.EarlierAttributions = append(m.EarlierAttributions, EarlierAttribution{gitexec.OID(commit), &InitialAttribution{AgentLines: i + 1}})
	}
	return m
}

// TestAttributionOfVersion: the numbers of the commit that is asked for, and the lines of it.
func TestAttributionOfVersion(t *testing.T) {
	for _, c := range []struct {
		meta    string
		version Version
		lines   int // 0: it has no part in it
		file    string
	}{
		{"c: a b", "", 100, linesFile},
		{"c: a b", "c", 100, linesFile},
		{"c: a b", "a", 1, "lines-a.json"},
		{"c: a b", "b", 2, "lines-b.json"},
		{"c: a b", "x", 0, "lines-x.json"},
		{"", "", 100, linesFile},
		{"", "x", 0, "lines-x.json"},
	} {
		m := versionsOf(c.meta)
		a, ok := m.attribution(c.version)
		if ok != (c.lines > 0) || ok && a.AgentLines != c.lines {
			t.Errorf("%q in %q: %+v, %v", c.version, c.meta, a, ok)
		}
		if file := (sessionDir{meta: m}).lines(c.version); file != c.file {
			t.Errorf("%q in %q: %s", c.version, c.meta, file)
		}
		m.At(c.version)
		if (m.InitialAttribution != nil) != ok || m.EarlierAttributions != nil || c.version != "" && m.AttributedCommit != gitexec.OID(c.version) {
			t.Errorf("%q in %q: reduced to %+v", c.version, c.meta, m)
		}
	}
}

// TestLastBefore: the commit of the last version that is of another commit.
func TestLastBefore(t *testing.T) {
	for _, c := range []struct{ meta, commit, want string }{
		{"c: a b", "c", "b"}, {"c: a b", "d", "c"}, {"c:", "c", ""}, {"c:", "d", "c"}, {"", "d", ""}, {": a", "d", ""},
	} {
		m := versionsOf(c.meta)
		if got := m.lastBefore(gitexec.OID(c.commit)); string(got) != c.want {
			t.Errorf("before %s of %q: %q, want %q", c.commit, c.meta, got, c.want)
		}
	}
}

// TestNamesCommits: what can't be a commit is no version.
func TestNamesCommits(t *testing.T) {
	valid, other := strings.Repeat("1", 40), strings.Repeat("2", 40)
	for text, want := range map[string]bool{"": true, valid: true, valid + ":" + other: true, ":" + other: true, "HEAD": false, valid + ": HEAD": false, valid + ":" + other + " -x": false} {
		m := versionsOf(text)
		if got := m.namesCommits(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestVersions lists the versions of all sessions, the last one first; none where there is one.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		sessions []string
		want     string
	}{
		{[]string{"c: a b"}, "c b a"},
		{[]string{"c: a b", "c: b"}, "c b a"},
		{[]string{"c: a", "d: b"}, "c d a b"},
		{[]string{"c:"}, ""},
		{[]string{""}, ""},
		{[]string{": a"}, "a"},
		{nil, ""},
	} {
		k := &checkpoint{}
		for _, text := range c.sessions {
			k.sessions = append(k.sessions, sessionDir{meta: versionsOf(text)})
		}
		var got []string
		for _, v := range k.versions() {
			got = append(got, string(v))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.sessions, got, c.want)
		}
	}
}

// TestMoveTo: a checkpoint that moves to another commit keeps the version of the old one.
func TestMoveTo(t *testing.T) {
	lines := gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	for name, c := range map[string]struct {
		meta             string
		commit, replaced gitexec.OID
		want             string // the metadata then
		files            string
	}{
		"to another commit":                {"b: a", "c", "x", "c: a b", "lines-a.json lines-b.json"},
		"to the same":                      {"b: a", "b", "a", "b: a", "lines-a.json lines.json"},
		"back to an earlier one":           {"b: a", "a", "b", "a: b", "lines-b.json"},
		"of one that it doesn't name":      {"", "c", "a", "c: a", "lines-a.json"},
		"nothing says of which":            {"", "c", "", "", "lines.json"},
		"to none":                          {"b: a", "", "b", "b: a", "lines-a.json lines.json"},
		"of one that is there twice":       {"b: b a", "c", "", "c: a b", "lines-a.json lines-b.json"},
		"to one after many":                {"z:" + many(mostEarlier), "c", "", "c:" + many(mostEarlier)[len(" n01"):] + " z", ""},
		"to one after as many as it keeps": {"z:" + many(mostEarlier-1), "c", "", "c:" + many(mostEarlier-1) + " z", ""},
	} {
		m := versionsOf(c.meta)
		s := sessionDir{meta: m, files: gitexec.Tree{linesFile: lines}}
		for _, e := range m.EarlierAttributions {
			s.files[earlierLines(e.Commit)] = lines
		}
		k := &checkpoint{sessions: []sessionDir{s}}
		if m.AttributedCommit == "" {
			delete(s.files, linesFile) // else it is read, to find the commit there
		}
		k.moveTo(nil, c.commit, c.replaced)
		got := k.sessions[0].meta
		text := string(got.AttributedCommit)
		for i, e := range got.EarlierAttributions {
			if i == 0 {
				text += ":"
			}
			text += " " + string(e.Commit)
		}
		if strings.ReplaceAll(text, ": ", ":") != strings.ReplaceAll(c.want, ": ", ":") {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
		if n := len(got.EarlierAttributions); n > mostEarlier {
			t.Errorf("%s: %d versions are kept", name, n)
		}
		var files []string
		for file := range s.files {
			files = append(files, file)
		}
		slices.Sort(files)
		if m.AttributedCommit != "" && c.files != "" && strings.Join(files, " ") != c.files {
			t.Errorf("%s: %q, want %q", name, files, c.files)
		}
		if strings.HasPrefix(name, "to one after") && len(files) != mostEarlier {
			t.Errorf("%s: %d lists are kept", name, len(files))
		}
		if got.AttributedCommit != m.AttributedCommit && got.InitialAttribution != nil {
			t.Errorf("%s: the new commit has the old one's numbers", name)
		}
	}
}

// many are so many commits.
func many(n int) string {
	text := ""
	for i := range n {
		text += fmt.Sprintf(" n%02d", i+1)
	}
	return text
}

// TestKeepEarlier: a part that replaces another one keeps the lists of earlier versions.
func TestKeepEarlier(t *testing.T) {
	list := func(id gitexec.OID) gitexec.Entry { return gitexec.Entry{Mode: gitexec.ModeFile, ID: id} }
	c := &checkpoint{sessions: []sessionDir{{meta: versionsOf("c: a b"),
		files: gitexec.Tree{"lines-a.json": list("1"), linesFile: list("2"), "lines-x.json": list("3")}}}}
	files := gitexec.Tree{"full.jsonl": list("4")}
	c.put(versionsOf("c: a b"), files)
	if len(files) != 2 || files["lines-a.json"].ID != "1" {
		t.Errorf("%v", files)
	}
	c.put(SessionMetadata{SessionID: "other"}, gitexec.Tree{})
	if at, there := c.index("other"); at != 1 || !there {
		t.Errorf("another session is put at %d", at)
	}
	if at, there := c.index("none"); at != 2 || there {
		t.Errorf("no session is at %d", at)
	}
}
