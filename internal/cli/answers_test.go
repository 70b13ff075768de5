package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// TestAskInterrupted: a question that is interrupted has no answer, and the command ends.
func TestAskInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in, _ := io.Pipe() // nobody answers
	var out bytes.Buffer
	go interrupt()
	if answer, err := askOn(&out, typed{ctx, in}, "Delete all? [y/N] "); err != errInterrupted || answer != "" || out.String() != "Delete all? [y/N] \n" {
		t.Errorf("%q, %v, %q", answer, err, out.String())
	}
	if answer, err := askOn(io.Discard, typed{t.Context(), strings.NewReader(" YES\nno\n")}, "Delete all? [y/N] "); err != nil || answer != "yes" {
		t.Errorf("%q, %v", answer, err)
	}
}
