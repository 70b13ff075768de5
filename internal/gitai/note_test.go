package gitai

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/query"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// TestNote: an agent's lines are by turn, a human's are the author's, and unknown ones have no entry;
// prompts are there if they are asked for, without secrets.
func TestNote(t *testing.T) {
	s := query.SessionLines{SessionID: "s1", Agent: "Codex", Model: "gpt-5", Files: []query.FileLines{
		{Path: "a b", Turns: []query.TurnLines{{Turn: "0a", Prompt: "do it, hush", Ranges: [][2]int{{1, 2}, {5, 1}}}, {Turn: "0b", Ranges: [][2]int{{3, 1}}}}},
		{Path: "no\nname", Turns: []query.TurnLines{{Turn: "0a", Ranges: [][2]int{{1, 1}}}}}, {Path: "none"}}}
	c := query.CommitLines{Commit: "c1", Author: "Ada <ada@x>", Checkpoints: []query.CheckpointLines{{Sessions: []query.SessionLines{s}}},
		Files: []query.FileSum{{Path: "a b", Human: [][2]int{{4, 1}}, Unknown: [][2]int{{6, 9}}}, {Path: "no\nname", Human: [][2]int{{2, 1}}}}}
	for _, prompts := range []bool{false, true} {
		q := ExportRequest{Prompts: prompts, Redact: func(s string) string { return strings.ReplaceAll(s, "hush", "REDACTED") }}
		n, leftOut := q.note(c)
		if !slices.Equal(leftOut, []NoName{{"c1", "no\nname"}}) {
			t.Errorf("%v", leftOut)
		}
		data, err := n.Text()
		testdir.Must(t, err)
		lines, _, _ := strings.Cut(string(data), "---")
		key := ainote.SessionKey(ainote.Agent{Tool: "codex", ID: "s1"})
		want := "\"a b\"\n  " + ainote.TurnKey(key, "0a") + " 1-2,5\n  " + ainote.TurnKey(key, "0b") + " 3\n  " + ainote.HumanKey("Ada <ada@x>") + " 4\n"
		if lines != want {
			t.Errorf("%s, not %s", lines, want)
		}
		about := n.Metadata.Sessions[key].Attributes[attribute(ainote.TurnKey(key, "0a"))]
		if prompts && about != "0a do it, REDACTED" || !prompts && about != "0a" {
			t.Error(about)
		}
	}
	c.Checkpoints = nil
	if n, _ := (ExportRequest{}).note(c); len(n.Metadata.Sessions) != 0 {
		t.Error("a commit without an agent's lines has sessions")
	}
}

// opened is a repository in which notes are read.
func opened(t *testing.T, files ...string) (*workspace.Workspace, gitexec.Commit) {
	t.Helper()
	r := testrepo.New(t)
	r.Commit("Settings", ".entire/settings.json", `{"enabled": true}`)
	id := r.Commit("Work", files...)
	e := workspace.Env{Dir: r.Dir, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }, Now: time.Now, NewID: workspace.RandomID}
	w, err := e.Open(t.Context(), r.Dir)
	testdir.Must(t, err)
	t.Cleanup(func() { w.DB.Close() })
	c, err := w.DB.Commit(id)
	testdir.Must(t, err)
	return w, c
}

