// Package launch is what acprun and macprun share: it turns command lines,
// inputfiles, nodefiles and YAML descriptions into a launch plan, starts the
// processes of the plan on this and other hosts, joins them to one rank space
// through the rendezvous server of package bridge, and watches them until the
// last one is gone.
//
//	os.Exit(launch.Macprun(launch.OS()))
//
// # Words
//
// A job is one launcher command with its processes: `acprun` or an MPI launcher.
// Jobs have consecutive ranges of members, in the order of the inputfile; job j
// with first rank f and size n holds the members f … f+n-1. A job rank is the
// number of a process in its job: the process number of acprun, the MPI rank in
// MPI_COMM_WORLD of an MPI job. A launcher is the program that starts the
// processes of a job; the flavour of a launcher says which MPI it belongs to.
//
// # How it is built
//
// The decisions are pure functions on values: ParseInputfile, ParseNodefile,
// ParseYAML and ParseOptions turn text into an Inputfile, a list of hosts and
// Options; New turns those into a Plan, which holds every command line and
// every variable; the supervisor turns what happens to processes into a verdict.
// None of them opens a file, starts a process or reads the clock. The edge is
// runner (processes, signals, the rendezvous), relay (output by lines), proxy
// (processes on other hosts) and the janitor.
//
// # Guarantees
//
// The exit status is 0 if every process ended with 0, otherwise that of the
// first that did not, 128 + the number of the signal for a killed one. A
// process that is killed, aborts, or is lost while it belongs to the run takes
// the run down within two seconds, with one line that names rank, job, host, pid
// and cause. When the launcher has ended no process that it started, no
// temporary file and no socket of the run is left on its host, even if the launcher
// itself was killed: then a small watchdog process, the janitor, does the work.
//
// The run's token is in a file that only the user may read, in the run's private
// directory on each host. It travels through pipes and the remote shell, never in an
// environment or on a command line; the environment names the file.
package launch
