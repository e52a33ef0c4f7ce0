package router

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
)

// Config describes this process, and what the router calls.
type Config struct {
	// Open may replace Space, and closes Listener or gives it to a fabric that does.
	driver.Process

	// PeerLost is that of fabric.Owner.
	PeerLost func(member int, err error)

	// Mapped is called when more of the memory of a member may have been mapped.
	Mapped func(member int, m segment.Memory)
}

// Router is how this process reaches the memory of all ranks. Open makes it. From Serve on
// other ranks reach this process, too. Other methods may be called by several goroutines at
// once, and those that transfer bytes or send messages not before Serve.
type Router struct {
	env   driver.Env
	table *am.Table // what the agent carries out; nil before Serve

	peerLost func(member int, err error)        // Config.PeerLost
	mapped   func(member int, m segment.Memory) // Config.Mapped

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
func Open(cfg Config) (*Router, error) {
	n := &Router{peerLost: cfg.PeerLost, mapped: cfg.Mapped, peers: make(driver.Peers, bridge.RouteEnd)}
	routes := driver.NewRoutes(cfg.Seats)
	// A process that comes meanwhile gets its route by both.
	cfg.Roster.Prepare(func(cohort int, coming *bridge.Members) {
		if cohort == cfg.Roster.CohortNumber(cfg.Self) {
			_ = chooseRoutes(&cfg, routes, coming) // the process that comes finds that out, too, and does not start
		}
	})
	for _, members := range cfg.Roster.Cohorts() {
		if cfg.Roster.CohortNumber(members.First()) != cfg.Roster.CohortNumber(cfg.Self) {
			continue
		}
		if err := chooseRoutes(&cfg, routes, members); err != nil {
			return nil, errors.Join(err, cfg.Listener.Close())
		}
	}
	n.env = driver.Env{Process: cfg.Process, Routes: routes, Owner: (*owner)(n)}
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

// chooseRoutes decides which fabric serves each of the members that have come together, of the cohort of this process. It
// chooses once for each kind of members. Members of other cohorts are reached by messages alone.
func chooseRoutes(cfg *Config, routes *driver.Routes, members *bridge.Members) error {
	choices := make([]choice, members.Kinds())
	log := routeLog{own: cfg.Members.At(cfg.Self), members: members}
	first := members.First()
	for m := first; m < first+members.Len(); m++ {
		own := choice{route: bridge.Self}
		c := &own
		if m != cfg.Self {
			c = &choices[members.Kind(m)]
		}
		if m != cfg.Self && !c.made {
			route, refused, err := routeTo(cfg, members, m)
			if err != nil {
				debuglog.Route.Printf("to rank %d: none: %v", m, err)
				return err
			}
			*c = choice{route, refused, true}
		}
		routes.Set(m, c.route)
		log.add(m, c.route, c.refused)
	}
	log.write()
	return nil
}

// routeTo returns the route to a member of a table, which need not be in the roster yet.
func routeTo(cfg *Config, members *bridge.Members, m int) (bridge.Route, []bridge.Refusal, error) {
	if members == cfg.Members {
		return members.Route(cfg.Self, m)
	}
	return bridge.RouteBetween(cfg.Members.At(cfg.Self), members.At(m))
}

// Serve starts to carry out operations and notices for other ranks, and those of the fabrics.
// own returns the memory of this process that calls work on. Requests that other ranks have
// sent before have waited. It is called once. Fails if two operations or notices have the same
// number, and then serves nothing. Does not block.
func (r *Router) Serve(own func() *heapview.View, operations []am.Operation, notices []am.Notice) (err error) {
	operations = append(slices.Clip(operations), am.Operation{
		Op: am.OpFabric, Name: "question to a transport",
		Serve: func(q fabric.Request) (int, error) { return r.peers.Serve(q.Body, q.Reply) },
	})
	notices = append(slices.Clip(notices), am.Notice{
		Number: am.NoticeFabric, Name: "notice of a transport", Take: r.peers.Notice,
	})
	if r.table, err = am.NewTable(own, operations, notices); err != nil {
		return err
	}
	r.env.Messenger.Serve()
	return nil
}

// add records a transport and what it can do.
func (r *Router) add(route bridge.Route, t fabric.Transport) {
	r.transports[route], r.can[route] = t, t.Abilities()
	r.mayWait = r.mayWait || r.can[route].Waits
	if m, ok := t.(driver.Mapper); ok {
		r.mapper, r.mapperRoute = m, route
	}
	if m, ok := t.(driver.Messenger); ok {
		r.env.Messenger, r.messengerRoute = m, route
	}
	if d, ok := t.(fabric.Deferring); ok {
		r.deferring, r.deferringRoute = d, route
	}
	if p, ok := t.(driver.Peer); ok {
		r.peers[route] = p
	}
}

// chooseAtomics decides which transport carries out atomics on memory of each route that is
// not mapped: one that has all atomics of the run, or the fabric of the route if its atomics
// are those of CPUs, or the messenger.
func (r *Router) chooseAtomics() {
	for route, t := range r.transports {
		r.atomics[route] = r.messengerRoute
		if _, maps := t.(driver.Mapper); !maps && r.can[route].Atomics == fabric.CPUAtomics {
			r.atomics[route] = bridge.Route(route)
		}
	}
	for route := range r.transports {
		if r.can[route].Atomics == fabric.AllAtomics {
			r.allAtomics = true
			for i := range r.atomics {
				r.atomics[i] = bridge.Route(route)
			}
		}
	}
}

// Space returns what this process publishes.
func (r *Router) Space() *segment.Space { return r.env.Space }

// Shares reports whether this process maps the memory of a member.
func (r *Router) Shares(member int) bool { return r.env.Routes.Of(member) == r.mapperRoute }

// ShareMemory reports whether two members, of which this process need not be one, map each other's
// memory. Fails as Open does.
func (r *Router) ShareMemory(a, b int) (bool, error) {
	route, _, err := r.env.Roster.Route(a, b)
	return err == nil && route.SharesMemory(), err
}

// View returns the memory of a member that shares it, as far as it is mapped. Fails if it
// cannot be mapped.
func (r *Router) View(member int) (*segment.View, error) { return r.mapper.View(member) }

// Layout returns how the library's memory of a member is laid out.
func (r *Router) Layout(member int) segment.Layout { return r.env.Layout(member) }

// Check returns nil if a member is present, and otherwise why it is not.
func (r *Router) Check(member int) error { return r.env.Check(member) }

// CatchUp receives all changes of the members so far if a member is unknown. Blocks for a round trip to the rendezvous.
func (r *Router) CatchUp(member int) {
	if member >= 0 && member < r.env.Seats {
		r.env.Roster.CatchUp(member)
	}
}

// Refresh returns when this process has received all changes of the members that another one may have received. Blocks for
// a round trip to the rendezvous.
func (r *Router) Refresh() error { return r.env.Roster.Refresh(context.Background()) }

// Cohort returns the number of the cohort of a member, 0 if it is not known.
func (r *Router) Cohort(member int) int { return r.env.Roster.CohortNumber(member) }

// Permanent returns how many members, the first ones, stay until the end of the run.
func (r *Router) Permanent() int { return r.env.Roster.Permanent() }

// Gone gives up the connections to a member that has left the run or is lost. Does not block.
func (r *Router) Gone(member int) {
	for _, t := range r.transports {
		if f, ok := t.(driver.Forgetter); ok {
			f.Gone(member)
		}
	}
}

// Base returns the address of position 0 of a known member in its process.
func (r *Router) Base(member int) uint64 {
	if members := r.env.Roster.CohortOf(member); members != nil {
		return members.Base(member)
	}
	return 0
}

// Go runs f on a goroutine that ends before the run does.
func (r *Router) Go(f func()) { r.env.Go(f) }

// Agents returns the messenger, which carries messages to all members, and bytes in order with
// them.
func (r *Router) Agents() driver.Messenger { return r.env.Messenger }

// Calls returns functions by which C reaches the library's memory in other processes, or nil.
func (r *Router) Calls() unsafe.Pointer {
	for _, t := range r.transports {
		if c, ok := t.(driver.CTransport); ok {
			return c.Calls()
		}
	}
	return nil
}

// Renumber is called when the members have other ranks, and tells the transports. No operation
// is under way.
func (r *Router) Renumber() {
	for _, t := range r.transports {
		if c, ok := t.(driver.CTransport); ok {
			c.Renumber()
		}
	}
}

// Withdraw returns when no operation uses the memory gone of this process any more, which is
// not published any more. Fails with the error of over. Waits for accesses that other ranks
// have begun.
func (r *Router) Withdraw(gone segment.Withdrawn, over func() error) error {
	if err := r.env.Space.Drain(over); err != nil {
		return err
	}
	// Only now, since a goroutine of this process may have used the memory to begin a transfer.
	for _, d := range registered {
		if w, ok := r.transports[d.Route].(driver.Withdrawer); ok {
			if err := w.Withdraw(gone.Touch, over); err != nil {
				return err
			}
		}
	}
	return nil
}

// CloseAgents closes the messenger: operations under way end, and the agent serves no other
// rank any more.
func (r *Router) CloseAgents() error {
	if r.env.Messenger == nil {
		return nil
	}
	return r.env.Messenger.Close()
}

// Unmap unmaps the memory of other ranks, which no operation uses any more.
func (r *Router) Unmap() error {
	if r.mapper == nil {
		return nil
	}
	return r.mapper.Close()
}

// CloseRest closes the transports that neither carry messages nor map memory, together with
// the other members unless the run is lost.
func (r *Router) CloseRest(lost bool) error {
	var err error
	for route, t := range r.transports {
		if t == nil || bridge.Route(route) == r.messengerRoute || bridge.Route(route) == r.mapperRoute {
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
