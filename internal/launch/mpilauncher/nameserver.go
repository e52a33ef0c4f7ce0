package mpilauncher

import (
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/plan"
)

// nameServerProgram is the name server of Open MPI 4. Jobs join each other through it if their launchers have
// its address.
const nameServerProgram = "ompi-server"

// envNameServer is the variable with the address of the name server, for launchers and
// processes of Open MPI 4.
const envNameServer = "OMPI_MCA_pmix_server_uri"

// nameServerLimit is how long a name server may take to print its address.
const nameServerLimit = 10 * time.Second

// nameServer returns the name server of the run, or nil if it needs none.
func (s *JoinServers) nameServer() *joinServer {
	jobs, needed := s.Plan.NeedsNameServer()
	if !needed || s.userHasNameServer(jobs) {
		return nil
	}
	return &joinServer{
		kind: "name server", program: nameServerProgram, release: "Open MPI 4", jobs: jobs, limit: nameServerLimit,
		// "+" is standard error. ompi-server flushes standard output only at its end.
		args: []string{"--no-daemonize", "--report-uri", "+"},
		env:  s.Plan.Jobs[jobs[0]].Env,
		announces: func(line string) (string, bool) {
			return line, strings.Contains(line, ";tcp")
		},
	}
}

// userHasNameServer reports whether the user has named a name server for one of the jobs.
func (s *JoinServers) userHasNameServer(jobs []int) bool {
	return slices.ContainsFunc(jobs, func(j int) bool {
		job := &s.Plan.Jobs[j]
		_, inJob := envvar.Lookup(job.Env, envNameServer)
		_, around := envvar.Lookup(s.Environ, envNameServer)
		return inJob || around || strings.Contains(job.Line, "-ompi-server ") || strings.Contains(job.Line, "pmix_server_uri ")
	})
}

// Variables returns the variables with the address of a job's name server.
func (s *JoinServers) Variables(job *plan.Job) []string {
	for _, server := range s.servers {
		if server.program == nameServerProgram && slices.Contains(server.jobs, job.Number) {
			return []string{envNameServer + "=" + server.address}
		}
	}
	return nil
}
