package commits

import (
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/safefile"
)

// TestStagedShare: the agents' share of the lines of what is staged, or of an amended commit with
// it.
func TestStagedShare(t *testing.T) {
	const others = "A line that the human wrote\n"
	for name, c := range map[string]struct {
		head, staged string
		agent        bool // the agent makes the commit: what changed since HEAD is its turn's
		amend        bool
		want         string
	}{
		"an agent's":                        {"", first + second, true, false, "100% agent (2/2 lines)"},
		"the human's":                       {"", others, false, false, "0% agent (0/1 lines)"},
		"nothing":                           {others, others, false, false, ""},
		"what is added to the human's":      {others, others + first, true, false, "100% agent (1/1 lines)"},
		"an amend, with the human's before": {others, others + first, true, true, "50% agent (1/2 lines)"},
		"an amend that adds nothing":        {others, others, false, true, "0% agent (0/1 lines)"},
	} {
		p := newPlayground(t)
		p.commit("Base", map[string]string{"base": "A line\n"})
		p.commit("Work", map[string]string{"f": c.head})
		files(t, p.dir, map[string]string{"f": c.staged})
		p.git("add", "-A")
		run := p.run()
		_, parent, err := withParent(run.DB, run.Head.ID)
		if err != nil {
			t.Fatal(err)
		}
		found := stagedWork{base: run.Head.Tree}
		if found.changes, err = run.Repo.DiffStaged(t.Context(), run.Repo.IndexFile, found.base); err != nil {
			t.Fatal(err)
		}
		if c.agent {
			s := active("s")
			s.StartsAt(run.Head.Tree, run.Head.ID, "")
			found.matches = []condense.Matched{{Session: s, Commits: true}}
		}
		plan := lineage.Plan{From: []lineage.Predecessor{{Commit: run.Head.ID, By: lineage.Amended}}}
		if !c.amend {
			parent, plan = found.base, lineage.Plan{}
		}
		if got, err := stagedShare(t.Context(), run, found, parent, plan); got != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestUpdateShare: an amended commit's message has the share of what the commit will hold, below
// its link.
func TestUpdateShare(t *testing.T) {
	const link = "Entire-Checkpoint: 000000000001\n"
	p := newPlayground(t)
	p.commit("Base", map[string]string{"base": "A line\n"})
	p.commit("Work", map[string]string{"f": "A line that the human wrote\n"})
	p.stream(p.run(), "A line that the human wrote\n"+first)
	files(t, p.dir, map[string]string{"f": "A line that the human wrote\n" + first, ".git/MSG": "Work\n\n" + link + "Entire-Attribution: 7% agent\n"})
	p.git("add", "f")
	run, file := p.run(), filepath.Join(p.dir, ".git", "MSG")
	states, err := run.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	if err := updateShare(t.Context(), run, file, []string{"000000000001"}, states); err != nil {
		t.Fatal(err)
	}
	text, err := safefile.Read(file, mostMessage)
	if want := "Work\n\n" + link + "Entire-Attribution: 50% agent (1/2 lines)\n"; string(text) != want || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := updateShare(t.Context(), run, file+".missing", []string{"000000000001"}, nil); err == nil {
		t.Error("a message that is not there")
	}
}

// TestStagedShareUnreadable: what cannot be read is no share.
func TestStagedShareUnreadable(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	run := p.run()
	found := stagedWork{base: gitexec.OID(strings.Repeat("1", 40))}
	if got, err := stagedShare(t.Context(), run, found, run.Head.Tree, lineage.Plan{}); got != "" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}
