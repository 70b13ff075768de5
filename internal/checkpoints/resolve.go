package checkpoints

import (
	"fmt"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// ResolveID returns the checkpoint whose ID begins with a prefix of at least four digits; a ULID's
// may be in lower case. Its errors are ErrNoCheckpoint and AmbiguousError.
func ResolveID(db *gitexec.ODB, b Branch, prefix string) (string, error) {
	none := fmt.Errorf("%w: %s", ErrNoCheckpoint, prefix)
	if !message.ValidPrefix(prefix) {
		prefix = strings.ToUpper(prefix)
	}
	// git takes no shorter abbreviation of an object ID, either.
	if len(prefix) < 4 || !message.ValidPrefix(prefix) {
		return "", none
	}
	found, err := b.withPrefix(db, prefix)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", none
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{prefix, found}
}
