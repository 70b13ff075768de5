package demo

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/journal"
)

// cost is what a hook took, from the start of its process to the end, as whoever called it had to
// wait.
type cost struct {
	hook string
	time time.Duration
}

// timed returns an agent's verb that also remembers how long it took. What it does beside calling
// the hook, two small files written, is too little to show in milliseconds.
func (t *story) timed(hook string, verb func(*testscript.TestScript, bool, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		begun := time.Now()
		verb(ts, neg, args)
		t.measured = append(t.measured, cost{hook, time.Since(begun)})
	}
}

// costs: a table of the time of every hook beside that of `git status`.
func (t *story) costs(ts *testscript.TestScript, neg bool, args []string) {
	started := processes(ts.ReadFile(journal.File(filepath.Join(".git", "entire-plumb"))))
	t.line(ts, "     %-22s %8s   %s", "hook", "time", "git processes")
	for _, c := range append(t.measured, gitHooks(ts.ReadFile(filepath.Join(ts.Getenv("HOME"), "trace2.json")))...) {
		t.line(ts, "     %-22s %5d ms   %s", c.hook, c.time.Round(time.Millisecond).Milliseconds(), cmp.Or(started[c.hook], "-"))
	}
	t.line(ts, "     %-22s %5d ms   (the median of five)", "git status", gitStatus(ts).Round(time.Millisecond).Milliseconds())
	t.line(ts, "   A time is that of a whole process, as the agent or git waits for it. Most of it goes into")
	t.line(ts, "   starting git; how often a hook does that doesn't depend on the size of the repository.")
}

// processes reads in the journal how many git processes each hook started. The journal leaves out
// commit-msg.
func processes(lines string) map[string]string {
	started := map[string]string{}
	for line := range strings.Lines(lines) {
		var e journal.Entry
		if json.Unmarshal([]byte(line), &e) == nil {
			started[strings.TrimPrefix(e.Hook, "claude-code ")] = strconv.Itoa(e.Processes)
		}
	}
	return started
}

// gitHooks reads in git's own trace of a commit (GIT_TRACE2_EVENT, see git's api-trace2) how long
// each hook took: git starts them, and nobody else sees when they begin and end.
func gitHooks(lines string) []cost {
	type child struct {
		Session string `json:"sid"`
		ID      int    `json:"child_id"`
	}
	names := map[child]string{}
	var spent []cost
	for line := range strings.Lines(lines) {
		var e struct {
			child
			Event   string
			Class   string  `json:"child_class"`
			Hook    string  `json:"hook_name"`
			Seconds float64 `json:"t_rel"`
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		switch name := names[e.child]; {
		case e.Event == "child_start" && e.Class == "hook":
			names[e.child] = e.Hook
		case e.Event == "child_exit" && name != "":
			spent = append(spent, cost{name, time.Duration(e.Seconds * float64(time.Second))})
		}
	}
	return spent
}

// gitStatus is the median of the times of a few runs.
func gitStatus(ts *testscript.TestScript) time.Duration {
	times := make([]time.Duration, 5)
	for i := range times {
		begun := time.Now()
		ts.Check(ts.Exec("git", "status"))
		times[i] = time.Since(begun)
	}
	slices.Sort(times)
	return times[len(times)/2]
}
