package gitexec

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestLimits reads what is too large, too much or something else: none of it comes into memory, and
// the rest is read.
func TestLimits(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		db := r.ODB(t.Context())
		defer db.Close()
		small, _ := db.WriteBlob([]byte("small"))
		large, err := db.WriteBlob(bytes.Repeat([]byte(" "), 1000))
		testdir.Must(t, err)
		tooLarge := func(err error) bool {
			e := new(TooLargeError)
			return errors.As(err, &e) && e.Size == 1000 && IsUnreadable(err)
		}
		if _, err := db.Blob(large, 999); !tooLarge(err) {
			t.Errorf("Blob: %v", err)
		}
		if data, err := db.Blob(large, 1000); err != nil || len(data) != 1000 {
			t.Errorf("Blob at the limit: %v", err)
		}

		names := []OID{small, large, r.Head.Tree, small, r.Format.Zero(), small}
		for _, ahead := range [][]OID{nil, {small}, {large, r.Head.Tree, r.Format.Zero()}, names} {
			if err := db.ReadAhead(ahead...); err != nil {
				t.Errorf("ReadAhead: %v", err)
			}
			var got []string
			err = db.EachBlob(999, names, func(at []int, data []byte, err error) error {
				for _, i := range at {
					word := string(data)
					if err != nil {
						word = strings.Fields(err.Error())[0]
					}
					got = append(got, string(rune('0'+i))+word)
				}
				return nil
			})
			slices.Sort(got)
			if want := []string{"0small", "1object", "2object", "3small", "4no", "5small"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("EachBlob, %d ahead: %v, want %v (%v)", len(ahead), got, want, err)
			}
			if data, err := db.Blob(small, 5); err != nil || string(data) != "small" {
				t.Errorf("Blob, %d ahead: %q, %v", len(ahead), data, err)
			}
			if _, err := db.Blob(large, 999); !tooLarge(err) {
				t.Errorf("Blob, %d ahead: %v", len(ahead), err)
			}
		}
		testdir.Must(t, db.ReadAhead(small, large))
		testdir.Must(t, db.EachBlob(1000, []OID{small, large}, func(at []int, data []byte, err error) error {
			if want := []int{5, 1000}[at[0]]; err != nil || len(data) != want {
				t.Errorf("%v, while others are read ahead: %d bytes, %v", at, len(data), err)
			}
			return db.ReadAhead(r.Head.Tree)
		}))
		calls := 0
		if err := db.EachBlob(999, slices.Repeat([]OID{small}, 3000),
			func(at []int, _ []byte, _ error) error { calls++; return nil }); err != nil || calls != 1 {
			t.Errorf("a blob that is named 3000 times was read %d times (%v)", calls, err)
		}

		ids, err := db.WriteTrees(Tree{"a": {Mode: ModeFile, ID: small}, strings.Repeat("b", 900): {Mode: ModeFile, ID: small}})
		testdir.Must(t, err)
		if _, err := db.TreesUpTo(900, ids[0]); !IsUnreadable(err) {
			t.Errorf("TreesUpTo: %v", err)
		}
		if trees, err := db.TreesUpTo(2000, ids[0], ids[0]); err != nil || len(trees[1]) != 2 {
			t.Errorf("TreesUpTo at the limit: %v", err)
		}

		db.foreign = mostForeign - overhead - 10 // as after much reading
		if _, err := db.TreesUpTo(2000, ids[0]); err != nil {
			t.Errorf("a tree that is known already: %v", err)
		}
		if _, err := db.TreesUpTo(1<<20, r.Head.Tree); !errors.Is(err, ErrReadLimit) {
			t.Errorf("TreesUpTo after enough: %v", err)
		}
		if err := db.EachBlob(999, []OID{small}, func(_ []int, _ []byte, err error) error { return err }); !errors.Is(err, ErrReadLimit) ||
			!IsUnreadable(err) {
			t.Errorf("EachBlob after enough: %v", err)
		}
	})
}

// TestLargeCommit reads both ends of a commit that is larger than others, between them.
func TestLargeCommit(t *testing.T) {
	r := repository(t, SHA1)
	db := r.ODB(t.Context())
	defer db.Close()
	who := Ident{Name: "A", Email: "a@b", When: time.Unix(1, 0)}
	ids, err := db.CommitTree(NewCommit{Tree: r.Head.Tree, Author: who, Committer: who,
		Message: "First\n\n" + strings.Repeat("a line\n", mostCommit/7+1) + "\nLast: line\n"})
	testdir.Must(t, err)
	commits, err := db.Commits(r.Head.ID, ids[0], r.Head.ID)
	testdir.Must(t, err)
	message := string(commits[1].Message)
	if commits[1].Tree != r.Head.Tree || !strings.HasPrefix(message, "First\n\na line\n") ||
		!strings.HasSuffix(message, "a line\n\nLast: line\n") || len(message) > mostCommit+len(cut) {
		t.Errorf("a message of %d bytes: %.20q … %q", len(message), message, message[len(message)-40:])
	}
	if commits[2].ID != r.Head.ID || commits[2].Tree != r.Head.Tree {
		t.Errorf("what comes after: %+v", commits[2])
	}
}

// TestReadAhead: a look that is followed by another one is not read again, while there is room for
// both.
func TestReadAhead(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		db := r.ODB(t.Context())
		defer db.Close()
		var ids []OID
		for i := range 2 * mostAhead / largestAhead {
			id, err := db.WriteBlob(append(bytes.Repeat([]byte{' '}, largestAhead-1), byte(i)))
			testdir.Must(t, err)
			ids = append(ids, id)
		}
		kept := func() string {
			var kept strings.Builder
			for _, id := range ids {
				_, ok := db.ahead[id]
				kept.WriteByte(map[bool]byte{true: 'x', false: '.'}[ok])
			}
			return kept.String()
		}
		for _, c := range []struct {
			first, last int
			want        string
		}{{0, 3, "xxx"}, {2, 5, "xxxxx"}, {5, 32, strings.Repeat("x", 32)}, {31, 34, strings.Repeat(".", 31) + "xxx"}, {0, 40, strings.Repeat("x", 29) + "..xxx"}} {
			testdir.Must(t, db.ReadAhead(ids[c.first:c.last]...))
			if got := kept(); strings.TrimRight(got, ".") != c.want || db.aheadSize != int64(strings.Count(got, "x")*largestAhead) {
				t.Errorf("after %d to %d: %s of %d bytes, want %s", c.first, c.last, got, db.aheadSize, c.want)
			}
		}
	})
}
