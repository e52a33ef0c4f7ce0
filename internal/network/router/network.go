package router

import (
	"errors"
	"slices"
	"time"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
)

// Config describes this process, the other members and their routes. All fields but Universe
// and Attach are required.
type Config struct {
	Self, Size int
	Local      bool // all ranks are on this host
	Members    *bridge.Members
	Universe   *bridge.Universe // ranks that share a communicator of MPI; nil if there is none
	Run        segment.Run
	Space      *segment.Space     // what this process publishes; Open may replace it
	Listener   *endpoint.Listener // Open closes it, or gives it to a fabric that does
	Auth       driver.Authenticator
	Ranks      fabric.Ranks // the rank that a member has now

	// PeerLost is that of fabric.Owner.
	PeerLost func(member int, err error)

	// Mapped is called when more of the memory of a member may have been mapped.
	Mapped func(member int, m segment.Memory)
	// Go runs a function on a goroutine that ends before the run does.
	Go func(func())
	// Call lets a member carry out an operation and waits for the answer.
	Call func(member int, op am.Op, request, answer []byte) (int, error)
	// Over returns why the run is over, or nil; Lost is closed then.
	Over func() error
	Lost <-chan struct{}
	// PollBudget is how long the agent may poll for a request before it sleeps.
	PollBudget func() time.Duration
	// MaySpin reports whether every rank of this host has a processor.
	MaySpin func() bool
	// Attach maps the memory of a peer on this host. Nil: segment.Attach.
	Attach func(segment.Place) (*segment.View, error)
}

// Network is how this process reaches the memory of all ranks. Open makes it. From Serve on
// other ranks reach this process, too. Other methods may be called by several goroutines at
// once, and those that transfer bytes or send messages not before Serve.
type Network struct {
	cfg   Config
	env   driver.Env
	table *am.Table // what the agent carries out; nil before Serve

	transports [bridge.RouteEnd]fabric.Transport // by route; nil if not open
	can        [bridge.RouteEnd]fabric.Abilities // theirs
	peers      driver.Peers                      // those that exchange messages with their like

	mapper         driver.Mapper // maps memory of members
	mapperRoute    bridge.Route
	messengerRoute bridge.Route // of the messenger, which reaches every member

	atomics    [bridge.RouteEnd]bridge.Route // by route: whose transport carries out atomics
	allAtomics bool                          // one transport does all atomics of the run, and no CPU does any
	mayWait    bool                          // some transport waits

	deferring      fabric.Deferring // completes operations by Flush; nil if there is none
	deferringRoute bridge.Route
}

// Open opens the fabrics. It serves no other rank yet: Serve does. Fails if a member cannot be
// reached in the mode that the user has chosen. If ranks share a communicator of MPI it is
// collective over them, and blocks until all have called it. If it fails, CloseAgents and
// Unmap still have to be called if the result is not nil.
func Open(cfg Config) (*Network, error) {
	n := &Network{cfg: cfg, peers: make(driver.Peers, bridge.RouteEnd)}
	routes, err := chooseRoutes(&cfg)
	if err != nil {
		return nil, errors.Join(err, cfg.Listener.Close())
	}
	n.env = driver.Env{
		Self: cfg.Self, Size: cfg.Size, Local: cfg.Local, Members: cfg.Members, Universe: cfg.Universe,
		Routes: routes, Ranks: cfg.Ranks, Run: cfg.Run, Listener: cfg.Listener, Auth: cfg.Auth,
		Owner: (*owner)(n), Space: cfg.Space, Attach: cfg.Attach, Go: cfg.Go, Call: cfg.Call,
		Over: cfg.Over, Lost: cfg.Lost, PollBudget: cfg.PollBudget, MaySpin: cfg.MaySpin,
	}
	for _, d := range registered {
		t, err := d.Open(&n.env)
		if err != nil {
			return n, err
		}
		if t != nil {
			n.add(d.Route, t)
		}
	}
	n.chooseAtomics()
	n.logAtomics()
	return n, nil
}

// choice is how this process reaches the members of one kind.
type choice struct {
	route   bridge.Route
	refused []bridge.Refusal
	made    bool
}

// chooseRoutes returns which fabric serves each member. It chooses once for each kind of members.
func chooseRoutes(cfg *Config) ([]bridge.Route, error) {
	routes := make([]bridge.Route, cfg.Size)
	choices := make([]choice, cfg.Members.Kinds())
	log := routeLog{members: cfg.Members, self: cfg.Self}
	for m := range routes {
		own := choice{route: bridge.Self}
		c := &own
		if m != cfg.Self {
			c = &choices[cfg.Members.Kind(m)]
		}
		if m != cfg.Self && !c.made {
			route, refused, err := cfg.Members.Route(cfg.Self, m)
			if err != nil {
				debuglog.Route.Printf("to rank %d: none: %v", m, err)
				return nil, err
			}
			*c = choice{route, refused, true}
		}
		routes[m] = c.route
		log.add(m, c.route, c.refused)
	}
	log.write()
	return routes, nil
}

