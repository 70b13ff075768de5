package checkpoints

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// keyRequire is a key of git's configuration, which no clone brings along.
const keyRequire = gitexec.Section + ".requiresignatures"

// RequireSignatures reports whether only what allowed signers have signed is taken from others. Any
// value that doesn't say no says so.
func RequireSignatures(own map[string][]string) bool {
	values := own[keyRequire]
	return len(values) > 0 && !slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(values[len(values)-1]))
}

// SignaturesRequired is likewise for a repository. Then what was fetched counts once it was united
// with the branch, and not before.
func SignaturesRequired(db *gitexec.ODB) bool {
	own, err := db.OwnConfig()
	// Where the configuration cannot be read, the stricter answer counts.
	return err != nil || RequireSignatures(own)
}
