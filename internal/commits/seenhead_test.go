package commits

import (
	"testing"

	"entire-plumb/gitexec"
)

// TestSince: what was made before HEAD was first recorded is not looked at.
func TestSince(t *testing.T) {
	moves := []gitexec.HeadMove{{To: "d"}, {To: "b"}, {To: "c"}, {To: "b"}, {To: "a"}}
	for first, want := range map[gitexec.OID]int{"a": 4, "b": 3, "d": 0, "elsewhere": 5, "": 5} {
		if got := len((SeenHead{Head: "c", First: first}).since(moves)); got != want {
			t.Errorf("first %q: %d moves, want %d", first, got, want)
		}
	}
}

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
