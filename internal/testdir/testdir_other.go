//go:build !linux

package testdir

// InMemory does nothing where it is not known how to have files in memory.
func InMemory() {}
