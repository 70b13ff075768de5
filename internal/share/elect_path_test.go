package share

import "testing"

// TestIsPath: which addresses git takes for a directory of this machine.
func TestIsPath(t *testing.T) {
	for address, want := range map[string]bool{
		"/srv/r.git": true, "../r.git": true, "r": true, "file:///srv/r.git": true, "./host:r": true, "dir/host:r": true,
		"host:r.git": false, "me@host:r.git": false, "ssh://host/r": false, "https://host/r": false, "ext::sh -c true": false,
	} {
		if got := isPath(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}
