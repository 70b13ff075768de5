package commits

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
)

func TestReplaceFileKeepsTheMode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := safefile.Rewrite(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || string(data) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v, %v", data, info, err, err2)
	}
	if err := safefile.Rewrite(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a file below a file was replaced")
	}
}

// TestWritable: nothing can be added to a checkpoint with a ref of its own, as other programs have.
func TestWritable(t *testing.T) {
	links := []string{"000000000001", ownRef, "000000000002"}
	if got := writable(links); !slices.Equal(got, []string{"000000000001", "000000000002"}) || links[1] != ownRef {
		t.Errorf("%q of %q", got, links)
	}
	if got := writable([]string{ownRef}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// TestStyleOf: a string comes before a character, and the commit's option before the configuration.
func TestStyleOf(t *testing.T) {
	commit := func(args ...string) ancestry.Git { return ancestry.Git{Verb: "commit", Args: args} }
	for name, c := range map[string]struct {
		config   map[string]string
		commands []ancestry.Git
		want     message.Style
	}{
		"git's own":                 {nil, nil, message.Style{}},
		"a character":               {map[string]string{"core.commentchar": ";"}, nil, message.Style{Comment: ";"}},
		"a string":                  {map[string]string{"core.commentchar": ";", "core.commentstring": "//"}, nil, message.Style{Comment: "//"}},
		"a cleanup":                 {map[string]string{"commit.cleanup": "scissors"}, []ancestry.Git{commit("-m", "x")}, message.Style{Cleanup: "scissors"}},
		"the command's":             {map[string]string{"commit.cleanup": "scissors"}, []ancestry.Git{commit("--cleanup=verbatim")}, message.Style{Cleanup: "verbatim"}},
		"of another command":        {nil, []ancestry.Git{{Verb: "rebase", Args: []string{"--cleanup=verbatim"}}}, message.Style{}},
		"of one above that commits": {nil, []ancestry.Git{{Verb: "rebase"}, commit("--cleanup", "strip")}, message.Style{Cleanup: "strip"}},
	} {
		if got := styleOf(c.config, c.commands); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestStyle: git sets an editor of its own where it opens none; a template is what the user was
// given to edit.
func TestStyle(t *testing.T) {
	p := newPlayground(t)
	p.git("config", "core.commentChar", ";")
	for editor, want := range map[string]bool{":": false, "": true, "vi": true} {
		got, err := style(t.Context(), p.run("GIT_EDITOR="+editor), []byte("template"))
		if err != nil || got.Editor != want || got.Comment != ";" || string(got.Template) != "template" {
			t.Errorf("%q: %+v, %v", editor, got, err)
		}
	}
	for source, want := range map[string]string{"template": "text", "message": "", "": ""} {
		if got := (draft{source: source, text: []byte("text")}).template(); string(got) != want {
			t.Errorf("%q: %q", source, got)
		}
	}
}

// TestTreeOf: the tree that a commit of some changes would have.
func TestTreeOf(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", map[string]string{"f": "1\n", "g": "1\n"})
	first := p.run()
	p.commit("Second", map[string]string{"f": "2\n", "dir/h": "1\n"})
	p.git("rm", "-q", "g")
	p.git("commit", "-q", "-m", "Third")
	run := p.run()
	all, err := run.DB.DiffTrees(first.Head.Tree, run.Head.Tree)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	if got, err := TreeOf(run.DB, first.Head.Tree, all); got != run.Head.Tree || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := TreeOf(run.DB, first.Head.Tree, nil); got != first.Head.Tree || err != nil {
		t.Errorf("of no change: %s, %v", got, err)
	}
}

// TestPrepareCommitMsg: the message stays as it is where no session is known, and where it has a
// link already; git's own messages keep their links.
func TestPrepareCommitMsg(t *testing.T) {
	const withLink = "Work\n\nEntire-Checkpoint: 000000000001\n"
	for name, c := range map[string]struct {
		texts          map[string]string // of the git directory
		source, object string
		text           string
		want           string // the outcome, or that of the kind
		kind           journal.Kind
	}{
		"no session":  {nil, "", "", "Work\n", "", journal.NoWork},
		"a link":      {nil, "message", "", withLink, "", journal.HasLink},
		"a merge":     {map[string]string{"MERGE_HEAD": ""}, "merge", "", "Merge\n", "", journal.Replayed},
		"its message": {map[string]string{"MERGE_HEAD": ""}, "merge", "", withLink, "", journal.Replayed},
		"a revert":    {nil, "message", "", "Revert \"Work\"\n", "", journal.Replayed},
		"an amend":    {nil, "commit", "HEAD", withLink, "the amended commit keeps its link", ""},
	} {
		p := newPlayground(t)
		p.commit(withLink, map[string]string{"f": "1\n"})
		files(t, p.dir+"/.git", c.texts)
		files(t, p.dir, map[string]string{".git/COMMIT_EDITMSG": c.text})
		run := p.run("ENTIRE_TEST_TTY=1")
		file := filepath.Join(p.dir, ".git", "COMMIT_EDITMSG")
		got, err := PrepareCommitMsg(t.Context(), run, file, c.source, c.object)
		after, err2 := os.ReadFile(file)
		if got != cmp.Or(c.want, c.kind.String()) || run.Entry.Kind != c.kind || string(after) != c.text || err != nil || err2 != nil {
			t.Errorf("%s: %q, %v, %v:\n%s", name, got, err, err2, after)
		}
	}
}
