//go:build mpi

package bridge

import (
	"strings"

	"github.com/goacp/goacp/mpi"
)

// EnvNameServer is the variable with the address of the name server, for processes of Open MPI
// 4. mpirun sets it too if it gets the address by --ompi-server.
const EnvNameServer = "OMPI_MCA_pmix_server_uri"

// In these variables processes of Open MPI 4 find the daemon of their host, and mpirun, which
// is the daemon of its own host.
const (
	envLocalDaemon = "OMPI_MCA_orte_local_daemon_uri"
	envMpirun      = "OMPI_MCA_orte_hnp_uri"
)

// joinObstacle returns why the job of this process cannot join others of the same MPI, if an
// attempt would take long or do harm. It returns "" if it can try.
func joinObstacle(library mpi.Library, getenv func(string) string) string {
	if library.Name != "Open MPI" || library.Major() >= 5 {
		return ""
	}
	switch {
	case getenv(EnvNameServer) == "":
		// If a process asks for something that needs a name server, mpirun ends the job.
		return "jobs of " + library.String() + " need an ompi-server to join each other, and there is none"
	case getenv(envLocalDaemon) != getenv(envMpirun):
		// In place of the address of the daemon on another host mpirun publishes a null
		// pointer. The mpirun of the other job then crashes (4.1.4,
		// orte_pmix_server_register_nspace and _cnlk in orte/orted/pmix).
		return library.String() + " cannot join a job with processes on another host than its mpirun"
	}
	return ""
}

// envNamespace is the variable with the name of the job, for processes of Open MPI 5. The name
// is that of the job's DVM, '@' and a number. A launcher that is no client of a DVM is a DVM
// itself.
const envNamespace = "PMIX_NAMESPACE"

// joinDomain returns a name that jobs of the same MPI must have in common to be able to join
// each other. It returns "" if all of them can.
func joinDomain(library mpi.Library, getenv func(string) string) string {
	if library.Name != "Open MPI" || library.Major() < 5 {
		return ""
	}
	dvm, _, _ := strings.Cut(getenv(envNamespace), "@")
	return "DVM " + dvm
}
