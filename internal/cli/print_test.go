package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/history"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/resume"
	"entire-plumb/internal/rewind"
	"entire-plumb/internal/session"
	"entire-plumb/internal/share"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/upkeep"
	"entire-plumb/shadow"
)

const oid = gitexec.OID("0123456789abcdef0123456789abcdef01234567")

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// prints compares what is printed.
func prints(t *testing.T, name, want string, print func(w io.Writer)) {
	t.Helper()
	var out bytes.Buffer
	print(&out)
	if out.String() != want {
		t.Errorf("%s: printed\n%s\nwant\n%s", name, out.String(), want)
	}
}

func part(id string) query.ShownPart {
	return query.ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: id}}
}

func TestPrintShown(t *testing.T) {
	full := part("s1")
	full.Agent, full.Model, full.Title = "Claude Code", "m", "A title"
	full.Prompts = []string{"first\nline two", "second"}
	full.Tasks = []conversation.Task{{ToolUseID: "t1", AgentType: "general", Description: "look", Steps: 1}, {ToolUseID: "t2", Steps: 2}, {ToolUseID: "t3", AgentType: "general"}}
	full.FilesTouched = []gitexec.Path{"a b"}
	full.InitialAttribution = &checkpoints.InitialAttribution{AgentLines: 3, TotalCommitted: 4}
	full.CheckpointTokenUsage = &transcript.Usage{InputTokens: 1, OutputTokens: 2, APICallCount: 1}
	other := part("")
	other.Source, other.TokenUsage = &checkpoints.Source{Kind: checkpoints.Fetched, Remote: "o"}, &transcript.Usage{APICallCount: 2, SubagentTokens: &transcript.Usage{InputTokens: 5}}
	for name, c := range map[string]struct {
		shown query.Shown
		want  string
	}{
		"committed": {query.Shown{Checkpoint: "c1", Branch: "main", Source: &checkpoints.Source{Kind: checkpoints.Here},
			Commits:  []query.ShownCommit{{Commit: oid, Subject: "Sub\x1bject", Author: "Ada", When: day, Link: &checkpoints.Source{Kind: checkpoints.InMessage}}},
			Sessions: []query.ShownPart{full}},
			`checkpoint c1, on main
commit 0123456 Sub` + printable("\x1b") + `ject (Ada, 2026-01-02 03:04)
  the link: in the message
the lines: recorded here
session s1: Claude Code (m)
  title: A title
  prompt 1: first
    line two
  prompt 2: second
  task t1: general: look (1 version of its to-do list)
  task t2 (2 versions of its to-do list)
  task t3: general
  file a b
  lines: 3 of 4 by the agent, 75 %
  tokens: 1 in, 2 out, 0 read from the cache, 0 written to it, 1 call
`},
		"without a commit": {query.Shown{Checkpoint: "c1", Sessions: []query.ShownPart{other}}, `checkpoint c1
no commit on a branch links this checkpoint
session unknown
  not recorded here: fetched from o
  tokens of the session so far: 0 in, 0 out, 0 read from the cache, 0 written to it, 2 calls; subagents 5 in, 0 out, 0 read from the cache, 0 written to it, 0 calls
`},
		"on a stream": {query.Shown{Stream: string(oid), Subject: "Step"}, "checkpoint 0123456 on a stream, not committed: Step\n"},
		"damaged": {query.Shown{Checkpoint: "c1", Damaged: true, Error: "bad"},
			"checkpoint c1\nno commit on a branch links this checkpoint\ndamaged: bad\n"},
		"purged": {query.Shown{Checkpoint: "c1", Purged: "2026", Error: "it was purged"},
			"checkpoint c1\nno commit on a branch links this checkpoint\nit was purged\n"},
		"missing": {query.Shown{Checkpoint: "c1", Error: "it is not here"},
			"checkpoint c1\nno commit on a branch links this checkpoint\nit is not here\nhint: if it was pushed, entire-plumb fetch\n"},
		"overruled": {query.Shown{Checkpoint: "c1", Commits: []query.ShownCommit{}, Stream: string(oid),
			Overruled: []checkpoints.Overruled{{Checkpoint: "c1", Session: "s"}}},
			"checkpoint 0123456 on a stream, not committed: \nnot counted: " + checkpoints.Overruled{Checkpoint: "c1", Session: "s"}.String() + "\n"},
	} {
		prints(t, name, c.want, func(w io.Writer) { printShown(w, c.shown, false) })
	}
}

