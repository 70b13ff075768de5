package imported

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// TestBelow: of nested worktrees the innermost one has a file.
func TestBelow(t *testing.T) {
	tops := []string{"/r", "/r/side", "/other"}
	for file, want := range map[string]string{"/r/f": "f", "/r/d/f": "d/f", "/r/side/f": "f", "/r/sideways/f": "sideways/f", "/r": "", "/f": "",
		"/r/../f": "", "/other/x": "x", "f": ""} {
		if got := below(file, tops); got != want {
			t.Errorf("%s: %q", file, got)
		}
		slices.Reverse(tops)
		if got := below(file, tops); got != want {
			t.Errorf("%s, in another order: %q", file, got)
		}
	}
}

// TestCertain: enough lines, and most of what was written.
func TestCertain(t *testing.T) {
	for _, c := range []struct {
		found, sought int
		want          bool
	}{{0, 0, false}, {2, 2, false}, {3, 3, true}, {3, 6, true}, {3, 7, false}, {4, 8, true}, {4, 9, false}, {2, 4, false}} {
		if got := (Commit{found: c.found, sought: c.sought}).certain(); got != c.want {
			t.Errorf("%d of %d: %v", c.found, c.sought, got)
		}
	}
}

// TestEvidence: what a commit has of a conversation's turns is added up, without what was written
// after it was made.
func TestEvidence(t *testing.T) {
	a := &Imported{Session: "a", writes: []write{{path: "f", when: 20}, {path: "g", when: 10}}}
	b := &Imported{Session: "b", writes: []write{{path: "f", when: 15}}}
	works := worksOf([]*Imported{a, {Session: "none"}, b})
	if len(works.all) != 3 || works.earliest != 10 || !works.paths["f"] || !works.paths["g"] || len(works.paths) != 2 || works.sessions[2] != b {
		t.Fatalf("%+v", works)
	}
	found := func(id string, n int) lineage.Found {
		return lineage.Found{ID: id, Evidence: []lineage.FileEvidence{{Path: "f", Found: n, Sought: 5}}}
	}
	c := gitexec.Commit{ID: "1", When: time.Unix(15, 0), Message: []byte("Subject\n\nBody")}
	sums := works.evidence([]lineage.Found{found("0", 5), found("1", 3), found("2", 2), found("1", 1)}, c)
	if len(sums) != 2 || sums[a].found != 4 || sums[a].sought != 10 || sums[b].found != 2 || sums[a].Subject != "Subject" || sums[a].Evidence["f"] != [2]int{4, 10} {
		t.Errorf("%+v, %+v", sums[a], sums[b])
	}
	if none := worksOf(nil); len(none.all) != 0 {
		t.Errorf("%+v", none)
	}
}

// TestByCommit: the oldest commit comes first, of equal times in the order of their IDs.
func TestByCommit(t *testing.T) {
	commits := map[gitexec.OID]gitexec.Commit{}
	for id, when := range map[gitexec.OID]int64{"c": 1, "a": 2, "b": 2} {
		commits[id] = gitexec.Commit{ID: id, When: time.Unix(when, 0)}
	}
	one, two := &Imported{Commits: []Commit{{Commit: "b"}, {Commit: "c"}}}, &Imported{Commits: []Commit{{Commit: "a"}, {Commit: "b"}}}
	ids, of := byCommit([]*Imported{one, two}, commits)
	if !slices.Equal(ids, []gitexec.OID{"c", "a", "b"}) || len(of["b"]) != 2 || len(of["a"]) != 1 || of["a"][0] != two {
		t.Errorf("%v, %v", ids, of)
	}
}

// TestLinked: the link has the evidence, and its files are sorted, whatever bytes their names have.
func TestLinked(t *testing.T) {
	i := &Imported{Commits: []Commit{{Commit: "0"}, {Commit: "1"}}}
	i.Commits[1].Evidence.Add("b", 3, 4)
	i.Commits[1].Evidence.Add("a\xff", 1, 2)
	link := checkpoints.SideLink{Commit: "1", Checkpoints: []string{"k"}}
	files, err := i.linked(&link)
	if err != nil || !slices.Equal(files, []gitexec.Path{"a\xff", "b"}) || len(link.Evidence) != 2 || link.Evidence["b"] != [2]int{3, 4} {
		t.Errorf("%q, %v, %v", files, link.Evidence, err)
	}
	if i.Commits[1].Checkpoint != "k" || i.Commits[0].Checkpoint != "" {
		t.Errorf("%+v", i.Commits)
	}
}

// written is a line of Claude Code's transcript: it writes a file.
func written(when, file, text string) string {
	data, _ := json.Marshal(map[string]any{"type": "assistant", "timestamp": when, "message": map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "tool_use", "id": "t", "name": "Write", "input": map[string]any{"file_path": file, "content": text}}}}})
	return string(data) + "\n"
}

