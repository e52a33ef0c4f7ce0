package tests

import (
	"testing"
	"time"
)

// TestCrowd runs 64 ranks in two jobs: barriers, a ring of copies, and waiting that
// must not cost processor time, which the program checks itself.
func TestCrowd(t *testing.T) {
	program := suite.C(t, "ring")
	for net, barriers := range map[string]string{"auto": "1000", "tcp": "200"} {
		t.Run(net, func(t *testing.T) {
			place := suite.Place(t)
			begin := time.Now()
			command := program + " " + barriers + " 3"
			t.Log(place.MustRead(jobs(job{"acprun", 32, command}, job{"acprun", 32, command}), "macprun", "-np", "64", "-net", net))
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("took %v, expected less than 30 s", took)
			}
		})
	}
}
