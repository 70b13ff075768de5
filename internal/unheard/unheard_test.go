package unheard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is a home directory and a worktree with a subdirectory, another repository, and a file.
type world struct {
	*testing.T
	home, top string
}

var enabled = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) world {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	w := world{t, filepath.Join(dir, "home"), filepath.Join(dir, "my.repo")}
	for _, name := range []string{".git", "sub/dir", "other/.git"} {
		testdir.Must(t, os.MkdirAll(filepath.Join(w.top, name), 0o700))
	}
	return w
}

func (w world) write(at time.Time, text string, name ...string) string {
	w.Helper()
	file := filepath.Join(name...)
	testdir.Must(w, os.MkdirAll(filepath.Dir(file), 0o700))
	testdir.Must(w, os.WriteFile(file, []byte(text), 0o600))
	testdir.Must(w, os.Chtimes(file, at, at))
	return file
}

func (w world) getenv(name string) string { return map[string]string{"HOME": w.home}[name] }

func (w world) find(known ...string) map[string]Session {
	w.Helper()
	found := map[string]Session{}
	for _, s := range Find(Request{Getenv: w.getenv, Tops: []string{w.top}, Since: enabled, Known: func(id string) bool {
		return strings.Contains(" "+strings.Join(known, " ")+" ", " "+id+" ")
	}}) {
		found[s.ID] = s
	}
	return found
}

func (w world) claude(id, cwd string, at time.Time) {
	w.write(at, `{"type":"summary"}`+"\n"+`{"type":"user","cwd":"`+cwd+`","timestamp":"2026-11-22T12:30:00Z","version":"2.1.197"}`+"\n"+`{"type":"assistant"}`+"\n",
		w.home, ".claude/projects", claudeDir(cwd), id+".jsonl")
}

