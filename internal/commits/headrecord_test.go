package commits

import (
	"encoding/json"
	"reflect"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// TestHeadRecordMoveTo: the record follows commits that hooks saw, on HEAD's own branch.
func TestHeadRecordMoveTo(t *testing.T) {
	for name, c := range map[string]struct {
		before             headRecord
		expected, isLinked bool
		want               headRecord
	}{
		"a commit on it": {headRecord{Head: "p", Streams: []string{"s"}}, false, true, headRecord{Head: "c", Branch: "b"}},
		"a commit elsewhere": {headRecord{Head: "x", Branch: "a", Streams: []string{"s"}}, false, true,
			headRecord{Head: "x", Branch: "a", Streams: []string{"s"}}},
		"elsewhere, but prepared":           {headRecord{Head: "x"}, true, true, headRecord{Head: "c", Branch: "b"}},
		"prepared, after a reset elsewhere": {headRecord{Head: "x", Reset: oids("r")}, true, true, headRecord{Head: "x", Reset: oids("r")}},
		"nothing is known":                  {headRecord{}, false, true, headRecord{}},
		"linked, after a reset":             {headRecord{Head: "p", Reset: oids("r"), Here: oids("h")}, false, true, headRecord{Head: "c", Branch: "b", Reset: oids("r"), Here: oids("h c")}},
		"unlinked, after a reset":           {headRecord{Head: "p", Reset: oids("r")}, false, false, headRecord{Head: "c", Branch: "b", Reset: oids("r")}},
		"the link was removed":              {headRecord{Head: "p"}, true, false, headRecord{Head: "c", Branch: "b", Declined: "c"}},
		"it had none":                       {headRecord{Head: "p"}, false, false, headRecord{Head: "c", Branch: "b"}},
		"after one that was removed":        {headRecord{Head: "p", Declined: "p"}, false, false, headRecord{Head: "c", Branch: "b"}},
		"an amend of a declined one":        {headRecord{Head: "p", Declined: "old"}, false, false, headRecord{Head: "c", Branch: "b", Declined: "old"}},
		"an amend that is linked":           {headRecord{Head: "p", Declined: "old"}, false, true, headRecord{Head: "c", Branch: "b"}},
	} {
		if got := c.before.moveTo("c", "p", "b", c.expected, c.isLinked); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestHeadRecordMoveToKeepsItsLists: the record before stays as it was.
func TestHeadRecordMoveToKeepsItsLists(t *testing.T) {
	before := headRecord{Head: "p", Reset: oids("r"), Here: append(make([]gitexec.OID, 0, 4), "h")}
	one, two := before.moveTo("c", "p", "", false, true), before.moveTo("d", "p", "", false, true)
	if one.Here[1] != "c" || two.Here[1] != "d" {
		t.Errorf("%v, %v", one.Here, two.Here)
	}
}

// TestHeadRecordRewritten: after a rewrite of HEAD git is asked again, and a declined commit stays
// so.
func TestHeadRecordRewritten(t *testing.T) {
	successors := map[gitexec.OID]gitexec.OID{"a": "a2", "d": "d2"}
	for name, c := range map[string]struct{ before, want headRecord }{
		"HEAD":          {headRecord{Head: "a", Branch: "b", Reset: oids("r")}, headRecord{Reset: oids("r")}},
		"declined":      {headRecord{Head: "x", Branch: "b", Declined: "d"}, headRecord{Head: "x", Branch: "b", Declined: "d2"}},
		"both":          {headRecord{Head: "a", Declined: "d"}, headRecord{Declined: "d2"}},
		"HEAD, another": {headRecord{Head: "a", Declined: "y"}, headRecord{Declined: "y"}},
		"others":        {headRecord{Head: "x", Declined: "y"}, headRecord{Head: "x", Declined: "y"}},
		"nothing":       {headRecord{}, headRecord{}},
	} {
		got, changed := c.before.rewritten(successors)
		if !reflect.DeepEqual(got, c.want) || changed != !reflect.DeepEqual(c.before, c.want) {
			t.Errorf("%s: %+v, %t", name, got, changed)
		}
	}
}

// TestBranchDigest: a branch's name, which may hold a secret, can only be compared.
func TestBranchDigest(t *testing.T) {
	digest := func(branch string) string {
		return branchDigest(&gitexec.Repo{Branch: branch})
	}
	if got := digest(""); got != "" {
		t.Errorf("detached: %q", got)
	}
	if a, b := digest("refs/heads/a"), digest("refs/heads/b"); a == b || len(a) != 16 || a != digest("refs/heads/a") {
		t.Errorf("%q, %q", a, b)
	}
}

// TestRecordCommit: a commit that the pending link was given out for moves the record, which is
// written where it changes.
func TestRecordCommit(t *testing.T) {
	for name, c := range map[string]struct {
		before   headRecord
		pending  PendingLink
		isLinked bool
		want     headRecord
	}{
		"on HEAD":                      {headRecord{Head: "p"}, PendingLink{}, true, headRecord{Head: "c"}},
		"prepared":                     {headRecord{Head: "x"}, PendingLink{ID: "1", Head: "p"}, true, headRecord{Head: "c"}},
		"prepared, the link removed":   {headRecord{Head: "p"}, PendingLink{ID: "1", Head: "p"}, false, headRecord{Head: "c", Declined: "c"}},
		"another commit was prepared":  {headRecord{Head: "x"}, PendingLink{ID: "1", Head: "y"}, true, headRecord{Head: "x"}},
		"no link was given out":        {headRecord{Head: "x"}, PendingLink{Head: "p"}, true, headRecord{Head: "x"}},
		"nothing of it is known":       {headRecord{Head: "x", Declined: "y"}, PendingLink{}, false, headRecord{Head: "x", Declined: "y"}},
		"only that it is not declined": {headRecord{Head: "x", Declined: "p"}, PendingLink{}, false, headRecord{Head: "x"}},
	} {
		run := fakeRun(t, nil)
		if err := writeHeadRecord(run.Repo.PrivateDir(), c.before); err != nil {
			t.Fatal(err)
		}
		err := recordCommit(run.Repo, gitexec.Commit{ID: "c", Parents: oids("p")}, c.pending, c.isLinked)
		if got := readHeadRecord(run.Repo.PrivateDir()); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestUpdateHeadRecord: a reset that removes a linked commit is found by HEAD's reflog, once; while
// HEAD only moves by commits git is not asked.
func TestUpdateHeadRecord(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	second := p.commit("Second", map[string]string{"f": "1\n"})
	p.git("reset", "-q", "--hard", string(first))
	states := []*session.State{linked("s", "000000000001 "+string(second), "000000000002 "+string(first))}
	run := p.run()
	record, with, err := updateHeadRecord(t.Context(), run, states)
	if err != nil || record.Head != first || !reflect.DeepEqual(record.Reset, oids(string(second))) || !reflect.DeepEqual(record.Here, oids(string(first))) {
		t.Fatalf("%+v, %v", record, err)
	}
	if !record.wasReset(second) || record.wasReset(first) || len(with) != 1 {
		t.Errorf("%+v", record)
	}
	if stored := readHeadRecord(run.Repo.PrivateDir()); !reflect.DeepEqual(stored, record) {
		t.Errorf("stored: %+v", stored)
	}
	run = p.run()
	processes := run.Repo.Processes()
	again, _, err := updateHeadRecord(t.Context(), run, states)
	if err != nil || !reflect.DeepEqual(again, record) {
		t.Errorf("%+v, %v", again, err)
	}
	if more := run.Repo.Processes() - processes; more != 0 {
		t.Errorf("%d processes, though HEAD has not moved", more)
	}
	p.git("reset", "-q", "--hard", string(second)) // the reset is undone
	if record, _, err = updateHeadRecord(t.Context(), p.run(), states); err != nil || record.Head != second || len(record.Reset) != 0 {
		t.Errorf("undone: %+v, %v", record, err)
	}
}

// TestUpdateHeadRecordWithoutSessions: nothing is read or written for nothing.
func TestUpdateHeadRecordWithoutSessions(t *testing.T) {
	run := fakeRun(t, nil)
	last := headRecord{Head: "a", Reset: oids("r")}
	if err := writeHeadRecord(run.Repo.PrivateDir(), last); err != nil {
		t.Fatal(err)
	}
	run.Head.ID = "b"
	if got, _, err := updateHeadRecord(t.Context(), run, nil); err != nil || !reflect.DeepEqual(got, last) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestResetWithoutReflog: where git keeps no reflog of HEAD, the last record of the same branch
// says what was reset.
func TestResetWithoutReflog(t *testing.T) {
	p := newPlayground(t)
	p.git("config", "core.logAllRefUpdates", "false")
	first := p.commit("First", nil)
	second := p.commit("Second", nil)
	p.git("reset", "-q", "--hard", string(first))
	run := p.run()
	here := branchDigest(run.Repo)
	for name, c := range map[string]struct {
		last headRecord
		want []gitexec.OID
	}{
		"the same branch":    {headRecord{Head: second, Branch: here}, oids(string(second))},
		"another branch":     {headRecord{Head: second, Branch: "other"}, nil},
		"nothing is known":   {headRecord{Branch: here}, nil},
		"before all commits": {headRecord{Head: gitexec.SHA1.Zero(), Branch: here}, nil},
	} {
		got, err := resetCommits(t.Context(), (&workspace.Workspace{Env: env(), Repo: run.Repo, DB: run.DB}).Run(), c.last)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestWorkOffStreams: discarded versions that a commit has are work of their session.
func TestWorkOffStreams(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", nil)
	s := &session.State{SessionID: "s", Dismissed: []session.Dismissed{{Path: "f", Entry: entry("v1"), When: noon, Tip: id("9")}}} // pruned
	for name, c := range map[string]struct {
		changes []gitexec.Change
		want    int
	}{
		"restored": {changes("f v0 v1"), 1},
		"another":  {changes("f v0 v2"), 0},
		"no file":  {nil, 0},
	} {
		all, err := workOffStreams(p.run().DB, []*session.State{s}, "p", headRecord{}, c.changes)
		if err != nil || len(all) != c.want {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		for _, w := range all {
			if sourceOf(w) != "discarded work" {
				t.Errorf("%s: %q", name, sourceOf(w))
			}
		}
	}
}

// TestUpdateHeadRecordAtRest: sessions at rest are read where a commit was reset, since it may be
// theirs.
func TestUpdateHeadRecordAtRest(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	second := p.commit("Second", map[string]string{"f": "1\n"})
	resting, err := json.Marshal(&session.State{SessionID: "resting", StartedAt: noon, Place: session.Place{BaseCommit: first},
		Linked: []session.Link{{ID: "000000000001", Commit: second, Tree: id("1"), When: noon}}})
	if err != nil {
		t.Fatal(err)
	}
	files(t, p.dir, map[string]string{".git/entire-plumb/sessions/resting.json": string(resting)})
	for _, step := range []struct {
		name  string
		reset bool
		want  string // the sessions that are read
	}{
		{"nothing was reset", false, ""},
		{"HEAD is where it was", false, ""},
		{"a commit was", true, "resting"},
		{"it is still reset", false, "resting"},
	} {
		if step.reset {
			p.git("reset", "-q", "--hard", string(first))
		}
		record, states, err := updateHeadRecord(t.Context(), p.run(), nil)
		if got := idsOf(states); got != step.want || err != nil || (len(record.Reset) > 0) != (step.want != "") {
			t.Errorf("%s: %q, %+v, %v", step.name, got, record, err)
		}
	}
}
