//go:build !(linux && amd64)

package main

func (f fault) trace([]string) int {
	fail("system calls are counted on Linux and amd64 alone")
	return 0
}
