package githooks

import (
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// ProbeVariable names a file, called probeName, in which the program notes the hook that it was
// called for, in place of what that hook does.
const ProbeVariable = "ENTIRE_PLUMB_PROBE"

const probeName = "entire-plumb-probe"

// Probe is the file of a probe in a directory.
func Probe(dir string) string { return filepath.Join(dir, probeName) }

// Probed notes a hook in the file of a probe, and reports whether there is one: another file is not
// written.
func Probed(file, hook string) bool {
	if filepath.Base(file) != probeName || !filepath.IsAbs(file) {
		return false
	}
	if text, err := safefile.ReadOwn(file, 1<<10); err != nil || len(text) > 0 {
		return false // it has to be there, and empty
	}
	f, err := safefile.Append(file, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.WriteString(hook + "\n")
	return err == nil
}

// ProbedHooks are the hooks that a probe's file names.
func ProbedHooks(file string) []string {
	text, err := safefile.Read(file, 1<<10)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}
