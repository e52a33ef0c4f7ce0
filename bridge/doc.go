// Package bridge makes one rank space of several jobs.
//
// A run consists of members: processes that were started by one or by several launchers. Package bridge
// connects them, gives each its number, exchanges one small blob between the members of a cohort, detects lost members,
// and decides which fabric serves which pair. It moves no user data.
//
// The simplest use is
//
//	boot, err := bridge.Start(ctx)
//	…
//	blobs, err := boot.Exchange(ctx, contact.Append(nil))
//	…
//	roster, err := bridge.NewRoster(boot, blobs)
//	…
//	boot.Close()
//
// # Vocabulary
//
//   - run: everything that one command such as macprun started.
//   - job: part of a run with its own launcher (acprun, mpirun, …), numbered
//     from 0 in the order of the inputfile.
//   - job rank: number of a process in its job.
//   - member: number of a process in the run: the sizes of the jobs before its
//     own plus its job rank. It never changes. ACP ranks are equal to members
//     until acp_reset permutes them, which this package does not see.
//   - cohort: the members that have started together, and exchange blobs with each other: those
//     of the beginning, or guests whose jobs have attached to the run later.
//   - seat: the number of a member that a process can get. A seat is given once.
//   - rendezvous: the [Server] inside the launcher to which every member keeps
//     one connection for as long as it lives.
//   - contact: the description of one member for all other members, see [Contact].
//
// # Guarantees
//
// If a member ends without leaving, for any reason, [Bootstrap.Lost] of all others of its cohort is closed, and of
// all guests if the cohort is that of the beginning. The death of the launcher closes it as well. A process without the run's [Token] cannot become a member and gets no
// information about the run. All such processes together occupy a limited number of the server's places.
//
// Decisions that need no socket (which job rank an environment means, which
// route a pair takes) are pure functions.
package bridge