// TestRun: a conversation is linked to the commit that has its lines, beside it, once; a commit
// from before the words were written, and one that has few of them, are not linked.
func TestRun(t *testing.T) {
	r, transcripts := testrepo.New(t), t.TempDir()
	dir := r.Dir
	commit := func(when, file, text string) gitexec.OID {
		t.Helper()
		t.Setenv("GIT_COMMITTER_DATE", when)
		t.Setenv("GIT_AUTHOR_DATE", when)
		return r.Commit("Commit "+file, file, text)
	}
	const text = "the parser reads tokens\nand keeps their order\nerrors name the line\nnothing else is allowed\n"
	commit("2026-01-01T00:00:00Z", ".entire/settings.json", `{"enabled": true}`)
	commit("2026-01-02T00:00:00Z", "early", text)
	holds := commit("2026-01-10T00:00:00Z", "f", text+"a line of mine\n")
	commit("2026-01-11T00:00:00Z", "g", "the parser reads tokens\n")
	lines := `{"type":"user","sessionId":"s1","cwd":"` + dir + `","timestamp":"2026-01-09T00:00:00Z","message":{"role":"user","content":"Write a parser"}}` + "\n" +
		written("2026-01-09T00:00:01Z", filepath.Join(dir, "f"), text) + written("2026-01-09T00:00:02Z", "/elsewhere/f", text)
	testdir.Must(t, os.WriteFile(filepath.Join(transcripts, "s1.jsonl"), []byte(lines), 0o600))
	var stderr bytes.Buffer
	e := workspace.Env{Dir: dir, Stderr: &stderr, Getenv: func(string) string { return "" }, Now: time.Now, NewID: func() string { return "0123456789ab" }}
	for _, preview := range []bool{true, false} {
		all, err := Request{Dir: transcripts, Preview: preview}.Run(t.Context(), e)
		if err != nil || len(all) != 1 || all[0].Session != "s1" || all[0].Files != 1 || len(all[0].Commits) != 1 || all[0].Commits[0].Commit != holds {
			t.Fatalf("preview %v: %+v, %v; %s", preview, all, err, stderr.String())
		}
		if c := all[0].Commits[0]; (c.Checkpoint == "") != preview || c.Evidence["f"] != [2]int{4, 4} {
			t.Errorf("preview %v: %+v", preview, c)
		}
	}
	w, err := e.Open(t.Context(), dir)
	testdir.Must(t, err)
	defer w.DB.Close()
	branch, err := checkpoints.ReadBranches(t.Context(), w.Repo, w.DB)
	testdir.Must(t, err)
	link, err := branch.SideLink(w.DB, holds)
	if err != nil || link == nil || link.How != checkpoints.Imported || !slices.Equal(link.Checkpoints, []string{"0123456789ab"}) {
		t.Errorf("%+v, %v", link, err)
	}
	parts, damaged := checkpoints.ReadSessions(w.DB, branch, "0123456789ab")
	if len(damaged) > 0 || len(parts) != 1 || parts[0].Prompts != "Write a parser" {
		t.Errorf("%+v, %v", parts, damaged)
	}
	tip := r.Git("rev-parse", shadow.Checkpoints)
	if all, err := (Request{Dir: transcripts}).Run(t.Context(), e); err != nil || len(all) != 0 || r.Git("rev-parse", shadow.Checkpoints) != tip {
		t.Errorf("a second time: %+v, %v", all, err)
	}
	for _, q := range []Request{{Agent: "none"}, {Dir: filepath.Join(transcripts, "none")}, {Dir: filepath.Join(transcripts, "s1.jsonl")}} {
		if _, err := q.Run(t.Context(), e); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

// TestLinkedMeanwhile: a commit that got its link after it was compared is not linked again, and is
// neither counted nor named.
func TestLinkedMeanwhile(t *testing.T) {
	r, transcripts := testrepo.New(t), t.TempDir()
	const text = "the %[1]s reads tokens\nand the %[1]s keeps their order\nthe %[1]s names the line of an error\nthe %[1]s allows nothing else\n"
	r.Commit("Enable", ".entire/settings.json", `{"enabled": true}`)
	lines := `{"type":"user","sessionId":"s1","cwd":"` + r.Dir + `","timestamp":"2020-01-09T00:00:00Z","message":{"role":"user","content":"Write"}}` + "\n"
	for _, name := range []string{"parser", "printer"} {
		r.Commit("Commit "+name, name, fmt.Sprintf(text, name))
		lines += written("2020-01-09T00:00:01Z", filepath.Join(r.Dir, name), fmt.Sprintf(text, name))
	}
	testdir.Must(t, os.WriteFile(filepath.Join(transcripts, "s1.jsonl"), []byte(lines), 0o600))
	ids := 0
	newID := func() string { ids++; return fmt.Sprintf("%012x", ids) }
	e := workspace.Env{Dir: r.Dir, Stderr: io.Discard, Getenv: func(string) string { return "" }, Now: time.Now, NewID: newID}
	w, err := e.Open(t.Context(), r.Dir)
	testdir.Must(t, err)
	defer w.DB.Close()
	all, commits, err := Request{Dir: transcripts}.plan(t.Context(), w)
	if err != nil || len(all) != 1 || len(all[0].Commits) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	first, second := *all[0], *all[0]
	first.Commits, second.Commits = slices.Clone(first.Commits[:1]), slices.Clone(second.Commits)
	for _, one := range []*Imported{&first, &second} {
		if linked, err := store(t.Context(), w, []*Imported{one}, commits); linked != 1 || err != nil || len(one.Commits) != 1 || one.Commits[0].Checkpoint == "" {
			t.Errorf("%d, %v: %+v", linked, err, one.Commits)
		}
	}
}
