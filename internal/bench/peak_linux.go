package main

import (
	"os"
	"syscall"
)

// peakOf is the most memory that a process, or one that it waited for, had.
func peakOf(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
