package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/replay"
)

var update = flag.Bool("update", false, "rewrite what cmp compares in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"entire-plumb": program})
}

// TestScripts plays every scenario of testdata/scripts with the program as it is installed: real git, real hooks.
func TestScripts(t *testing.T) {
	params := replay.Params()
	params.Dir = "testdata/scripts"
	params.UpdateScripts = *update
	testscript.Run(t, params)
}
