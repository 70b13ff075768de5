package autocommit

import (
	"testing"

	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }
