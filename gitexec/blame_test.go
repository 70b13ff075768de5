package gitexec

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRanges checks that lines become ranges as git blame -L takes them.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		lines []int
		want  []string
	}{
		{nil, nil},
		{[]int{1}, []string{"1,1"}},
		{[]int{1, 2, 3}, []string{"1,3"}},
		{[]int{1, 2, 3, 4, 9}, []string{"1,4", "9,9"}},
		{[]int{2, 4}, []string{"2,2", "4,4"}},
	} {
		if got := ranges(c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.lines, got, c.want)
		}
	}
}

// TestParseBlame: git writes the author of a commit only where its first line stands.
func TestParseBlame(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	out := a + " 3 1 2\nauthor A\nauthor-mail <a@b>\nauthor-time 60\nsummary author of x\nfilename \"q\\t.txt\"\n\tone\n" +
		b + " 1 2 1\nauthor B\nauthor-time 120\nboundary\nfilename old.txt\n\t\n" +
		a + " 4 3\n\t\ttwo\n"
	want := []BlameLine{
		{Commit: OID(a), Author: "A", When: time.Unix(60, 0).UTC(), Path: "q\t.txt", Line: 3, Final: 1, Content: "one", Group: 2,
			Info: "author A\nauthor-mail <a@b>\nauthor-time 60\nsummary author of x\nfilename \"q\\t.txt\"\n"},
		{Commit: OID(b), Author: "B", When: time.Unix(120, 0).UTC(), Path: "old.txt", Line: 1, Final: 2, Group: 1,
			Info: "author B\nauthor-time 120\nboundary\nfilename old.txt\n"},
		{Commit: OID(a), Author: "A", When: time.Unix(60, 0).UTC(), Path: "q\t.txt", Line: 4, Final: 3, Content: "\ttwo"},
	}
	got, err := parseBlame([]byte(out))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, damaged := range []string{"\tone\n", "author A\n", a + "\n", a + " 1\n", a + " x y 1\n", a[:39] + " 1 1 1\n"} {
		if got, err := parseBlame([]byte(damaged)); err == nil {
			t.Errorf("%q: %+v", damaged, got)
		}
	}
}

// TestBlame: what is not committed has the zero ID, ranges limit the answer, and an ignored commit
// gives its lines back.
func TestBlame(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		first := r.Head.ID
		write(t, r.Top, "a.txt", "one\ntwo\n")
		git(t, r.Top, "commit", "-qam", "second")
		second := OID(git(t, r.Top, "rev-parse", "HEAD"))
		write(t, r.Top, "a.txt", "One\ntwo\n")
		git(t, r.Top, "commit", "-qam", "reformat")
		third := OID(git(t, r.Top, "rev-parse", "HEAD"))
		write(t, r.Top, "a.txt", "One\ntwo\nthree\n")
		write(t, r.Top, "ignore", string(third)+"\n")
		file := filepath.Join(r.Top, "a.txt")
		for _, c := range []struct {
			at   OID
			o    BlameOptions
			want []OID
		}{
			{"", BlameOptions{}, []OID{third, second, r.Format.Zero()}},
			{third, BlameOptions{}, []OID{third, second}},
			{second, BlameOptions{}, []OID{first, second}},
			{third, BlameOptions{Ranges: []string{"2,2"}}, []OID{second}},
			{third, BlameOptions{IgnoreRevs: []string{string(third)}}, []OID{first, second}},
			{third, BlameOptions{IgnoreRevsFiles: []string{filepath.Join(r.Top, "ignore")}}, []OID{first, second}},
		} {
			lines, err := r.Blame(context.Background(), c.at, file, c.o)
			var got []OID
			for _, l := range lines {
				got = append(got, l.Commit)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s %+v: %v, %v", c.at, c.o, got, err)
			}
		}
		db := r.ODB(context.Background())
		defer db.Close()
		lines, err := db.Blame(third, "a.txt", []int{2})
		if err != nil || len(lines) != 1 || lines[0].Final != 2 || lines[0].Commit != second || lines[0].Content != "two" {
			t.Errorf("%+v, %v", lines, err)
		}
	})
}
