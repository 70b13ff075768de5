package commits

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"entire-plumb/internal/journal"
	"entire-plumb/internal/safefile"
)

// TestCommitMsg: a message that an editor has emptied but for its link loses it, so that git aborts
// the commit. Without an editor it stays as prepare-commit-msg made it.
func TestCommitMsg(t *testing.T) {
	const link = "\nEntire-Checkpoint: 000000000001\n"
	for name, c := range map[string]struct {
		editor, template, text string
		want                   string
		outcome                string // in the journal; empty: no line
	}{
		"emptied":                  {"yes", "", link, "", "the edited message is empty: the link was deleted"},
		"comments alone":           {"yes", "", "# What git says\n" + link, "# What git says\n", "the edited message is empty: the link was deleted"},
		"an unedited template":     {"yes", "Fill this in\n", "Fill this in\n" + link, "Fill this in\n", "the edited message is empty: the link was deleted"},
		"a template that was used": {"yes", "Fill this in\n", "Filled in\n" + link, "Filled in\n" + link, "the edited message has its link"},
		"a message":                {"yes", "", "Work\n" + link, "Work\n" + link, "the edited message has its link"},
		"no link":                  {"yes", "", "# What git says\n", "# What git says\n", ""},
		"no editor":                {"", "", link, link, ""},
	} {
		p := newPlayground(t)
		p.commit("First", nil)
		run, file := p.run(), filepath.Join(p.dir, ".git", "COMMIT_EDITMSG")
		files(t, p.dir, map[string]string{".git/COMMIT_EDITMSG": c.text})
		if c.editor != "" {
			files(t, run.Repo.PrivateDir(), map[string]string{"template": c.template})
		}
		e := run.Env
		e.Dir = p.dir
		if err := CommitMsg(t.Context(), e, file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := safefile.Read(file, mostMessage)
		if string(got) != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		entries, err := journal.Read(run.Repo.SharedDir())
		if err != nil || len(entries) > 1 || (len(entries) == 1) != (c.outcome != "") {
			t.Fatalf("%s: %+v, %v", name, entries, err)
		}
		if len(entries) == 1 && (entries[0].Outcome != c.outcome || entries[0].Hook != "commit-msg" || entries[0].Commit != string(run.Head.ID)) {
			t.Errorf("%s: %+v", name, entries[0])
		}
	}
}

// TestCommitMsgUnreadable: a message that is not there is an error, where an editor had it.
func TestCommitMsgUnreadable(t *testing.T) {
	p := newPlayground(t)
	e := p.run().Env
	e.Dir = p.dir
	file := filepath.Join(p.dir, ".git", "COMMIT_EDITMSG")
	if err := CommitMsg(t.Context(), e, file); err != nil {
		t.Errorf("without an editor: %v", err)
	}
	files(t, p.dir, map[string]string{".git/entire-plumb/template": ""})
	if err := CommitMsg(t.Context(), e, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with one: %v", err)
	}
}
