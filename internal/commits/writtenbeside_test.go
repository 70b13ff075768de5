package commits

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

// saveAt gives files a time.
func saveAt(t *testing.T, dir string, when time.Time, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
}

func span(from, to time.Duration, commands string) transcript.Span {
	return transcript.Span{Begin: noon.Add(from), End: noon.Add(to), Commands: commands}
}

// TestSavedUnnamed: files that no tool names have the time of their last save; a deleted one has
// none.
func TestSavedUnnamed(t *testing.T) {
	run := fakeRun(t, map[string]string{"f": "", "dir/g": "", "named": "", "unchanged": ""})
	saveAt(t, run.Repo.Top, noon, "f", "dir/g", "named")
	wrote := map[string]condense.Written{"s": {Files: pathList("named")}, "t": {Files: pathList("other")}}
	got := savedUnnamed(run.Repo.Top, changes("f", "dir/g", "named", "deleted"), wrote)
	if len(got) != 2 || !got["f"].Equal(noon) || !got["dir/g"].Equal(noon) {
		t.Errorf("%v", got)
	}
}

// TestSavedWithin: a file is that session's whose commands ran when it was saved, and no other's as
// near.
func TestSavedWithin(t *testing.T) {
	at := map[gitexec.Path]time.Time{"dir/f.go": noon, "g": noon.Add(time.Hour), "h.go": noon}
	for name, c := range map[string]struct {
		spans map[string]transcript.Spans
		want  string
	}{
		"its commands ran":            {map[string]transcript.Spans{"s": {span(-time.Minute, time.Minute, "make")}}, "dir/f.go h.go"},
		"another's did":               {map[string]transcript.Spans{"t": {span(-time.Minute, time.Minute, "make")}}, ""},
		"both did, and it names one":  {map[string]transcript.Spans{"s": {span(-time.Minute, time.Minute, "touch f.go")}, "t": {span(-time.Minute, time.Minute, "make")}}, "dir/f.go"},
		"both did, and none is named": {map[string]transcript.Spans{"s": {span(-time.Minute, time.Minute, "make")}, "t": {span(-time.Minute, time.Minute, "make")}}, ""},
		"another's were long ago":     {map[string]transcript.Spans{"s": {span(-time.Minute, time.Minute, "make")}, "t": {span(-2*time.Hour, -time.Hour, "make")}}, "dir/f.go h.go"},
		"none did":                    {nil, ""},
	} {
		var got []string
		for _, path := range savedWithin("s", changes("dir/f.go", "g", "h.go", "unsaved"), at, c.spans) {
			got = append(got, string(path))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A Claude Code transcript of one turn, with times.
const (
	promptLine    = `{"type":"user","timestamp":"2026-11-20T11:00:00Z","message":{"content":"Do it"}}` + "\n"
	interruptLine = `{"type":"user","timestamp":"2026-11-20T12:00:00Z","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n"
)

func writeLine(file string) string {
	return `{"type":"assistant","timestamp":"2026-11-20T11:30:00Z","message":{"content":[{"type":"tool_use","id":"w","name":"Write","input":{"file_path":"` + file + `","content":"x\n"}}]}}` + "\n" +
		`{"type":"user","timestamp":"2026-11-20T11:30:01Z","message":{"content":[{"type":"tool_result","tool_use_id":"w","content":"ok"}]}}` + "\n"
}

func shellLine(command string) string {
	return `{"type":"assistant","timestamp":"2026-11-20T11:40:00Z","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{"command":"` + command + `"}}]}}` + "\n" +
		`{"type":"user","timestamp":"2026-11-20T11:50:00Z","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":"ok"}]}}` + "\n"
}

// TestWrittenBy: what tools were asked to write; and of a turn that was interrupted, what was saved
// until then.
func TestWrittenBy(t *testing.T) {
	changed := changes("early - 1", "late - 1", "deleted 1 -")
	changed[2].New = gitexec.Entry{}
	for name, c := range map[string]struct {
		text string
		want string
		all  bool // that it wrote
	}{
		"a tool":                   {promptLine + writeLine("f"), "f", true},
		"by its full path":         {promptLine + writeLine("TOP/dir/g"), "dir/g", true},
		"elsewhere":                {promptLine + writeLine("/elsewhere/f"), "", true},
		"nothing":                  {promptLine, "", true},
		"a shell":                  {promptLine + shellLine("make"), "", false},
		"a shell, and interrupted": {promptLine + shellLine("make") + interruptLine, "early", true},
		"a tool, and interrupted":  {promptLine + writeLine("f") + interruptLine, "f", true},
		"in an earlier turn":       {promptLine + writeLine("f") + promptLine + writeLine("g"), "g", true},
	} {
		run := fakeRun(t, map[string]string{"early": "", "late": "", "dir/g": ""})
		saveAt(t, run.Repo.Top, noon, "early")
		saveAt(t, run.Repo.Top, noon.Add(time.Minute), "late")
		saveAt(t, run.Repo.Top, noon.Add(time.Minute), ".")
		s := active("s")
		s.TranscriptPath = filepath.Join(t.TempDir(), "t.jsonl")
		files(t, filepath.Dir(s.TranscriptPath), map[string]string{"t.jsonl": strings.ReplaceAll(c.text, "TOP", run.Repo.Top)})
		wrote, ok := WrittenBy(t.Context(), run.Repo, s, changed)
		var got []string
		for _, path := range wrote.Files {
			got = append(got, string(path))
		}
		if text := strings.Join(got, " "); text != c.want || !ok || wrote.All != c.all {
			t.Errorf("%s: %q, %t, %t", name, text, wrote.All, ok)
		}
		s.Recorded.Bytes = int64(len(promptLine)) // some of the turn was recorded before, with its prompt
		if again, ok := WrittenBy(t.Context(), run.Repo, s, changed); !ok || !slices.Equal(again.Files, wrote.Files) {
			t.Errorf("%s, recorded in part: %q", name, again.Files)
		}
	}
	for _, path := range []string{"", "/nonexistent/t.jsonl"} {
		s := active("s")
		s.TranscriptPath = path
		if _, ok := WrittenBy(t.Context(), fakeRun(t, nil).Repo, s, nil); ok {
			t.Errorf("the transcript %q tells something", path)
		}
	}
}

// TestWrittenInTurns: only of turns in progress, and not of those whose agent commits.
func TestWrittenInTurns(t *testing.T) {
	run := fakeRun(t, map[string]string{"t.jsonl": promptLine + writeLine("f")})
	states := []*session.State{active("a"), active("b"), ended(active("c")), active("d")}
	for _, s := range states[:3] {
		s.TranscriptPath = filepath.Join(run.Repo.Top, "t.jsonl")
	}
	got := WrittenInTurns(t.Context(), run.Repo, states, []string{"b"})
	if len(got) != 1 || !slices.Equal(got["a"].Files, pathList("f")) || !got["a"].Texts["f"].Known() {
		t.Errorf("%+v", got)
	}
}

// TestWrittenBeside: what the agent that commits wrote matters if another turn is in progress; and
// a file that no tool names is that session's whose commands ran when it was saved.
func TestWrittenBeside(t *testing.T) {
	run := fakeRun(t, map[string]string{"made": "", "t.jsonl": promptLine + writeLine("f") + shellLine("make made")})
	saveAt(t, run.Repo.Top, time.Date(2026, 11, 20, 11, 45, 0, 0, time.UTC), "made")
	with := func(id string) *session.State {
		s := active(id)
		s.TranscriptPath = filepath.Join(run.Repo.Top, "t.jsonl")
		return s
	}
	for name, c := range map[string]struct {
		states []*session.State
		agents string
		want   map[string]string
	}{
		"the user commits":       {[]*session.State{with("a")}, "", map[string]string{"a": "f made"}},
		"its agent commits":      {[]*session.State{with("a")}, "a", map[string]string{}},
		"beside another's":       {[]*session.State{with("a"), active("b")}, "a", map[string]string{"a": "f"}},
		"beside one that's over": {[]*session.State{with("a"), ended(active("b"))}, "a", map[string]string{}},
		"two did as near":        {[]*session.State{with("a"), with("b")}, "", map[string]string{"a": "f", "b": "f"}},
	} {
		got := writtenBeside(t.Context(), run, workQuery{states: c.states, agents: strings.Fields(c.agents), changes: changes("f", "made")}, nil)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
		}
		for id, want := range c.want {
			var paths []string
			for _, path := range got[id].Files {
				paths = append(paths, string(path))
			}
			if text := strings.Join(paths, " "); text != want {
				t.Errorf("%s: %s wrote %q, want %q", name, id, text, want)
			}
		}
	}
}

// TestDeadAgents: what changed after an agent has exited may be anybody's, and its turn is beside
// no other.
func TestDeadAgents(t *testing.T) {
	run := fakeRun(t, map[string]string{"t.jsonl": promptLine + shellLine("make")})
	run.Getenv = func(string) string { return "" }
	if len(run.Ancestors()) == 0 {
		t.Skip("no process can be seen")
	}
	for name, c := range map[string]struct {
		process *ancestry.Process
		all     bool
		beside  string
	}{
		"alive":     {&run.Ancestors()[0], false, "o"},
		"dead":      {&ancestry.Process{ID: run.Ancestors()[0].ID, Started: "another time"}, true, ""},
		"not known": {nil, false, "o"},
	} {
		o := active("o")
		o.TranscriptPath, o.AgentProcess = filepath.Join(run.Repo.Top, "t.jsonl"), c.process
		if got := writtenBeside(t.Context(), run, workQuery{states: []*session.State{o}}, nil); got["o"].All != c.all {
			t.Errorf("%s: %+v", name, got)
		}
		if got := idsOf(TurnsBeside(run, active("s"), []*session.State{o})); got != c.beside {
			t.Errorf("%s: beside %q", name, got)
		}
	}
}

// TestPathInWorktree: a path is one below the top, however the agent names it.
func TestPathInWorktree(t *testing.T) {
	run := fakeRun(t, map[string]string{"dir/f": ""})
	top, err := filepath.EvalSymlinks(run.Repo.Top)
	if err != nil {
		t.Fatal(err)
	}
	run.Repo.Top = top
	for name, target := range map[string]string{"link": filepath.Join(top, "dir"), "file": "dir/f", "again": "link/f", "out": "/etc/passwd", "none": "gone"} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"dir/f": "dir/f", "dir/new": "dir/new", "away/new": "away/new", filepath.Join(top, "dir/f"): "dir/f", filepath.Join(top, "link/f"): "dir/f",
		"link": "link", "file": "dir/f", "again": "dir/f", "out": "out", "none": "none", "../f": "", "/etc/passwd": "", filepath.Dir(top): "", "dir/../../f": "", "..f": "..f",
	} {
		path, ok := PathInWorktree(run.Repo, file)
		if string(path) != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", file, path, ok)
		}
	}
	if got := PathsInWorktree(run.Repo, []string{"/etc/passwd", "dir/f", "g"}); !slices.Equal(got, pathList("dir/f g")) {
		t.Errorf("%q", got)
	}
}

// TestTextsIn: texts of one file by two names are one file's, and those of others are none.
func TestTextsIn(t *testing.T) {
	run := fakeRun(t, map[string]string{"t.jsonl": promptLine + writeLine("f") + writeLine("TOP/f") + writeLine("/elsewhere/g")})
	data, err := os.ReadFile(filepath.Join(run.Repo.Top, "t.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	files(t, run.Repo.Top, map[string]string{"t.jsonl": strings.ReplaceAll(string(data), "TOP", run.Repo.Top)})
	wrote, err := transcript.Written(t.Context(), filepath.Join(run.Repo.Top, "t.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	got := TextsIn(run.Repo, wrote.Texts)
	if len(wrote.Texts) != 3 || len(got) != 1 || len(got["f"].Wholes) != 2 {
		t.Errorf("%v of %v", got, wrote.Texts)
	}
}

// TestSavedAfter: a second after the interruption is late; a deletion has the time of the
// directory.
func TestSavedAfter(t *testing.T) {
	run := fakeRun(t, map[string]string{"f": "", "dir/g": ""})
	for name, c := range map[string]struct {
		path gitexec.Path
		file string // whose time it is
		at   time.Duration
		want bool
	}{
		"before":                         {"f", "f", -time.Minute, false},
		"what the last command was at":   {"f", "f", time.Second, false},
		"after":                          {"f", "f", time.Second + time.Millisecond, true},
		"deleted before":                 {"dir/deleted", "dir", -time.Minute, false},
		"deleted after":                  {"dir/deleted", "dir", time.Minute, true},
		"with its directory, before":     {"none/deleted", ".", -time.Minute, false},
		"with its directory, after":      {"none/below/deleted", ".", time.Minute, true},
		"what cannot be looked at, late": {"f/below", "f", -time.Minute, true},
	} {
		saveAt(t, run.Repo.Top, noon.Add(c.at), c.file)
		if got := SavedAfter(run.Repo, c.path, noon); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestSaveTimes(t *testing.T) {
	top := t.TempDir()
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"a", "renamed"} {
		file := filepath.Join(top, name)
		testdir.Must(t, os.WriteFile(file, nil, 0o600))
		testdir.Must(t, os.Chtimes(file, when, when))
	}
	got := SaveTimes(top, []gitexec.Path{"a", "renamed", "deleted"}, map[gitexec.Path]bool{"renamed": true})
	if len(got) != 1 || !got["a"].Equal(when) {
		t.Errorf("saved: %v", got)
	}
}
