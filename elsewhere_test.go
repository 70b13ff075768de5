package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestVetElsewhere: the program and its tests compile for systems that they are not played on.
func TestVetElsewhere(t *testing.T) {
	if !all() {
		t.Skip(whenAll)
	}
	for _, system := range []string{"windows", "darwin", "freebsd"} {
		cmd := exec.Command("go", "vet", "./...")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
