// Package lifecycle is the life of one process in a run. The process is open until the run is over
// or the process finalizes.
//
// A [Lifecycle] notices the end of the run, by the bootstrap or because a connection has broken,
// and then ends all waiting of the process. It also says why the run is over: the launcher, if
// there is one, knows more about that than a rank does, and is waited for.
//
// A [Structure] is what a structure or a protocol takes part in: what other processes may ask
// of it, what ends when the run is over, and what Finalize and Reset do with it. A process has
// one list of them, [Structures]. It reads from it the table of what its agent serves, and
// calls it at each event of its life.
package lifecycle
