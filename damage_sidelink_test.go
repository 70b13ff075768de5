package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
)

// TestSideLinks writes links beside commits, reads them from both sides, and reads what somebody
// else may have written there.
func TestSideLinks(t *testing.T) {
	w, _, db, branch, ids := recordedIn(t, context.Background(), 2)
	head := gitexec.OID(w.git("rev-parse", "HEAD"))
	commits, err := db.Commits(head)
	testdir.Must(t, err)
	other := commits[0].Parents[0]
	with := func(edits gitexec.Edits) checkpoints.Branch {
		tree, err := db.EditTree(branch.Tree, edits)
		testdir.Must(t, err)
		return checkpoints.Branch{Tip: branch.Tip, Tree: tree, Local: branch.Local}
	}
	trailer := checkpoints.Branch.Links(branch, db, commits[0])
	if !slices.Equal(trailer, []string{ids[0]}) {
		t.Fatalf("%q, want %q", trailer, ids[0])
	}
	write := func(b checkpoints.Branch, ids ...string) (checkpoints.Branch, gitexec.Edits) {
		edits := gitexec.Edits{}
		link := checkpoints.SideLink{Commit: head, Checkpoints: ids, How: checkpoints.Hookless, CreatedAt: time.Unix(1e9, 5)}
		testdir.Must(t, checkpoints.WriteSideLink(db, b, link, edits))
		return with(edits), edits
	}
	linked, edits := write(branch, "0123456789ab", ids[0])
	path := gitexec.Path(fmt.Sprintf("links/%s/%s.json", head[:2], head[2:]))
	if !edits[path].Exists() || len(edits) != 1 {
		t.Errorf("%v", edits)
	}
	if got := linked.Links(db, commits[0]); !slices.Equal(got, []string{ids[0], "0123456789ab"}) {
		t.Errorf("%q", got)
	}
	if _, again := write(linked, "0123456789ab", ids[0]); len(again) != 0 {
		t.Errorf("the same link is written twice: %v", again)
	}
	if got, _ := write(linked, "ba9876543210"); !slices.Equal(got.Links(db, commits[0]), []string{ids[0], "ba9876543210", "0123456789ab"}) {
		t.Errorf("%q", got.Links(db, commits[0]))
	}
	if found, err := linked.SideLinked(db, "0123456789ab"); err != nil || len(found) != 1 || len(found[head]) != 2 {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := linked.SideLinked(db, "ffffffffffff"); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	if listed, err := checkpoints.ListCommitted(db, linked, func(checkpoints.CommittedInfo) bool { return true }); err != nil || len(listed) != 2 {
		t.Errorf("%d checkpoints, %v", len(listed), err)
	}

	missing := gitexec.OID(strings.Repeat("1", len(head)))
	file := func(text string) gitexec.Entry { return gitexec.Entry{Mode: gitexec.ModeFile, ID: blobOf(t, db, text)} }
	for name, edits := range map[string]gitexec.Edits{
		"a file in the place of the directory": {"links": file("x")},
		"a file in the place of a shard":       {gitexec.Path("links/" + head[:2]): file("x")},
		"a directory in the place of a file":   {path + "/x": file("x")},
		"no JSON":                              {path: file("{")},
		"another shape":                        {path: file(`{"checkpoints":7}`)},
		"a missing blob":                       {path: {Mode: gitexec.ModeFile, ID: missing}},
		"a submodule":                          {path: {Mode: gitexec.ModeGitlink, ID: missing}},
		"a file that is too large":             {path: file(`{"checkpoints":["0123456789ab"]` + strings.Repeat(" ", 2<<20) + "}")},
	} {
		b := with(edits)
		if l, err := b.SideLink(db, head); !errors.Is(err, checkpoints.ErrDamaged) || l != nil {
			t.Errorf("%s: %v, %v", name, l, err)
		}
		if got := b.Links(db, commits[0]); !slices.Equal(got, trailer) {
			t.Errorf("%s: %q", name, got)
		}
		if found, err := b.SideLinked(db, "0123456789ab"); err != nil || len(found) != 0 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		if repaired, _ := write(b, "ba9876543210"); !slices.Contains(repaired.Links(db, commits[0]), "ba9876543210") {
			t.Errorf("%s: cannot be replaced", name)
		}
	}
	link := checkpoints.SideLink{Commit: head, Checkpoints: []string{"0123456789ab"}}
	link.Evidence.Add("\xff \n\"x", 1, 2)
	link.Evidence.Add("plain", 1, 1)
	link.Evidence.Add("plain", 2, 3)
	stored := gitexec.Edits{}
	testdir.Must(t, checkpoints.WriteSideLink(db, branch, link, stored))
	read, err := with(stored).SideLink(db, head)
	if err != nil || read.Evidence["plain"] != [2]int{3, 4} || read.Evidence[`"\377 \n\"x"`] != [2]int{1, 2} {
		t.Errorf("%+v, %v", read, err)
	}
	many := `"` + strings.Repeat(`0123456789ab","`, 5000) + `000000000000"`
	for text, want := range map[string]string{
		`{}`:                   "",
		`null`:                 "",
		`{"checkpoints":null}`: "",
		`{"checkpoints":["../../../x","0123456789AB","0123456789ab","0123456789ab","0123456789abc",""]}`: "0123456789ab",
		`{"commit":"` + string(other) + `","checkpoints":["0123456789ab"]}`:                              "0123456789ab",
		`{"checkpoints":[` + many + `]}`: "0123456789ab",
		`{"checkpoints":["0123456789ab"],"how":"by magic","evidence":{"\"\\377\"":[1,2]},"score":-1e308,"later":[]}`: "0123456789ab",
	} {
		b := with(gitexec.Edits{path: file(text), "links/zz/x.json": file(text), "links/00/x": file(text), "links/README": file("x")})
		got := b.Links(db, commits[0])
		if strings.Join(got[1:], " ") != want {
			t.Errorf("%.100s: %q", text, got)
		}
		if links := b.Links(db, gitexec.Commit{ID: other}); links != nil {
			t.Errorf("%.100s: the other commit links %q", text, links)
		}
	}
}
