// Package watchdog notices that a member will not come to a barrier in which others wait for it.
//
// The launchers of this library notice at once when a process ends, and connections that break
// show it, too. Under mpirun alone, on one host, nothing else notices it if the process has
// finalized MPI or if mpirun does not look. So a process that is parked in a barrier watches the
// process of the next member of its group. Of the processes that wait, one has the missing
// member as its next.
//
// A process that is in MPI_Finalize is alive, but it does not come to a barrier any more. It
// watches itself: it asks other members of its job whether they wait for it.
package watchdog
