package gitexec

import (
	"context"
	"errors"
	"testing"
)

// TestSparse: what a sparse checkout leaves out is read from the index, and nothing else is.
func TestSparse(t *testing.T) {
	r := repository(t, SHA1)
	read := func(name string, most int64) string {
		text, err := r.LeftOut(context.Background(), name, most)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	if r.SparseCheckout() || read("dir/b.txt", 10) != "" {
		t.Error("there is no sparse checkout")
	}
	git(t, r.Top, "sparse-checkout", "set", "--no-cone", "/a.txt")
	if !r.SparseCheckout() {
		t.Error("there is one")
	}
	for name, want := range map[string]string{"dir/b.txt": "two\n", "a.txt": "", "dir": "", "no": "", "dir/*": ""} {
		if got := read(name, 4); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	var large *TooLargeError
	if _, err := r.LeftOut(context.Background(), "dir/b.txt", 3); !errors.As(err, &large) {
		t.Errorf("%v", err)
	}
}
