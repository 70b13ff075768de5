package commits

import (
	"testing"

	"entire-plumb/gitexec"
)

// TestSeenHead: the first one stays, and HEAD moves only from where it was seen.
func TestSeenHead(t *testing.T) {
	dir := t.TempDir()
	for _, head := range []gitexec.OID{"a", "b"} {
		if err := ReadSeenHead(dir).Write(dir, head); err != nil {
			t.Fatal(err)
		}
	}
	if got := ReadSeenHead(dir); got != (SeenHead{Head: "b", First: "a"}) {
		t.Errorf("%+v", got)
	}
}

// TestSeenHeadMovedTo: HEAD moves to a commit, and not to a branch without any.
func TestSeenHeadMovedTo(t *testing.T) {
	zero := gitexec.SHA1.Zero()
	for name, c := range map[string]struct {
		seen, head gitexec.OID
		want       bool
	}{
		"another commit": {"a", "b", true}, "the same": {"a", "a", false}, "for the first time": {"", "a", true},
		"an unborn branch": {"a", zero, false}, "unborn, for the first time": {"", zero, true}, "the first commit": {zero, "a", true}, "still unborn": {zero, zero, false},
	} {
		if got := (SeenHead{Head: c.seen}).movedTo(c.head); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestMoveSeenHead: HEAD's record moves with a commit from where HEAD was seen, and from nowhere
// else.
func TestMoveSeenHead(t *testing.T) {
	for name, c := range map[string]struct {
		seen gitexec.OID
		from string
		want SeenHead
	}{
		"its parent":          {"a", "a", SeenHead{"c", "first"}},
		"or what it amended":  {"a", "p a", SeenHead{"c", "first"}},
		"elsewhere":           {"x", "a p", SeenHead{"x", "first"}},
		"it is there":         {"c", "c", SeenHead{"c", "first"}},
		"it was never seen":   {"", "a", SeenHead{}},
		"never, and no other": {"", "", SeenHead{}},
	} {
		run := fakeRun(t, nil)
		dir := run.Repo.PrivateDir()
		if c.seen != "" {
			if err := (SeenHead{First: "first"}).Write(dir, c.seen); err != nil {
				t.Fatal(err)
			}
		}
		err := moveSeenHead(run.Repo, append(oids(c.from), ""), "c")
		if got := ReadSeenHead(dir); got != c.want || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
