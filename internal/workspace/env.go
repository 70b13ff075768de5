package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"entire-plumb/gitexec"
)

// Env is what a hook or a command takes from the world around it.
type Env struct {
	Dir     string // where it was called
	Stdin   io.Reader
	Stdout  io.Writer // what an agent reads
	Stderr  io.Writer
	Getenv  func(string) string
	Now     func() time.Time
	NewID   func() string // 12 random hex digits
	Version string
	Tracer  *gitexec.Tracer
}

// RandomID gives 12 random hex digits.
func RandomID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Warn writes a line to stderr, in the name of this program.
func (e Env) Warn(line string) { fmt.Fprintln(e.Stderr, "entire-plumb: "+gitexec.Harmless(line)) }
