package seal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filippo.io/age"
)

// IdentityKey is the name in git's configuration of the file of the user's identities.
const IdentityKey = "entire-plumb.identity"

// IdentityName is the file of the user's identities, or an identity itself; empty: there is none.
// configured are the values of IdentityKey.
func IdentityName(configured []string) (string, error) {
	if n := len(configured) - 1; n >= 0 && configured[n] != "" {
		file := configured[n]
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", err
			}
			file = filepath.Join(home, rest)
		}
		return file, nil
	}
	if name := os.Getenv("ENTIRE_PLUMB_IDENTITY"); name != "" {
		return name, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", nil // a hook may run without a home
	}
	file := filepath.Join(dir, "entire-plumb", "identity.txt")
	if _, err := os.Stat(file); err != nil {
		return "", nil
	}
	return file, nil
}

// Opens reports whether one of the identities is of one of the recipients. Identities that cannot
// be read open nothing.
func (k *Keys) Opens(recipients []string) bool {
	all, _ := k.load()
	return slices.ContainsFunc(all, func(i age.Identity) bool {
		switch i := i.(type) {
		case *age.X25519Identity:
			return slices.Contains(recipients, i.Recipient().String())
		case *age.HybridIdentity:
			return slices.Contains(recipients, i.Recipient().String())
		}
		return false
	})
}
