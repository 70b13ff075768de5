//go:build !linux

// Package testdir puts the temporary files of tests into memory.
package testdir

// InMemory does nothing where it is not known how to have files in memory.
func InMemory() {}
