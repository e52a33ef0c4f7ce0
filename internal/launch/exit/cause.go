package exit

import "golang.org/x/sys/unix"

// Cause is the report of an MPI job's launcher about the process that has failed first in the job.
type Cause struct {
	Rank    int    // in MPI_COMM_WORLD; -1 = not reported
	PID     int    // on Host; 0 = not reported
	Host    string // the host name in the report
	Status  Status // how the process has ended, if Known
	Known   bool
	Aborted bool   // the process has ended the job: by MPI_Abort, or the MPI by an error
	Message string // the message of the MPI about that; "" = none
}

// Unsaid is the cause of a launcher that has reported nothing.
var Unsaid = Cause{Rank: -1}

// KilledByLauncher reports whether a process may have been killed by the launcher of its job, as
// launchers of MPI do with the other processes of a job in which one has failed.
func (s Status) KilledByLauncher() bool {
	return s.Signal == int(unix.SIGKILL) || s.Signal == int(unix.SIGTERM)
}
