package commits

import (
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

// TestCommitOfMessage: of several commits with a message the first that a branch has, else the last.
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