// TestReading: sessions, turns and lines as a note has them, and what does not fit its commit.
func TestReading(t *testing.T) {
	w, c := opened(t, "f", "1\n2\n3\n4\n5\n", "g", "1\n")
	counted := attribution.Counted{Files: []attribution.CountedFile{{Path: "f", Human: [][2]int{{2, 4}}}, {Path: "g", Unknown: [][2]int{{1, 1}}}}}
	note := func(files ...ainote.File) *reading {
		r := &reading{w: w, note: ainote.Note{Files: files, Metadata: ainote.Metadata{
			Humans: map[string]ainote.Human{"h_1": {Author: "Ada"}}, Prompts: map[string]ainote.Session{"old": {Agent: ainote.Agent{Tool: "gemini", ID: "../bad"}}},
			Sessions: map[string]ainote.Session{"s_1": {Agent: ainote.Agent{Tool: "claude", ID: "id"}, Attributes: map[string]string{"entire-plumb.t_1": "0a1b the words"}},
				"s_2": {Agent: ainote.Agent{Tool: "cursor", ID: "id"}}}}}}
		r.noted.Commit = c
		return r
	}
	entry := func(key string, first, lines int) ainote.Entry {
		return ainote.Entry{Key: key, Ranges: [][2]int{{first, lines}}}
	}
	r := note(ainote.File{Path: "f", Entries: []ainote.Entry{entry("s_1::t_1", 1, 3), entry("s_2::t_2", 4, 1), entry("h_1", 5, 1), entry("old", 3, 1)}})
	why, err := r.read(counted)
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	if r.Lines != (attribution.Sum{Agent: 3, Human: 1, Unknown: 1}) || r.Older != 1 || len(r.noted.Sessions) != 3 || len(r.noted.Files) != 2 {
		t.Errorf("%+v, %d, %+v", r.Lines, r.Older, r.noted)
	}
	for i, want := range []string{"id Claude Code 0a1b the words", "old Gemini CLI old ", "s_2 cursor 2 "} {
		s := r.noted.Sessions[i]
		if got := strings.Join([]string{s.ID, s.Agent, s.Turns[0], s.Prompts[0]}, " "); got != want {
			t.Errorf("%d: %q, not %q", i, got, want)
		}
	}
	if g := r.noted.Files[1]; g.Path != "g" || g.Lines != 1 || !slices.Equal(g.Unknown, [][2]int{{1, 1}}) {
		t.Errorf("%+v", g)
	}
	for want, files := range map[string][]ainote.File{
		"it names h, which the commit does not have": {{Path: "h", Entries: []ainote.Entry{entry("s_1::t_1", 1, 1)}}},
		"it names f twice":                           {{Path: "f"}, {Path: "f"}},
		"it names line 6 of f, which has 5":          {{Path: "f", Entries: []ainote.Entry{entry("s_1::t_1", 1, 6)}}},
	} {
		if why, err := note(files...).read(counted); err != nil || why != want {
			t.Errorf("%q, %v, not %q", why, err, want)
		}
	}
}

// TestHostileNote: one that can't be compared is refused, and no other one because of it; what is
// said of it is short, and no session gets the ID of another one.
func TestHostileNote(t *testing.T) {
	w, c := opened(t, "f", "1\n2\n")
	var err error
	c.Tree, err = w.DB.EditTree(c.Tree, gitexec.Edits{"sub": {Mode: gitexec.ModeGitlink, ID: c.ID}})
	testdir.Must(t, err)
	const metadata = "\n---\n{\"schema_version\":\"authorship/3.0.0\",\"prompts\":{\"a\":{\"agent_id\":{\"id\":\"note-2\"}},\"?\":{}}}"
	counted := attribution.Counted{Files: []attribution.CountedFile{{Path: "f", Human: [][2]int{{1, 2}}}}}
	done := FromNotes{}
	for _, text := range []string{"sub\n  a 1", "f\n  a " + strings.Repeat("x", 1<<20)} {
		testdir.Must(t, done.add(w, c, counted, write(t, w, text+metadata)))
	}
	if len(done.Refused) != 2 || len(done.Refused[1].Why) > 300 {
		t.Errorf("%.900v", done.Refused)
	}
	testdir.Must(t, done.add(w, c, counted, write(t, w, "f\n  a 1\n  ? 2"+metadata)))
	if len(done.Commits) != 1 || !slices.Equal(done.Commits[0].Sessions, []string{"note-2", "note-3"}) {
		t.Errorf("%+v", done.Commits)
	}
}

func write(t *testing.T, w *workspace.Workspace, text string) gitexec.OID {
	t.Helper()
	id, err := w.DB.WriteBlob([]byte(text))
	testdir.Must(t, err)
	return id
}

// TestBeginning: of names that others chose a line is kept, and not more than is needed.
func TestBeginning(t *testing.T) {
	if got := beginning(" a\n\tb "); got != "a b" {
		t.Errorf("%q", got)
	}
	if got := beginning(strings.Repeat("é", 400)); len(got) != 300 {
		t.Error(len(got))
	}
}

// TestRuns: lines that follow each other are one range.
func TestRuns(t *testing.T) {
	if got := runs(map[int]bool{1: true, 2: true, 4: true, 9: true, 8: true}); !slices.Equal(got, [][2]int{{1, 2}, {4, 1}, {8, 2}}) {
		t.Error(got)
	}
}
