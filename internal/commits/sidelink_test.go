package commits

import (
	"errors"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
)

// TestWithoutTrailer: links that the message has are not stored beside the commit.
func TestWithoutTrailer(t *testing.T) {
	const one, two = "000000000001", "000000000002"
	for name, c := range map[string]struct{ message, links, want string }{
		"no trailer":     {"Text\n", one + " " + two, one + " " + two},
		"one":            {"Text\n\nEntire-Checkpoint: " + one + "\n", one + " " + two, two},
		"all":            {"Text\n\nEntire-Checkpoint: " + one + "\n", one, ""},
		"one of another": {"Text\n\nEntire-Checkpoint: " + two + "\n", one, one},
	} {
		links := strings.Fields(c.links)
		got := withoutTrailer(gitexec.Commit{Message: []byte(c.message)}, links)
		if strings.Join(got, " ") != c.want || strings.Join(links, " ") != c.links {
			t.Errorf("%s: %q of %q", name, got, links)
		}
	}
}

// TestLinksOf: a commit has the links of its message.
func TestLinksOf(t *testing.T) {
	p := newPlayground(t)
	p.commit("First\n\nEntire-Checkpoint: 000000000001", nil)
	run := p.run()
	links, err := linksOf(run.Repo, run.DB, p.read(run, run.Head.ID))
	if err != nil || strings.Join(links, " ") != "000000000001" {
		t.Errorf("%q, %v", links, err)
	}
}

// TestReadAmended: an amended commit's links are the new one's. One without, whose link the user
// removed, was judged: only what the amend adds is compared, of the files that the new one changes.
func TestReadAmended(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", map[string]string{"same": "1\n"})
	unlinked := p.commit("Work", map[string]string{"f": "1\n", "same": "2\n"})
	p.git("tag", "unlinked")
	files(p.T, p.dir, map[string]string{"g": "1\n", "same": "1\n"})
	p.git("add", "-A")
	p.git("commit", "-q", "--amend", "-m", "Work")
	run := p.run()
	head, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := run.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		t.Fatal(err)
	}
	p.git("checkout", "-q", "unlinked")
	p.git("commit", "-q", "--amend", "-m", "Work\n\nEntire-Checkpoint: 000000000001")
	withLink := gitexec.OID(p.git("rev-parse", "HEAD"))
	for name, c := range map[string]struct {
		amends      gitexec.OID
		record      headRecord
		links, want string
	}{
		"no amend":              {"", headRecord{}, "", "f g"},
		"a linked one":          {withLink, headRecord{}, "000000000001", "f g"},
		"one that is declined":  {unlinked, headRecord{Declined: unlinked}, "", "g"},
		"another was declined":  {unlinked, headRecord{Declined: withLink}, "", "f g"},
		"a linked, though that": {withLink, headRecord{Declined: withLink}, "000000000001", "f g"},
		"pruned":                {gitexec.OID(strings.Repeat("1", 40)), headRecord{}, "", "f g"},
	} {
		commit := linkedCommit{Head: head, ParentTree: parent, Changes: all, record: c.record}
		commit.Pending.Replaces = []lineage.Predecessor{{Commit: c.amends, By: lineage.Amended}}
		err := commit.readAmended(t.Context(), run)
		judged, err2 := commit.judged(run.DB)
		if got := changedPaths(judged); errors.Join(err, err2) != nil || got != c.want || strings.Join(commit.Links, " ") != c.links {
			t.Errorf("%s: %q, links %q, %v, %v", name, got, commit.Links, err, err2)
		}
	}
}

func changedPaths(changes []gitexec.Change) string {
	var paths []string
	for _, change := range changes {
		paths = append(paths, string(change.Path))
	}
	return strings.Join(paths, " ")
}
