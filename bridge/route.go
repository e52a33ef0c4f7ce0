package bridge

import (
	"fmt"
	"strings"
)

// Route names the fabric that serves a pair of members.
type Route uint8

// The routes, in the order in which mode auto prefers them. Each has a row in the table of
// routes.
const (
	Self Route = iota // source and destination are one process
	SHM               // memory shared on one host
	RMA               // windows of MPI-3
	TCP               // sockets between agents

	RouteEnd // the number of routes
)

// routes is the table of the routes. All properties of a single route are in its row.
var routes = [RouteEnd]struct {
	name    string   // for messages and for -net
	aliases []string // further names for -net
	access  access

	// refusal returns why the fabric does not serve a pair, or "" if it does. Both members
	// must come to the same result.
	refusal func(*pair) string

	// advice is a hint for users whose mode allows only this route when it does not serve a pair.
	advice string
}{
	Self: {name: "self", access: byMemory},
	SHM: {
		name: "shm", access: byMemory, refusal: refusalSHM,
		advice: "start all jobs with -net auto or -net tcp",
	},
	RMA: {
		name: "rma", aliases: []string{"ib", "IB", "infiniband", "INFINIBAND", "inifiniband"},
		access: byWindows, refusal: refusalRMA,
		advice: "start one of the jobs with -net tcp, or all with -net auto",
	},
	TCP: {
		name: "tcp", aliases: []string{"udp", "UDP"},
		access: byMessages, refusal: refusalTCP,
	},
}

// access is how a member reaches the memory of another one.
type access uint8

const (
	byMessages access = iota // the agent of the owner reads and writes it
	byWindows                // MPI reads and writes it
	byMemory                 // both have mapped it
)

// SharesMemory reports whether the two members of a pair with this route share memory. Pure.
func (r Route) SharesMemory() bool { return r < RouteEnd && routes[r].access == byMemory }

// String returns the name that messages use: self, shm, rma or tcp.
func (r Route) String() string {
	if r < RouteEnd {
		return routes[r].name
	}
	return fmt.Sprintf("Route(%d)", uint8(r))
}

// Refusal is the reason why a fabric does not serve a pair.
type Refusal struct {
	Route  Route
	Reason string
}

// RouteError is the error of a pair that has no fabric in the user's mode.
type RouteError struct {
	Mode    Mode
	A, B    string // the two members, their jobs, hosts and pids
	Refused []Refusal
}

// Error names the mode, both members, why the fabrics are refused, and which mode would
// connect them.
func (e *RouteError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "network %v cannot connect %s and %s", e.Mode, e.A, e.B)
	for _, r := range e.Refused {
		fmt.Fprintf(&text, ": %v: %s", r.Route, r.Reason)
	}
	if advice := e.Mode.advice(); advice != "" {
		text.WriteString("; " + advice)
	}
	return text.String()
}

// pair is two members that need a route, with everything that the choice depends on.
type pair struct {
	mode Mode
	a, b *Contact

	// apart returns why the members have no common communicator although they have the same
	// MPI. It returns "" if they have one.
	apart func() string
}

// ChooseRoute decides which fabric serves the members a and b in a mode. Both members come to the same
// result. refused has the reasons why preferred fabrics do not serve the pair. apart returns the reason why
// two members with the same MPI have no common communicator, or "" if they have one. The error is a
// [*RouteError]. Pure if apart is.
func ChooseRoute(mode Mode, a, b *Contact, apart func() string) (route Route, refused []Refusal, err error) {
	if a.Member == b.Member {
		return Self, nil, nil
	}
	p := &pair{mode, a, b, apart}
	for r := SHM; r < RouteEnd; r++ {
		if !mode.allows(r) {
			continue
		}
		reason := routes[r].refusal(p)
		if reason == "" {
			return r, refused, nil
		}
		refused = append(refused, Refusal{r, reason})
	}
	return Self, nil, &RouteError{Mode: mode, A: a.where(), B: b.where(), Refused: refused}
}

func refusalSHM(p *pair) string {
	if p.a.Host == p.b.Host {
		return ""
	}
	return fmt.Sprintf("the ranks are on different hosts, %s (%v) and %s (%v)", p.a.HostName, p.a.Host, p.b.HostName, p.b.Host)
}

// refusalRMA also refuses a pair in mode auto if a member has no RDMA hardware, where windows
// would be slower than messages.
func refusalRMA(p *pair) string {
	a, b := p.a, p.b
	if a.Member > b.Member {
		a, b = b, a
	}
	for _, c := range [...]*Contact{a, b} {
		if p.mode == ModeAuto && !c.RDMA.Usable() {
			return fmt.Sprintf("host %s has %v", c.HostName, c.RDMA)
		}
		if c.MPI == "" {
			return fmt.Sprintf("job %d has no MPI", c.Job)
		}
	}
	if a.MPI != b.MPI {
		return fmt.Sprintf("job %d has %s, job %d %s", a.Job, a.MPI, b.Job, b.MPI)
	}
	return p.apart()
}

func refusalTCP(p *pair) string {
	for _, c := range [...]*Contact{p.a, p.b} {
		if len(c.Agent) == 0 {
			return fmt.Sprintf("rank %d has no agent", c.Member)
		}
	}
	return ""
}
