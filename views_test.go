package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestViewsAgree makes commits of all kinds, in a SHA-256 repository, and compares the numbers of
// each view of each commit with those of the others, with git show --numstat and with git blame.
func TestViewsAgree(t *testing.T) {
	t.Parallel()
	whole(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	v := &viewed{where: worldOf(t, home, filepath.Join(home, "repo"), "sha256"), kinds: map[string]string{}}
	// Configuration that other output of git depends on.
	for _, set := range []string{"color.ui=always", "diff.noprefix=true", "diff.renames=false", "diff.context=9", "diff.interHunkContext=9",
		"diff.indentHeuristic=false", "diff.suppressBlankEmpty=true", "blame.showEmail=true", "diff.shout.textconv=tr a-z A-Z <"} {
		name, value, _ := strings.Cut(set, "=")
		v.git("config", "--global", name, value)
	}
	v.history()
	for _, kind := range slices.Sorted(maps.Keys(v.kinds)) {
		t.Run(kind, func(t *testing.T) {
			testdir.InTime(t)
			for _, fault := range v.faults(v.kinds[kind]) {
				t.Error(fault)
			}
		})
	}
	if len(v.kinds) < 40 {
		t.Errorf("%d commits are checked: too few", len(v.kinds))
	}
}

var (
	viewsRounds = flag.Int("views.n", 3, "how many random commits the views are compared of")
	viewsSeed   = flag.Uint64("views.seed", 0, "the seed of these commits; 0: another each time")
)

// TestViewsAgreeAtRandom does the same with commits of random changes by two agents and the human.
func TestViewsAgreeAtRandom(t *testing.T) {
	t.Parallel()
	whole(t)
	seed := *viewsSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	v := &viewed{where: newWorld(t), kinds: map[string]string{}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range *viewsRounds {
		for range 1 + rng.IntN(3) {
			v.turn([]string{"s", "s2"}[rng.IntN(2)], func() { v.edit(rng) })
			if rng.IntN(2) == 0 {
				v.edit(rng)
			}
		}
		v.git("add", "-A")
		if rng.IntN(4) == 0 { // something stays behind
			v.git("reset", "-q", "--", fmt.Sprintf("file%d", rng.IntN(5)))
		}
		args := []string{"commit", "-q", "--allow-empty", "-m", fmt.Sprint("Round ", round)}
		if rng.IntN(4) == 0 {
			args = append(args, "--amend")
		}
		v.git(args...)
		for _, fault := range v.faults(v.git("rev-parse", "HEAD")) {
			t.Errorf("-views.seed=%d, commit %d: %s", seed, round, fault)
		}
	}
}

// edit changes some files: lines that occur once and lines that repeat, new, moved, copied, removed,
// with other ends, in files that are also renamed, copied and deleted.
func (v *viewed) edit(rng *rand.Rand) {
	v.t.Helper()
	for range 1 + rng.IntN(3) {
		name := fmt.Sprintf("file%d", rng.IntN(5))
		data, err := os.ReadFile(filepath.Join(v.dir, name))
		lines := strings.SplitAfter(string(data), "\n")
		lines = lines[:len(lines)-1]
		at := rng.IntN(len(lines) + 1)
		n := rng.IntN(len(lines) - at + 1)
		some := func() (new []string) {
			for range 1 + rng.IntN(6) {
				v.turns++
				new = append(new, []string{"}\n", "\n", "\treturn nil\n", fmt.Sprintf("line %d\n", v.turns), fmt.Sprintf("line %d\r\n", v.turns)}[rng.IntN(5)])
			}
			return new
		}
		switch kind := rng.IntN(10); {
		case err != nil || kind < 3:
			lines = slices.Insert(lines, at, some()...)
		case kind == 3:
			lines = slices.Replace(lines, at, at+n, some()...)
		case kind == 4:
			lines = slices.Delete(lines, at, at+n)
		case kind == 5:
			block := slices.Clone(lines[at : at+n])
			lines = slices.Delete(lines, at, at+n)
			lines = slices.Insert(lines, rng.IntN(len(lines)+1), block...)
		case kind == 6:
			lines = append(lines, lines[at:at+n]...)
		case kind == 7:
			for i := at; i < at+n; i++ {
				lines[i] = strings.TrimRight(lines[i], "\r\n") + "\r\n"
			}
		case kind == 8: // renamed, perhaps over another, or copied
			if name = fmt.Sprintf("file%d", rng.IntN(5)); rng.IntN(2) == 0 {
				os.Remove(filepath.Join(v.dir, fmt.Sprintf("file%d", rng.IntN(5))))
			}
		default:
			os.Remove(filepath.Join(v.dir, name))
			continue
		}
		testdir.Must(v.t, os.WriteFile(filepath.Join(v.dir, name), []byte(strings.Join(lines, "")), 0o644))
	}
}

// viewed is a history whose commits are looked at in each way.
type viewed struct {
	where
	kinds map[string]string // commits, by what is special about them
	turns int
}

// turn is a turn of a session in which its agent does something.
func (v *viewed) turn(session string, work func()) {
	v.t.Helper()
	v.turns++
	testdir.Must(v.t, v.agent(nil, "user-prompt-submit", session, fmt.Sprintf("Prompt %d", v.turns)))
	work()
	testdir.Must(v.t, v.agent(nil, "stop", session, fmt.Sprintf("Done %d.", v.turns)))
}

// commit commits everything.
func (v *viewed) commit(kind string, args ...string) string {
	v.t.Helper()
	v.git("add", "-A")
	v.git(append([]string{"commit", "-q", "--allow-empty", "-m", kind}, args...)...)
	return v.is(kind)
}

// is names the commit at HEAD.
func (v *viewed) is(kind string) string {
	v.t.Helper()
	v.kinds[kind] = v.git("rev-parse", "HEAD")
	return v.kinds[kind]
}

// numbered are lines that occur once.
func numbered(what string, from, to int) []string {
	var lines []string
	for i := from; i <= to; i++ {
		lines = append(lines, fmt.Sprintf("%s number %d", what, i))
	}
	return lines
}

// history makes the commits.
func (v *viewed) history() {
	v.t.Helper()
	v.is("without a link")
	v.kinds["first of the repository"] = v.git("rev-list", "--max-parents=0", "HEAD")

	v.turn("s", func() { v.write("a.txt", numbered("agent line", 1, 20)...) })
	v.write("a.txt", append(numbered("agent line", 1, 20), numbered("human line", 1, 4)...)...)
	v.commit("new file")

	lines := append(numbered("agent line", 1, 20), numbered("human line", 1, 4)...)
	v.turn("s", func() {
		moved := append(slices.Clone(lines[3:]), lines[:3]...) // three lines move to the end
		v.write("a.txt", moved...)
		lines = moved
	})
	v.commit("lines moved within a file by the agent")

	moved := append([]string{lines[9], lines[8]}, slices.Delete(slices.Clone(lines), 8, 10)...)
	v.turn("s", func() { v.write("extra.txt", "an extra line of the agent") })
	v.write("a.txt", moved...)
	lines = moved
	v.commit("lines moved within a file by the human")

	v.turn("s", func() {
		v.write("b.txt", append(numbered("b line", 1, 3), lines[:5]...)...)
		lines = lines[5:]
		v.write("a.txt", lines...)
	})
	v.commit("lines moved between files")

	v.turn("s", func() {
		v.git("mv", "a.txt", "renamed.txt")
		lines = append(slices.Clone(lines), "a line after the rename")
		v.write("renamed.txt", lines...)
	})
	v.git("reset", "-q")
	v.commit("renamed and changed by the agent")

	v.turn("s", func() { v.write("fresh.txt", numbered("fresh line", 1, 8)...) })
	v.git("mv", "-k", "fresh.txt", "other.txt")
	testdir.Must(v.t, os.Rename(filepath.Join(v.dir, "fresh.txt"), filepath.Join(v.dir, "other.txt")))
	v.commit("new file renamed by the human")

	v.turn("s", func() { v.write("copy.txt", append(slices.Clone(lines), "a line of the copy")...) })
	v.commit("copied file")

	v.turn("s", func() {
		lines = append(slices.Clone(lines), lines[2], lines[2], "}", "}", "")
		v.write("renamed.txt", lines...)
	})
	v.write("renamed.txt", append(slices.Clone(lines), "}", "", "a last line by the human")...)
	v.commit("copied and equal lines")

	v.turn("s", func() {
		v.write("crlf.txt", "one\r", "two\r", "three\r")
		v.write("mixed.txt", "one\r", "two", "three\r", "f\u00f6ur", "\u4e94")
	})
	v.commit("CRLF")
	v.turn("s", func() { v.write("crlf.txt", "one", "two", "three", "four") })
	v.commit("CRLF to LF")
	v.turn("s", func() {
		testdir.Must(v.t, os.WriteFile(filepath.Join(v.dir, "crlf.txt"), []byte("one\ntwo\nthree\nfour and no newline"), 0o644))
	})
	v.commit("no newline at the end")

	v.turn("s", func() {
		v.write("script.sh", "#!/bin/sh", "echo by the agent")
		os.Chmod(filepath.Join(v.dir, "b.txt"), 0o755)
	})
	v.commit("mode of one file, another new")
	v.turn("s", func() { os.Chmod(filepath.Join(v.dir, "script.sh"), 0o755) })
	v.commit("mode alone")

	v.turn("s", func() {
		os.WriteFile(filepath.Join(v.dir, "image.bin"), []byte("\x00\x01\x02binary\x00"), 0o644)
		os.Symlink("b.txt", filepath.Join(v.dir, "link"))
		v.write("beside.txt", "a text beside binary files")
	})
	v.commit("binary file and symlink")
	v.turn("s", func() {
		os.Remove(filepath.Join(v.dir, "image.bin"))
		os.Remove(filepath.Join(v.dir, "link"))
		v.write("image.bin", "a text now", "of two lines")
		v.write("link", "a file now")
	})
	v.commit("binary file and symlink become texts")

	v.turn("s", func() { v.write(".gitattributes", "*.svg -diff", "*.md diff=shout") })
	v.commit("attributes")
	v.turn("s", func() { v.write("drawing.svg", numbered("path", 1, 4)...); v.write("doc.md", numbered("doc", 1, 4)...) })
	v.commit("text that git takes for binary")

	v.turn("s", func() {
		for i, name := range []string{"tab\there", "new\nline", "quo\"te", "[g]lob*", "ünïcode", " space ", ":(top)x"} {
			v.write(name, numbered(fmt.Sprint("odd ", i), 1, 1+i)...)
		}
	})
	v.write("new\nline", "one by the human")
	v.commit("odd names")

	v.turn("s", func() {
		os.Remove(filepath.Join(v.dir, "extra.txt"))
		v.write("b.txt", numbered("b line", 1, 2)...)
	})
	v.commit("deletion")

	v.turn("s", func() { v.write("two.txt", numbered("by s", 1, 3)...) })
	v.turn("s2", func() {
		v.write("two.txt", append(numbered("by s", 1, 3), numbered("by s2", 1, 5)...)...)
		v.write("only2.txt", "of s2 alone")
	})
	v.write("two.txt", slices.Concat([]string{"by the human"}, numbered("by s", 2, 3), numbered("by s2", 1, 5))...)
	v.commit("two sessions")

	v.turn("s", func() { v.write("part.txt", numbered("part", 1, 6)...) })
	v.write("rest.txt", "to be committed later")
	v.git("add", "part.txt")
	v.git("commit", "-qm", "In part", "--", "part.txt")
	v.is("partial commit")
	v.turn("s", func() { v.write("rest.txt", "to be committed later", "and more by the agent") })
	v.commit("remainder")
	v.turn("s", func() { v.write("rest.txt", "to be committed later", "and more by the agent", "amended by the agent") })
	v.git("add", "-A")
	v.git("commit", "-q", "--amend", "--no-edit")
	v.is("remainder")

	v.onBranches()
	v.unknown()
}

// onBranches makes merges, squashes, picks, rebases and commits without hooks.
func (v *viewed) onBranches() {
	v.t.Helper()
	main := v.git("rev-parse", "HEAD")
	branch := func(name string) {
		v.git("checkout", "-q", "-b", name, main)
		for i := range 2 {
			v.turn("s", func() { v.write(fmt.Sprintf("%s%d.txt", name, i), numbered(name+" by s", 1, 3+i)...) })
			v.turn("s2", func() { v.write("shared-"+name+".txt", numbered(name+" by s2", 1, 2+3*i)...) })
			v.write(fmt.Sprintf("human-%s%d.txt", name, i), "by the human")
			v.commit(fmt.Sprintf("%s, commit %d", name, i))
		}
	}
	branch("merged")
	v.git("checkout", "-q", "-b", "into", main)
	v.write("into.txt", "beside")
	v.commit("beside a merge")
	v.git("merge", "-q", "--no-ff", "-m", "Merge", "merged")
	v.is("merge")

	branch("squashed")
	v.git("checkout", "-q", "-b", "squash", main)
	v.git("merge", "-q", "--squash", "squashed")
	v.git("commit", "-q", "--no-edit")
	v.is("squash")

	// As a server squashes: no hook runs, and the body has the messages, with their trailers.
	branch("hosted")
	v.git("checkout", "-q", "-b", "server", main)
	body := v.git("log", "--reverse", "--format=* %B", main+"..hosted")
	v.git("merge", "-q", "--squash", "hosted")
	v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Squash on a server (#1)\n\n"+body)
	v.is("squash on a server, trailers in its body")
	links := v.git("log", "-2", "--format=%(trailers:key=Entire-Checkpoint,unfold)", "hosted")
	v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "Squash on a server (#1)\n\n"+links)
	v.is("squash on a server, its trailers are git's")

	branch("picked")
	v.git("checkout", "-q", "-b", "onto", main)
	v.write("before.txt", "something before")
	v.commit("before a pick")
	v.git("cherry-pick", "picked~1", "picked")
	v.is("cherry-pick")
	v.git("revert", "--no-edit", "HEAD")
	v.is("revert")

	branch("rebased")
	v.git("rebase", "-q", "onto")
	v.is("rebased")

	v.git("checkout", "-q", "-b", "hookless", main)
	v.turn("s", func() { v.write("hookless.txt", numbered("hookless", 1, 4)...) })
	v.write("hookless.txt", append(numbered("hookless", 1, 4), "and the human's")...)
	v.git("add", "-A")
	v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Hookless")
	v.turn("s", func() {})
	if len(v.besideHead()) != 1 {
		v.t.Fatal("the commit has no side link")
	}
	v.is("linked beside")

	v.git("checkout", "-q", "--orphan", "fresh")
	v.git("rm", "-rfq", "--cached", ".")
	v.turn("s", func() { v.write("rooted.txt", numbered("rooted", 1, 4)...) })
	v.git("add", "rooted.txt")
	v.git("commit", "-q", "-m", "Root")
	v.is("root commit with a link")
	v.git("checkout", "-qf", main)
	v.git("clean", "-fdq")
}

// unknown makes commits with lines without a known author.
func (v *viewed) unknown() {
	v.t.Helper()
	v.git("checkout", "-q", "-b", "unknown")
	v.turn("s", func() { v.write("unknown.txt", numbered("known", 1, 3)...) })
	v.write("unknown.txt", append(numbered("known", 1, 3), "by whom?")...)
	v.commit("before")
	message := v.git("log", "-1", "--format=%B")
	v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", strings.TrimSpace(message)+"\nEntire-Checkpoint: abcdefabcdef")
	v.is("some lines unknown")
	delete(v.kinds, "before")
	v.write("all.txt", "by whom?")
	v.git("add", "-A")
	v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "All unknown\n\nEntire-Checkpoint: abcdefabcdef")
	v.is("all lines unknown")
}

// sum counts lines by author.
type sum struct{ Agent, Human, Unknown int }

func (s sum) all() int { return s.Agent + s.Human + s.Unknown }

// share is the agents' share as all texts print it.
func (s sum) share() string {
	known := s.Agent + s.Human
	text := "-"
	switch {
	case known == 0 && s.Unknown > 0:
		return fmt.Sprintf("? (%d unknown)", s.Unknown)
	case known > 0:
		text = fmt.Sprintf("%.0f %%", 100*float64(s.Agent)/float64(known))
	}
	if s.Unknown > 0 {
		text += fmt.Sprintf(", %d unknown", s.Unknown)
	}
	return text
}

// initial is initial_attribution.
type initial struct {
	Agent    int     `json:"agent_lines"`
	Added    int     `json:"human_added"`
	Modified int     `json:"human_modified"`
	Total    int     `json:"total_committed"`
	Percent  float64 `json:"agent_percentage"`
	Others   int     `json:"other_sessions_lines"`
	Unknown  int     `json:"unknown_lines"`
}

// of checks a session's part against the commit's lines.
func (a initial) of(s sum) error {
	percent := 0.0
	if a.Total > 0 {
		percent = 100 * float64(a.Agent) / float64(a.Total)
	}
	if a.Agent+a.Others != s.Agent || a.Added+a.Modified != s.Human || a.Unknown != s.Unknown || a.Total != a.Agent+s.Human || a.Percent != percent {
		return fmt.Errorf("%+v is no part of %+v", a, s)
	}
	return nil
}

// faults compares all views of a commit.
func (v *viewed) faults(commit string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	parse := func(into any, args ...string) {
		out, err := v.run(nil, nil, "entire-plumb", args...)
		if err == nil {
			err = json.Unmarshal([]byte(out), into)
		}
		if err != nil {
			fault("%v", err)
		}
	}
	stat := v.numstat(commit)
	git := 0
	for _, n := range stat {
		git += n
	}

	var page struct {
		Lines struct {
			Agent, Human, Unknown int
			Other                 int `json:"other_sessions"`
		}
	}
	parse(&page, "report", "--json", commit)
	want := sum{page.Lines.Agent + page.Lines.Other, page.Lines.Human, page.Lines.Unknown}
	files := map[string]sum{}
	agents := v.blamed(commit, stat, files, fault)
	merge := strings.Contains(v.git("log", "-1", "--format=%P", commit), " ")
	if merge { // numstat has the lines of the other sides, too
		git = 0
		for _, lines := range files {
			git += lines.all()
		}
	}
	if want.all() != git {
		fault("report counts %+v, git show --numstat %d", want, git)
	}

	type part struct {
		SessionID string  `json:"session_id"`
		Initial   initial `json:"initial_attribution"`
		Files     []struct {
			Path    string
			Agent   int `json:"agent_lines"`
			Lines   int
			Unknown int `json:"unknown_lines"`
			Ranges  [][2]int
		}
	}
	var counted []struct {
		Lines sum
		Files []struct {
			Path  string
			Lines sum
		}
		Checkpoints []struct {
			ID       string
			Sessions []part
		}
		Kept []struct {
			ID       string
			Sessions []part
		}
	}
	parse(&counted, "attribution", "--json", commit)
	var logged struct {
		Commits []struct {
			Lines       *sum
			Checkpoints []struct {
				ID      string `json:"checkpoint_id"`
				Agent   int    `json:"agent_lines"`
				Lines   int
				Unknown int `json:"unknown_lines"`
			}
		}
	}
	parse(&logged, "log", "--json", "-n", "1", commit)
	var shown []struct {
		ID       string `json:"checkpoint_id"`
		Lines    *sum
		Sessions []struct {
			SessionID string   `json:"session_id"`
			Initial   *initial `json:"initial_attribution"`
		}
	}
	parse(&shown, "show", "--json", commit)
	if len(counted) == 0 || len(logged.Commits) != 1 {
		if logged.Commits[0].Lines != nil || len(shown) > 0 || want.Agent > 0 {
			fault("attribution counts nothing, log %+v, show %+v, report %+v", logged.Commits[0].Lines, shown, want)
		}
		return faults
	}

	one, log := counted[0], logged.Commits[0]
	if one.Lines != want || log.Lines == nil || *log.Lines != want || one.Lines.all() != git {
		fault("attribution %+v, log %+v, report %+v, git show --numstat %d", one.Lines, log.Lines, want, git)
	}
	// git's own views may differ, where one deleted file resembles two new ones.
	counts := map[string]int{}
	for path, blame := range files {
		counts[path] = blame.all()
	}
	maps.DeleteFunc(counts, func(path string, n int) bool { return n == stat[path] })
	for _, f := range one.Files {
		if f.Lines.all() != stat[f.Path] {
			fault("%s: attribution %+v, numstat %d", f.Path, f.Lines, stat[f.Path])
		}
		if blame, ok := files[f.Path]; ok && !merge && blame != f.Lines && blame.all() == stat[f.Path] {
			fault("%s: attribution %+v, blame %+v", f.Path, f.Lines, blame)
		}
		delete(stat, f.Path)
	}
	for path, n := range stat {
		if n > 0 {
			fault("%s: attribution counts no lines, numstat %d", path, n)
		} else if files[path].Human > 0 && !merge {
			fault("%s: blame gives %d lines to the human, and nothing records whose they are", path, files[path].Human)
		}
	}
	table := v.must("entire-plumb", "attribution", commit)
	text := v.must("entire-plumb", "show", commit)
	if line := v.must("entire-plumb", "log", "-n", "1", commit); !strings.HasSuffix(line, "  "+want.share()) {
		fault("log prints %q, want %q", line, want.share())
	}
	if html := v.must("entire-plumb", "report", "-o", "-", commit); want.all() > 0 && !strings.Contains(html, "<dd>"+want.share()+"</dd>") {
		fault("the report doesn't have the share %q", want.share())
	}
	sums := map[string]int{}
	sessions := 0
	for _, k := range one.Kept {
		for _, s := range k.Sessions {
			sums[s.SessionID] += s.Initial.Agent
			if err := s.Initial.of(want); err != nil {
				fault("attribution, kept of checkpoint %s, session %s: %v", k.ID, s.SessionID, err)
			}
		}
	}
	for i, k := range one.Checkpoints {
		inLog := log.Checkpoints[i]
		if inLog.ID != k.ID || shown[i].ID != k.ID {
			fault("log has %s, show %s, attribution %s", inLog.ID, shown[i].ID, k.ID)
		}
		if shown[i].Lines == nil || *shown[i].Lines != want {
			fault("show %s: %+v, want %+v", k.ID, shown[i].Lines, want)
		}
		ofCheckpoint := 0
		for j, s := range k.Sessions {
			sessions++
			if err := s.Initial.of(want); err != nil {
				fault("attribution, checkpoint %s, session %s: %v", k.ID, s.SessionID, err)
			}
			ofCheckpoint += s.Initial.Agent
			sums[s.SessionID] += s.Initial.Agent
			if j >= len(shown[i].Sessions) {
				continue // its few lines stand in the part of another
			}
			if at := shown[i].Sessions[j]; at.Initial == nil || *at.Initial != s.Initial || at.SessionID != s.SessionID {
				fault("show, checkpoint %s: %+v, attribution %+v", k.ID, at.Initial, s.Initial)
			}
			if stored := v.stored(k.ID, s.SessionID, commit); stored != nil && !merge && len(one.Kept) == 0 && want.Unknown == 0 && *stored != s.Initial {
				fault("checkpoint %s stores %+v, attribution %+v", k.ID, *stored, s.Initial)
			}
			ofSession := sum{s.Initial.Agent, s.Initial.Added + s.Initial.Modified, s.Initial.Unknown}
			row := fmt.Sprintf("%d of %d by the agent, %s", s.Initial.Agent, s.Initial.Total, ofSession.share())
			if s.Initial.Total == 0 && s.Initial.Unknown > 0 {
				row = ofSession.share()
			}
			if !strings.Contains(text, "  lines: "+row+"\n") && !strings.Contains(text, "  lines: "+row+";") {
				fault("show prints no %q:\n%s", row, text)
			}
			cells := []string{s.SessionID, fmt.Sprint(s.Initial.Agent), fmt.Sprint(s.Initial.Total), ofSession.share()}
			if alone := len(one.Checkpoints) == 1 && len(one.Checkpoints[0].Sessions) == 1 && len(one.Kept) == 0; (alone || s.Initial.Agent > 0) && !hasRow(table, cells) {
				fault("attribution prints no row %q:\n%s", cells, table)
			}
			ofFiles := 0
			for _, f := range s.Files {
				ranges := 0
				for _, r := range f.Ranges {
					ranges += r[1]
				}
				if ranges != f.Agent {
					fault("%s: %d lines in ranges, %d counted", f.Path, ranges, f.Agent)
				}
				ofFiles += f.Agent
				for _, all := range one.Files {
					if all.Path == f.Path && (f.Lines != all.Lines.all() || f.Unknown != all.Lines.Unknown) {
						fault("%s: %d lines, %d unknown for session %s, %+v for the commit", f.Path, f.Lines, f.Unknown, s.SessionID, all.Lines)
					}
				}
			}
			if ofFiles != s.Initial.Agent {
				fault("session %s: %d lines in files, %d counted", s.SessionID, ofFiles, s.Initial.Agent)
			}
		}
		if inLog.Agent != ofCheckpoint || inLog.Lines != want.all() || inLog.Unknown != want.Unknown {
			fault("log, checkpoint %s: %+v, want %d of %+v", k.ID, inLog, ofCheckpoint, want)
		}
	}
	maps.DeleteFunc(sums, func(_ string, n int) bool { return n == 0 })
	if !merge && len(counts) == 0 && !maps.Equal(agents, sums) {
		fault("by session: blame %v, attribution %v", agents, sums)
	}
	return faults
}

// hasRow reports whether a table has a row with these cells, in order.
func hasRow(table string, cells []string) bool {
	for row := range strings.Lines(table) {
		rest, found := row, true
		for _, cell := range cells {
			var ok bool
			if _, rest, ok = strings.Cut(rest, cell); !ok {
				found = false
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

// numstat is how many lines git says that the commit adds, by file.
func (v *viewed) numstat(commit string) map[string]int {
	v.t.Helper()
	added := map[string]int{}
	fields := strings.Split(v.git("-c", "diff.indentHeuristic=true", "show", "-m", "--first-parent", "-M", "--numstat", "-z", "--format=", commit), "\x00")
	for i := 0; i < len(fields)-1; i++ {
		if cells := strings.SplitN(strings.TrimPrefix(fields[i], "\n"), "\t", 3); len(cells) == 3 {
			path := cells[2]
			if path == "" { // renamed: old and new name follow
				path, i = fields[i+2], i+2
			}
			n := 0
			fmt.Sscanf(cells[0], "%d", &n)
			if entry, err := v.run(nil, nil, "git", "--literal-pathspecs", "ls-tree", commit, "--", path); err == nil && strings.HasPrefix(entry, "120000") {
				n = 0 // git counts a symlink's target
			}
			added[path] += n
		}
	}
	return added
}

// blamed counts the lines that blame gives to a commit, by file and author, and the agents' by
// session, and compares with git blame.
func (v *viewed) blamed(commit string, stat map[string]int, files map[string]sum, fault func(string, ...any)) map[string]int {
	agents := map[string]int{}
	for path := range stat {
		if out, err := v.run(nil, nil, "git", "--literal-pathspecs", "ls-tree", commit, "--", path); err != nil || !strings.HasPrefix(out, "100") {
			continue // deleted, or no file
		}
		var lines []struct {
			Commit string
			Owner  struct {
				Kind, Reason string
				Session      string `json:"session_id"`
			}
		}
		out, err := v.run(nil, nil, "entire-plumb", "blame", "--json", "--rev", commit, path)
		if err == nil {
			err = json.Unmarshal([]byte(out), &lines)
		}
		if err != nil {
			fault("%v", err)
			continue
		}
		count, mine := sum{}, 0
		for _, l := range lines {
			if l.Commit != commit {
				continue
			}
			mine++
			switch l.Owner.Kind {
			case "agent":
				count.Agent++
				agents[l.Owner.Session]++
			case "human":
				count.Human++
			default:
				count.Unknown++
			}
		}
		files[path] = count
		theirs := 0
		for line := range strings.Lines(v.git("-c", "diff.indentHeuristic=true", "blame", "--line-porcelain", "--no-textconv", commit, "--", path)) {
			if strings.HasPrefix(line, commit+" ") {
				theirs++
			}
		}
		if mine != theirs {
			fault("%s: blame gives %d lines to the commit, git blame %d", path, mine, theirs)
		}
	}
	return agents
}

// stored is what the checkpoint's metadata says of a session's part in a commit; nil: of others.
func (v *viewed) stored(id, session, commit string) *initial {
	for n := range 4 {
		data, err := v.run(nil, nil, "git", "cat-file", "blob", fmt.Sprintf("entire/checkpoints/v1:%s/%s/%d/metadata.json", id[:2], id[2:], n))
		if err != nil {
			return nil
		}
		var meta struct {
			SessionID string  `json:"session_id"`
			Initial   initial `json:"initial_attribution"`
			Commit    string  `json:"attributed_commit"`
			Earlier   []struct {
				Commit  string
				Initial initial `json:"initial_attribution"`
			} `json:"earlier_attributions"`
		}
		if json.Unmarshal([]byte(data), &meta) != nil || meta.SessionID != session {
			continue
		}
		if meta.Commit == commit {
			return &meta.Initial
		}
		for _, e := range meta.Earlier {
			if e.Commit == commit {
				return &e.Initial
			}
		}
	}
	return nil
}
