// Command profiled is entire-plumb, and leaves a profile of its processor time in a directory that
// bench names.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"

	"entire-plumb/internal/cli"
)

func main() {
	f, err := os.Create(filepath.Join(os.Getenv("ENTIRE_BENCH_PROFILES"), fmt.Sprint(os.Getpid())))
	if err = cmp.Or(err, pprof.StartCPUProfile(f)); err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
	code := cli.Main(os.Args)
	pprof.StopCPUProfile()
	os.Exit(code)
}
