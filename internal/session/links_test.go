package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
)

func numbered(n int) (all []gitexec.Path) {
	for i := range n {
		all = append(all, gitexec.Path(fmt.Sprint("file", i)))
	}
	return all
}

// TestAddLink: a link names only so many files, and none where it has more; the same commit with the
// same checkpoint is listed once, the latest of the links stay, and old ones go.
func TestAddLink(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n, want := range map[int]int{0: 0, 1: 1, mostLinkFiles: mostLinkFiles, mostLinkFiles + 1: 0, 10 * mostLinkFiles: 0} {
		var s State
		s.AddLink(Link{ID: "a", Commit: "1", When: began, Files: numbered(n)})
		if len(s.Linked) != 1 || len(s.Linked[0].Files) != want {
			t.Errorf("of %d files: %+v", n, s.Linked)
		}
	}

	var s State
	s.AddLink(Link{ID: "a", Commit: "1", When: began, Files: numbered(2)})
	before := s.Linked
	s.AddLink(Link{ID: "b", Commit: "1", When: began})
	s.AddLink(Link{ID: "a", Commit: "2", When: began})
	s.AddLink(Link{ID: "a", Commit: "1", When: began.Add(time.Hour), Files: numbered(3)})
	var got []string
	for _, l := range s.Linked {
		got = append(got, fmt.Sprint(l.ID, l.Commit, len(l.Files)))
	}
	if !slices.Equal(got, []string{"b10", "a20", "a13"}) || len(before[0].Files) != 2 {
		t.Errorf("%q, and before %+v", got, before)
	}

	s.AddLink(Link{ID: "c", Commit: "3", When: began.Add(KeptFor + time.Minute)})
	if len(s.Linked) != 2 || s.Linked[0].Commit != "1" || s.Linked[1].ID != "c" {
		t.Errorf("%+v", s.Linked)
	}
	for i := range 2 * mostLinks {
		s.AddLink(Link{ID: "d", Commit: gitexec.OID(fmt.Sprint(i)), When: began.Add(KeptFor)})
	}
	if len(s.Linked) != mostLinks || s.Linked[0].Commit != gitexec.OID(fmt.Sprint(mostLinks)) {
		t.Errorf("%d, from %s on", len(s.Linked), s.Linked[0].Commit)
	}
}

// TestRewrittenKeepsFiles: a commit's successor has the files of its link.
func TestRewrittenKeepsFiles(t *testing.T) {
	var s State
	s.AddLink(Link{ID: "a", Commit: "1", When: time.Now(), Files: numbered(2)})
	if !s.Rewritten(map[gitexec.OID]gitexec.OID{"1": "2"}) || len(s.Linked) != 2 || !s.Linked[0].Rewritten ||
		s.Linked[1].Commit != "2" || len(s.Linked[1].Files) != 2 {
		t.Errorf("%+v", s.Linked)
	}
}
