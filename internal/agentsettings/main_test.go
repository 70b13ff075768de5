package agentsettings

import (
	"os"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) {
	testdir.InMemory()
	os.Exit(m.Run())
}
