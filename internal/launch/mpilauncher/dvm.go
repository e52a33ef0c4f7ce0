package mpilauncher

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// dvmProgram is the program of PRRTE that makes a DVM. Open MPI 5 contains PRRTE.
const dvmProgram = "prte"

// kindDVM is the name of a DVM in messages.
const kindDVM = "DVM"

// dvmReady is the line that dvmProgram writes when its daemons run.
const dvmReady = "DVM ready"

// dvmLimit is how long a DVM may take to start. It needs a remote login for each host, and
// makes several at a time.
const dvmLimit = time.Minute

// refuseSpread refuses versions of PRRTE whose daemons crash when processes on several hosts join
// each other. The daemons of 3.0.8 misread the answer to connect_release and write behind the
// end of an array. Earlier versions are refused as well. Later ones are accepted.
func refuseSpread(version string) error {
	var major, minor, release int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &release); err != nil {
		return nil
	}
	if slices.Compare([]int{major, minor, release}, []int{3, 0, 8}) > 0 {
		return nil
	}
	return fmt.Errorf("PRRTE %s crashes when jobs on several hosts join each other; a version after 3.0.8 is needed", version)
}

// dvms returns the DVMs of the run.
func (s *JoinServers) dvms() []*joinServer {
	var servers []*joinServer
	for _, d := range s.Plan.DVMs {
		server := &joinServer{
			kind: kindDVM, program: dvmProgram, release: "Open MPI 5", jobs: d.Jobs, limit: dvmLimit,
			args: []string{"--report-uri", d.Address},
			announces: func(line string) (string, bool) {
				return "", line == dvmReady
			},
		}
		if d.Spread {
			server.refuses = refuseSpread
		}
		if os.Geteuid() == 0 {
			server.args = append(server.args, "--allow-run-as-root")
		}
		if d.MachineFile != "" {
			server.args = append(server.args, "--hostfile", d.MachineFile)
		}
		// The processes inherit the environment of the daemons. Variables that are meant for
		// one job must not reach the processes of another.
		for _, entry := range s.Plan.Jobs[d.Jobs[0]].Env {
			if strings.HasPrefix(entry, "PRTE_") || strings.HasPrefix(entry, "PMIX_") {
				server.env = append(server.env, entry)
			}
		}
		servers = append(servers, server)
	}
	return servers
}

// planWithoutDVM makes jobs run without a DVM.
func (s *JoinServers) planWithoutDVM(jobs []int) {
	for _, j := range jobs {
		if alone := s.Plan.Jobs[j].WithoutDVM; alone != nil {
			s.Plan.Jobs[j] = *alone
		}
	}
}

// EndDVMs asks the DVMs to end their jobs, because the launcher of a job in a DVM does not pass on a request
// to end.
func (s *JoinServers) EndDVMs() {
	for _, server := range s.servers {
		if server.kind == kindDVM {
			// It may have ended meanwhile.
			_ = process.HostProc.Signal(server.id, unix.SIGTERM)
		}
	}
}
