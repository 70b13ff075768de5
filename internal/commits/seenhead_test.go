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
