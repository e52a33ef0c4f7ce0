package tests

import "testing"

// TestCrowd runs 64 ranks in two jobs: barriers, a ring of copies, and a wait in which the ranks
// sleep. The program checks that.
func TestCrowd(t *testing.T) {
	program := suite.C(t, "ring")
	for net, barriers := range map[string]string{"auto": "1000", "tcp": "200"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			command := program + " " + barriers + " 3"
			t.Log(sandbox.MustRead(jobs(job{"acprun", 32, command}, job{"acprun", 32, command}), "macprun", "-np", "64", "-net", net))
		})
	}
}
