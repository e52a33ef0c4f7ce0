package config

import (
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
)

// kind is the type of a setting's value.
type kind int

const (
	kindFlag       kind = iota // present or not
	kindCount                  // an integer > 0
	kindRank                   // an integer >= 0
	kindSize                   // bytes, with an optional unit
	kindDuration               // seconds, or a Go duration such as 1m30s
	kindStall                  // a duration, or 0
	kindText                   // any word
	kindHosts                  // host names separated by commas
	kindNet                    // name of a network
	kindRDMA                   // yes, no or auto
	kindOnError                // return, report or abort
	kindInterfaces             // interfaces, addresses or networks, separated by commas
	kindPorts                  // FIRST-LAST
	kindLinks                  // links between fields, separated by blanks
	kindLayers                 // layers of the log, separated by commas
	kindRanks                  // a list of ranks
	kindGuests                 // an integer >= 0: how many processes can attach
	kindJoin                   // host or network
	kindTarget                 // RUN or HOST:RUN
)

// Program is a set of launchers, for example those that accept a setting.
type Program int

const (
	Acprun Program = 1 << iota
	Macprun
	Dmimw
	bothPrograms = Acprun | Macprun
	allPrograms  = bothPrograms | Dmimw
)

// setting describes one option. The parser of command lines, the variables, the YAML
// description, -help-all and docs/launching.md are made from it.
type setting struct {
	name     string   // key in parsed options: the preferred spelling
	short    []string // spellings with one dash; the value is the next word
	long     []string // spellings with two dashes; the value follows '=' or is the next word
	kind     kind
	value    string // the name of the value in -help-all
	env      string // variable that gives the default, if any
	yaml     string // top-level key of the YAML description, if any
	programs Program
	often    Program // the programs whose -help shows it: those of its most useful options
	hidden   bool    // internal between the launchers
	resize   resizing
	help     string
}

// resizing is what a command that resizes a run does with an option, see [Options.Resizes].
type resizing int

const (
	ofRun     resizing = iota // nothing: the run has its value since its start
	ofAdded                   // processes that it adds have the value
	ofCommand                 // the command itself needs it
)

// settings returns all options, in the order of -help-all.
func settings() []setting { return append(settingsOfDMI(), settingsOfACP()...) }

