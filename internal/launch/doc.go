// Package launch implements acprun and macprun: it starts the processes of a run, joins them to one rank
// space through the rendezvous server of package bridge, and watches them until the last one has ended.
//
//	os.Exit(launch.Macprun(launch.OS()))
//
// # Words
//
// A job is one launcher command with its processes: `acprun` or an MPI launcher. Jobs have consecutive ranges
// of members, in the order of the inputfile; job j with first rank f and size n holds the members f … f+n-1.
// A job rank is the number of a process in its job: the process number of acprun, the MPI rank in
// MPI_COMM_WORLD of an MPI job. A launcher is the program that starts the processes of a job. Its behaviour
// depends on its MPI family.
//
// # How it is built
//
// The packages below this one hold its parts. None imports this one, and each imports only
// those above it in this list:
//
//	addressspace how much address space a launcher needs
//	exit         how processes end
//	shell        the syntax of shells
//	config       what the user asks for: options, variables, files
//	allocation   the hosts that a batch system has given to the job
//	process      processes of this host: starting, finding and ending them
//	stdio        their standard input and output
//	plan         what is to be started: every command line and variable
//	message      what launchers and proxies tell each other
//	supervise    whether the run goes on, and why it ends
//	usersocket   sockets of launchers for processes of the same user
//	source       the lines of programs that addresses belong to
//	survey       what the ranks do, for -stall and acpstat
//	control      how jobs of another launcher attach to a run
//	rendezvous   the server at which the processes of the run meet
//	account      what the ranks have transferred, for -stats and -trace
//	remote       processes on other hosts
//	mpilauncher  how launchers of MPI behave
//
// config, plan and supervise decide, and are pure: they open no file, start no process and read no clock,
// except that config reads the files that it is given. This package carries the decisions out. The type
// runner runs a plan. acprunJob and macprunJobs hold the differences between acprun and macprun.
//
// # Guarantees
//
// The exit status is 0 if every process has ended with 0. Otherwise it is the status of the first process
// that has ended with another status, or 128 + the number of the signal that has killed that process. If a
// process is killed, aborts, or is lost while it belongs to the run, the run ends within two seconds, with
// one line that names rank, job, host, pid and cause. When the launcher has ended, no process that it
// started, no temporary file and no socket of the run is left on its host. If the launcher itself is killed,
// a small process, the cleaner, sees to that.
//
// The run's token is in a file that only the user may read, in the run's private directory on
// each host. It travels through pipes and the remote shell, never in an environment or on a
// command line. The environment names the file.
package launch
