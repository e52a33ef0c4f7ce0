package survey

// State is the state of a rank.
type State string

// The states of a rank. The first four are those of a process that has called acp_init.
const (
	Computing  State = "computing"   // a thread of it runs, and none waits in the library
	Sleeping   State = "sleeping"    // all its threads sleep, and none in the library
	Stopped    State = "stopped"     // by a signal or a debugger
	Waiting    State = "waiting"     // a thread of it waits in the library
	NotStarted State = "not started" // the launcher of its job has not started it, as far as is known
	Outside    State = "outside"     // it has been started and has not called acp_init
	Left       State = "left"        // it has called acp_finalize
	Ended      State = "ended"
	NotSeen    State = "not seen" // it is in the run, and its host has not said what it does
)
