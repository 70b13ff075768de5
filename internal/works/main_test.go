package works

import (
	"os"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) {
	testdir.InMemory()
	testdir.NoHome()
	os.Exit(m.Run())
}