func TestFind(t *testing.T) {
	w, later := newWorld(t), enabled.Add(time.Hour)
	sub := filepath.Join(w.top, "sub/dir")
	w.claude("at-top", w.top, later)
	w.claude("below", sub, later)
	w.claude("heard", w.top, later)
	w.claude("ended", w.top, enabled.Add(-time.Hour))
	w.claude("of-another-repository", filepath.Join(w.top, "other"), later)
	w.claude("beside", w.top+"-2", later)
	w.claude("relative", "sub", later)
	projects := filepath.Join(w.home, ".claude/projects", claudeDir(w.top))
	w.write(later, `{"type":"user","cwd":"`+w.top+`"}`, projects, "no-answer.jsonl")
	w.write(later, "rubbish\n\x00", projects, "rubbish.jsonl")
	w.write(later, "", projects, "empty.jsonl")
	w.write(later, `{"type":"assistant","cwd":"`+w.top+`"}`, projects, "agent-1.jsonl")
	testdir.Must(t, os.Symlink("/dev/zero", filepath.Join(projects, "zero.jsonl")))
	testdir.Must(t, os.Mkdir(filepath.Join(projects, "directory.jsonl"), 0o700))
	codex := func(id, more string) {
		w.write(later, `{"type":"session_meta","payload":{"session_id":"`+id+`","cwd":"`+sub+`","timestamp":"2026-11-22T12:30:00Z"`+more+`}}`+"\n",
			w.home, ".codex/sessions/2026/11/22", "rollout-2026-11-22T07-46-38-"+id+".jsonl")
	}
	codex("codex-1", "")
	codex("codex-2", `,"thread_source":"user","base_instructions":{"text":"`+strings.Repeat("x", 20000)+`"}`)
	codex("codex-sub", `,"thread_source":"subagent"`)
	w.write(later, "[]", w.home, ".codex/sessions/2026/11/22", "rollout-list.jsonl")
	w.write(later, "", w.home, ".codex/sessions/2026/a-file")
	chats := filepath.Join(w.home, ".gemini/tmp/my-repo")
	w.write(later, w.top, chats, ".project_root")
	w.write(later, `{"sessionId":"gemini-1","startTime":"2026-11-22T12:30:00Z","kind":"main"}`+"\n"+`{"type":"gemini"}`, chats, "chats/session-1.jsonl")
	w.write(later, `{"sessionId":"gemini-idle","kind":"main"}`, chats, "chats/session-2.jsonl")
	w.write(later, w.top+"-2", w.home, ".gemini/tmp/beside/.project_root")
	w.write(later, `{"sessionId":"gemini-2"}`+"\n"+`{"type":"gemini"}`, w.home, ".gemini/tmp/beside/chats/session-1.jsonl")
	copilot := func(id, cwd, rest string) {
		w.write(later, `{"type":"session.start","data":{"sessionId":"`+id+`","startTime":"2026-11-22T12:30:00Z","context":{"cwd":"`+cwd+`"}}}`+"\n"+rest,
			w.home, ".copilot/session-state", id, "events.jsonl")
	}
	copilot("copilot-1", sub, `{"type":"assistant.message"}`)
	copilot("copilot-idle", sub, "")
	copilot("copilot-elsewhere", w.top+"-2", `{"type":"assistant.message"}`)
	w.write(later, "rubbish", w.home, ".copilot/session-state/rubbish/events.jsonl")

	w.write(later, `{"type":"assistant","cwd":"`+w.top+`"}`, projects, "notes.txt")
	elsewhere := w.write(later, `{"type":"assistant","cwd":"`+w.top+`"}`, w.home, "elsewhere.jsonl")
	testdir.Must(t, os.Symlink(elsewhere, filepath.Join(projects, "link.jsonl")))
	w.write(later, `{"payload":{"id":"other","cwd":"`+sub+`"}}`, w.home, ".codex/sessions/2026/11/22", "other.jsonl")
	w.write(later, `{"payload":{"id":"undated","cwd":"`+sub+`","timestamp":"now"}}`, w.home, ".codex/sessions/2026/11/22", "rollout-undated.jsonl")
	w.write(later, `{"payload":{"cwd":"`+sub+`"}}`, w.home, ".codex/sessions/2026/11/22", "rollout-nameless.jsonl")
	w.write(later, `{"kind":"main"}`+"\n"+`{"type":"gemini"}`, chats, "chats/session-3.jsonl")
	w.write(later, `{"sessionId":"gemini-sub","kind":"subagent"}`+"\n"+`{"type":"gemini"}`, chats, "chats/session-4.jsonl")
	w.write(later, `{"sessionId":"undated","startTime":"now"}`+"\n"+`{"type":"gemini"}`, chats, "chats/session-5.jsonl")
	w.write(later, sub, w.home, ".gemini/tmp/sub/.project_root")
	w.write(later, `{"sessionId":"gemini-below","startTime":"2026-11-22T12:30:00Z"}`+"\n"+`{"type":"gemini"}`, w.home, ".gemini/tmp/sub/chats/session-1.jsonl")
	w.write(later, `{"type":"other","data":{"sessionId":"copilot-other","context":{"cwd":"`+sub+`"}}}`+"\n"+`{"type":"assistant.message"}`,
		w.home, ".copilot/session-state/other/events.jsonl")
	w.write(later, `{"type":"session.start","data":{"context":{"cwd":"`+sub+`"}}}`+"\n"+`{"type":"assistant.message"}`,
		w.home, ".copilot/session-state/nameless/events.jsonl")
	long := "\n" + `{"text":"` + strings.Repeat("x", mostHead) + `"}` // so that no answer is read
	copilot("copilot-long", sub, long)
	w.write(later, `{"sessionId":"gemini-long","startTime":"2026-11-22T12:30:00Z"}`+long, chats, "chats/session-6.jsonl")
	w.write(later, `{"type":"user","cwd":"`+sub+`","timestamp":"2026-11-22T12:30:00Z"}`+long, projects, "long.jsonl")
	for id, dir := range map[string]string{"qwen-1": w.top, "qwen-below": sub, "qwen-elsewhere": filepath.Dir(w.top)} {
		w.write(later, `{"type":"user","cwd":"`+dir+`","timestamp":"2026-11-22T12:30:00Z"}`+"\n"+`{"type":"assistant"}`,
			w.home, ".qwen/projects", claudeDir(dir), "chats", id+".jsonl")
	}
	w.write(later, `{"type":"user","cwd":"`+w.top+`","timestamp":"2026-11-22T12:30:00Z"}`+"\n"+`{"type":"assistant","cwd":"`+sub+`"}`, projects, "moved.jsonl")
	w.write(later, `{"type":"user","cwd":"`+w.top+`/sub/","timestamp":"2026-11-22T12:30:00Z"}`+"\n"+`{"type":"assistant"}`, projects, "slash.jsonl")
	w.write(later, `{"type":"assistant","cwd":"sub"}`, projects, "relative-2.jsonl")
	t.Chdir(w.top)
	found := w.find("heard")
	for id, dir := range map[string]string{"at-top": w.top, "below": sub, "codex-1": sub, "codex-2": sub, "copilot-1": sub, "gemini-1": w.top,
		"gemini-below": sub, "qwen-1": w.top, "qwen-below": sub, "copilot-long": sub, "gemini-long": w.top, "long": sub, "moved": w.top, "slash": filepath.Join(w.top, "sub")} {
		if s, ok := found[id]; !ok || s.Dir != dir || s.Top != w.top || s.Agent.Name == "" || s.File == "" || !s.Last.Equal(later) || !s.Begun.Equal(enabled.Add(30*time.Minute)) {
			t.Errorf("%s: %+v", id, s)
		}
		delete(found, id)
	}
	if len(found) > 0 {
		t.Errorf("these were found, too: %v", found)
	}
}

