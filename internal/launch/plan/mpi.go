package plan

import (
	"strings"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"github.com/goacp/goacp/mpi"
)

// Family is a family of MPI launchers.
type Family int

// The families.
const (
	UnknownMPI Family = iota // nothing is known about the launcher
	OpenMPI
	MPICH  // MPICH and its derivatives: every MPI with the Hydra launcher
	AnyMPI // the launcher starts processes of any MPI, as srun does
)

// String returns the family's name.
func (m Family) String() string {
	switch m {
	case OpenMPI:
		return "Open MPI"
	case MPICH:
		return "MPICH"
	case AnyMPI:
		return "any MPI"
	}
	return "unknown MPI"
}

// MPI is the MPI that a launcher reports.
type MPI struct {
	Family  Family
	Version string // as printed; "" if unknown
}

// String returns the family and the version.
func (f MPI) String() string { return strings.TrimSpace(f.Family.String() + " " + f.Version) }

// major returns the first number of the version, or 0 if it is unknown.
func (f MPI) major() int { return mpi.Library{Version: f.Version}.Major() }

var (
	openMPIVersion = lazyregexp.New(`(?m)\((?:Open MPI|OpenRTE|PRRTE|PRTE)\) +v?([0-9][^\s]*)`)
	hydraVersion   = lazyregexp.New(`(?m)^\s*Version: +([0-9][^\s]*)`)
)

// ParseVersion finds the MPI in the output of `launcher --version`.
func ParseVersion(output string) MPI {
	if m := openMPIVersion.Get().FindStringSubmatch(output); m != nil {
		return MPI{OpenMPI, m[1]}
	}
	if strings.Contains(output, "HYDRA") {
		if m := hydraVersion.Get().FindStringSubmatch(output); m != nil {
			return MPI{MPICH, m[1]}
		}
		return MPI{Family: MPICH}
	}
	if strings.HasPrefix(output, "slurm ") {
		return MPI{Family: AnyMPI}
	}
	return MPI{}
}

// namedMPI returns the MPI that a description names, as [config.JobSpec] explains.
func namedMPI(name string) MPI {
	family, version, _ := strings.Cut(name, "-")
	switch family {
	case "openmpi":
		return MPI{OpenMPI, version}
	case "mpich":
		return MPI{MPICH, version}
	}
	return MPI{Family: AnyMPI}
}

// mayBe reports whether the processes of the launcher may belong to a family.
func (f MPI) mayBe(family Family) bool {
	return f.Family == family || f.Family == UnknownMPI || f.Family == AnyMPI
}

// forwardsByOption reports whether options -x forward variables to the processes. They do if the processes do
// not inherit variables from the launcher, and if the launcher accepts such options together with a list
// (Open MPI 5) or the user has chosen them.
func (f MPI) forwardsByOption(s jobContext) bool {
	return f.Family == OpenMPI && (!s.local || s.dvm != "") && (s.dashX || f.major() >= 5)
}
