package commits

import (
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestBeginsWithMessage: the text has the whole message, and something below it.
func TestBeginsWithMessage(t *testing.T) {
	for text, want := range map[string]bool{
		"Work\n\nMore\n\n# Conflicts:\n": true, "Work\n\nMore\n": true, "Work\n\nMore": false, "Work\n\nMore or less\n": false, "Work\n": false, "": false,
	} {
		if got := beginsWithMessage([]byte(text), []byte("\nWork\n\nMore\n\n")); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestCommitOfMessage: of several commits with a message the first that a branch has, else the
// last.
func TestCommitOfMessage(t *testing.T) {
	const message = "Work\n\nEntire-Checkpoint: 000000000001"
	p := newPlayground(t)
	p.commit("Base", nil)
	var made []gitexec.OID
	for _, text := range []string{"1\n", "2\n", "3\n"} {
		p.git("checkout", "-q", "--detach", "main")
		made = append(made, p.commit(message, map[string]string{"f": text}))
	}
	p.git("checkout", "-q", "main")
	for name, c := range map[string]struct {
		linked []gitexec.OID
		branch gitexec.OID
		text   string
		want   gitexec.OID
	}{
		"one":                     {made[:1], "", message + "\n\n# Conflicts:\n", made[0]},
		"the last, of several":    {made, "", message + "\n", made[2]},
		"that of two on a branch": {made[:2], made[1], message + "\n", made[1]},
		"that on a branch":        {made, made[1], message + "\n", made[1]},
		"another message":         {made, "", "Other work\n\nEntire-Checkpoint: 000000000001\n", ""},
		"another link":            {made, "", "Work\n\nEntire-Checkpoint: 000000000002\n", ""},
		"no link":                 {made, "", "Work\n", ""},
		"pruned":                  {[]gitexec.OID{id("1")}, "", message + "\n", ""},
		"one is pruned, one here": {[]gitexec.OID{id("1"), made[1]}, "", message + "\n", made[1]},
	} {
		if c.branch != "" {
			p.git("branch", "-f", "side", string(c.branch))
		}
		run := p.run()
		var pairs []string
		for _, commit := range c.linked {
			pairs = append(pairs, "000000000001 "+string(commit))
		}
		s := linked("s", pairs...)
		for i := range s.Linked {
			s.Linked[i].Tree = id("1")
		}
		s.BaseCommit = id("1")
		save(t, run, s)
		if got, err := commitOfMessage(t.Context(), run, []byte(c.text)); got != c.want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if c.branch != "" {
			p.git("branch", "-D", "side")
		}
	}
}

// TestResolvedWithoutPick: git cherry-pick --no-commit leaves only a message, of a session's
// commit; so does a merge, which picks nothing.
func TestResolvedWithoutPick(t *testing.T) {
	const message = "Work\n\nEntire-Checkpoint: 000000000001"
	p := newPlayground(t)
	commit := p.commit(message, nil)
	p.commit("More", nil)
	run := p.run()
	s := linked("s", "000000000001 "+string(commit))
	s.Linked[0].Tree, s.BaseCommit = id("1"), commit
	save(t, run, s)
	files(t, p.dir, map[string]string{".git/MERGE_MSG": message + "\n\n# Conflicts:\n#\tf\n"})
	if got, err := resolvedCommit(t.Context(), run); got.Commit != commit || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	files(t, p.dir, map[string]string{".git/MERGE_HEAD": string(commit) + "\n"})
	if got, err := resolvedCommit(t.Context(), run); got.Commit != "" || err != nil {
		t.Errorf("in a merge: %+v, %v", got, err)
	}
}

// TestNoteReplayed: the commits that the new one replaces are noted with the first link that it
// keeps.
func TestNoteReplayed(t *testing.T) {
	from := replaced("picked x")
	for name, c := range map[string]struct {
		d    draft
		want []PendingLink
	}{
		"both":       {draft{keep: []string{"1", "2"}, replaces: from}, []PendingLink{{ID: "1", Head: "a", Replaces: from}}},
		"an amend":   {draft{keep: []string{"1"}, replaces: from, amend: true}, []PendingLink{{ID: "1", Head: "a", Replaces: from, Amends: true}}},
		"no link":    {draft{replaces: from}, nil},
		"no commit":  {draft{keep: []string{"1"}}, nil},
		"of nothing": {draft{}, nil},
	} {
		run := pendingRun(t)
		err := noteReplayed(t.Context(), run.Repo, run.Head, c.d)
		if got := ReadPending(run.Repo.PrivateDir()); !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestResolvedCommit: what a rebase has stopped at, what is picked, or what a message is of.
func TestResolvedCommit(t *testing.T) {
	conflicts := "Work\n\nEntire-Checkpoint: 000000000001\n\n# Conflicts:\n#\tf\n"
	a := string(id("a")) + "\n"
	for name, c := range map[string]struct {
		texts map[string]string
		want  string
	}{
		"nothing":                     {nil, ""},
		"a rebase":                    {map[string]string{"rebase-merge/head-name": "refs/heads/main\n", "REBASE_HEAD": a}, "rewritten " + strings.TrimSpace(a)},
		"an earlier rebase's file":    {map[string]string{"REBASE_HEAD": a}, ""},
		"a cherry-pick with conflict": {map[string]string{"CHERRY_PICK_HEAD": a, "MERGE_MSG": conflicts}, "picked " + strings.TrimSpace(a)},
		"one without":                 {map[string]string{"CHERRY_PICK_HEAD": a, "MERGE_MSG": "Work\n"}, ""},
		"a merge with conflicts":      {map[string]string{"MERGE_HEAD": a, "MERGE_MSG": conflicts}, "picked"},
	} {
		got, err := resolvedCommit(t.Context(), fakeRun(t, c.texts))
		if text := strings.TrimSpace(string(got.By) + " " + string(got.Commit)); text != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
