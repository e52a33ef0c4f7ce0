//go:build mpi

package bridge

import (
	"strings"

	"github.com/goacp/goacp/mpi"
)

// EnvNameServer is the variable in which processes of Open MPI 4 find the address
// of the name server by which jobs meet, whether it was given to mpirun as
// --ompi-server or in this variable.
const EnvNameServer = "OMPI_MCA_pmix_server_uri"

// Open MPI 4 tells processes where the daemon of their host is and where mpirun
// is, which is the daemon of its own host.
const (
	envLocalDaemon = "OMPI_MCA_orte_local_daemon_uri"
	envMpirun      = "OMPI_MCA_orte_hnp_uri"
)

// meetingQuirk returns why this process's job cannot meet others of the same MPI,
// where trying would take long or do harm, or nothing.
func meetingQuirk(library mpi.Library, getenv func(string) string) string {
	if library.Name != "Open MPI" || library.Major() >= 5 {
		return ""
	}
	switch {
	case getenv(EnvNameServer) == "":
		// mpirun ends the job if a process asks for what only a name server can do.
		return "jobs of " + library.String() + " meet by an ompi-server, and there is none"
	case getenv(envLocalDaemon) != getenv(envMpirun):
		// mpirun publishes a null pointer in the place of the address of the daemon on
		// another host, with which the mpirun of the other job crashes (4.1.4,
		// orte_pmix_server_register_nspace and _cnlk in orte/orted/pmix).
		return library.String() + " cannot join a job with processes on another host than its mpirun"
	}
	return ""
}

// envNamespace is the variable in which processes of Open MPI 5 find the name of their
// job: that of the DVM beneath which it runs, '@' and a number. A launcher that knows
// of no DVM is one of its own.
const envNamespace = "PMIX_NAMESPACE"

// meetingRealm returns the name of what a job has to have in common with others of the
// same MPI to be able to meet them, or nothing if all of them can.
func meetingRealm(library mpi.Library, getenv func(string) string) string {
	if library.Name != "Open MPI" || library.Major() < 5 {
		return ""
	}
	dvm, _, _ := strings.Cut(getenv(envNamespace), "@")
	return "DVM " + dvm
}
