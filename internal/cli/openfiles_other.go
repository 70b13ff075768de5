//go:build !unix

package cli

// openFilesFault is nil: the system has no such limit.
func openFilesFault() error { return nil }
