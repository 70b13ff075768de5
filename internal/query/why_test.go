package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/journal"
)

var (
	aHook    = []journal.Entry{{Hook: "post-commit", Outcome: "its outcome"}}
	someLink = []WhyLink{{ID: "0123456789ab"}}
)

func work(linked bool, reason condense.Reason, files ...journal.WorkFile) journal.Work {
	return journal.Work{Linked: linked, Reason: string(reason), Files: files}
}

// TestExplain: for each way that a decision comes about there is a reason, and what would have
// changed it.
func TestExplain(t *testing.T) {
	held := journal.WorkFile{Path: "held", Verdict: string(condense.Held)}
	since := journal.WorkFile{Path: "since", Verdict: string(condense.Since)}
	linking := []journal.Work{work(false, ""), work(true, condense.ContentMatches, held)}
	outcome := func(kind journal.Kind) []journal.Entry {
		return []journal.Entry{{Hook: "prepare-commit-msg", Outcome: kind.String(), Kind: kind}}
	}
	for name, c := range map[string]struct {
		why               Why
		merge             bool
		reason, otherwise string // the beginning of each
	}{
		"a merge without hooks":          {Why{}, true, "git replayed, reverted or merged commits, and", "if it had one"},
		"a linked merge without hooks":   {Why{Links: someLink}, true, journal.Replayed.String(), "nothing: it has the links of the commits"},
		"a merge with hooks":             {Why{Hooks: aHook}, true, "its outcome", "if it held a session's work"},
		"a link without hooks":           {Why{Links: someLink}, false, "the link came with its message", "nothing here: it was made elsewhere"},
		"neither":                        {Why{}, false, "no hook is known to have run", "git commit --amend runs the hooks"},
		"made here: no link":             {Why{}, false, "no hook is known to have run for it: it was made here without hooks", "git commit --amend runs the hooks"},
		"made here: a link":              {Why{Links: someLink}, false, "the link came with its message: it was made here", "nothing here: its message was written"},
		"the link was deleted":           {Why{Hooks: []journal.Entry{{Link: "abc"}}}, false, "the link was deleted from its message", "with the line \"Entire-Checkpoint: abc\""},
		"the link was kept":              {Why{Hooks: []journal.Entry{{Link: "abc", Outcome: "x"}}, Links: someLink}, false, "x", "nothing: the commit replaces others"},
		"auto-commit":                    {Why{Hooks: []journal.Entry{{Made: "1"}}, Links: someLink, Works: linking}, false, "the end of a turn", "with the strategy manual-commit"},
		"auto-commit without a link":     {Why{Hooks: []journal.Entry{{Made: "1", Outcome: "x"}}}, false, "x", "if it held a session's work"},
		"a session's work":               {Why{Hooks: aHook, Links: someLink, Works: linking}, false, string(condense.ContentMatches), "if none of the agent's work were in held, or the link"},
		"a modified file":                {Why{Hooks: aHook, Links: someLink, Works: []journal.Work{{Linked: true, Reason: "r", Kind: journal.FileModified}}}, false, "r", "if the agent had not changed that file"},
		"work that is not held":          {Why{Hooks: aHook, Works: []journal.Work{work(false, "", since)}}, false, "it holds no session's work", "if it held the agent's work in one of these files: since, it would"},
		"work of others, and a link":     {Why{Hooks: aHook, Links: someLink, Works: []journal.Work{work(false, "", since)}}, false, "its outcome", "nothing: the commit replaces"},
		"no session":                     {Why{Hooks: outcome(journal.NoWork)}, false, journal.NoWork.String(), "if a session had uncommitted work"},
		"a link of its own":              {Why{Hooks: outcome(journal.HasLink), Links: someLink}, false, journal.HasLink.String(), "without the link in its message"},
		"an empty message":               {Why{Hooks: outcome(journal.Empty)}, false, journal.Empty.String(), "if the message had text"},
		"another outcome":                {Why{Hooks: aHook}, false, "its outcome", "if it held a session's work"},
		"a failure":                      {Why{Hooks: []journal.Entry{{Hook: "prepare-commit-msg"}, {Hook: "post-commit", Error: "a\nb"}}, Links: someLink, Works: linking}, false, "post-commit failed: a; b", "without the failure"},
		"a failure before anything else": {Why{Hooks: []journal.Entry{{Hook: "prepare-commit-msg", Error: "x", Link: "abc"}}}, false, "prepare-commit-msg failed: x", "without the failure"},
	} {
		c.why.Commit = gitexec.OID(strings.TrimPrefix(name, "made here: "))
		c.why.explain(evidence{madeHere: func() map[gitexec.OID]bool { return map[gitexec.OID]bool{"no link": true, "a link": true} }}, c.merge)
		if !strings.HasPrefix(c.why.Reason, c.reason) || !strings.HasPrefix(c.why.Otherwise, c.otherwise) {
			t.Errorf("%s: %s\n\totherwise: %s", name, c.why.Reason, c.why.Otherwise)
		}
	}
}

