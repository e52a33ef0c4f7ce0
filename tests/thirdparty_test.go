package tests

import "testing"

// TestThirdPartyCopy: a rank on a third host moves 64 MiB between two hosts. The bytes must not
// cross its own network.
func TestThirdPartyCopy(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(3)
	t.Log(sandbox.Must("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 2), "-smemsize", "64m", suite.Go(t, "thirdparty")))
}
