package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// dvmProgram is the program that makes a DVM, of PRRTE, which Open MPI 5 brings along.
const dvmProgram = "prte"

// kindDVM is how messages call a DVM.
const kindDVM = "DVM"

// dvmReady is what it says when its daemons run.
const dvmReady = "DVM ready"

// dvmLimit is how long a DVM may take: a remote login for each host, several at a
// time.
const dvmLimit = time.Minute

// refuseSpread refuses a PRRTE whose daemons do not survive that processes on several
// hosts meet: those of 3.0.8 take what they get then for something else and write behind
// the end of an array (connect_release). Earlier versions are not trusted; of later ones
// nothing is known.
func refuseSpread(version string) error {
	var major, minor, release int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &release); err != nil {
		return nil
	}
	if slices.Compare([]int{major, minor, release}, []int{3, 0, 8}) > 0 {
		return nil
	}
	return fmt.Errorf("PRRTE %s crashes when jobs on several hosts meet; a version after 3.0.8 is needed", version)
}

// dvms are the DVMs of the run.
func (r *runner) dvms() []*service {
	var services []*service
	for _, d := range r.plan.DVMs {
		s := &service{
			kind: kindDVM, program: dvmProgram, release: "Open MPI 5", jobs: d.Jobs, limit: dvmLimit,
			args: []string{"--report-uri", d.Address},
			announces: func(line string) (string, bool) {
				return "", line == dvmReady
			},
		}
		if d.Spread {
			s.refuses = refuseSpread
		}
		if os.Geteuid() == 0 {
			s.args = append(s.args, "--allow-run-as-root")
		}
		if d.MachineFile != "" {
			s.args = append(s.args, "--hostfile", d.MachineFile)
		}
		// Processes inherit the environment of the daemons, and what is meant for
		// those of one job must not reach those of another.
		for _, entry := range r.plan.Jobs[d.Jobs[0]].Env {
			if strings.HasPrefix(entry, "PRTE_") || strings.HasPrefix(entry, "PMIX_") {
				s.env = append(s.env, entry)
			}
		}
		services = append(services, s)
	}
	return services
}

// apart lets jobs be started without a DVM.
func (r *runner) apart(jobs []int) {
	for _, j := range jobs {
		if alone := r.plan.Jobs[j].WithoutDVM; alone != nil {
			r.plan.Jobs[j] = *alone
		}
	}
}

// dvmVariables reports whether the number of a leader is that of a job beneath a DVM.
func (r *runner) beneathDVM(number int) bool {
	return r.program == config.Macprun && r.plan.Jobs[number].DVM != ""
}

// endDVMs asks the DVMs to end their jobs: launchers beneath a DVM do not pass on a
// request to end.
func (r *runner) endDVMs() {
	for _, s := range r.services {
		if s.kind == kindDVM {
			// It may have ended meanwhile.
			_ = process.HostProc.Signal(s.id, unix.SIGTERM)
		}
	}
}