// What is read is bounded, newest first.
func TestFindMany(t *testing.T) {
	w := newWorld(t)
	for i := range 3 * mostFiles {
		w.claude("s"+string(rune('a'+i%26))+strings.Repeat("x", i/26), w.top, enabled.Add(time.Duration(i)*time.Minute))
	}
	w.claude("zz-newest", w.top, enabled.Add(100*time.Hour))
	for i := range mostFiles { // of another repository
		w.claude("other"+strings.Repeat("x", i), w.home, enabled.Add(200*time.Hour))
	}
	found := w.find()
	if _, ok := found["zz-newest"]; !ok || len(found) != mostFiles {
		t.Errorf("%d were found, the newest: %t", len(found), ok)
	}
	all := Find(Request{Getenv: w.getenv, Tops: []string{w.top}, Known: func(string) bool { return false }, All: true})
	if len(all) != 3*mostFiles+1 || all[0].ID != "zz-newest" || !slices.IsSortedFunc(all, func(a, b Session) int { return b.Last.Compare(a.Last) }) {
		t.Errorf("%d were found, %s first", len(all), all[0].ID)
	}
}

// TestIn: sessions of one directory, of equal times by their IDs. Only of agents whose transcripts
// are known, and nothing without a home directory.
func TestIn(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.home, "kept")
	for file, id := range map[string]string{"1": "two", "2": "one", "3": "three"} {
		w.write(enabled, `{"sessionId":"`+id+`"}`+"\n"+`{"type":"gemini"}`, dir, file+".jsonl")
	}
	w.write(enabled, w.top, w.home, "tmp/x/.project_root")
	w.write(enabled, `{"sessionId":"x"}`+"\n"+`{"type":"gemini"}`, w.home, "tmp/x/chats/session-1.jsonl")
	t.Chdir(w.home)
	request := Request{Getenv: func(string) string { return "" }, Tops: []string{w.top}, Known: func(string) bool { return false }}
	var ids []string
	for _, s := range In(request, agent.Gemini, dir) {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "one three two" {
		t.Error(got)
	}
	if got := append(In(request, agent.Agent{Name: "other"}, dir), Find(request)...); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

func TestLongName(t *testing.T) {
	w := newWorld(t)
	deep := filepath.Join(w.top, strings.Repeat("a-long-name/", 30))
	testdir.Must(t, os.MkdirAll(filepath.Join(deep, ".git"), 0o700))
	w.top = deep
	w.write(enabled, `{"type":"assistant","cwd":"`+deep+`"}`, w.home, ".claude/projects", claudeDir(deep)+"-1x2y3z", "s.jsonl")
	if len(w.find()) != 1 {
		t.Error("a transcript in a directory whose name is shortened is not found")
	}
}

func TestReason(t *testing.T) {
	w := newWorld(t)
	settings := func(a agent.Agent) string {
		data, err := agentsettings.Enable(nil, a, func(verb string) string { return "entire-plumb hooks " + a.Name + " " + verb })
		testdir.Must(t, err)
		return string(data)
	}
	sub := filepath.Join(w.top, "sub")
	check := func(what string, a agent.Agent, dir string, begun time.Time, want Reason) {
		t.Helper()
		if got := (Session{Agent: a, Dir: dir, Top: w.top, Begun: begun}).Reason(w.getenv); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	before, after := enabled.Add(-time.Minute), enabled.Add(time.Minute)
	check("nothing is installed", agent.ClaudeCode, w.top, after, NoHooks)
	check("nothing is installed for a subdirectory", agent.ClaudeCode, sub, after, Below)
	check("Codex reads the top's", agent.Codex, sub, after, NoHooks)
	for _, a := range []agent.Agent{agent.ClaudeCode, agent.Codex, agent.Gemini} {
		w.write(enabled, settings(a), w.top, a.Settings)
	}
	check("before", agent.ClaudeCode, w.top, before, Earlier)
	check("after", agent.ClaudeCode, w.top, after, Unknown)
	check("below", agent.ClaudeCode, sub, after, Below)
	check("Gemini below", agent.Gemini, sub, after, Below)
	check("Codex below, before", agent.Codex, sub, before, Earlier)
	check("Codex below, after", agent.Codex, sub, after, Untrusted)
	for version, want := range map[string]Reason{"1.9": Older, "2.0": Unknown, "2.0.1": Unknown, "10.0": Unknown, "1.9-beta": Unknown, "": Unknown, "-1": Unknown,
		"1." + strings.Repeat("9", 30): Unknown, "1.1.1.1.1": Unknown} {
		since := agent.ClaudeCode
		since.Since = "2.0"
		if older(version, "") {
			t.Errorf("version %q is older than none", version)
		}
		if got := (Session{Agent: since, Version: version, Dir: w.top, Top: w.top, Begun: after}).Reason(w.getenv); got != want {
			t.Errorf("version %q: %q, want %q", version, got, want)
		}
	}
	w.write(enabled, "rubbish", w.top, agent.ClaudeCode.Settings)
	check("broken settings", agent.ClaudeCode, w.top, after, NoHooks)
	w.write(enabled, "{}", w.top, agent.ClaudeCode.Settings)
	check("settings without hooks", agent.ClaudeCode, w.top, after, NoHooks)
	w.write(enabled, settings(agent.ClaudeCode), w.top, agent.ClaudeCode.Settings)
	w.write(enabled.Add(-time.Hour), settings(agent.ClaudeCode), w.home, ".claude/settings.json")
	check("after the user's own, which are older", agent.ClaudeCode, w.top, before, Unknown)
	w.write(enabled.Add(time.Hour), settings(agent.ClaudeCode), w.home, ".claude/settings.json")
	check("after the older of two", agent.ClaudeCode, w.top, after, Unknown)
	testdir.Must(t, os.Remove(filepath.Join(w.top, agent.ClaudeCode.Settings)))
	check("below, before the user's own", agent.ClaudeCode, sub, after, Earlier)
	check("below, after the user's own", agent.ClaudeCode, sub, enabled.Add(2*time.Hour), Unknown)
}

// claudeDir is the beginning of Claude Code's name for a directory, which counts.
func claudeDir(top string) string {
	name := agent.ClaudeProject(top)
	return name[:min(len(name), agent.ClaudeShortened)]
}
