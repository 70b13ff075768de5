// Command profiled is entire-plumb, and leaves a profile of its processor time in a directory that
// bench names.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/safefile"
)

func main() {
	f, err := safefile.Create(filepath.Join(os.Getenv("ENTIRE_BENCH_PROFILES"), fmt.Sprint(os.Getpid())), 0o600)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
	code := cli.Main(os.Args)
	pprof.StopCPUProfile()
	os.Exit(code)
}
