package commits

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// ways are the ways by the names that the tables have for them.
var ways = map[string]Way{"hook": WithHook, "turn": OfTurn, "by hand": ByHand, "no hook": WithoutHook, "brings": Bringing,
	"rewrite": OfRewrite, "content": ByContent}

// TestOpen: what is decided of a commit before it is compared, or the link that is to be filled.
func TestOpen(t *testing.T) {
	given := PendingLink{ID: "1", Sessions: []string{"s"}}
	for _, c := range []struct {
		way         string
		links, held string
		beside      string
		pending     PendingLink
		replayed    bool
		want        Outcome
		id          string
	}{
		{"hook", "", "", "", PendingLink{}, false, NoLink, ""},
		{"hook", "", "", "", PendingLink{}, true, NoLinkReplayed, ""},
		{"hook", "", "", "", given, false, NoLink, ""},
		{"hook", "1", "", "", given, false, undecided, "1"},
		{"hook", "1", "1", "", given, false, EarlierLink, ""},
		{"hook", "1", "1", "1", given, false, undecided, ""},
		{"hook", "1", "1", "", PendingLink{ID: "1"}, true, undecided, "1"},
		{"hook", "2", "2", "", PendingLink{}, true, EarlierLink, ""},
		{"hook", "2", "", "", PendingLink{}, false, undecided, "2"},
		{"turn", "1", "", "", given, false, undecided, "1"},
		{"turn", "1", "", "1", given, false, undecided, "1"},
		{"by hand", "1", "", "", given, false, undecided, "1"},
		{"no hook", "", "", "", PendingLink{}, false, undecided, ""},
		{"no hook", "", "", "", PendingLink{}, true, undecided, ""},
		{"no hook", "1", "", "", PendingLink{}, false, undecided, ""},
		{"no hook", "1", "1", "", PendingLink{}, false, Linked, ""},
		{"brings", "", "", "", PendingLink{}, false, undecided, ""},
		{"brings", "1", "1", "", PendingLink{}, false, Linked, ""},
		{"rewrite", "", "", "", PendingLink{}, false, NoLink, ""},
		{"rewrite", "1", "", "", PendingLink{}, true, undecided, ""},
		{"content", "1", "", "1", PendingLink{}, false, undecided, ""},
	} {
		r := linkedCommit{Request: Request{Way: ways[c.way], Pending: c.pending}, held: map[string]bool{}, Beside: strings.Fields(c.beside)}
		r.Links, r.complete = strings.Fields(c.links), c.held != ""
		for _, id := range strings.Fields(c.held) {
			r.held[id] = true
		}
		if r.open(c.replayed); r.Outcome != c.want || r.ID != c.id {
			t.Errorf("%+v: %q, link %q", c, r.Result, r.ID)
		}
	}
}

