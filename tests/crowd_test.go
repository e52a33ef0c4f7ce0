package tests

import (
	"testing"
	"time"
)

// TestCrowd runs 64 ranks in two jobs: barriers, a ring of copies, and waiting that
// must not cost processor time, which the program checks itself.
func TestCrowd(t *testing.T) {
	program := suite.C(t, "ring")
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			place := suite.Place(t)
			begin := time.Now()
			t.Log(place.MustRead(jobs(job{"acprun", 32, program + " 1000 3"}, job{"acprun", 32, program + " 1000 3"}), "macprun", "-np", "64", "-net", net))
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("took %v, expected less than 30 s", took)
			}
		})
	}
}
