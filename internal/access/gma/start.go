package gma

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
)

// starter begins accesses, and ends atomics.
type starter interface {
	// path returns the path that a would take if it started now.
	path(a *Access) router.Path
	// start begins a, and calls done when it is complete. It waits for a peer if the path does.
	// When done has been called, a may be reused for another access.
	start(a *Access, done fabric.Completion) router.Path
	// startSeries is start for the GMAs of a series together. If ok is false it has done nothing: not all of them can
	// start, or the transport has no series. It does not wait for a peer.
	startSeries(s *series, done fabric.Completion) (path router.Path, ok bool)
	// mayWait reports whether start may wait for a peer on any path.
	mayWait() bool
	// gathers reports whether transports hold small accesses on a path back to send several together.
	gathers(p router.Path) bool
	// hasDeferred reports whether accesses wait for flush.
	hasDeferred() bool
	// flush completes the accesses that wait for it. It waits for peers.
	flush()
	// mail carries out a at once by the mailbox of another rank. If done is false the rank does not poll, or
	// a is for another path, and nothing has been changed. It waits for a rank that has taken the request,
	// until over returns true.
	mail(a Access, over func() bool) (done bool, err error)
	// load returns n bytes, up to 8, of memory of this process, if they are there.
	load(ga, n uint64) (word uint64, ok bool)
	// deliver stores the value that an atomic found at its destination.
	deliver(a *Access, found uint64) error
	// deliverSeries does so for the atomics of a series that have not failed, and records which fail.
	deliverSeries(s *series)
}

// routed is the starter that hands accesses to the router.
type routed struct {
	router  *router.Router
	space   *segment.Space
	member  func(rank int) int
	table   *maptable.Table
	traffic *traffic.Table
}

// locate finds the n bytes at ga.
func (r *routed) locate(ga, n uint64) (router.Location, error) {
	return r.router.Locate(r.member(maptable.RankOf(ga)), maptable.PositionOf(ga), n)
}

// registered reports whether ga can be registered memory of this process.
func (r *routed) registered(ga uint64) bool {
	return maptable.PositionOf(ga) >= segment.UserBase && maptable.RankOf(ga) == int(atomic.LoadUint64(&r.table.Rank))
}

func (r *routed) gathers(p router.Path) bool { return r.router.Gathers(p) }

func (r *routed) mayWait() bool     { return r.router.MayWait() }
func (r *routed) hasDeferred() bool { return r.router.HasDeferred() }
func (r *routed) flush()            { r.router.Flush() }

func (r *routed) path(a *Access) router.Path {
	dst, derr := r.locate(a.Dst, a.Size)
	src, serr := r.locate(a.Src, a.Size)
	switch {
	case derr != nil || serr != nil:
		return router.Path{}
	case a.IsCopy:
		return r.router.Between(dst, src)
	}
	return r.router.AtomicPath(src)
}

func (r *routed) start(a *Access, done fabric.Completion) router.Path {
	if r.registered(a.Dst) || r.registered(a.Src) {
		defer r.space.Leave(r.space.Enter())
	}
	if a.IsCopy {
		return r.startCopy(a, done)
	}
	return r.startAtomic(a, done)
}

func (r *routed) startCopy(a *Access, done fabric.Completion) router.Path {
	dst, err := r.locate(a.Dst, a.Size)
	var src router.Location
	if err == nil {
		src, err = r.locate(a.Src, a.Size)
	}
	if err != nil {
		done.Complete(0, err)
		return router.Path{}
	}
	path := r.router.Between(dst, src)
	r.countCopy(a, path)
	if a.Loaded && dst.Addr == nil {
		src.Addr = unsafe.Pointer(&a.Atomic.Operand) // Carry loads it
	}
	r.router.Carry(path, dst, src, a.Size, done)
	return path
}

// countCopy counts a copy that starts on a path.
func (r *routed) countCopy(a *Access, path router.Path) {
	if r.traffic == nil {
		return
	}
	self := int(atomic.LoadUint64(&r.table.Rank))
	r.traffic.AddCopy(self, maptable.RankOf(a.Dst), maptable.RankOf(a.Src), path.Traffic(), a.Size)
}

func (r *routed) startAtomic(a *Access, done fabric.Completion) router.Path {
	at, err := r.locate(a.Src, a.Size)
	if err == nil {
		_, err = r.space.Resolve(maptable.PositionOf(a.Dst), a.Size)
	}
	if err != nil {
		done.Complete(0, err)
		return router.Path{}
	}
	path := r.router.AtomicPath(at)
	r.traffic.Add(at.Member, traffic.Atomic, path.Traffic(), a.Size)
	r.router.Atomic(at, a.Atomic, done)
	return path
}

func (r *routed) load(ga, n uint64) (word uint64, ok bool) {
	if at := r.table.At(ga, n); at != nil { // memory of the library, which stays mapped
		fabric.Move(unsafe.Pointer(&word), at, n)
		return word, true
	}
	if r.registered(ga) {
		defer r.space.Leave(r.space.Enter())
	}
	src, err := r.space.Resolve(maptable.PositionOf(ga), n)
	if err == nil {
		err = fabric.TryMove(unsafe.Pointer(&word), src, n)
	}
	return word, err == nil
}

func (r *routed) deliver(a *Access, found uint64) error {
	defer r.space.Leave(r.space.Enter())
	dst, err := r.space.Resolve(maptable.PositionOf(a.Dst), a.Size)
	if err == nil {
		err = fabric.Touch(func() { StoreResult(dst, a.Atomic.Width, found) })
	}
	return err
}