// TestChoose: the links of a commit that no hook has compared are those of prepare-commit-msg.
func TestChoose(t *testing.T) {
	s := &session.State{SessionID: "s"}
	content := condense.Matched{Session: s, Reason: condense.ContentMatches, Unlinked: pathList("f")}
	modified := condense.Matched{Session: s, Reason: condense.FileModified, Unlinked: pathList("f")}
	brought := condense.Matched{Session: s, Reason: condense.BroughtBack, Reset: []session.Link{{ID: "7", Commit: "r"}}, Links: []string{"7"}}
	for name, c := range map[string]struct {
		way           string
		known         bool
		found         []condense.Matched
		have          string
		trailer       string // that its message has
		links, stored string
		want          Outcome
	}{
		"content":                      {"no hook", false, []condense.Matched{content}, "", "", "new", "new", undecided},
		"a file, and it is a commit":   {"no hook", true, []condense.Matched{modified}, "", "", "new", "new", undecided},
		"a file, and it may be pulled": {"no hook", false, []condense.Matched{modified}, "", "", "", "", NoWork},
		"nothing":                      {"no hook", true, nil, "", "", "", "", NoWork},
		"lines of a linked one":        {"no hook", false, []condense.Matched{brought}, "", "", "7", "7", undecided},
		"an amend keeps its link":      {"no hook", true, []condense.Matched{content}, "000000000001", "000000000001", "000000000001", "", undecided},
		"an amend without a match":     {"no hook", true, nil, "1", "", "1", "1", undecided},
		"another program's alone":      {"no hook", true, nil, ownRef, ownRef, "", "", NoWork},
		"another program's, and work":  {"no hook", true, []condense.Matched{content}, ownRef, ownRef, "new " + ownRef, "new", undecided},
		"it brings lines":              {"brings", false, []condense.Matched{brought}, "", "", "7", "7", undecided},
		"it brings none":               {"brings", true, []condense.Matched{content}, "", "", "", "", NoWork},
	} {
		r := linkedCommit{Request: Request{Way: ways[c.way], Unseen: moves.Unseen{Known: c.known}}, matches: c.found}
		r.Links = strings.Fields(c.have)
		if c.trailer != "" {
			r.Head.Message = []byte("Text\n\nEntire-Checkpoint: " + c.trailer + "\n")
		}
		r.choose(func() string { return "new" })
		if got := strings.Join(r.Links, " "); r.Outcome != c.want || got != c.links || strings.Join(r.Beside, " ") != c.stored {
			t.Errorf("%s: %q, links %q, beside %q", name, r.Result, got, r.Beside)
		}
	}
}

// TestConclude: a link that was given out for nothing that the commit holds has no checkpoint.
func TestConclude(t *testing.T) {
	match := []condense.Matched{{}}
	for _, c := range []struct {
		way     string
		id      string
		held    bool
		matches []condense.Matched
		from    []lineage.Predecessor
		want    Outcome
	}{
		{"hook", "1", false, nil, nil, NoWork},
		{"hook", "1", false, match, nil, undecided},
		{"hook", "1", false, nil, replaced("reset a"), undecided},
		{"hook", "1", true, nil, nil, undecided},
		{"hook", "", false, nil, nil, undecided},
		{"turn", "1", false, match, nil, undecided},
		{"by hand", "1", false, nil, nil, NoWork},
		{"no hook", "1", false, nil, nil, undecided},
		{"rewrite", "", false, nil, nil, undecided},
		{"content", "", false, nil, nil, undecided},
	} {
		r := linkedCommit{Request: Request{Way: ways[c.way]}, held: map[string]bool{"1": c.held}, matches: c.matches, plan: lineage.Plan{From: c.from}}
		r.ID = c.id
		if r.conclude(); r.Outcome != c.want {
			t.Errorf("%+v: %q", c, r.Result)
		}
	}
}

