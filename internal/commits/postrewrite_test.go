package commits

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/lineage"
)

// TestBringsNothing: an amend and a rebase onto an ancestor bring nothing; a rebase onto something
// else does, and so does another second parent.
func TestBringsNothing(t *testing.T) {
	line := firstParentLine(func(id gitexec.OID, most int) (line []gitexec.Commit, err error) {
		// Each history is its commits, newest first; a comma comes before a merge's other parent.
		for text := range strings.FieldsSeq(map[gitexec.OID]string{
			"l": "l k b a", "l2": "l2 k2 b a", "s": "l2s k2s s b a", "k2": "k2 b a", "onto": "l2o a", "m": "m,s b a", "m2": "m2,s b a",
			"n2": "n2,t b a", "root": "root", "root2": "root2", "b": "b a", "k": "k b a",
		}[id]) {
			name, merged, _ := strings.Cut(text, ",")
			c := gitexec.Commit{ID: gitexec.OID(name), Parents: []gitexec.OID{"first"}}
			if merged != "" {
				c.Parents = append(c.Parents, gitexec.OID(merged))
			}
			line = append(line, c)
		}
		if len(line) == 0 {
			return nil, errors.New("missing")
		}
		return line[:min(most, len(line))], nil
	})
	for name, c := range map[string]struct {
		head, before gitexec.OID
		successors   map[gitexec.OID]gitexec.OID
		want         bool
	}{
		"a rebase in place":        {"l2", "l", map[gitexec.OID]gitexec.OID{"l": "l2", "k": "k2"}, true},
		"onto a server's commit":   {"s", "l", map[gitexec.OID]gitexec.OID{"l": "l2s", "k": "k2s"}, false},
		"onto an ancestor":         {"onto", "l", map[gitexec.OID]gitexec.OID{"l": "l2o", "k": "k2"}, true},
		"the last one was dropped": {"k2", "l", map[gitexec.OID]gitexec.OID{"k": "k2"}, true},
		"an amended merge":         {"m2", "m", map[gitexec.OID]gitexec.OID{"m": "m2"}, true},
		"with another parent":      {"n2", "m", map[gitexec.OID]gitexec.OID{"m": "n2"}, false},
		"the first commit":         {"root2", "root", map[gitexec.OID]gitexec.OID{"root": "root2"}, true},
		"pruned":                   {"l2", "gone", map[gitexec.OID]gitexec.OID{"gone": "l2"}, false},
	} {
		if got := bringsNothing(line, c.head, c.before, c.successors); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBringsNothingFar: of more commits than are looked at nothing is known.
func TestBringsNothingFar(t *testing.T) {
	const n = 600
	parents := map[gitexec.OID]gitexec.OID{}
	succ := map[gitexec.OID]gitexec.OID{}
	parents["squash"] = "b"
	po, pn := gitexec.OID("b"), gitexec.OID("squash")
	for i := range n {
		o, w := gitexec.OID(fmt.Sprintf("o%d", i)), gitexec.OID(fmt.Sprintf("n%d", i))
		parents[o], parents[w] = po, pn
		succ[o] = w
		po, pn = o, w
	}
	fp := func(id gitexec.OID, most int) (line []gitexec.Commit, err error) {
		for ; id != "" && len(line) < most; id = parents[id] {
			c := gitexec.Commit{ID: id}
			if parents[id] != "" {
				c.Parents = []gitexec.OID{parents[id]}
			}
			line = append(line, c)
		}
		return line, nil
	}
	if bringsNothing(fp, pn, po, succ) {
		t.Error("a rebase over a squash brings nothing")
	}
}

// TestRewritten reads git's pairs; what is no pair, and a commit that git dropped, is skipped.
func TestRewritten(t *testing.T) {
	a, b, zero := id("a"), id("b"), gitexec.SHA1.Zero()
	for text, want := range map[string]int{
		"":                                 0,
		string(a + " " + b + "\n"):         1,
		string(a + " " + b + " more\n"):    1,
		string(a + " " + a + "\n"):         0,
		string(a + " " + zero + "\n"):      0,
		string(a + "\n"):                   0,
		string("nonsense " + b + "\n"):     0,
		string(a + " nonsense\n"):          0,
		string(a + " " + b + "\n" + b + a): 1,
	} {
		got, err := Rewritten(strings.NewReader(text))
		if err != nil || len(got) != want || want == 1 && got[a] != b {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestPredecessorsOf: a squash has several, in an order that stays.
func TestPredecessorsOf(t *testing.T) {
	got := predecessorsOf(map[gitexec.OID]gitexec.OID{"c": "s", "a": "s", "b": "s", "d": "e"})
	if want := map[gitexec.OID][]gitexec.OID{"s": oids("a b c"), "e": oids("d")}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// TestAllDecided: one commit that was not decided about is enough to compare what it became.
func TestAllDecided(t *testing.T) {
	dir := t.TempDir()
	if err := decided.Append(dir, decided.Links(id("a"), nil), decided.Links(id("b"), []string{"000000000001"}), decided.Made(id("c"))); err != nil {
		t.Fatal(err)
	}
	for digits, want := range map[string]bool{"": true, "a": true, "b": true, "ab": true, "c": false, "abc": false, "d": false, "da": false} {
		var commits []lineage.Predecessor
		for _, digit := range digits {
			commits = append(commits, lineage.Predecessor{Commit: id(string(digit))})
		}
		if got := allDecided(decided.Open(dir), commits); got != want {
			t.Errorf("%q: %t", digits, got)
		}
	}
}

// TestWithoutMoved: what post-commit has moved already stays as it is.
func TestWithoutMoved(t *testing.T) {
	plan := lineage.Plan{Same: true, From: replaced("rewritten a"), Move: []lineage.Move{{Link: "1"}, {Link: "2"}}, Trim: []string{"3", "4"}}
	got := withoutMoved(plan, func(link string) bool { return link == "1" || link == "4" })
	if want := (lineage.Plan{Same: true, From: replaced("rewritten a"), Move: []lineage.Move{{Link: "2"}}, Trim: []string{"3"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestPostRewriteOfNobody: without sessions, or without a rewritten commit, there is nothing to do.
func TestPostRewriteOfNobody(t *testing.T) {
	run := fakeRun(t, nil)
	const nothing = "no commit of a session was rewritten"
	if got, err := PostRewrite(t.Context(), run, map[gitexec.OID]gitexec.OID{"a": "b"}); got != nothing || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	save(t, run, active("s"))
	if got, err := PostRewrite(t.Context(), run, nil); got != nothing || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFollowRewritten: an amend moves the session's base, its stream and its link, the record of
// HEAD, and the link beside the commit.
func TestFollowRewritten(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	old := p.commit("Work\n\nEntire-Checkpoint: 000000000001", map[string]string{"f": "1\n"})
	p.git("commit", "-q", "--amend", "-m", "Better work\n\nEntire-Checkpoint: 000000000001")
	run := p.run()
	s := linked("s", "000000000001 "+string(old))
	s.BaseCommit, s.AttributionBaseCommit = old, old
	s.Linked[0].Tree = id("1")
	save(t, run, s, onBase("other", id("2"), 0))
	if err := writeHeadRecord(run.Repo.PrivateDir(), headRecord{Head: old, Declined: old}); err != nil {
		t.Fatal(err)
	}
	outcome, err := followRewritten(t.Context(), run, map[gitexec.OID]gitexec.OID{old: run.Head.ID})
	if want := "1 commit rewritten: 1 session and 0 streams moved, 0 checkpoints updated"; outcome != want || err != nil {
		t.Errorf("%q, %v", outcome, err)
	}
	after, err := run.Store.Load("s")
	if err != nil || after.BaseCommit != run.Head.ID || len(after.Linked) != 2 || after.Linked[1].Commit != run.Head.ID || !after.Linked[0].Rewritten {
		t.Errorf("%+v, %v", after, err)
	}
	if record := readHeadRecord(run.Repo.PrivateDir()); record.Head != "" || record.Declined != run.Head.ID {
		t.Errorf("%+v", record)
	}
	if want := map[string][]string{string(run.Head.ID): {string(old)}}; !reflect.DeepEqual(run.Entry.Rewrote, want) {
		t.Errorf("%v", run.Entry.Rewrote)
	}
}
