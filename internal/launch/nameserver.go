package launch

import (
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/plan"
)

// Jobs of Open MPI 4 meet by a name server that all their launchers know.

// nameServerProgram is the name server of Open MPI 4.
const nameServerProgram = "ompi-server"

// envNameServer tells launchers and processes of Open MPI 4 the name server.
const envNameServer = "OMPI_MCA_pmix_server_uri"

// nameServerLimit is how long a name server may take to say where it is.
const nameServerLimit = 10 * time.Second

// nameServer is the name server of the run, or nil if none is to be started.
func (r *runner) nameServer() *service {
	jobs, needed := r.plan.NeedsNameServer()
	if !needed || r.ownNameServer(jobs) {
		return nil
	}
	return &service{
		kind: "name server", program: nameServerProgram, release: "Open MPI 4", jobs: jobs, limit: nameServerLimit,
		// Standard output would be flushed at the end only.
		args: []string{"--no-daemonize", "--report-uri", "+"},
		env:  r.plan.Jobs[jobs[0]].Env,
		announces: func(line string) (string, bool) {
			return line, strings.Contains(line, ";tcp")
		},
	}
}

// ownNameServer reports whether the user has named a name server himself.
func (r *runner) ownNameServer(jobs []int) bool {
	return slices.ContainsFunc(jobs, func(j int) bool {
		job := &r.plan.Jobs[j]
		_, inJob := envvar.Lookup(job.Env, envNameServer)
		_, around := envvar.Lookup(r.std.Environ, envNameServer)
		return inJob || around || strings.Contains(job.Line, "-ompi-server ") || strings.Contains(job.Line, "pmix_server_uri ")
	})
}

// nameServerEnv tells a job its name server.
func (r *runner) nameServerEnv(job *plan.Job) []string {
	for _, s := range r.services {
		if s.program == nameServerProgram && slices.Contains(s.jobs, job.Number) {
			return []string{envNameServer + "=" + s.address}
		}
	}
	return nil
}