// TestResult: the journal's sentences.
func TestResult(t *testing.T) {
	carried := []shadow.Name{shadow.NewName(id("a"), "", 2)}
	for want, r := range map[string]Result{
		"":                       {},
		"it is linked":           {Outcome: Linked, ID: "1"},
		"the commit has no link": {Outcome: NoLink},
		"condensed to 1":         {Outcome: Condensed, ID: "1"},
		"condensed to 1, the remainder carried to entire/aaaaaaa-2": {Outcome: Condensed, ID: "1", Carried: carried},
		"the commit keeps the links of what it replaces":            {Outcome: KeepsLinks, ID: "1"},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for outcome, sentence := range sentences {
		if sentence == "" || outcome == undecided {
			t.Errorf("%d: %q", outcome, sentence)
		}
	}
}

const first, second = "The first line that the agent wrote\n", "The second line that the agent wrote\n"

// stream writes a stream with an agent's version of f on HEAD, and its session, of which more may be
// known.
func (p playground) stream(run *workspace.Run, text string) *session.State {
	p.Helper()
	s := &session.State{SessionID: "s", StartedAt: noon, FirstPrompt: "Do it", LastPrompt: "Do it",
		Place: session.Place{Phase: session.Idle, BaseCommit: run.Head.ID, ShadowBranchSuffix: 1, FilesTouched: pathList("f"), CheckpointCount: 1}}
	blob, err := run.DB.WriteBlob([]byte(text))
	if err != nil {
		p.Fatal(err)
	}
	tree, err := run.DB.EditTree(run.Head.Tree, gitexec.Edits{"f": {Mode: gitexec.ModeFile, ID: blob}})
	if err != nil {
		p.Fatal(err)
	}
	commits, err := shadow.Commits(run.DB, run.Head.Tree, run.Head.ID, shadow.Checkpoint{}, gitexec.Ident{Name: "A", Email: "a@b", When: noon},
		[]shadow.Step{{Session: "s", Turn: "00000000000a", Part: shadow.Agent, Subject: "Do it", Tree: tree}})
	if err != nil {
		p.Fatal(err)
	}
	ids, err := run.DB.CommitTree(commits...)
	if err = errors.Join(err, run.DB.Flush()); err != nil {
		p.Fatal(err)
	}
	p.git("update-ref", shadow.NewName(run.Head.ID, "", 1).Ref(), string(ids[len(ids)-1]))
	save(p.T, run, s)
	return s
}

// TestReconcile: what becomes of a session's work in a commit, by the way that it was noticed.
func TestReconcile(t *testing.T) {
	const link = "000000000001"
	work, trailer := map[string]string{"f": first + second}, "\n\nEntire-Checkpoint: "+link
	half, other := map[string]string{"f": first}, map[string]string{"g": "A line of the human's\n"}
	for name, c := range map[string]struct {
		way     string
		message string
		texts   map[string]string
		pending PendingLink // with HEAD before the commit
		want    Outcome
		links   string // NEW: a new one
		stored  string // beside the commit
		streams string // those that are there afterwards: how many on the base, how many on the commit
	}{
		"hook: it has the link":            {"hook", "Work" + trailer, work, PendingLink{ID: link, Sessions: []string{"s"}}, Condensed, link, "", "0 0"},
		"hook: it has half":                {"hook", "Work" + trailer, half, PendingLink{ID: link, Sessions: []string{"s"}}, Condensed, link, "", "0 1"},
		"hook: beside it":                  {"hook", "Work", work, PendingLink{ID: link, Sessions: []string{"s"}, Beside: []string{link}}, Condensed, link, link, "0 0"},
		"hook: the link was removed":       {"hook", "Work", work, PendingLink{ID: link, Sessions: []string{"s"}}, NoLink, "", "", "1 0"},
		"hook: no link was given out":      {"hook", "Work", other, PendingLink{}, NoLink, "", "", "1 0"},
		"hook: a link that nothing is for": {"hook", "Work" + trailer, other, PendingLink{}, NoWork, link, "", "1 0"},
		"hook: given out, and not held":    {"hook", "Work" + trailer, other, PendingLink{ID: link, Sessions: []string{"s"}}, Condensed, link, "", "0 1"},
		"hook: a revert":                   {"hook", "Revert \"Work\"", work, PendingLink{}, NoLinkReplayed, "", "", "1 0"},
		"no hook: it has work":             {"no hook", "Work", work, PendingLink{}, Condensed, "NEW", "NEW", "0 0"},
		"no hook: it has half":             {"no hook", "Work", half, PendingLink{}, Condensed, "NEW", "NEW", "0 1"},
		"no hook: it has none":             {"no hook", "Work", other, PendingLink{}, NoWork, "", "", "1 0"},
		"no hook: it has a link":           {"no hook", "Work" + trailer, work, PendingLink{}, Linked, link, "", "1 0"},
		"brings: a stream's is none":       {"brings", "Work", work, PendingLink{}, NoWork, "", "", "1 0"},
		"turn: with a trailer":             {"turn", "Work" + trailer, work, PendingLink{ID: link, Sessions: []string{"s"}}, Condensed, link, "", "0 0"},
		"turn: beside it":                  {"turn", "Work", work, PendingLink{ID: link, Sessions: []string{"s"}, Beside: []string{link}}, Condensed, link, link, "0 0"},
		"by hand: nothing is carried":      {"by hand", "Work" + trailer, half, PendingLink{ID: link, Sessions: []string{"s"}}, Condensed, link, "", "1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			base := p.commit("Base", map[string]string{"base": "A line\n"})
			s := p.stream(p.run(), first+second)
			p.commit(c.message, c.texts)
			files(t, p.dir, work)
			run := p.run()
			c.pending.Head = base
			if err := writeHeadRecord(run.Repo.PrivateDir(), headRecord{Head: base}); err != nil {
				t.Fatal(err)
			}
			commits, err := run.DB.Ancestors(run.Head.ID, 2)
			if err != nil {
				t.Fatal(err)
			}
			request := Request{Way: ways[c.way], Commit: run.Head.ID, Pending: c.pending, Unseen: moves.Unseen{Known: true, Line: commits}}
			if request.Way.given() && request.Way != WithHook {
				request.States = []*session.State{s}
			}
			result, err := Reconcile(t.Context(), run, request)
			if err != nil {
				t.Fatal(err)
			}
			linked := strings.ReplaceAll(c.links, "NEW", result.ID)
			if got := strings.Join(result.Links, " "); result.Outcome != c.want || got != linked {
				t.Errorf("%s, links %q", result, got)
			}
			listing, err := shadow.List(t.Context(), run.Repo)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(listing.Highest(base, ""), " ", listing.Highest(run.Head.ID, "")); got != c.streams {
				t.Errorf("streams %s, want %s", got, c.streams)
			}
			branch, err := checkpoints.ReadBranch(run.DB, listing.Checkpoints)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(besideOf(run.DB, branch, run.Head.ID), " "); got != strings.ReplaceAll(c.stored, "NEW", result.ID) {
				t.Errorf("beside it: %q", got)
			}
			record, known := decided.Open(run.Repo.SharedDir()).Links(run.Head.ID)
			if wants := c.want != Linked && c.way != "by hand" && linked != "" || c.want == NoLink && c.pending.ID != ""; known != wants || known && strings.Join(record, " ") != linked {
				t.Errorf("decided %t: %q", known, record)
			}
		})
	}
}

