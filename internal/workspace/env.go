package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"entire-plumb/gitexec"
)

// Env is the environment of a hook or a command.
type Env struct {
	Dir     string              // the current directory; required
	Stdin   io.Reader           // required for hooks
	Stdout  io.Writer           // read by the agent; required for its hooks
	Stderr  io.Writer           // required
	Getenv  func(string) string // required
	Now     func() time.Time    // required
	NewID   func() string       // 12 random hex digits; required to record
	Version string              // of this program, for checkpoints; required to record
	Tracer  *gitexec.Tracer     // prints git's processes; nil: they are not printed
}

// RandomID returns 12 random hex digits.
func RandomID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Warn writes a line to stderr, after this program's name.
func (e Env) Warn(line string) { fmt.Fprintln(e.Stderr, "entire-plumb: "+gitexec.Harmless(line)) }
