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
	kindStall                  // the same, or 0
	kindText                   // any word
	kindHosts                  // host names separated by commas
	kindNet                    // name of a network
	kindRDMA                   // yes, no or auto
	kindOnError                // return, report or abort
	kindInterfaces             // interfaces, addresses or networks, separated by commas
	kindPorts                  // the first and the last port, with a dash between
	kindLinks                  // links between fields, with blanks between
	kindLayers                 // layers of the log, with commas between
)

// Program is a set of launchers, for example those that accept a setting.
type Program int

const (
	Acprun Program = 1 << iota
	Macprun
	bothPrograms = Acprun | Macprun
)

// setting describes one option. The parser of command lines, the variables, the YAML
// description, -help and docs/launching.md are made from it.
type setting struct {
	name     string   // key in parsed options: the preferred spelling
	short    []string // spellings with one dash; the value is the next word
	long     []string // spellings with two dashes; the value follows '=' or is the next word
	kind     kind
	value    string // the name of the value in -help
	env      string // variable that gives the default, if any
	yaml     string // top-level key of the YAML description, if any
	programs Program
	hidden   bool // internal between the launchers
	help     string
}

// settings returns all options, in the order of -help.
func settings() []setting {
	return []setting{
		{name: "np", short: []string{"n", "np"}, long: []string{"acp-n", "acp-np", "acp-nprocs"},
			kind: kindCount, value: "N", programs: bothPrograms,
			help: "number of processes: of acprun, if not given, those of the allocation of a batch system, or 1; of macprun, must equal the sum of the jobs' sizes"},
		{name: "startermemsize", short: []string{"smemsize", "startermemsize"}, long: []string{"acp-smemsize", "acp-startermemsize"},
			kind: kindSize, value: "SIZE", env: envvar.StarterSize, yaml: "startermemsize", programs: bothPrograms,
			help: "starter memory of each process in bytes; units k, m and g are powers of 1024"},
		{name: "startermemsize-cl", short: []string{"smemsize-cl", "startermemsize-cl"}, long: []string{"acp-smemsize-cl", "acp-startermemsize-cl"},
			kind: kindSize, value: "SIZE", programs: bothPrograms,
			help: "starter memory of the communication library; checked, and not needed by this implementation"},
		{name: "startermemsize-dl", short: []string{"smemsize-dl", "startermemsize-dl"}, long: []string{"acp-smemsize-dl", "acp-startermemsize-dl"},
			kind: kindSize, value: "SIZE", env: envvar.HeapSize, yaml: "startermemsize-dl", programs: bothPrograms,
			help: "bytes to which the global heap of each process may grow; a value below 64 MiB is raised to 64 MiB"},
		{name: "channelmemsize", short: []string{"channelmemsize"}, long: []string{"acp-channelmemsize"},
			kind: kindSize, value: "SIZE", env: envvar.ChannelSize, programs: bothPrograms,
			help: "memory of each channel that a process receives from, 4096 bytes if not given"},
		{name: "nodefile", short: []string{"machinefile", "nodefile"}, long: []string{"acp-machinefile", "acp-nodefile"},
			kind: kindText, value: "FILE", yaml: "nodefile", programs: bothPrograms,
			help: "file with one host per line, NAME, NAME slots=N or NAME:N; rank i runs on place i, round robin"},
		{name: "host", short: []string{"host", "node"}, long: []string{"acp-host", "acp-node"},
			kind: kindHosts, value: "H1,H2,…", yaml: "hosts", programs: bothPrograms,
			help: "hosts, NAME or NAME:N with N places, in place of a nodefile or of the hosts of an allocation"},
		{name: "net", short: []string{"net", "ndev", "envnet"}, long: []string{"acp-net", "acp-ndev", "acp-envnet", "acp-envent"},
			kind: kindNet, value: "NET", env: envvar.Net, yaml: "net", programs: bothPrograms,
			help: "fabrics to use: auto, shm, rma or tcp; ib means rma, udp means tcp"},
		{name: "rdma", short: []string{"rdma"}, long: []string{"acp-rdma"},
			kind: kindRDMA, value: "WHETHER", env: envvar.RDMA, yaml: "rdma", programs: bothPrograms,
			help: "whether MPI's windows are to be used between hosts in mode auto: yes, no, or auto, which uses them where there is RDMA hardware"},
		{name: "interface", short: []string{"interface"}, long: []string{"acp-interface"},
			kind: kindInterfaces, value: "I1,I2,…", env: envvar.Interface, yaml: "interface", programs: bothPrograms,
			help: "interfaces, addresses or networks (10.1.0.0/16) at which launchers and ranks are reached from other hosts; all if not given"},
		{name: "portrange", short: []string{"portrange"}, long: []string{"acp-portrange"},
			kind: kindPorts, value: "FIRST-LAST", env: envvar.PortRange, yaml: "portrange", programs: bothPrograms,
			help: "ports at which launchers and ranks are reached, one for each on a host; any if not given"},
		{name: "secure", short: []string{"secure"}, long: []string{"secure", "acp-secure"},
			kind: kindFlag, env: envvar.Secure, yaml: "secure", programs: bothPrograms,
			help: "encrypt and authenticate all connections of the run (TLS 1.3)"},
		{name: "on-error", short: []string{"on-error"}, long: []string{"on-error", "acp-on-error"},
			kind: kindOnError, value: "WHAT", env: envvar.OnError, yaml: "on-error", programs: bothPrograms,
			help: "what a call of the library does if it fails: return its failure value (the default), report the failure in a line as well, or abort the run with that line"},
		{name: "couple", short: []string{"couple"}, long: []string{"couple", "acp-couple"},
			kind: kindLinks, value: "LINKS", env: envvar.Couple, yaml: "couple", programs: bothPrograms,
			help: "fields of models that are coupled, FROM:TO with KEY=VALUE behind commas, such as ocean.sst:air.surface,every=10; blanks stand between links"},
		{name: "rsh", short: []string{"rsh", "ssh", "remoteshell"}, long: []string{"acp-rsh", "acp-ssh", "acp-remoteshell"},
			kind: kindText, value: "COMMAND", env: envvar.RemoteShell, programs: bothPrograms,
			help: "remote shell, called as COMMAND HOST PROGRAM …; if not given, srun in an allocation of Slurm, otherwise ssh"},
		{name: "verbose", short: []string{"verbose"}, long: []string{"verbose", "acp-verbose"},
			kind: kindFlag, programs: bothPrograms,
			help: "say what was started where, which fabrics are used and why others are not"},
		{name: "tag-output", short: []string{"tag-output"}, long: []string{"tag-output", "acp-tag-output"},
			kind: kindFlag, programs: bothPrograms,
			help: "put the rank, and with macprun the name of its job, before each line of output"},
		{name: "timeout", short: []string{"timeout"}, long: []string{"timeout", "acp-timeout"},
			kind: kindDuration, value: "TIME", yaml: "timeout", programs: bothPrograms,
			help: "end the run after TIME (seconds, or 90s, 5m, 1h30m) with status 124"},
		{name: "stall", short: []string{"stall"}, long: []string{"stall", "acp-stall"},
			kind: kindStall, value: "TIME", yaml: "stall", programs: bothPrograms,
			help: "say which rank waits for which when all ranks have been waiting for TIME (60 s if not given); 0: never. The run goes on"},
		{name: "stats", short: []string{"stats"}, long: []string{"stats", "acp-stats"},
			kind: kindFlag, env: envvar.Stats, yaml: "stats", programs: bothPrograms,
			help: "count what the ranks transfer, and print a table of that at the end"},
		{name: "trace", short: []string{"trace"}, long: []string{"trace", "acp-trace"},
			kind: kindText, value: "FILE", yaml: "trace", programs: bothPrograms,
			help: "count what the ranks transfer, and write FILE, a page for a browser that shows it"},
		{name: "debug", short: []string{"debug"}, long: []string{"acp-debug"},
			kind: kindFlag, programs: bothPrograms,
			help: "print the commands that are executed"},
		{name: "debug-layers", short: []string{"debug-layers"}, long: []string{"debug-layers", "acp-debug-layers"},
			kind: kindLayers, value: "LAYERS", env: envvar.Debug, yaml: "debug-layers", programs: bothPrograms,
			help: "say what these layers of launchers and library decide, and why: " + debuglog.Names() + ", with commas between, or " + debuglog.All},
		{name: "debug-file", short: []string{"debug-file"}, long: []string{"debug-file", "acp-debug-file"},
			kind: kindText, value: "PATH", env: envvar.DebugFile, yaml: "debug-file", programs: bothPrograms,
			help: "write that to a file for each process in place of standard error; %r in PATH stands for its rank"},
		{name: "help", short: []string{"h", "help"}, long: []string{"help", "acp-help"},
			kind: kindFlag, programs: bothPrograms, help: "print this text"},
		{name: "version", short: []string{"v", "version"}, long: []string{"version", "acp-version"},
			kind: kindFlag, programs: bothPrograms, help: "print the version"},
		{name: "mhooksmall", short: []string{"mhooksmall"}, long: []string{"acp-malloc-hook-small"},
			kind: kindFlag, env: envvar.HookSmall, programs: Acprun,
			help: "malloc takes blocks of less than -mhooklow bytes from memory that other processes of the host map; needs libacphook"},
		{name: "mhooklarge", short: []string{"mhooklarge"}, long: []string{"acp-malloc-hook-large"},
			kind: kindFlag, env: envvar.HookLarge, programs: Acprun,
			help: "likewise blocks of at least -mhooklow and less than -mhookhigh bytes"},
		{name: "mhookhuge", short: []string{"mhookhuge"}, long: []string{"acp-malloc-hook-huge"},
			kind: kindFlag, env: envvar.HookHuge, programs: Acprun,
			help: "likewise blocks of at least -mhookhigh bytes"},
		{name: "mhooklow", short: []string{"mhooklow"}, long: []string{"acp-malloc-hook-low"},
			kind: kindSize, value: "SIZE", env: envvar.HookLow, programs: Acprun,
			help: "limit between small and large blocks, 128 bytes if not given; switches nothing on"},
		{name: "mhookhigh", short: []string{"mhookhigh"}, long: []string{"acp-malloc-hook-high"},
			kind: kindSize, value: "SIZE", env: envvar.HookHigh, programs: Acprun,
			help: "limit between large and huge blocks, 128k if not given; switches nothing on"},
		{name: "ethspeed", short: []string{"ethspeed"}, long: []string{"acp-ethernet-speed"},
			kind: kindCount, value: "MBITS", programs: Acprun, help: "accepted, without effect"},
		{name: "multirun", short: []string{"multirun"}, long: []string{"acp-multirun"},
			kind: kindFlag, programs: Acprun, hidden: true, help: "part of a run of macprun"},
		{name: "portfile", short: []string{"portfile"}, long: []string{"acp-portfile"},
			kind: kindText, value: "FILE", programs: Acprun, hidden: true, help: "accepted, without effect: the environment carries its data"},
		{name: "offsetrank", short: []string{"offsetrank"}, long: []string{"acp-offsetrank"},
			kind: kindRank, value: "N", programs: Acprun, hidden: true, help: "first rank of this job in the run"},
	}
}

// String returns the name of the program.
func (p Program) String() string {
	if p == Macprun {
		return "macprun"
	}
	return "acprun"
}

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
