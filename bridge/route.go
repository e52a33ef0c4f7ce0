package bridge

import "fmt"

// Route names the fabric that serves a pair of members.
type Route uint8

// The routes, in the order in which mode auto prefers them.
const (
	Self Route = iota // source and destination are one process
	SHM               // memory shared on one host
	RMA               // windows of MPI-3
	TCP               // sockets between agents

	RouteEnd // the number of routes
)

// String returns the name that messages use: self, shm, rma or tcp.
func (r Route) String() string {
	switch r {
	case Self:
		return "self"
	case SHM:
		return "shm"
	case RMA:
		return "rma"
	case TCP:
		return "tcp"
	}
	return fmt.Sprintf("Route(%d)", uint8(r))
}

// Mode is what the user asks for with -net or ACP_NET.
type Mode uint8

// The modes.
const (
	ModeAuto Mode = iota // the best fabric of each pair
	ModeSHM              // shared memory only
	ModeRMA              // MPI only, also on one host
	ModeTCP              // sockets only, also on one host
)

var modeNames = [...]string{ModeAuto: "auto", ModeSHM: "shm", ModeRMA: "rma", ModeTCP: "tcp"}

func (m Mode) valid() bool { return int(m) < len(modeNames) }

// String returns the name that [ParseMode] accepts.
func (m Mode) String() string {
	if !m.valid() {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// ParseMode parses the name of a mode: auto, shm, rma or tcp, or a historical name of a
// network in capital or small letters: udp is tcp; ib and infiniband (also inifiniband) are
// rma. The empty text is auto. tofu is an error, because no such network is supported. Pure.
func ParseMode(text string) (Mode, error) {
	switch text {
	case "", "auto", "AUTO":
		return ModeAuto, nil
	case "shm", "SHM":
		return ModeSHM, nil
	case "rma", "RMA", "ib", "IB", "infiniband", "INFINIBAND", "inifiniband":
		return ModeRMA, nil
	case "tcp", "TCP", "udp", "UDP":
		return ModeTCP, nil
	case "tofu", "TOFU", "tofu2", "TOFU2":
		return 0, fmt.Errorf("network %q is not supported: expected auto, shm, rma (ib) or tcp (udp)", text)
	}
	return 0, fmt.Errorf("unknown network %q: expected auto, shm, rma (ib) or tcp (udp)", text)
}

// PairMode returns the mode of a pair whose members ask for a and b. If one of them asks for
// auto, it is the mode of the other. If one asks for shm, it is shm. If they differ otherwise,
// it is tcp, which works between any two processes. Pure and symmetric.
func PairMode(a, b Mode) Mode {
	switch {
	case a == b, b == ModeAuto:
		return a
	case a == ModeAuto:
		return b
	case a == ModeSHM || b == ModeSHM:
		return ModeSHM
	}
	return ModeTCP
}

// Refusal says why a fabric does not serve a pair.
type Refusal struct {
	Route  Route
	Reason string
}

// RouteError says that a pair has no fabric in the mode that the user has asked for.
type RouteError struct {
	Mode    Mode
	A, B    string // the two members, their jobs, hosts and pids
	Refused []Refusal
}

// Error names the mode, both members, why the fabrics are refused, and which mode would
// connect them.
func (e *RouteError) Error() string {
	text := fmt.Sprintf("network %v cannot connect %s and %s", e.Mode, e.A, e.B)
	for _, r := range e.Refused {
		text += fmt.Sprintf(": %v: %s", r.Route, r.Reason)
	}
	switch e.Mode {
	case ModeRMA:
		text += "; start one of the jobs with -net tcp, or all with -net auto"
	case ModeSHM:
		text += "; start all jobs with -net auto or -net tcp"
	}
	return text
}

// ChooseRoute decides which fabric serves the members a and b in a mode. Both members come to
// the same result. refused says why the fabrics that the mode prefers do not serve.
// ChooseRoute calls apart to learn why two members with the same MPI have no common
// communicator; "" means that they have one. The error is a [*RouteError]. Pure if apart is.
func ChooseRoute(mode Mode, a, b *Contact, apart func() string) (route Route, refused []Refusal, err error) {
	if a.Member == b.Member {
		return Self, nil, nil
	}
	for _, r := range candidates(mode) {
		reason := refusal(r, mode, a, b, apart)
		if reason == "" {
			return r, refused, nil
		}
		refused = append(refused, Refusal{r, reason})
	}
	return Self, nil, &RouteError{Mode: mode, A: a.where(), B: b.where(), Refused: refused}
}

// candidates returns the routes that a mode allows, the preferred one first.
func candidates(mode Mode) []Route {
	switch mode {
	case ModeSHM:
		return []Route{SHM}
	case ModeRMA:
		return []Route{RMA}
	case ModeTCP:
		return []Route{TCP}
	}
	return []Route{SHM, RMA, TCP}
}

// refusal returns why the fabric of a route cannot serve a pair, or "" if it can.
func refusal(r Route, mode Mode, a, b *Contact, apart func() string) string {
	switch r {
	case SHM:
		if a.Host != b.Host {
			return fmt.Sprintf("the ranks are on different hosts, %s (%v) and %s (%v)", a.HostName, a.Host, b.HostName, b.Host)
		}
	case RMA:
		return refusalRMA(mode, a, b, apart)
	case TCP:
		for _, c := range [...]*Contact{a, b} {
			if len(c.Agent) == 0 {
				return fmt.Sprintf("rank %d has no agent", c.Member)
			}
		}
	}
	return ""
}

// refusalRMA returns why windows of MPI cannot serve a pair, or need not in mode auto. It
// returns "" if they serve it.
func refusalRMA(mode Mode, a, b *Contact, apart func() string) string {
	if a.Member > b.Member {
		a, b = b, a
	}
	for _, c := range [...]*Contact{a, b} {
		if mode == ModeAuto && !c.RDMA.Usable() {
			return fmt.Sprintf("host %s has %v", c.HostName, c.RDMA)
		}
		if c.MPI == "" {
			return fmt.Sprintf("job %d has no MPI", c.Job)
		}
	}
	if a.MPI != b.MPI {
		return fmt.Sprintf("job %d has %s, job %d %s", a.Job, a.MPI, b.Job, b.MPI)
	}
	return apart()
}
