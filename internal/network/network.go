package network

import (
	"errors"
	"time"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/fabric/shm"
	"github.com/goacp/goacp/internal/fabric/tcp"
)

// Owner is what the network needs of the layers above to serve other ranks. Its methods are
// those of fabric.Owner.
type Owner interface {
	Serve(r fabric.Request) (int, error)
	Notify(from int, kind uint32, value uint64)
	PeerLost(member int, err error)
}

// Config says who takes part. All fields but Universe and Attach are required.
type Config struct {
	Self, Size int
	Local      bool // all ranks are on this host
	Members    *bridge.Members
	Universe   *bridge.Universe // ranks that share a communicator of MPI; nil if there is none
	Run        segment.Run
	Space      *segment.Space // what this process publishes; Open may replace it
	Listener   *Listener      // Open takes it over
	Auth       tcp.Authenticator
	Owner      Owner
	Ranks      fabric.Ranks // the rank that a member has now

	// Mapped is called when more of the memory of a member may have been mapped.
	Mapped func(member int, m segment.Memory)
	// Go runs a function on a goroutine that ends before the run does.
	Go func(func())
	// Call calls a service of a member and waits for the answer.
	Call func(member int, service uint8, request, answer []byte) (int, error)
	// Over returns why the run is over, or nil; Lost is closed then.
	Over func() error
	Lost <-chan struct{}
	// Patience is how long the agent may look for a request before it sleeps.
	Patience func() time.Duration
	// Attach maps the memory of a peer on this host. Nil: segment.Attach.
	Attach func(segment.Place) (*segment.View, error)
}

// Network is how this process reaches the memory of all ranks. Its methods may be called by
// several goroutines at once.
type Network struct {
	cfg    Config
	space  *segment.Space
	routes []bridge.Route // by member

	host    host             // members on this host
	agents  agents           // all members
	remote  Remote           // members on other hosts; nil if there is none
	atomics fabric.Transport // carries out all atomics of the run; nil if CPUs do
}

// host is the transport of members whose memory this process maps.
type host interface {
	fabric.Transport
	View(member int) (*segment.View, error)
}

// agents is the transport that reaches all members.
type agents interface {
	Messenger
	// Withdraw lets go of memory of this process that is not published any more.
	Withdraw(gone func(p unsafe.Pointer, n uint64) bool)
}

// Open opens the transports. Fails if a member cannot be reached in the mode that its user
// asks for. Where ranks share a communicator of MPI it is collective among them, and
// blocks until all have called it. If it fails, Close still has to be called if the result
// is not nil.
func Open(cfg Config) (*Network, error) {
	n := &Network{cfg: cfg, space: cfg.Space}
	if err := n.chooseRoutes(); err != nil {
		return nil, errors.Join(err, cfg.Listener.Close())
	}
	n.host = shm.New(shm.Config{Size: cfg.Size, Place: n.placeOf, Attach: cfg.Attach, Ranks: cfg.Ranks})
	n.agents = tcp.New(cfg.Listener.l, tcp.Config{
		Self: cfg.Self, Size: cfg.Size, Local: cfg.Local,
		Addrs: cfg.Members.Agent, Auth: cfg.Auth, Owner: (*owner)(n), Patience: cfg.Patience,
		Ranks: cfg.Ranks, Over: cfg.Lost,
	})
	for _, open := range remotes {
		r, err := open(n)
		if err != nil {
			return n, err
		}
		if r != nil {
			n.remote = r
			break
		}
	}
	if n.remote != nil && n.remote.Abilities().Atomics == fabric.AllAtomics {
		n.atomics = n.remote
	}
	return n, nil
}

// chooseRoutes decides which transport serves each member.
func (n *Network) chooseRoutes() error {
	n.routes = make([]bridge.Route, n.cfg.Size)
	for m := range n.routes {
		if m == n.cfg.Self {
			continue
		}
		route, _, err := n.cfg.Members.Route(n.cfg.Self, m)
		if err != nil {
			return err
		}
		n.routes[m] = route
	}
	return nil
}

// placeOf says where the memory of a member is, or nil if it is not shared.
func (n *Network) placeOf(m int) *segment.Place {
	if !n.Shares(m) {
		return nil
	}
	c := n.cfg.Members.At(m)
	return &segment.Place{Run: n.cfg.Run, Member: m, PID: int(c.PID), StartTime: c.StartTime, FD: int(c.MemFD), Layout: n.Layout(m)}
}

// Space returns what this process publishes.
func (n *Network) Space() *segment.Space { return n.space }

// Shares reports whether this process maps the memory of a member.
func (n *Network) Shares(member int) bool { return n.routes[member] == bridge.SHM }

// View returns the memory of a member that shares it, as far as it is mapped. Fails if it
// cannot be mapped.
func (n *Network) View(member int) (*segment.View, error) { return n.host.View(member) }

// Layout returns how the library's memory of a member is laid out.
func (n *Network) Layout(member int) segment.Layout {
	_, starter := n.cfg.Members.Starter(member)
	_, heap := n.cfg.Members.Heap(member)
	return segment.Layout{Starter: starter, Heap: heap}
}

// Agents returns what carries messages to all members, and bytes in order with them.
func (n *Network) Agents() Messenger { return n.agents }

// Messenger carries messages to the agents of members, in order, and bytes with them.
type Messenger interface {
	fabric.Messenger
	fabric.Transport
}

// Calls returns functions by which C reaches mapped memory of other transports, or nil.
func (n *Network) Calls() unsafe.Pointer {
	if n.remote == nil {
		return nil
	}
	return n.remote.Calls()
}

// Renumber takes note that the members have other ranks. No operation is under way.
func (n *Network) Renumber() {
	if n.remote != nil {
		n.remote.Renumber()
	}
}

// Spin says that there are enough processors for looking without a pause.
func (n *Network) Spin() {
	if n.remote != nil {
		n.remote.Spin()
	}
}

// Withdraw returns when nothing uses memory of this process that is not published any more,
// or with the error of over. Waits for accesses that other ranks have begun.
func (n *Network) Withdraw(gone segment.Extents, over func() error) error {
	if err := n.space.Drain(over); err != nil {
		return err
	}
	// Only now, since a goroutine of this process may have used the memory to begin a transfer.
	n.agents.Withdraw(gone.Touch)
	if n.remote == nil {
		return nil
	}
	return n.remote.Settle(over)
}

// CloseAgents ends what carries messages: operations under way end, and no other rank is
// served any more.
func (n *Network) CloseAgents() error { return n.agents.Close() }

// Unmap gives the mappings of other ranks' memory back. Nothing uses them any more.
func (n *Network) Unmap() error { return n.host.Close() }

// CloseRemote closes the transport beside the agents, together with the other members unless
// the run is lost.
func (n *Network) CloseRemote(lost bool) error {
	switch {
	case n.remote == nil:
		return nil
	case lost:
		n.remote.Abandon()
		return nil
	}
	return n.remote.Close()
}
