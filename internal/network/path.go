package network

import "github.com/goacp/goacp/internal/fabric"

// Path says what carries a transfer or an atomic, and for which member. It is a value that
// can be compared: operations on the same ordered path are carried out in the order in
// which they are handed over. The zero Path is that of operations that are finished on the
// spot.
type Path struct {
	kind pathKind
	peer int32
}

type pathKind uint8

const (
	pathHere       pathKind = iota // loads and stores
	pathKernelPut                  // from memory reached directly to a peer on this host
	pathKernelGet                  // to memory reached directly from a peer on this host
	pathKernelCopy                 // between two peers on this host
	pathPut                        // from memory reached directly, by a remote transport or an agent
	pathGet                        // to memory reached directly, by a remote transport or an agent
	pathSend                       // third-party copy, carried out by the agent of the source
	pathAtomic
)

// Between returns the path of a copy from src to dst.
func Between(dst, src Place) Path {
	switch {
	case src.Addr != nil && dst.Addr != nil:
		return Path{}
	case src.Addr != nil && dst.kernel:
		return Path{pathKernelPut, int32(dst.Member)}
	case dst.Addr != nil && src.kernel:
		return Path{pathKernelGet, int32(src.Member)}
	case src.kernel && dst.kernel:
		return Path{pathKernelCopy, int32(src.Member)}
	case src.Addr != nil:
		return Path{pathPut, int32(dst.Member)}
	case dst.Addr != nil:
		return Path{pathGet, int32(src.Member)}
	}
	return Path{pathSend, int32(src.Member)}
}

// AtomicPath returns the path of an atomic on the integer at p.
func (n *Network) AtomicPath(p Place) Path {
	if p.Addr != nil && n.atomics == nil {
		return Path{}
	}
	return Path{pathAtomic, int32(p.Member)}
}

// Immediate reports whether operations on the path are finished on the spot.
func (a Path) Immediate() bool { return a.kind == pathHere }

// Ordered reports whether a transport keeps the order of operations on the path.
func (a Path) Ordered() bool { return a.kind == pathPut || a.kind == pathGet || a.kind == pathAtomic }

// Far reports whether another process carries out a part of the copy in its own time, so
// that the copy is not complete when Carry returns.
func (a Path) Far() bool { return a.kind >= pathPut }

// carrier returns the transport for copies to and from a member that shares no memory with
// this process.
func (n *Network) carrier(member int) fabric.Transport {
	if n.remote != nil && n.remote.Carries(member) {
		return n.remote
	}
	return n.agents
}

// Waits reports whether Carry may wait for a peer on the path.
func (n *Network) Waits(a Path) bool {
	return (a.kind == pathPut || a.kind == pathGet) && n.carrier(int(a.peer)).Abilities().Waits
}

// MayWait reports whether Carry or Atomic may wait for a peer on any path.
func (n *Network) MayWait() bool { return n.remote != nil && n.remote.Abilities().Waits }

// Carry copies size bytes from src to dst on the path between them. It waits for a peer if
// Waits says so.
//
// If one place is registered memory of this process, the caller has entered the space and
// leaves it after Carry has returned. Other memory of this process stays valid until done.
func (n *Network) Carry(a Path, dst, src Place, size uint64, done fabric.Completion) {
	switch a.kind {
	case pathHere:
		fabric.Move(dst.Addr, src.Addr, size)
		done.Complete(0, nil)
	case pathPut:
		n.carrier(dst.Member).Put(dst.Member, dst.Pos, src.Addr, size, done)
	case pathGet:
		n.carrier(src.Member).Get(src.Member, src.Pos, dst.Addr, size, done)
	default:
		n.Post(a, dst, src, size, done)
	}
}

// Start is Carry for callers that must not wait for peers.
func (n *Network) Start(a Path, dst, src Place, size uint64, done fabric.Completion) {
	if !n.Waits(a) {
		n.Carry(a, dst, src, size, done)
		return
	}
	epoch := n.space.Enter()
	n.cfg.Go(func() {
		defer n.space.Leave(epoch)
		n.Carry(a, dst, src, size, done)
	})
}

// Post is Start without remote transports: the bytes arrive before what is posted, sent or
// stored for the same member afterwards.
func (n *Network) Post(a Path, dst, src Place, size uint64, done fabric.Completion) {
	switch a.kind {
	case pathHere:
		fabric.Move(dst.Addr, src.Addr, size)
		done.Complete(0, nil)
	case pathKernelPut:
		n.host.Put(dst.Member, dst.Pos, src.Addr, size, done)
	case pathKernelGet:
		n.host.Get(src.Member, src.Pos, dst.Addr, size, done)
	case pathKernelCopy:
		n.host.Copy(src.Member, src.Pos, dst.Member, dst.Pos, size, done)
	case pathPut:
		n.agents.Put(dst.Member, dst.Pos, src.Addr, size, done)
	case pathGet:
		n.agents.Get(src.Member, src.Pos, dst.Addr, size, done)
	case pathSend:
		n.agents.Copy(src.Member, src.Pos, dst.Member, dst.Pos, size, done)
	}
}

// Atomic carries out an atomic on the integer at p, on the path that AtomicPath tells. It may
// wait for a peer if MayWait says so.
func (n *Network) Atomic(p Place, a fabric.Atomic, done fabric.Completion) {
	switch {
	case n.atomics != nil:
		n.atomics.Atomic(p.Member, p.Pos, a, done)
	case p.Addr != nil:
		done.Complete(a.Apply(p.Addr), nil)
	default:
		n.agents.Atomic(p.Member, p.Pos, a, done)
	}
}
