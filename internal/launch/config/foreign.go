package config

import "strings"

// foreignOptions are options of mpirun, srun and the wrapper compilers, without their dashes, which acprun or
// macprun does not have. The values are the options or words to write instead.
var foreignOptions = map[string]string{
	"c": adviceCount, "ntasks": adviceCount,
	"hostfile": adviceNodefile, "f": adviceNodefile, "default-hostfile": adviceNodefile,
	"H": adviceHost, "hosts": adviceHost, "w": adviceHost, "nodelist": adviceHost,
	"N": adviceRound, "ppn": adviceRound, "perhost": adviceRound, "npernode": adviceRound,
	"map-by": adviceRound, "ntasks-per-node": adviceRound, "rankfile": adviceRound, "rf": adviceRound,
	"x": adviceEnv, "env": adviceEnv, "genv": adviceEnv, "envall": adviceEnv, "genvall": adviceEnv, "export": adviceEnv,
	"wdir": adviceDir, "wd": adviceDir, "chdir": adviceDir, "D": adviceDir,
	"oversubscribe": adviceNone, "bind-to": adviceNone, "allow-run-as-root": adviceNone, "use-hwthread-cpus": adviceNone,
	"mca": adviceMPI, "prtemca": adviceMPI, "launcher": adviceMPI, "iface": adviceMPI, "mpi": adviceMPI,
	"l": adviceTag, "label": adviceTag, "prepend-rank": adviceTag, "output": adviceTag,
	"t": adviceTime, "time": adviceTime,
	"mhook": adviceHook, "mhooksmall": adviceHook, "mhooklarge": adviceHook, "mhookhuge": adviceHook, "mhooklow": adviceHook, "mhookhigh": adviceHook,
}

// What to write instead of foreign options.
const (
	adviceCount    = "the number of processes is -np N"
	adviceNodefile = "the file with the hosts is -nodefile FILE, with one host per line"
	adviceHost     = "hosts are -host H1,H2,…"
	adviceRound    = "a line NAME slots=N of the nodefile gives N ranks to a host; -host takes NAME:N"
	adviceEnv      = "processes get the environment as it is; set variables before the launcher: NAME=value acprun …"
	adviceDir      = "processes start in the working directory; change it before, or use dir in a YAML description"
	adviceNone     = "leave it out: ranks are not bound, and may be more than processors"
	adviceMPI      = "options of an MPI belong to its launcher, in the inputfile"
	adviceTag      = "tags are put before lines by -tag-output"
	adviceHook     = "-mhooksmall, -mhooklarge and -mhookhuge are options of acprun, on the runtime lines of macprun, too; macpcc -mhook links MPI programs"
	adviceTime     = "the time limit is -timeout TIME"
)

// adviceFor returns the replacement for an option of another launcher, or "" if no other launcher has the
// option.
func adviceFor(spelling string) string {
	return foreignOptions[strings.TrimLeft(spelling, "-")]
}
