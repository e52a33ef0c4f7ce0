package mpilauncher

import (
	"testing"

	"github.com/goacp/goacp/internal/launch/plan"
)

func TestUserHasNameServer(t *testing.T) {
	for line, want := range map[string]bool{
		"exec mpirun -np 2 ./a":                                       false,
		"exec mpirun --ompi-server file:uri -np 2 ./a":                true,
		"exec mpirun -ompi-server file:uri -np 2 ./a":                 true,
		"exec mpirun --mca pmix_server_uri file:uri -np 2 ./a":        true,
		"exec mpirun --mca pmix_server_max_wait 3 -np 2 ./a --server": false,
	} {
		s := &JoinServers{Plan: &plan.Plan{Jobs: []plan.Job{{Line: line}}}}
		if got := s.userHasNameServer([]int{0}); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	s := &JoinServers{Plan: &plan.Plan{Jobs: []plan.Job{{Env: []string{envNameServer + "=x"}}, {}}}}
	if !s.userHasNameServer([]int{0, 1}) {
		t.Error("a name server in the environment of a job was not seen")
	}
}
