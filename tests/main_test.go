package tests

import (
	"os"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// suite compiles the test programs and has the build tree.
var suite *harness.Suite

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &suite)) }
