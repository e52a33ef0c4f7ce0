package router

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
)

// Path says which transport carries a transfer or an atomic, and to which member. Paths can be
// compared: operations on the same ordered path are carried out in the order of the calls. The
// zero Path is that of operations by loads and stores, which are complete at once.
type Path struct {
	kind pathKind
	via  bridge.Route // whose transport carries it
	far  bool         // it may complete after the call has returned
	free bool         // the transport keeps no order
	peer int32
}

type pathKind uint8

const (
	pathHere pathKind = iota // loads and stores
	pathPut                  // from memory that this process reaches by loads
	pathGet                  // to memory that this process reaches by stores
	pathCopy                 // between memory of two other members
	pathAtomic
)

// Between returns the path of a copy from src to dst.
func (r *Router) Between(dst, src Location) Path {
	switch {
	case src.Addr != nil && dst.Addr != nil:
		return Path{}
	case src.Addr != nil:
		return r.path(pathPut, dst.via, dst.Member)
	case dst.Addr != nil:
		return r.path(pathGet, src.via, src.Member)
	case src.via == dst.via && r.can[src.via].Copies:
		return r.path(pathCopy, src.via, src.Member)
	}
	return r.path(pathCopy, r.messengerRoute, src.Member)
}

// AtomicPath returns the path of an atomic on the integer at p.
func (r *Router) AtomicPath(p Location) Path {
	if p.Addr != nil && !r.allAtomics {
		return Path{}
	}
	return r.path(pathAtomic, r.atomics[p.via], p.Member)
}

func (r *Router) path(kind pathKind, via bridge.Route, peer int) Path {
	return Path{kind, via, !r.can[via].Immediate, r.reorders(via, peer), int32(peer)}
}

// reorders reports whether a transport may carry out operations on a member in any order.
func (r *Router) reorders(via bridge.Route, member int) bool {
	return r.deferring != nil && via == r.deferringRoute && r.deferring.Defers(member)
}

// Immediate reports whether operations on the path are loads, stores and atomic instructions.
func (a Path) Immediate() bool { return a.kind == pathHere }

// Ordered reports whether a transport keeps the order of operations on the path.
func (a Path) Ordered() bool { return a.far && !a.free && a.kind != pathCopy }

// Track is what operations share that are carried out in the order of the calls, whatever they
// are. Tracks can be compared.
type Track struct {
	via  bridge.Route
	far  bool
	peer int32
}

// Track returns the track of operations on the path.
func (a Path) Track() Track {
	if !a.Ordered() {
		return Track{}
	}
	return Track{a.via, true, a.peer}
}

// Ordered reports whether the order is that of the calls. It is false for the zero Track.
func (t Track) Ordered() bool { return t.far }

// Gets reports whether operations on the path are copies to memory of this process.
func (a Path) Gets() bool { return a.kind == pathGet }

// Atomics reports whether operations on the path are atomics.
func (a Path) Atomics() bool { return a.kind == pathAtomic }

// Traffic returns the path as it is counted.
func (a Path) Traffic() traffic.Path {
	switch a.via {
	case bridge.RMA:
		return traffic.RMA
	case bridge.TCP:
		return traffic.TCP
	}
	return traffic.SHM
}

// Far reports whether an operation on the path may complete after Carry has returned.
func (a Path) Far() bool { return a.far }

// Gathers reports whether the transport of a path holds small operations back to send several together.
// The messenger does, for members whose memory this process does not map. If operations may wait for a
// peer, Gathers returns false.
func (r *Router) Gathers(a Path) bool {
	return !r.mayWait && a.via == r.messengerRoute && !r.Shares(int(a.peer))
}

// Waits reports whether Carry and Atomic may wait for a peer on the path.
func (r *Router) Waits(a Path) bool { return r.can[a.via].Waits }

// MayWait reports whether Carry or Atomic may wait for a peer on any path.
func (r *Router) MayWait() bool { return r.mayWait }

// Carry copies size bytes from src to dst on the path between them. It waits for a peer if
// Waits says so.
//
// If one location is registered memory of this process, the caller has entered the space and
// leaves it after Carry has returned. Other memory of this process stays valid until done.
func (r *Router) Carry(a Path, dst, src Location, size uint64, done fabric.Completion) {
	switch a.kind {
	case pathHere:
		done.Complete(0, fabric.TryMove(dst.Addr, src.Addr, size))
	case pathPut:
		r.transports[a.via].Put(dst.Member, dst.Pos, src.Addr, size, done)
	case pathGet:
		r.transports[a.via].Get(src.Member, src.Pos, dst.Addr, size, done)
	case pathCopy:
		r.transports[a.via].Copy(src.Member, src.Pos, dst.Member, dst.Pos, size, done)
	}
}

// HasSeries reports whether the transport of a path carries out series. The messenger does, in order with the other
// operations on the path.
func (r *Router) HasSeries(a Path) bool { return a.via == r.messengerRoute && a.Ordered() }

// CarrySeries carries out a series on the path of its items, of which HasSeries is true. It does not wait for a peer.
func (r *Router) CarrySeries(a Path, s *fabric.Series, done fabric.Completion) {
	r.env.Messenger.Series(int(a.peer), s, done)
}

// Start is Carry for callers that must not wait for peers.
func (r *Router) Start(a Path, dst, src Location, size uint64, done fabric.Completion) {
	if !r.Waits(a) {
		r.Carry(a, dst, src, size, done)
		return
	}
	epoch := r.env.Space.Enter()
	r.env.Go(func() {
		defer r.env.Space.Leave(epoch)
		r.Carry(a, dst, src, size, done)
	})
}

// Post is Carry in order with messages: the bytes arrive before bytes that are posted and
// messages that are sent to the same member afterwards. It does not wait for peers.
func (r *Router) Post(a Path, dst, src Location, size uint64, done fabric.Completion) {
	r.Carry(r.PostPath(a), dst, src, size, done)
}

// PostPath returns the path that Post takes in place of a.
func (r *Router) PostPath(a Path) Path {
	if a.far {
		a.via = r.messengerRoute
	}
	return a
}

// Atomic carries out an atomic on the integer at p, on the path that AtomicPath returns. It may
// wait for a peer if MayWait says so.
func (r *Router) Atomic(p Location, a fabric.Atomic, done fabric.Completion) {
	if p.Addr != nil && !r.allAtomics {
		var old uint64
		err := fabric.Touch(func() { old = a.Apply(p.Addr) })
		done.Complete(old, err)
		return
	}
	r.transports[r.atomics[p.via]].Atomic(p.Member, p.Pos, a, done)
}