// TestExplainBeside: a link beside a commit has the reason of how it came there; one that was
// removed has that reason, whatever is beside the commit; without one, a commit that was found
// without a hook says so.
func TestExplainBeside(t *testing.T) {
	found := []journal.Entry{{Hook: journal.NoHook}}
	removed := []checkpoints.Removal{{Checkpoint: "abc"}}
	by := func(how checkpoints.How, reason string) *checkpoints.SideLink {
		return &checkpoints.SideLink{How: how, Reason: reason}
	}
	for name, c := range map[string]struct {
		why               Why
		link              *checkpoints.SideLink
		reason, otherwise string
	}{
		"removed":                       {Why{Removed: removed}, nil, "its link was removed", "without entire-plumb unlink it would be linked"},
		"removed, of a commit without":  {Why{Removed: removed, Hooks: found}, by(checkpoints.Content, "x"), "its link was removed", "without entire-plumb unlink it would be linked"},
		"one of two removed":            {Why{Removed: removed, Links: someLink}, nil, "R", "O"},
		"none, with hooks":              {Why{Hooks: aHook}, nil, "R", "O"},
		"none, found without hooks":     {Why{Hooks: found}, nil, "no hook ran when it was made; when it was found, R", "if it held a session's work, a link would be kept beside it"},
		"a trailer, found likewise":     {Why{Hooks: found, Links: someLink}, nil, "R", "O"},
		"found twice":                   {Why{Hooks: append(aHook, found...)}, nil, "R", "O"},
		"rewritten":                     {Why{}, by(checkpoints.Rewritten, "x"), "git made it of commits with links beside them; its own is kept beside it, too", notInMessage},
		"hookless":                      {Why{Hooks: found}, by(checkpoints.Hookless, "x"), "no hook ran when it was made, so the link is kept beside it: x", "with git's hooks the link would be in its message"},
		"hookless, without a reason":    {Why{}, by(checkpoints.Hookless, ""), "no hook ran when it was made, so the link is kept beside it: it replaces a linked commit", "with git's hooks the link would be in its message"},
		"the setting of another clone":  {Why{}, by(checkpoints.Chosen, "x"), "the link came with the checkpoints: hooks elsewhere kept it beside the commit", "O"},
		"the setting":                   {Why{Hooks: aHook}, by(checkpoints.Chosen, "x"), "R; the setting link keeps it beside the commit", "O"},
		"brought":                       {Why{}, by(checkpoints.Brought, "x"), "it brings lines of linked commits back, so a link is kept beside it", "without these lines it would not be linked"},
		"content":                       {Why{}, by(checkpoints.Content, "x"), "no hook of ours saw how it was made, so the link is kept beside it: x", "if it had less than half of their lines, by weight, it would not be linked"},
		"content, without a reason":     {Why{}, by(checkpoints.Content, ""), "no hook of ours saw how it was made, so the link is kept beside it: who found it gave no reason", "if it had less than half of their lines, by weight, it would not be linked"},
		"imported":                      {Why{}, by(checkpoints.Imported, ""), "the link is kept beside it: imported", notInMessage},
		"of a newer version":            {Why{}, by("new", "why"), "the link is kept beside it: why", notInMessage},
		"of a newer version, no reason": {Why{}, by("new", ""), "the link is kept beside it: new", notInMessage},
	} {
		c.why.Reason, c.why.Otherwise = "R", "O"
		c.why.explainBeside(c.link)
		if c.why.Reason != c.reason || c.why.Otherwise != c.otherwise {
			t.Errorf("%s: %s\n\totherwise: %s", name, c.why.Reason, c.why.Otherwise)
		}
	}
}

// TestRuns: the runs of a commit are its last post-commit and the prepare-commit-msg before it in
// the same worktree, or the one entry of a commit that a turn made or that was found.
func TestRuns(t *testing.T) {
	entry := func(s string) (e journal.Entry) { // HOOK[@WORKTREE][=COMMIT]
		s, e.Commit, _ = strings.Cut(s, "=")
		e.Hook, e.Worktree, _ = strings.Cut(s, "@")
		switch e.Hook {
		case "prepare":
			e.Hook = "prepare-commit-msg"
		case "post":
			e.Hook = "post-commit"
		case "none":
			e.Hook = journal.NoHook
		case "made":
			e.Made, e.Commit = e.Commit, ""
		}
		return e
	}
	for _, c := range []struct{ journal, want string }{
		{"", ""},
		{"prepare post=b", ""},
		{"prepare post=a", "prepare post=a"},
		{"prepare=1 prepare=2 post=a", "prepare=2 post=a"},
		{"prepare post=b post=a", "post=a"},
		{"prepare post@side=b post=a", "prepare post=a"},
		{"prepare@side post=a", "post=a"},
		{"prepare stop post=a", "prepare post=a"},
		{"prepare=1 post=a prepare=2 post=a", "prepare=2 post=a"},
		{"prepare post=a prepare=2", "prepare post=a"},
		{"made=a", "made=a"},
		{"made=b none=b", ""},
		{"none=a", "none=a"},
		{"prepare post=a none=a", "none=a"},
		{"none=a prepare post=a", "prepare post=a"},
		{"stop=a", ""},
		{"prepare=a", ""},
	} {
		var all, want []journal.Entry
		for _, s := range strings.Fields(c.journal) {
			all = append(all, entry(s))
		}
		for _, s := range strings.Fields(c.want) {
			want = append(want, entry(s))
		}
		same := func(a, b journal.Entry) bool {
			return a.Hook == b.Hook && a.Commit == b.Commit && a.Made == b.Made && a.Worktree == b.Worktree
		}
		if got := runs(all, "a"); got == nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%q: %+v", c.journal, got)
		}
	}
}

