//go:build !unix

package main

func (f fault) git([]string) int {
	fail("signals are sent on Unix alone")
	return 0
}