// Serve starts to carry out operations and notices for other ranks, and those of the fabrics.
// own returns the memory of this process that calls work on. Requests that other ranks have
// sent before have waited. It is called once. Fails if two operations or notices have the same
// number, and then serves nothing. Does not block.
func (n *Network) Serve(own func() *heapview.Arena, operations []am.Operation, notices []am.Notice) (err error) {
	operations = append(slices.Clip(operations), am.Operation{
		Op: am.OpFabric, Name: "question to a transport",
		Serve: func(r fabric.Request) (int, error) { return n.peers.Serve(r.Body, r.Reply) },
	})
	notices = append(slices.Clip(notices), am.Notice{
		Number: am.NoticeFabric, Name: "notice of a transport", Take: n.peers.Notice,
	})
	if n.table, err = am.NewTable(own, operations, notices); err != nil {
		return err
	}
	n.env.Messenger.Serve()
	return nil
}

// add records a transport and what it can do.
func (n *Network) add(r bridge.Route, t fabric.Transport) {
	n.transports[r], n.can[r] = t, t.Abilities()
	n.mayWait = n.mayWait || n.can[r].Waits
	if m, ok := t.(driver.Mapper); ok {
		n.mapper, n.mapperRoute = m, r
	}
	if m, ok := t.(driver.Messenger); ok {
		n.env.Messenger, n.messengerRoute = m, r
	}
	if d, ok := t.(fabric.Deferring); ok {
		n.deferring, n.deferringRoute = d, r
	}
	if p, ok := t.(driver.Peer); ok {
		n.peers[r] = p
	}
}

// chooseAtomics decides which transport carries out atomics on memory of each route that is
// not mapped: one that has all atomics of the run, or the fabric of the route if its atomics
// are those of CPUs, or the messenger.
func (n *Network) chooseAtomics() {
	for r, t := range n.transports {
		n.atomics[r] = n.messengerRoute
		if _, maps := t.(driver.Mapper); !maps && n.can[r].Atomics == fabric.CPUAtomics {
			n.atomics[r] = bridge.Route(r)
		}
	}
	for r := range n.transports {
		if n.can[r].Atomics == fabric.AllAtomics {
			n.allAtomics = true
			for i := range n.atomics {
				n.atomics[i] = bridge.Route(r)
			}
		}
	}
}

// Space returns what this process publishes.
func (n *Network) Space() *segment.Space { return n.env.Space }

// Shares reports whether this process maps the memory of a member.
func (n *Network) Shares(member int) bool { return n.env.Routes[member] == n.mapperRoute }

// ShareMemory reports whether two members, of which this process need not be one, map each other's
// memory. Fails as Open does.
func (n *Network) ShareMemory(a, b int) (bool, error) {
	route, _, err := n.env.Members.Route(a, b)
	return err == nil && route.SharesMemory(), err
}

// View returns the memory of a member that shares it, as far as it is mapped. Fails if it
// cannot be mapped.
func (n *Network) View(member int) (*segment.View, error) { return n.mapper.View(member) }

// Layout returns how the library's memory of a member is laid out.
func (n *Network) Layout(member int) segment.Layout { return n.env.Layout(member) }

// Go runs f on a goroutine that ends before the run does.
func (n *Network) Go(f func()) { n.env.Go(f) }

// Agents returns the messenger, which carries messages to all members, and bytes in order with
// them.
func (n *Network) Agents() driver.Messenger { return n.env.Messenger }

// Calls returns functions by which C reaches the library's memory in other processes, or nil.
func (n *Network) Calls() unsafe.Pointer {
	for _, t := range n.transports {
		if c, ok := t.(driver.CTransport); ok {
			return c.Calls()
		}
	}
	return nil
}

// Renumber is called when the members have other ranks, and tells the transports. No operation
// is under way.
func (n *Network) Renumber() {
	for _, t := range n.transports {
		if c, ok := t.(driver.CTransport); ok {
			c.Renumber()
		}
	}
}

// Withdraw returns when no operation uses the memory gone of this process any more, which is
// not published any more. Fails with the error of over. Waits for accesses that other ranks
// have begun.
func (n *Network) Withdraw(gone segment.Withdrawn, over func() error) error {
	if err := n.env.Space.Drain(over); err != nil {
		return err
	}
	// Only now, since a goroutine of this process may have used the memory to begin a transfer.
	for _, d := range registered {
		if w, ok := n.transports[d.Route].(driver.Withdrawer); ok {
			if err := w.Withdraw(gone.Touch, over); err != nil {
				return err
			}
		}
	}
	return nil
}

// CloseAgents closes the messenger: operations under way end, and the agent serves no other
// rank any more.
func (n *Network) CloseAgents() error {
	if n.env.Messenger == nil {
		return nil
	}
	return n.env.Messenger.Close()
}

// Unmap unmaps the memory of other ranks, which no operation uses any more.
func (n *Network) Unmap() error {
	if n.mapper == nil {
		return nil
	}
	return n.mapper.Close()
}

// CloseRest closes the transports that neither carry messages nor map memory, together with
// the other members unless the run is lost.
func (n *Network) CloseRest(lost bool) error {
	var err error
	for r, t := range n.transports {
		if t == nil || bridge.Route(r) == n.messengerRoute || bridge.Route(r) == n.mapperRoute {
			continue
		}
		if a, ok := t.(driver.Abandoner); ok && lost {
			a.Abandon()
			continue
		}
		err = errors.Join(err, t.Close())
	}
	return err
}
