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
	Dir     string // the current directory
	Stdin   io.Reader
	Stdout  io.Writer // read by the agent
	Stderr  io.Writer
	Getenv  func(string) string
	Now     func() time.Time
	NewID   func() string // 12 random hex digits
	Version string
	Tracer  *gitexec.Tracer
}

// RandomID returns 12 random hex digits.
func RandomID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Warn writes a line to stderr, after this program's name.
func (e Env) Warn(line string) { fmt.Fprintln(e.Stderr, "entire-plumb: "+gitexec.Harmless(line)) }