// TestReconcileTogether: commits that git rewrote, and those that are found by their content, are
// stored together by who asks.
func TestReconcileTogether(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	old := p.commit("Work\n\nEntire-Checkpoint: 000000000001", map[string]string{"f": first})
	p.git("commit", "-q", "--amend", "-m", "Better work\n\nEntire-Checkpoint: 000000000001")
	run := p.run()
	s := linked("s", "000000000001 "+string(old))
	b := &batch{states: []*session.State{s}, edits: gitexec.Edits{}}
	amended := Request{Way: OfRewrite, Commit: run.Head.ID, Pending: PendingLink{Replaces: []lineage.Predecessor{{Commit: old, By: lineage.Rewritten}}}, batch: b}
	result, err := Reconcile(t.Context(), run, amended)
	if err != nil || result.Outcome != KeepsLinks || !reflect.DeepEqual(b.decided, []decided.Entry{decided.Links(run.Head.ID, []string{"000000000001"})}) {
		t.Errorf("rewritten: %s, %v, %+v", result, err, b)
	}
	if len(b.edits)+len(b.changed) > 0 || len(s.Linked) != 1 {
		t.Errorf("it has the same change: %+v", b)
	}
	found := checkpoints.SideLink{Commit: old, Checkpoints: []string{"000000000001", "000000000002"}, How: checkpoints.Content, CreatedAt: noon}
	result, err = Reconcile(t.Context(), run, Request{Way: ByContent, Commit: old, found: &found, batch: b})
	if err != nil || result.Outcome != KeepsLinks || len(b.decided) != 2 || !reflect.DeepEqual(b.decided[1], decided.Content(old, found.Checkpoints)) {
		t.Errorf("found: %s, %v, %+v", result, err, b)
	}
	if len(b.edits) != 1 || len(b.changed) != 1 || !reflect.DeepEqual(b.updated, found.Checkpoints) {
		t.Errorf("a link beside it: %+v", b)
	}
	if refs, err := run.Repo.Refs(t.Context(), shadow.Prefix); len(refs) > 0 || err != nil {
		t.Errorf("%v, %v", refs, err)
	}
}
