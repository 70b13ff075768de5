//go:build !unix

package safefile

// Elsewhere there are no FIFOs among files, and what a name stands for is looked at before it is
// opened.
const (
	nonBlock = 0
	noFollow = 0
)
