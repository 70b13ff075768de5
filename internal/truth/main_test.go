package main

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/testdir"
)

// TestMain makes the test's program the one that is tested, where it is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "entire-plumb" {
		os.Exit(cli.Main(os.Args))
	}
	testdir.InMemory()
	testdir.NoHome()
	os.Exit(m.Run())
}
