package testdir

import "os"

// Times is how often a test tries something at random: as often as it can be afforded where
// everything is tested, as CI does with ENTIRE_TEST_ALL, and a few times in a plain go test.
func Times[N int | uint64 | int64](everything, few N) N {
	if os.Getenv("ENTIRE_TEST_ALL") != "" {
		return everything
	}
	return few
}