// settingsOfACP returns the options of acprun and macprun, some of which dmimw has, too.
func settingsOfACP() []setting {
	return []setting{
		{name: "np", short: []string{"n", "np"}, long: []string{"acp-n", "acp-np", "acp-nprocs"},
			kind: kindCount, value: "N", programs: bothPrograms, often: Acprun,
			resize: ofCommand, help: "number of processes, or +N with -to: so many more for the run; acprun: by default the processes of the allocation of a batch system, otherwise 1; macprun: must equal the sum of the jobs' sizes"},
		{name: "startermemsize", short: []string{"smemsize", "startermemsize"}, long: []string{"acp-smemsize", "acp-startermemsize"},
			kind: kindSize, value: "SIZE", env: envvar.StarterSize, yaml: "startermemsize", programs: bothPrograms,
			help: "starter memory of each process in bytes; units k, m and g are powers of 1024"},
		{name: "startermemsize-cl", short: []string{"smemsize-cl", "startermemsize-cl"}, long: []string{"acp-smemsize-cl", "acp-startermemsize-cl"},
			kind: kindSize, value: "SIZE", programs: bothPrograms,
			resize: ofCommand, help: "starter memory of the communication library; checked, but without effect in this implementation"},
		{name: "startermemsize-dl", short: []string{"smemsize-dl", "startermemsize-dl"}, long: []string{"acp-smemsize-dl", "acp-startermemsize-dl"},
			kind: kindSize, value: "SIZE", env: envvar.HeapSize, yaml: "startermemsize-dl", programs: bothPrograms,
			resize: ofAdded, help: "maximum size of the global heap of each process in bytes, at least 64 MiB; smaller values are raised to 64 MiB"},
		{name: "channelmemsize", short: []string{"channelmemsize"}, long: []string{"acp-channelmemsize"},
			kind: kindSize, value: "SIZE", env: envvar.ChannelSize, programs: bothPrograms,
			help: "bytes of memory in the receiver of each channel, by default 4096"},
		{name: "nodefile", short: []string{"machinefile", "nodefile"}, long: []string{"acp-machinefile", "acp-nodefile"},
			kind: kindText, value: "FILE", yaml: "nodefile", programs: bothPrograms, often: Macprun,
			resize: ofAdded, help: "file with one host per line: NAME, NAME slots=N or NAME:N; ranks go to the places in order, round robin"},
		{name: "host", short: []string{"host", "node"}, long: []string{"acp-host", "acp-node"},
			kind: kindHosts, value: "H1,H2,…", yaml: "hosts", programs: bothPrograms, often: Acprun,
			resize: ofAdded, help: "hosts, NAME or NAME:N with N places; replaces a nodefile and the hosts of an allocation"},
		{name: "net", short: []string{"net", "ndev", "envnet"}, long: []string{"acp-net", "acp-ndev", "acp-envnet", "acp-envent"},
			kind: kindNet, value: "NET", env: envvar.Net, yaml: "net", programs: bothPrograms,
			help: "fabrics to use: auto, shm, rma or tcp; ib is a synonym of rma, udp of tcp"},
		{name: "rdma", short: []string{"rdma"}, long: []string{"acp-rdma"},
			kind: kindRDMA, value: "MODE", env: envvar.RDMA, yaml: "rdma", programs: bothPrograms,
			help: "with -net auto, use windows of MPI between hosts: yes, no, or auto (only with RDMA hardware)"},
		{name: "interface", short: []string{"interface"}, long: []string{"acp-interface"},
			kind: kindInterfaces, value: "I1,I2,…", env: envvar.Interface, yaml: "interface", programs: bothPrograms,
			help: "interfaces, addresses or networks (10.1.0.0/16) at which launchers and ranks accept connections from other hosts; by default all"},
		{name: "portrange", short: []string{"portrange"}, long: []string{"acp-portrange"},
			kind: kindPorts, value: "FIRST-LAST", env: envvar.PortRange, yaml: "portrange", programs: bothPrograms,
			help: "ports at which launchers and ranks accept connections; each launcher and rank on a host needs one; by default any"},
		{name: "to", short: []string{"to"}, long: []string{"to", "acp-to"},
			kind: kindTarget, value: "RUN", programs: bothPrograms,
			resize: ofCommand, help: "attach the processes to a run as guests; RUN is the process id of its launcher, HOST:RUN, or auto for the only run of this user on the host"},
		{name: "max", short: []string{"max"}, long: []string{"max", "acp-max"},
			kind: kindCount, value: "M", programs: Acprun,
			help: "processes join and leave the job while it runs, by -to RUN -np +N and -leave; it has at most M ranks in all"},
		{name: "job", short: []string{"job"}, long: []string{"job", "acp-job"},
			kind: kindText, value: "NAME", programs: bothPrograms,
			resize: ofAdded, help: "with -to RUN -np +N: the job that gets the processes, if several jobs of the run can grow"},
		{name: "leave", short: []string{"leave"}, long: []string{"leave", "acp-leave"},
			kind: kindRanks, value: "RANKS", programs: bothPrograms,
			resize: ofCommand, help: "with -to: ask ranks of the run to leave, such as 3,5-7; they go when they have moved their data"},
		{name: "guests", short: []string{"guests"}, long: []string{"guests", "acp-guests"},
			kind: kindGuests, value: "N", yaml: "guests", programs: bothPrograms,
			help: "how many processes can attach to the run during its life, by default 4096; 0: none"},
		{name: "join", short: []string{"join"}, long: []string{"join", "acp-join"},
			kind: kindJoin, value: "WHENCE", yaml: "join", programs: bothPrograms,
			help: "hosts from which processes can attach: those of the run (host), or all (network); a run on one host listens to that host only by default"},
		{name: "secure", short: []string{"secure"}, long: []string{"secure", "acp-secure"},
			kind: kindFlag, env: envvar.Secure, yaml: "secure", programs: bothPrograms,
			help: "encrypt and authenticate all connections of the run (TLS 1.3)"},
		{name: "on-error", short: []string{"on-error"}, long: []string{"on-error", "acp-on-error"},
			kind: kindOnError, value: "ACTION", env: envvar.OnError, yaml: "on-error", programs: bothPrograms,
			help: "action of a library call that fails: return its failure value (default), report the failure in a line as well, or abort the run with that line"},
		{name: "couple", short: []string{"couple"}, long: []string{"couple", "acp-couple"},
			kind: kindLinks, value: "LINKS", env: envvar.Couple, yaml: "couple", programs: bothPrograms,
			help: "links between fields of models: FROM:TO,KEY=VALUE,…, for example ocean.sst:air.surface,every=10; separate links with blanks"},
		{name: "rsh", short: []string{"rsh", "ssh", "remoteshell"}, long: []string{"acp-rsh", "acp-ssh", "acp-remoteshell"},
			kind: kindText, value: "COMMAND", env: envvar.RemoteShell, programs: allPrograms,
			resize: ofCommand, help: "remote shell, called as COMMAND HOST PROGRAM …; by default srun in an allocation of Slurm, otherwise ssh"},
		{name: "verbose", short: []string{"verbose"}, long: []string{"verbose", "acp-verbose"},
			kind: kindFlag, programs: allPrograms,
			resize: ofCommand, help: "print the processes and hosts, the fabrics in use, and why other fabrics are not in use"},
		{name: "tag-output", short: []string{"tag-output"}, long: []string{"tag-output", "acp-tag-output"},
			kind: kindFlag, programs: allPrograms, often: bothPrograms,
			help: "print the rank, and with macprun the name of its job, before each line of output"},
		{name: "timeout", short: []string{"timeout"}, long: []string{"timeout", "acp-timeout"},
			kind: kindDuration, value: "TIME", yaml: "timeout", programs: allPrograms, often: bothPrograms,
			help: "end the run after TIME (seconds, or 90s, 5m, 1h30m) with status 124"},
		{name: "stall", short: []string{"stall"}, long: []string{"stall", "acp-stall"},
			kind: kindStall, value: "TIME", yaml: "stall", programs: allPrograms,
			help: "when all ranks have been waiting for TIME (default 60 s), print for each rank the rank for which it waits; the run continues; 0: never"},
		{name: "stats", short: []string{"stats"}, long: []string{"stats", "acp-stats"},
			kind: kindFlag, env: envvar.Stats, yaml: "stats", programs: bothPrograms, often: bothPrograms,
			help: "count the transfers between ranks, and print a table of them at the end"},
		{name: "trace", short: []string{"trace"}, long: []string{"trace", "acp-trace"},
			kind: kindText, value: "FILE", yaml: "trace", programs: bothPrograms, often: Macprun,
			help: "count the transfers between ranks, and write them to FILE, a page for a browser"},
		{name: "debug", short: []string{"debug"}, long: []string{"acp-debug"},
			kind: kindFlag, programs: allPrograms,
			resize: ofCommand, help: "print the commands that the launcher executes"},
		{name: "debug-layers", short: []string{"debug-layers"}, long: []string{"debug-layers", "acp-debug-layers"},
			kind: kindLayers, value: "LAYERS", env: envvar.Debug, yaml: "debug-layers", programs: bothPrograms,
			resize: ofCommand, help: "log the decisions of these layers of launchers and library, with reasons: " + debuglog.Names() + " (separate with commas), or " + debuglog.All},
		{name: "debug-file", short: []string{"debug-file"}, long: []string{"debug-file", "acp-debug-file"},
			kind: kindText, value: "PATH", env: envvar.DebugFile, yaml: "debug-file", programs: bothPrograms,
			resize: ofCommand, help: "write the log of -debug-layers to one file per process, not to standard error; %r in PATH stands for the rank"},
		{name: "help", short: []string{"h", "help"}, long: []string{"help", "acp-help"},
			kind: kindFlag, programs: allPrograms, resize: ofCommand, help: "print the most useful options"},
		{name: "help-all", short: []string{"help-all"}, long: []string{"help-all", "acp-help-all"},
			kind: kindFlag, programs: allPrograms, resize: ofCommand, help: "print all options"},
		{name: "version", short: []string{"v", "version"}, long: []string{"version", "acp-version"},
			kind: kindFlag, programs: allPrograms, resize: ofCommand, help: "print the version"},
		{name: "mhooksmall", short: []string{"mhooksmall"}, long: []string{"acp-malloc-hook-small"},
			kind: kindFlag, env: envvar.HookSmall, programs: Acprun,
			help: "malloc allocates blocks of less than -mhooklow bytes in memory that other processes of the host can map; requires libacphook"},
		{name: "mhooklarge", short: []string{"mhooklarge"}, long: []string{"acp-malloc-hook-large"},
			kind: kindFlag, env: envvar.HookLarge, programs: Acprun,
			help: "as -mhooksmall, for blocks of at least -mhooklow and less than -mhookhigh bytes"},
		{name: "mhookhuge", short: []string{"mhookhuge"}, long: []string{"acp-malloc-hook-huge"},
			kind: kindFlag, env: envvar.HookHuge, programs: Acprun,
			help: "as -mhooksmall, for blocks of at least -mhookhigh bytes"},
		{name: "mhooklow", short: []string{"mhooklow"}, long: []string{"acp-malloc-hook-low"},
			kind: kindSize, value: "SIZE", env: envvar.HookLow, programs: Acprun,
			help: "limit between small and large blocks, by default 128 bytes; does not enable the hook"},
		{name: "mhookhigh", short: []string{"mhookhigh"}, long: []string{"acp-malloc-hook-high"},
			kind: kindSize, value: "SIZE", env: envvar.HookHigh, programs: Acprun,
			help: "limit between large and huge blocks, by default 128k; does not enable the hook"},
		{name: "ethspeed", short: []string{"ethspeed"}, long: []string{"acp-ethernet-speed"},
			kind: kindCount, value: "MBITS", programs: Acprun, resize: ofCommand, help: "accepted, without effect"},
		{name: "multirun", short: []string{"multirun"}, long: []string{"acp-multirun"},
			kind: kindFlag, programs: Acprun, hidden: true, help: "part of a run of macprun"},
		{name: "portfile", short: []string{"portfile"}, long: []string{"acp-portfile"},
			kind: kindText, value: "FILE", programs: Acprun, hidden: true, help: "accepted, without effect: the environment carries its data"},
		{name: "offsetrank", short: []string{"offsetrank"}, long: []string{"acp-offsetrank"},
			kind: kindRank, value: "N", programs: Acprun, hidden: true, help: "first rank of this job in the run"},
		{name: "slurmjob", short: []string{"slurmjob"},
			kind: kindText, value: "JOB", programs: Acprun, hidden: true, help: "job of Slurm to which the hosts of this part of a run belong"},
	}
}

// String returns the name of the program.
func (p Program) String() string {
	switch p {
	case Macprun:
		return "macprun"
	case Dmimw:
		return "dmimw"
	}
	return "acprun"
}

// OneJob reports whether the program starts the processes of one job itself.
func (p Program) OneJob() bool { return p != Macprun }

// spellings returns every way to write s on a command line, with its value.
func (s setting) spellings() []string {
	var all []string
	for _, name := range s.short {
		if s.value != "" {
			name += " " + s.value
		}
		all = append(all, "-"+name)
	}
	for _, name := range s.long {
		if s.value != "" {
			name += "=" + s.value
		}
		all = append(all, "--"+name)
	}
	return all
}