// TestLinesOf: the commit's own numbers, and what the checkpoint claims beside them.
func TestLinesOf(t *testing.T) {
	lines := func(agent, total, unknown int) *checkpoints.InitialAttribution {
		return &checkpoints.InitialAttribution{AgentLines: agent, TotalCommitted: total, Unknown: unknown}
	}
	for name, c := range map[string]struct {
		own, claimed *checkpoints.InitialAttribution
		want         string
	}{
		"neither":           {nil, nil, ""},
		"counted":           {lines(1, 2, 0), nil, "1 of 2 by the agent, 50 %"},
		"all unknown":       {lines(0, 0, 3), nil, "? (3 unknown)"},
		"none":              {lines(0, 0, 0), nil, "0 of 0 by the agent, -"},
		"claimed":           {nil, lines(1, 4, 0), "?; the checkpoint claims 1 of 4"},
		"claimed nothing":   {nil, lines(0, 0, 0), "?"},
		"counted otherwise": {lines(1, 2, 0), lines(1, 4, 0), "1 of 2 by the agent, 50 %; the checkpoint claims 1 of 4"},
	} {
		p := part("s")
		p.InitialAttribution, p.Claimed = c.own, c.claimed
		if got := linesOf(p); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestPrintWhy(t *testing.T) {
	here := checkpoints.Source{Kind: checkpoints.Here}
	link := query.WhyLink{ID: "c1", Found: true, Sessions: []string{"s1", "s2"}, Source: checkpoints.Source{Kind: checkpoints.InMessage}, Lines: &here}
	beside := &checkpoints.SideLink{Score: 0.5, Evidence: checkpoints.Evidence{"b": {1, 2}, "a": {3, 4}},
		Parts: []checkpoints.Part{{Checkpoint: "c1", Score: 0.25, Evidence: checkpoints.Evidence{"a": {3, 4}}, Files: []gitexec.Path{"bin"}}}}
	works := []journal.Work{{Session: "s1", On: "stream", Linked: true, Reason: "it is there", Files: []journal.WorkFile{{Path: "a", Verdict: "held"}}, Others: []string{"z"}, More: 2},
		{Session: "s2", On: "stash"}}
	runs := []journal.Entry{{Hook: journal.NoHook, Outcome: "found it"}, {Hook: "post-commit", Outcome: "linked", Milliseconds: 9, Processes: 1}}
	for name, c := range map[string]struct {
		why     query.Why
		verbose bool
		want    string
	}{
		"not linked": {query.Why{Commit: oid, Subject: "S", Reason: "r", Otherwise: "o"}, false, "0123456 S\n  not linked\n  why: r\n  otherwise: o\n"},
		"linked": {query.Why{Commit: oid, Subject: "S", Links: []query.WhyLink{link}, Reason: "r", Otherwise: "o", Works: works, Hooks: runs}, true,
			`0123456 S
  linked to c1: session s1, s2
    the link: in the message; the lines: recorded here
  why: r
  session s1, stream: linked: it is there
    a: held
    z: not in the commit
    and 2 more files
  session s2, stash: not linked
  found without a hook: found it
  post-commit: linked; 9 ms, 1 git process
  otherwise: o
`},
		"a link that was taken out": {query.Why{Commit: oid, Subject: "S", Reason: "r", Otherwise: "o", Works: works[:1]}, true,
			`0123456 S
  not linked
  why: r
  session s1, stream: not linked, though it is there
    a: held
    z: not in the commit
    and 2 more files
  otherwise: o
`},
		"beside": {query.Why{Commit: oid, Subject: "S", Links: []query.WhyLink{{ID: "c1", Beside: true, Found: true, Source: here}}, Beside: beside, Reason: "r", Otherwise: "o",
			Older: []string{"c9"}, Rewritten: []gitexec.OID{oid}, Removed: []checkpoints.Removal{{Checkpoint: "c2", By: "Ada", When: day}}}, true,
			`0123456 S
  linked to c1, beside the commit
    the link: recorded here
  the link to c2 was removed by Ada on 2026-01-02
  score 0.50; lines of the agents that are in the commit:
    a: 3 of 4
    b: 1 of 2
  of c1, score 0.25:
    a: 3 of 4
    bin: the same version, or deleted in both
  a link to c9 beside it is not followed: the commit is older than its work
  rewritten from 0123456
  why: r
  otherwise: o
`},
	} {
		prints(t, name, c.want, func(w io.Writer) { printWhy(w, c.why, c.verbose) })
	}
}

func TestLinkState(t *testing.T) {
	for want, l := range map[string]query.WhyLink{
		"": {Found: true}, ", beside the commit": {Found: true, Beside: true}, ", which was purged on 2026": {Purged: "2026", Error: "x"},
		", which is not here": {Error: "x"}, ", which is damaged": {Found: true, Error: "x", Sessions: []string{"s"}},
		", beside the commit: session a, b": {Found: true, Beside: true, Sessions: []string{"a", "b"}},
	} {
		if got := linkState(l); got != want {
			t.Errorf("%+v: %q", l, got)
		}
	}
}

func TestPrintRewound(t *testing.T) {
	logs := query.RewindPoint{IsLogsOnly: true}
	committed := query.RewindPoint{IsLogsOnly: true, CheckpointID: "c1", Commit: oid}
	unlinked := query.RewindPoint{IsLogsOnly: true, CheckpointID: "c1"}
	for name, c := range map[string]struct {
		rewound rewind.Rewound
		whole   bool
		want    string
	}{
		"done": {rewind.Rewound{Restored: []gitexec.Path{"a"}, Deleted: []gitexec.Path{"b"}, Done: true, Earlier: oid}, true,
			"restored a\ndeleted b\nhint: undo this with entire-plumb rewind --undo\nhint: the worktree before the previous rewind: entire-plumb rewind 0123456\n"},
		"a preview":           {rewind.Rewound{Restored: []gitexec.Path{"a"}, Deleted: []gitexec.Path{"b"}, Earlier: oid}, true, "would restore a\nwould delete b\n"},
		"the same":            {rewind.Rewound{Done: true, Left: []session.LeftOut{{Path: "x", Reason: "too large"}}}, true, "not touched: x (too large)\nthe worktree matches the checkpoint already\n"},
		"a branch":            {rewind.Rewound{Moved: "main", From: oid, To: oid, Done: true, Earlier: oid}, true, "moved main from 0123456 to 0123456\nhint: undo this with entire-plumb rewind --undo\n"},
		"a branch, previewed": {rewind.Rewound{Moved: "main", From: oid, To: oid}, true, "would move main from 0123456 to 0123456\n"},
		"committed": {rewind.Rewound{Point: committed}, true, "the worktree is unchanged: git has the files of a committed checkpoint\n" +
			"hint: entire-plumb rewind c1 -- . restores them all, and git switch --detach 0123456 goes to the commit\n"},
		"committed, and unlinked":  {rewind.Rewound{Point: unlinked}, true, "the worktree is unchanged: no commit on a branch or a tag links the checkpoint any more\n"},
		"the conversation alone":   {rewind.Rewound{Point: logs, Done: true}, true, ""},
		"files of a committed one": {rewind.Rewound{Point: committed, Restored: []gitexec.Path{"a"}, Done: true}, false, "restored a\nhint: undo this with entire-plumb rewind --undo\n"},
	} {
		prints(t, name, c.want, func(w io.Writer) { printRewound(w, c.rewound, c.whole) })
	}
}

func TestKindOfPoint(t *testing.T) {
	for want, k := range map[string]query.RewindPoint{
		"conversation": {IsLogsOnly: true, CheckpointID: "c"}, "branch and files": {CheckpointID: "c", IsTaskCheckpoint: true},
		"files, of a task": {IsTaskCheckpoint: true, Part: shadow.Human}, "files, before a turn": {Part: shadow.Human}, "files": {Part: shadow.Agent},
	} {
		if got := kindOf(k); got != want {
			t.Errorf("%+v: %q", k, got)
		}
	}
	if got := filesOf(query.RewindPoint{Files: []gitexec.Path{"a", "b", "c", "d", "e"}}); got != ": a, b, c and 2 more" {
		t.Error(got)
	}
	if got := filesOf(query.RewindPoint{Files: []gitexec.Path{"a", "b", "c"}}); got != ": a, b, c" || filesOf(query.RewindPoint{}) != "" {
		t.Error(got)
	}
}

func TestPrintResumed(t *testing.T) {
	one := restore.Restored{SessionID: "s1", Status: restore.Written, Prompt: "Do it", File: "/f", Aside: "/old", Resume: "claude --resume s1", Dir: "/else where"}
	here := t.TempDir()
	t.Chdir(here)
	near := restore.Restored{SessionID: "s2", Status: restore.Would, Resume: "codex resume s2", Dir: here}
	for name, c := range map[string]struct {
		resumed resume.Resumed
		want    string
	}{
		"switched": {resume.Resumed{Switched: true, Branch: "b", From: "a", Sessions: []restore.Restored{one, near}, Uncommitted: []string{"s3"}, Hint: "more"},
			`switched to b
conversation of s1: written
  "Do it"
  /f
  the previous one: /old
  cd '/else where' && claude --resume s1
conversation of s2: would be written
  codex resume s2
hint: session s3 has uncommitted work: entire-plumb resume s3
hint: more
`},
		"a preview": {resume.Resumed{Branch: "b", From: "a"}, "would switch to b\n"},
		"missing":   {resume.Resumed{Missing: slices.Repeat([]string{"c"}, 12)}, "not here: " + strings.Repeat("c, ", 9) + "c\nhint: if they were pushed, entire-plumb fetch\n"},
	} {
		prints(t, name, c.want, func(w io.Writer) { printResumed(w, c.resumed) })
	}
	prints(t, "without the commands", "conversation of s2: would be written\n", func(w io.Writer) { printRestored(w, []restore.Restored{near}, false) })
}

func TestNewer(t *testing.T) {
	for name, c := range map[string]struct {
		restored restore.Restored
		want     string
	}{
		"newer": {restore.Restored{SessionID: "s", Status: restore.Newer, File: "/f", Local: day, Stored: day.Add(-time.Hour)},
			"The conversation of s is newer here than in the checkpoint: /f (2026-01-02 03:04:05, 2026-01-02 02:04:05)"},
		"differs":       {restore.Restored{SessionID: "s", Status: restore.Differs, File: "/f", Local: day}, "The conversation of s differs here from what is in the checkpoint: /f"},
		"without times": {restore.Restored{SessionID: "s", Status: restore.Newer, File: "/f", Stored: day}, "The conversation of s is newer here than in the checkpoint: /f"},
	} {
		if got := newer(c.restored); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestGoesOnElsewhere: what is pasted into a shell goes to the directory, whatever its name has.
func TestGoesOnElsewhere(t *testing.T) {
	for dir, want := range map[string]string{"/a/b-c_d.e+f9": "/a/b-c_d.e+f9", "/it's": `'/it'\''s'`, "/a\x1bb": `$'/a\x1bb'`} {
		prints(t, dir, "conversation of s: restored\n  cd "+want+" && claude -r s\n", func(w io.Writer) {
			printRestored(w, []restore.Restored{{SessionID: "s", Status: "restored", Dir: dir, Resume: "claude -r s"}}, true)
		})
	}
}

func TestRemoval(t *testing.T) {
	for name, c := range map[string]struct {
		removal     upkeep.Removal
		done, would string
	}{
		"deleted":     {upkeep.Removal{Kind: "stream", Name: "n", Was: oid, Why: "w"}, "deleted stream n (was 0123456): w", "would delete stream n (was 0123456): w"},
		"rewritten":   {upkeep.Removal{Kind: "stream", Name: "n", Rewritten: true, Why: "h"}, "rewrote stream n: h", "would rewrite stream n: h"},
		"starts over": {upkeep.Removal{Kind: "session", Name: "n", Starts: true, Rewritten: true}, "reset session n", "would reset session n"},
	} {
		if done, would := removal(c.removal, true), removal(c.removal, false); done != c.done || would != c.would {
			t.Errorf("%s: %q, %q", name, done, would)
		}
	}
}

func TestPrintPurged(t *testing.T) {
	refs := []history.MovedRef{{Ref: "refs/heads/entire/x", Old: oid}, {Ref: "refs/entire-plumb/kept", Old: oid}}
	q := history.Purge{Checkpoints: []string{"c1"}}
	all := history.Purged{Refs: refs, Sessions: []string{"s"}, Files: []string{"f"}, Objects: []gitexec.OID{"o"}, Encrypted: 2, TooLarge: []gitexec.OID{"l"}, Missing: 3,
		Names: []string{"p"}, Worktree: []string{"w"}, AlsoIn: []string{"c2", "c3"}, GoesOn: []string{"s"}}
	rest := `object o
2 objects are encrypted for others, and were not searched
object l is too large, and was not searched
3 objects are not in this partial clone, and were not searched
a path holds it, and stays: p
the file w holds it still: the next snapshot will, too
other checkpoints have conversations of the same sessions: c2, c3
hint: entire-plumb purge --session ID takes out all checkpoints of a session
session s may go on: its next checkpoint has this conversation again, and a push sends it
hint: end it, and begin a new one
`
	prints(t, "a preview", `would rewrite refs/heads/entire/x (was 0123456)
would rewrite refs/entire-plumb/kept (was 0123456)
would change the state of session s
would change f
these objects hold it:
`+rest, func(w io.Writer) { printPurged(w, all, q) })
	all.Done = true
	prints(t, "done", `rewrote refs/heads/entire/x (was 0123456)
rewrote refs/entire-plumb/kept (was 0123456)
changed the state of session s
changed f
these objects hold it, until git removes them:
`+rest+`The old objects are in this repository until git removes them:
  git reflog expire --expire=now refs/heads/entire/x
  git gc --prune=now
No push from here has sent it, as far as the remote-tracking branches say.
`, func(w io.Writer) { printPurged(w, all, q) })
	prints(t, "a text", "Commits and stashes of yours are not searched: "+history.Purge{Text: "t"}.InCommits()+"\n",
		func(w io.Writer) { printPurged(w, history.Purged{}, history.Purge{Text: "t"}) })
}

// TestPrintPrune: the remote's copies first, as far as nothing is lost by that.
func TestPrintPrune(t *testing.T) {
	branch := history.MovedRef{Ref: shadow.Checkpoints, Old: oid}
	copyOf := func(remote string, more bool) history.Copy {
		return history.Copy{Ref: "refs/remotes/" + remote + "/entire/checkpoints/v1", ID: oid, More: more, Has: true}
	}
	here := "The old objects are in this repository until git removes them:\n  git reflog expire --expire=now " + shadow.Checkpoints + "\n"
	for name, c := range map[string]struct {
		refs   []history.MovedRef
		copies []history.Copy
		want   string
	}{
		"nothing":        {nil, []history.Copy{copyOf("o", false)}, ""},
		"here":           {[]history.MovedRef{branch}, nil, here + "  git gc --prune=now\n"},
		"another branch": {[]history.MovedRef{branch}, []history.Copy{{Ref: "refs/remotes/o/main"}}, here + "  git gc --prune=now\n"},
		"a copy without it": {[]history.MovedRef{branch}, []history.Copy{{Ref: copyOf("o", false).Ref, ID: oid}},
			here + "  git reflog expire --expire=now refs/remotes/o/entire/checkpoints/v1\n  git gc --prune=now\n"},
		"a copy": {[]history.MovedRef{branch}, []history.Copy{copyOf("o", false)},
			"The remote o has them, too. Replace its branch, and have its objects pruned there:\n" +
				"  git push --force-with-lease=entire/checkpoints/v1:" + string(oid) + " o +entire/checkpoints/v1\n" + here +
				"  git reflog expire --expire=now refs/remotes/o/entire/checkpoints/v1\n  git gc --prune=now\n"},
		"a copy with more": {[]history.MovedRef{branch}, []history.Copy{copyOf("o", true)},
			"The remote o has them, too, and checkpoints that are not here. To fetch those,\nand to see how its branch is replaced:\n  entire-plumb sync\n" + here +
				"  git reflog expire --expire=now refs/remotes/o/entire/checkpoints/v1\n  git gc --prune=now\n"},
		"one of its own": {[]history.MovedRef{branch, {Ref: shadow.Private + "remotes/url-0123/heads/v1"}}, []history.Copy{copyOf("o", false)},
			"The remote o has them, too, from before. Delete its branch, and have its objects pruned there:\n" +
				"  git push --force-with-lease=entire/checkpoints/v1:" + string(oid) + " o :entire/checkpoints/v1\n" +
				"The repository of strategy_options.checkpoint_remote has them, too. Replace its branch, and have its objects pruned there:\n  entire-plumb sync\n" +
				here + "  git gc --prune=now\n"},
	} {
		prints(t, name, c.want, func(w io.Writer) { printPrune(w, c.refs, c.copies) })
	}
}

func TestPrintShared(t *testing.T) {
	r := share.Report{Skipped: []string{"x"}, Changes: []share.Change{{Checkpoints: []string{"c"}}}, Unsigned: []string{"u"}}
	prints(t, "some", "left out, damaged: x\n"+r.Changes[0].Text()+"\nnot taken: u\n", func(w io.Writer) { printShared(w, r) })
	one := checkpoints.Overruled{Checkpoint: "c"}
	many := share.Report{Overruled: slices.Repeat([]checkpoints.Overruled{one}, mostOverruled+2)}
	line := "not counted: " + one.String() + "\n"
	prints(t, "many", strings.Repeat(line, mostOverruled)+"not counted: 2 more of what others say\nhint: entire-plumb doctor\n", func(w io.Writer) { printShared(w, many) })
	many.Overruled = many.Overruled[:mostOverruled]
	prints(t, "as many as are named", strings.Repeat(line, mostOverruled), func(w io.Writer) { printShared(w, many) })
}

// TestGaps: each reason once, and not too many.
func TestGaps(t *testing.T) {
	var g gaps
	prints(t, "none", "", g.warn)
	g.add(false, "a", "b", "a")
	prints(t, "two", "entire-plumb: lines of unknown author: a\nentire-plumb: lines of unknown author: b\n", g.warn)
	g.add(true, "c", "d", "e")
	g.add(false)
	lines := ""
	for _, reason := range []string{"a", "b", "c", "d", "e"} {
		lines += "entire-plumb: lines of unknown author: " + reason + "\n"
	}
	prints(t, "as many as are printed", lines+"hint: if it was pushed, entire-plumb fetch\n", g.warn)
	g.add(false, "f")
	prints(t, "more", lines+"entire-plumb: and more reasons; --json lists all\nhint: if it was pushed, entire-plumb fetch\n", g.warn)
}

func TestAttributionTable(t *testing.T) {
	counted := query.SessionLines{SessionID: "s1", Agent: "A", Attribution: &checkpoints.InitialAttribution{AgentLines: 3, TotalCommitted: 4, OtherSessions: 1, Estimated: true, NoText: []gitexec.Path{"bin"}},
		Files: []query.FileLines{{Path: "f", Agent: 3, Lines: 6, Unknown: 2}, {Path: "g", Lines: 2, Unknown: 2}}}
	commits := []query.CommitLines{{Commit: oid, Lines: &attribution.Sum{Agent: 3, Human: 1, Unknown: 2}, Files: []query.FileSum{{Path: "f", Lines: attribution.Sum{Unknown: 2}}, {Path: "g"}},
		Checkpoints: []query.CheckpointLines{{ID: "c1", Found: true, Sessions: []query.SessionLines{counted, {SessionID: "s2"}}}, {ID: "c2"}, {ID: "c3", Purged: "2026"}, {ID: "c4", Found: true, Error: "x"}}}}
	prints(t, "a table", `COMMIT   WHAT          AGENT  LINES  SHARE
0123456  s1 (A)            3      4  75 %, estimated
           f               3      4  75 %, 2 unknown
           bin             -      -  no lines
0123456  s2                -      -  ?
0123456  checkpoint c2 is not here
0123456  checkpoint c3 was purged on 2026
0123456  checkpoint c4 is damaged
0123456  ?                 -      2  unknown author
           f               -      2
0123456  all sessions      3      4  75 %, 2 unknown
`, func(w io.Writer) {
		attributionTable(w, screen{}, commits, prices.Table{})
	})
	if err := damageOf(commits); err == nil || !strings.Contains(err.Error(), "some data cannot be read: x") {
		t.Error(err)
	}
}

func TestBlameText(t *testing.T) {
	agent := attribution.Author{Kind: attribution.Agent, Line: checkpoints.Line{Session: "session-name", Agent: "Codex", Turn: "turn-long", Prompt: "Do it"}}
	zero := gitexec.OID(strings.Repeat("0", 40))
	lines := []query.BlamedLine{{Line: 9, Commit: oid, Path: "f", Origin: 1, Author: "Ada", When: day, Content: "a\x1b", Owner: agent},
		{Line: 10, Commit: oid, Path: "f", Origin: 2, Author: "Ada", When: day, Content: "b", Owner: attribution.Author{Kind: attribution.Human}},
		{Line: 11, Commit: oid, Path: "f", Origin: 3, Author: "Ada", When: day, Content: "c", Owner: attribution.Author{Kind: attribution.Unknown, Reason: "r"}},
		{Line: 12, Commit: zero, Path: "f", Origin: 4, Content: "d", Owner: attribution.Author{Kind: attribution.Human}}}
	prints(t, "text", "0123456 (Codex session-name turn-lo 2026-01-02 Do it  9) a"+printable("\x1b")+"\n"+
		"0123456 (Ada                        2026-01-02       10) b\n"+
		"0123456 (?                          2026-01-02       11) c\n"+
		"0000000 (not committed yet                           12) d\n", func(w io.Writer) { blameText(w, screen{}, lines) })
	prints(t, "porcelain", string(oid)+` 1 9 2
author Ada
filename f
entire-owner agent
entire-agent Codex
entire-model m
entire-session session-name
entire-turn turn-long
entire-prompt Do it
	c
`, func(w io.Writer) {
		lines[0].Content, lines[0].Group, lines[0].Info, lines[0].Model = "c", 2, "author Ada\nfilename f\n", "m"
		blamePorcelain(w, lines[:1])
	})
	prints(t, "prompts", "\nCodex session-name turn-lo (m):\n    Do it, and\n    all of it\n", func(w io.Writer) {
		lines[0].Prompt = "Do it, and\nall of it"
		blamePrompts(w, append(lines, lines[0]))
	})
	prints(t, "porcelain, unknown", string(oid)+" 3 11\nentire-owner unknown\nentire-unknown r\n\tc\n", func(w io.Writer) { blamePorcelain(w, lines[2:3]) })
	if colourOf("") != "" || colourOf("s1") == "" {
		t.Error("a session has a colour, and a human none")
	}
}

func TestPrintLog(t *testing.T) {
	linked := query.Logged{ShownCommit: query.ShownCommit{Commit: oid, When: day, Subject: strings.Repeat("x", 60)}, Lines: &attribution.Sum{Agent: 1, Human: 1},
		Checkpoints: []query.LoggedCheckpoint{{ID: "c1", Found: true, Sessions: []string{"nightly-build-of-main-1"}}, {ID: "c2"}, {ID: "c3", Purged: "2026"}, {ID: "c4", Found: true, Damaged: true}}}
	plain := query.Logged{ShownCommit: query.ShownCommit{Commit: oid, When: day, Subject: "S"}}
	stream := query.Pending{Branch: "entire/b", Checkpoints: 1, Files: []gitexec.Path{"a", "b"}, Sessions: []string{"s1", "s2"}}
	prints(t, "a list", "entire/b: 1 checkpoint, 2 files, by s1, s2, not committed\n"+
		"0123456  2026-01-02 03:04  "+strings.Repeat("x", 60)+"  c1 c2 c3 c4  nightly-build-of-mai, (not here), (purged), (damaged)  50 %\n"+
		"0123456  2026-01-02 03:04  S\n", func(w io.Writer) {
		printLog(w, screen{}, []query.Logged{linked, plain}, []query.Pending{stream}, prices.Table{})
	})
	linked.Lines, linked.Subject, linked.Checkpoints = nil, "T", linked.Checkpoints[:1]
	rows := []query.GraphRow{{Edges: "* ", Stream: &stream}, {Edges: "* ", Commit: &linked}, {Edges: "|/"}, {Edges: "* ", Commit: &plain}}
	prints(t, "a graph", "entire/b: 1 checkpoint, 2 files, by s1, s2, not committed\n"+
		"o  entire/b: 1 checkpoint, 2 files, by s1, s2, not committed\n"+
		"*  0123456 2026-01-02 03:04 T  (c1  nightly-build-of-mai  ?)\n|/\n*  0123456 2026-01-02 03:04 S\n", func(w io.Writer) {
		printGraph(colourPrinter{w: w}, rows, []query.Pending{stream}, prices.Table{})
	})
	var g gaps
	g.addLogged(query.Logged{Checkpoints: []query.LoggedCheckpoint{{Found: true}, {Purged: "2026"}}})
	if g.missing {
		t.Error("what is here or purged is not missing")
	}
	if g.addLogged(query.Logged{Checkpoints: []query.LoggedCheckpoint{{}}, Unknown: []string{"r"}}); !g.missing || len(g.reasons) != 1 {
		t.Errorf("%+v", g)
	}
}

func TestLasted(t *testing.T) {
	for long, want := range map[time.Duration]string{-time.Second: "0s", 90*time.Second + time.Millisecond: "1m30s", 2*time.Hour + 59*time.Second: "2h1m", 47 * time.Hour: "47h0m", 150 * time.Hour: "6 days"} {
		if got := lasted(query.SessionInfo{Started: day, Last: day.Add(long)}); got != want {
			t.Errorf("%v: %q, not %q", long, got, want)
		}
	}
}

func TestPrintSession(t *testing.T) {
	s := query.SessionInfo{ID: "s1", Agent: "Codex", Phase: "idle", Worktree: "/w", Removed: true, Started: day, Last: day.Add(90 * time.Second), Title: "T", FirstPrompt: "a", LastPrompt: "b",
		Tokens: &transcript.Usage{InputTokens: 1, OutputTokens: 2, APICallCount: 1, SubagentTokens: &transcript.Usage{InputTokens: 3}}, Checkpoints: []string{"c1"}, Files: []gitexec.Path{"f"}, Uncommitted: []gitexec.Path{"u"}}
	prints(t, "one", `session s1: Codex, idle, since 2026-01-02 03:04, lasted 1m30s
  in /w, which was removed
  title: T
  first prompt: a
  last prompt: b
  tokens: 1 in, 2 out, 0 read from the cache, 0 written to it, 1 call; subagents 3 in, 0 out, 0 read from the cache, 0 written to it, 0 calls
  checkpoint c1
  file f
  not committed: u
`, func(w io.Writer) { printSession(w, s) })
	prints(t, "a table", `SESSION  PHASE  STARTED           LASTED  TOKENS  CHECKPOINTS  TITLE OR FIRST PROMPT
s1       idle   2026-01-02 03:04   1m30s       6            1  T
s2       -      2026-01-02 03:04      0s       0            0  p
total                                          6               $0.50, without 2 tokens whose price is not known
`, func(w io.Writer) {
		sessionTable(w, screen{}, []query.SessionInfo{s, {ID: "s2", Started: day, Last: day.Add(-time.Hour), FirstPrompt: "p"}},
			query.Spent{Tokens: 6, USD: 0.5, Unpriced: 2})
	})
}

// TestLogTotals: the lines of several commits with links.
func TestLogTotals(t *testing.T) {
	linked := func(sum *attribution.Sum) query.Logged {
		return query.Logged{Checkpoints: []query.LoggedCheckpoint{{}}, Lines: sum}
	}
	for _, c := range []struct {
		commits []query.Logged
		want    string
	}{
		{nil, ""},
		{[]query.Logged{linked(&attribution.Sum{Agent: 1}), {}}, ""},
		{[]query.Logged{linked(&attribution.Sum{Agent: 1, Human: 2}), {}, linked(&attribution.Sum{Agent: 3, Unknown: 4})}, "total: 2 linked commits: agent 4, human 2, unknown 4 lines; 0 tokens; $0.00"},
		{[]query.Logged{linked(&attribution.Sum{Agent: 1}), linked(nil)}, "total: 2 linked commits: agent 1, human 0, unknown 0 lines; 0 tokens; $0.00; 1 commit not counted"},
	} {
		if got := logTotals(c.commits, prices.Table{}); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// TestTotalsLine: what several things that are shown have together.
func TestTotalsLine(t *testing.T) {
	totals := query.ShownTotals{Agent: 1, Human: 2, Unknown: 3, Spent: query.Spent{Tokens: 20_000, USD: 1.25}}
	if got, want := totalsLine(totals), "total: agent 1, human 2, unknown 3 lines; 20k tokens; $1.25"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	totals.Commits, totals.Linked, totals.Unpriced = 2, 1, 500
	if got, want := totalsLine(totals), "total: 2 commits, 1 linked; agent 1, human 2, unknown 3 lines; 20k tokens; $1.25, without 500 tokens whose price is not known"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestPrintCheckpoints(t *testing.T) {
	all := []checkpoints.CommittedInfo{{ID: "c1", When: day, Branch: "main", Files: []gitexec.Path{"a"}, Prompts: []string{"x", "first" + session.PromptSeparator + "last one"},
		Sessions: []checkpoints.SessionMetadata{{SessionID: "s1"}, {SessionID: "s2"}}}, {ID: "c2", Error: "bad"}}
	table := `CHECKPOINT  DATE              BRANCH  SESSIONS  FILES  PROMPT
c1          2026-01-02 03:04  main    s1, s2        1  last one
c2          -                                       0  damaged: bad
`
	prints(t, "all", table, func(w io.Writer) { printCheckpoints(w, screen{}, all, 0) })
	prints(t, "some", table+"and 2 more checkpoints; -n -1 lists all\n", func(w io.Writer) { printCheckpoints(w, screen{}, all, 2) })
	if err := damagedAmong(all[1:]); err == nil || !strings.Contains(err.Error(), "bad") || damagedAmong(nil) != nil {
		t.Error(err)
	}
	if err := damage(slices.Repeat([]string{"x"}, mostDamaged+3)...); !strings.Contains(err.Error(), "x; and 3 more\nhint: ") || strings.Count(err.Error(), "x; ") != mostDamaged {
		t.Error(err)
	}
}

func TestStreamTable(t *testing.T) {
	deleted := day
	streams := []upkeep.StreamInfo{{Branch: "entire/a", Base: oid, Work: upkeep.InWorktree, Checkpoints: 2, Files: []gitexec.Path{"1", "2", "3", "4", "5"}, Updated: day.Add(-time.Hour), Sessions: []string{"s1", "s2"}, Orphans: []string{"s2"},
		Steps: []upkeep.StreamStep{{Commit: oid, Part: shadow.Human, Session: "s1", Subject: "S", When: day}, {Commit: oid, Part: shadow.Agent, Session: "s1", Subject: "T", When: day}}},
		{Branch: "entire/b", Base: oid, Work: upkeep.Deleted, Deleted: &deleted, Error: "bad", Steps: []upkeep.StreamStep{{Commit: oid}}}}
	prints(t, "a table", `STREAM                  WORK      CHECKPOINTS  FILES  UPDATED           AGE         SESSIONS
entire/a                `+pad(string(upkeep.InWorktree), 8)+`            2      5  2026-01-02 02:04  1 hour ago  s1, s2 (no state)
entire/b (was 0123456)  deleted             0      0  -                 -
`, func(w io.Writer) {
		streamTable(w, screen{}, streams, day)
	})
	var out bytes.Buffer
	graph(&out, screen{}, streams, day)
	for _, line := range []string{"◆ base 0123456\n", "├─ entire/a  (", "2 checkpoints; 1, 2, 3, 4, 1 more)\n", "│   ○ 0123456", "│   ● 0123456", "└─ entire/b (was 0123456)  (", "      bad\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
}