// TestFind: a rewritten commit has the runs of the predecessor that has any, and names all of them
// once.
func TestFind(t *testing.T) {
	entries := []journal.Entry{
		{Hook: "post-commit", Commit: "old", Works: []journal.Work{{Session: "s"}}},
		{Hook: "post-rewrite", Rewrote: map[string][]string{"mid": {"old", "other"}}},
		{Hook: "post-rewrite", Rewrote: map[string][]string{"new": {"mid", "old"}}},
		{Hook: "post-commit", Commit: "elsewhere"},
	}
	w := Why{Commit: "new", Works: []journal.Work{}}
	w.find(entries)
	if len(w.Hooks) != 1 || w.Hooks[0].Commit != "old" || len(w.Works) != 1 ||
		!slices.Equal(w.Rewritten, []gitexec.OID{"mid", "old", "other"}) {
		t.Errorf("%+v", w)
	}
	w = Why{Commit: "unknown"}
	if w.find(entries); len(w.Hooks)+len(w.Rewritten)+len(w.Works) > 0 {
		t.Errorf("of an unknown commit: %+v", w)
	}
}

// TestAlternatives: of a linked commit the files with evidence are named, of another those without;
// of many, three.
func TestAlternatives(t *testing.T) {
	file := func(path string, v condense.Verdict) journal.WorkFile {
		return journal.WorkFile{Path: path, Verdict: string(v)}
	}
	works := []journal.Work{work(true, "", file("b", condense.Held), file("a", condense.Deleted), file("s", condense.Since)),
		{Files: []journal.WorkFile{file("u", condense.Undone), file("h", condense.Held)}, Others: []string{"o", "u"}}}
	for _, c := range []struct {
		works  []journal.Work
		linked bool
		want   string
	}{
		{works, true, "none of the agent's work were in a, b"},
		{works[1:], false, "it held the agent's work in one of these files: h, o, u"},
		{works, false, "it held the agent's work in one of these files: h, o, s, 1 more files"},
		{nil, true, "the agent had not made the commit in its turn"},
		{nil, false, "the agent had not made the commit in its turn"},
		{works[1:], true, "the agent had not made the commit in its turn"},
	} {
		if got := alternatives(c.works, c.linked); got != c.want {
			t.Errorf("%v, linked %v: %s", c.works, c.linked, got)
		}
	}
}

func TestJournalBegins(t *testing.T) {
	if got := begins(nil); got != ", which is empty" {
		t.Error(got)
	}
	first := journal.Entry{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if got := begins([]journal.Entry{first, {}}); got != " (2026-01-02T03:04:05Z)" {
		t.Error(got)
	}
}

// TestWhy: a commit's links are told apart by where they are, and a checkpoint on a stream is no
// user's commit.
func TestWhy(t *testing.T) {
	r := newRepository(t)
	linked := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.open()
	on := r.stream(1, "s1", "a")
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")})
	all, err := r.source.Why(t.Context(), Selection{})
	r.Must(err)
	if len(all) != 1 || all[0].Commit != linked || len(all[0].Links) != 1 {
		t.Fatalf("%+v", all)
	}
	l := all[0].Links[0]
	if l.ID != "aaaaaaaaaaaa" || l.Beside || !l.Found || l.Missing() || !slices.Equal(l.Sessions, []string{"s1"}) || l.Lines == nil {
		t.Errorf("%+v", l)
	}
	if all, err = r.source.Why(t.Context(), Selection{Names: []string{string(on[0])}}); err != nil || !strings.HasPrefix(all[0].Reason, "it is a checkpoint of session s1 on") {
		t.Errorf("of a stream: %v, %v", all, err)
	}
	if all, err = r.source.Why(t.Context(), Selection{Walk: true, Most: 1}); err != nil || len(all) != 1 || all[0].Commit != linked {
		t.Errorf("the last one: %v, %v", all, err)
	}
}
