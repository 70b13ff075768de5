package share

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"entire-plumb/internal/safefile"
)

// announced is where pushes to some remotes were said to bring the checkpoints, by remote. All is
// hashed: an address may hold a password.
type announced map[string]string

// mostAnnounced is how many remotes are remembered, and announcedSize the size of their file, which
// is for this program alone: an entry has two hashes, 30 bytes. With more remotes the file begins
// anew, and each is said once more.
const (
	mostAnnounced = 100
	announcedSize = 16 << 10
)

func (p Place) announcedFile() string { return filepath.Join(p.Shared, "announced.json") }

// Announce notes that the user has seen where the checkpoints go, or why they don't, with a push to
// a remote, and reports whether that is new: it is said once, until the configuration changes.
func (p Place) Announce(remote string, t Target) bool {
	a, _ := safefile.ReadPrivate[announced](p.announcedFile(), announcedSize) // else it is said again
	to := hashed(t.Elected + "\n" + t.Remote + "\n" + t.Why)
	if a[hashed(remote)] == to {
		return false
	}
	// Beginning anew repeats some lines, and needs no order of what is oldest.
	if a == nil || len(a) >= mostAnnounced {
		a = announced{}
	}
	a[hashed(remote)] = to
	_ = safefile.WritePrivate(p.announcedFile(), a)
	return true
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	// 48 bits tell a hundred remotes apart, and say nothing of an address.
	return hex.EncodeToString(sum[:6])
}
