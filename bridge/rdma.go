package bridge

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// EnvRDMA is the environment variable by which the user decides whether MPI's
// transport counts as RDMA hardware: yes, no, or auto, which is the default.
const EnvRDMA = envvar.RDMA

// RDMA is the result of the search for RDMA hardware under the MPI of a process.
type RDMA uint8

// The results of DetectRDMA.
const (
	RDMAAbsent   RDMA = iota // this host has no adapter
	RDMADown                 // no port of its adapters is active
	RDMAExcluded             // the user's settings keep MPI from using adapters
	RDMADenied               // the user has set no
	RDMAFound                // there is an active port
	RDMAAsserted             // the user has set yes
)

var rdmaTexts = [...]string{
	RDMAAbsent:   "no RDMA hardware",
	RDMADown:     "no active port of RDMA hardware",
	RDMAExcluded: "RDMA hardware, but settings that keep MPI from using it",
	RDMADenied:   EnvRDMA + "=no",
	RDMAFound:    "RDMA hardware",
	RDMAAsserted: EnvRDMA + "=yes",
}

func (r RDMA) valid() bool { return int(r) < len(rdmaTexts) }

// Usable reports whether mode auto uses windows of MPI between hosts.
func (r RDMA) Usable() bool { return r == RDMAFound || r == RDMAAsserted }

// String describes the result, for messages such as "rank 3 has …".
func (r RDMA) String() string {
	if !r.valid() {
		return fmt.Sprintf("RDMA(%d)", uint8(r))
	}
	return rdmaTexts[r]
}

// ParseRDMA parses a value of ACP_RDMA: yes, no or auto, or 1, 0 or the empty text. said is
// false for auto. Pure.
func ParseRDMA(text string) (use, said bool, err error) {
	switch strings.ToLower(text) {
	case "", "auto":
		return false, false, nil
	case "yes", "1":
		return true, true, nil
	case "no", "0":
		return false, true, nil
	}
	return false, false, fmt.Errorf("%q: expected yes, no or auto", text)
}

// RDMADevices is the directory in which Linux shows RDMA adapters, for
// [DetectRDMA].
const RDMADevices = "/sys/class/infiniband"

// DetectRDMA finds out whether MPI's transport is RDMA hardware. It looks at the variables that getenv
// (os.Getenv) returns and at the adapters in devices (os.DirFS of [RDMADevices]). ACP_RDMA takes precedence.
// Unless a variable excludes it, MPI uses an adapter that has an active port. The only error is a malformed
// ACP_RDMA. Safe for concurrent use.
func DetectRDMA(getenv func(string) string, devices fs.FS) (RDMA, error) {
	use, said, err := ParseRDMA(getenv(EnvRDMA))
	switch {
	case err != nil:
		return RDMAAbsent, fmt.Errorf("environment: %s=%w", EnvRDMA, err)
	case said && use:
		return RDMAAsserted, nil
	case said:
		return RDMADenied, nil
	}
	found := adapters(devices)
	if found == RDMAFound && excluded(getenv) {
		found = RDMAExcluded
	}
	return found, nil
}

// adapters reports whether there is an active port: device/ports/N/state reads "4: ACTIVE".
func adapters(devices fs.FS) RDMA {
	// Names in /sys/class are symbolic links to directories, so a glob pattern follows them.
	states, err := fs.Glob(devices, "*/ports/*/state")
	if err != nil || len(states) == 0 {
		return RDMAAbsent
	}
	for _, name := range states {
		text, err := fs.ReadFile(devices, path.Clean(name))
		if err == nil && strings.Contains(string(text), "ACTIVE") {
			return RDMAFound
		}
	}
	return RDMADown
}

// excluded reports whether settings of MPI or UCX exclude every transport that drives
// adapters.
func excluded(getenv func(string) string) bool {
	if tls := getenv("UCX_TLS"); tls != "" && !namesAny(tls, "all", "ib", "rc", "ud", "dc") {
		return true
	}
	if provider := getenv("FI_PROVIDER"); provider != "" && !namesAny(provider, "verbs", "psm", "efa", "cxi", "opx") {
		return true
	}
	// Without UCX, windows of Open MPI between hosts go over tcp.
	pml := getenv("OMPI_MCA_pml")
	return pml != "" && !namesAny(pml, "ucx", "cm")
}

// namesAny reports whether a word of a list of MPI, such as "rc_x,sm" or "^tcp", begins with
// one of the names. A list of exceptions ("^") names everything that it does not exclude.
func namesAny(list string, names ...string) bool {
	list, inverted := strings.CutPrefix(list, "^")
	left := map[string]bool{}
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' }) {
		for _, name := range names {
			if strings.HasPrefix(word, name) {
				left[name] = true
			}
		}
	}
	if inverted {
		return len(left) < len(names)
	}
	return len(left) > 0
}
