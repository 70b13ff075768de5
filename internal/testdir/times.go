package testdir

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Times is how often a test tries something at random: as often as it can be afforded where
// everything is tested, with ENTIRE_TEST_ALL, and a few times in a plain go test, or where CI has
// no more time.
func Times[N int | uint64 | int64](everything, few N) N {
	if os.Getenv("ENTIRE_TEST_ALL") != "" && !late() {
		return everything
	}
	return few
}

// Rounds is Times with a number between them for CI, which has minutes.
func Rounds(everything, ci, few int) int {
	if os.Getenv("ENTIRE_TEST_ALL") == "rest" {
		return Times(ci, few)
	}
	return Times(everything, few)
}

// InTime skips a test of those that take long where CI has no more time. .ci/nightly has hours. A
// parallel test calls it once it goes on.
func InTime(t Skipper) {
	if late() {
		t.Skip("CI has no more time: .ci/nightly plays it")
	}
}

// late reports whether ENTIRE_TEST_MINUTES have passed since the tests of a package began: CI has
// minutes, on a slow machine as on a fast one.
func late() bool {
	minutes, err := strconv.ParseFloat(os.Getenv("ENTIRE_TEST_MINUTES"), 64)
	return err == nil && time.Since(began).Minutes() > minutes
}

// Skipper is a test, or a script.
type Skipper interface{ Skip(...any) }

var began = time.Now()

// Shuffled puts what CI may have no time for into another order for each value of ENTIRE_TEST_SEED,
// so that the last of them aren't those that never play.
func Shuffled(t testing.TB, files []string) []string {
	seed := os.Getenv("ENTIRE_TEST_SEED")
	if seed == "" {
		return files
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	Must(t, err)
	rand.New(rand.NewPCG(n, n)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files
}
