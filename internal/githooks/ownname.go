package githooks

import (
	"regexp"
	"strings"
	"sync"
)

// ownName is how a script asks for the name that it was called by, in a shell and in other
// languages.
var ownName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{?0\b|\$\{?BASH_SOURCE|\bargv\[0\]|process\.argv\[1\]|__file__|__FILE__|__filename|\$PROGRAM_NAME`)
})

// ofDirectory is what has the directory of the name alone, which a hook keeps under another name.
var ofDirectory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bdirname\b[^;|&)]*|\$\{(0|BASH_SOURCE(\[0\])?)%/\*\}`)
})

// prints is the beginning of a line that prints the name, and runs nothing of it.
var prints = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|[^$`])\\b(echo|printf|print|puts|warn|die)\\b[^`]*$")
})

// readsOwnName reports whether a hook may find its work by its own name, as one that runs a file of
// the same name elsewhere: under another name it would find other work, or none.
func (f theirs) readsOwnName() bool {
	if f.opaque { // no line of ours could be added to it
		return false
	}
	for line := range f.code() {
		for _, at := range ownName().FindAllStringIndex(line, -1) {
			before := line[:at[0]]
			safe := prints().MatchString(before) && !strings.Contains(before, "$(")
			for _, d := range ofDirectory().FindAllStringIndex(line, -1) {
				safe = safe || d[0] <= at[0] && at[1] <= d[1]
			}
			if !safe {
				return true
			}
		}
	}
	return false
}
