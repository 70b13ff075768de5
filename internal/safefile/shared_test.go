package safefile

import (
	"io/fs"
	"testing"
)

// The modes are those that git gives to its own files with the same value: adjust_shared_perm.
func TestSharing(t *testing.T) {
	for _, test := range []struct {
		value     string
		old, want fs.FileMode
	}{
		{"group", 0o600, 0o660},
		{"true", 0o644, 0o664},
		{"1", 0o500, 0o550},
		{"group", 0o700, 0o770},
		{"group", 0o700 | fs.ModeDir, 0o770 | fs.ModeDir | fs.ModeSetgid},
		{"all", 0o600, 0o664},
		{"everybody", 0o700 | fs.ModeDir, 0o775 | fs.ModeDir | fs.ModeSetgid},
		{"0640", 0o666, 0o640},
		{"0640", 0o777 | fs.ModeDir, 0o750 | fs.ModeDir | fs.ModeSetgid},
		{"0600", 0o644, 0o600},
		{"0070", 0o600, 0o600},
		{"umask", 0o600, 0o600},
		{"false", 0o600, 0o600},
		{"0", 0o600, 0o600},
		{"nonsense", 0o600, 0o600},
		{"", 0o700 | fs.ModeDir, 0o700 | fs.ModeDir},
	} {
		s := ParseSharing(test.value)
		got := test.old
		if s.bits != 0 {
			got = s.mode(test.old)
		}
		if got != test.want {
			t.Errorf("%q makes %v of %v", test.value, got, test.old)
		}
	}
}
