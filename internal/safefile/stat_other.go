//go:build !unix

package safefile

// StatData is not known here.
func StatData(string) (data string, ok bool) { return "", false }
