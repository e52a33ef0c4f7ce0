package dmi

import (
	"context"

	"github.com/goacp/goacp/internal/system/dmi/object"
)

// Bytes that objects take in global memory, within one page. Programs do not write these bytes.
const (
	BarrierSize = object.BarrierSize
	MutexSize   = object.MutexSize
	CondSize    = object.CondSize
	SpinSize    = object.SpinSize
	IDPoolSize  = object.IDPoolSize
	RWSetSize   = object.RWSetSize
)

// Errors of objects, for errors.Is.
var (
	ErrNotInitialised = object.ErrNotInitialised // there is no object, or not any more
	ErrKind           = object.ErrKind           // there is an object of another kind
	ErrOwner          = object.ErrOwner          // the thread does not hold the lock
	ErrOwned          = object.ErrOwned          // the thread holds the lock already
	ErrNotLocked      = object.ErrNotLocked      // no thread holds the lock
	ErrLocked         = object.ErrLocked         // the lock is held, and cannot be destroyed
	ErrMismatch       = object.ErrMismatch       // threads call a barrier differently
)

// Mutex is a mutex in global memory. It is granted in order of arrival, and belongs to the thread that locks it.
type Mutex struct {
	n *Node
	a int64
}

// Mutex returns the mutex at an address, which Init makes. Does not block.
func (n *Node) Mutex(a Addr) Mutex { return Mutex{n, int64(a)} }

// Init makes the MutexSize bytes a free mutex. Blocks for a round trip.
func (m Mutex) Init() error { return m.n.session.Objects.InitMutex(m.a) }

// Destroy ends the mutex, which no thread holds. Blocks for a round trip.
func (m Mutex) Destroy() error { return m.n.session.Objects.DestroyMutex(m.a) }

// Lock locks the mutex for a thread. Blocks until the threads that have come before have unlocked it, or ctx ends. Fails with
// ErrOwned.
func (m Mutex) Lock(ctx context.Context, t *Thread) error {
	return m.n.session.Objects.Lock(ctx, m.a, t.object())
}

// TryLock locks the mutex for a thread if it is free, and reports whether it has. Blocks for a round trip.
func (m Mutex) TryLock(t *Thread) (bool, error) {
	return m.n.session.Objects.TryLock(m.a, t.object())
}

// Unlock unlocks the mutex, which the thread holds. Blocks for a round trip.
func (m Mutex) Unlock(t *Thread) error { return m.n.session.Objects.Unlock(m.a, t.object()) }

// Cond is a condition variable in global memory.
type Cond struct {
	n *Node
	a int64
}

// Cond returns the condition variable at an address, which Init makes. Does not block.
func (n *Node) Cond(a Addr) Cond { return Cond{n, int64(a)} }

// Init makes the CondSize bytes a condition variable. Blocks for a round trip.
func (c Cond) Init() error { return c.n.session.Objects.InitCond(c.a) }

// Destroy ends the condition variable, at which no thread waits. Blocks for a round trip.
func (c Cond) Destroy() error { return c.n.session.Objects.DestroyCond(c.a) }

// Wait unlocks the mutex, waits for Signal or Broadcast, and locks the mutex again. It may return without them. If ctx ends, it fails with
// the error of ctx, and the thread holds the mutex, too.
func (c Cond) Wait(ctx context.Context, m Mutex, t *Thread) error {
	return c.n.session.Objects.Wait(ctx, c.a, m.a, t.object())
}

// Signal wakes one thread that waits. Blocks for a round trip.
func (c Cond) Signal() error { return c.n.session.Objects.SignalCond(c.a) }

// Broadcast moves all threads that wait to the mutex. Blocks for a round trip.
func (c Cond) Broadcast() error { return c.n.session.Objects.BroadcastCond(c.a) }

// Spin is a spin lock in global memory. A thread that waits looks for a while, and then sleeps for growing times.
type Spin struct {
	n *Node
	a int64
}

// Spin returns the spin lock at an address, which Init makes. Does not block.
func (n *Node) Spin(a Addr) Spin { return Spin{n, int64(a)} }

// Init makes the SpinSize bytes a free spin lock. Blocks for a round trip.
func (s Spin) Init() error { return s.n.session.Objects.InitSpin(s.a) }

// Destroy ends the spin lock, which no thread holds. Blocks for a round trip.
func (s Spin) Destroy() error { return s.n.session.Objects.DestroySpin(s.a) }

// Lock locks the spin lock for a thread. Blocks until it is free, or ctx ends. Fails with ErrOwned.
func (s Spin) Lock(ctx context.Context, t *Thread) error {
	return s.n.session.Objects.LockSpin(ctx, s.a, t.object())
}

// TryLock locks the spin lock for a thread if it is free, and reports whether it has. Blocks for a round trip.
func (s Spin) TryLock(t *Thread) (bool, error) {
	return s.n.session.Objects.TryLockSpin(s.a, t.object())
}

// Unlock unlocks the spin lock, which the thread holds. Blocks for a round trip.
func (s Spin) Unlock(t *Thread) error { return s.n.session.Objects.UnlockSpin(s.a, t.object()) }

// IDPool is numbers from 0 on, of which threads take free ones.
type IDPool struct {
	n *Node
	a int64
}

// IDPool returns the pool of numbers at an address, which Init makes. Does not block.
func (n *Node) IDPool(a Addr) IDPool { return IDPool{n, int64(a)} }

// Init makes the IDPoolSize bytes a pool of the numbers below size. Blocks for some round trips.
func (p IDPool) Init(size int) error { return p.n.session.Objects.InitIDPool(p.a, size) }

// Destroy ends the pool. Blocks for some round trips.
func (p IDPool) Destroy() error { return p.n.session.Objects.DestroyIDPool(p.a) }

// Get takes a free number. Fails if there is none. Blocks for a round trip or two.
func (p IDPool) Get() (int, error) { return p.n.session.Objects.GetID(p.a) }

// Put gives a number back. Fails for one that is free. Blocks for a round trip or two.
func (p IDPool) Put(id int) error { return p.n.session.Objects.PutID(p.a, id) }

// InitBarrier makes the BarrierSize bytes at an address a barrier. Blocks for a round trip.
func (n *Node) InitBarrier(a Addr) error { return n.session.Objects.InitBarrier(int64(a)) }

// DestroyBarrier ends a barrier, at which no thread waits. Blocks for a round trip.
func (n *Node) DestroyBarrier(a Addr) error { return n.session.Objects.DestroyBarrier(int64(a)) }

// Barrier is a barrier as one thread uses it.
type Barrier struct{ local *object.LocalBarrier }

// Barrier returns the barrier at an address for one thread, which then calls its methods. Blocks for a round trip. Fails if there is no
// barrier.
func (n *Node) Barrier(a Addr) (*Barrier, error) {
	local, err := n.session.Objects.NewLocalBarrier(int64(a))
	if err != nil {
		return nil, err
	}
	return &Barrier{local}, nil
}

// Close ends the use of the barrier by the thread. Does not block.
func (b *Barrier) Close() { b.local.Destroy() }

// Sync blocks until n threads have called it. If ctx ends first, the thread has come all the same. Fails with ErrMismatch on all threads if they
// call differently.
func (b *Barrier) Sync(ctx context.Context, n int) error { return b.local.Sync(ctx, n) }

// Reduction combines the values of threads.
type Reduction int8

// The reductions.
const (
	Max  = Reduction(object.OpMax)
	Min  = Reduction(object.OpMin)
	Sum  = Reduction(object.OpSum)
	Prod = Reduction(object.OpProd)
)

// Number is a type of values of AllReduce.
type Number interface {
	int8 | int16 | int32 | int64 | float32 | float64
}

// AllReduce combines one value of each of n threads, and returns the same result to all. The order in which values are combined is not
// fixed. Blocks until n threads have called it. Fails as Sync does.
func AllReduce[T Number](ctx context.Context, b *Barrier, n int, x T, op Reduction) (T, error) {
	var result T
	return result, b.local.AllReduce(ctx, n, bytesOf(&x), bytesOf(&result), int8(op), kindOf(x))
}

// kindOf returns the type that objects have for a T.
func kindOf[T Number](x T) int8 {
	switch any(x).(type) {
	case int8:
		return object.TypeChar
	case int16:
		return object.TypeShort
	case int32:
		return object.TypeInt
	case int64:
		return object.TypeLongLong
	case float32:
		return object.TypeFloat
	}
	return object.TypeDouble
}

// RWSet is elements of one size, which are cut into regions. Each region writes some elements, and reads elements of all.
type RWSet struct {
	n *Node
	a int64
}

// RWSet returns the set at an address, which Init makes. Does not block.
func (n *Node) RWSet(a Addr) RWSet { return RWSet{n, int64(a)} }

// Init makes the RWSetSize bytes a set of elements of size bytes each, in some regions. All values are 0. Blocks for a round trip.
func (s RWSet) Init(elements, size int64, regions int) error {
	return s.n.session.Objects.InitRWSet(s.a, elements, size, regions)
}

// Destroy ends the set and its values. Blocks for a round trip for each region.
func (s RWSet) Destroy() error { return s.n.session.Objects.DestroyRWSet(s.a) }

// Decompose says which elements a region writes, in which order. No other region writes them. Called again, it replaces the list, and views
// that were bound before fail. Blocks for some round trips.
func (s RWSet) Decompose(region int, elements []int64) error {
	return s.n.session.Objects.Decompose(s.a, region, elements)
}

// RWView is a set as one region uses it.
type RWView struct{ local *object.LocalRWSet }

// Bind returns the set for a region that reads some elements, in this order. All regions have been decomposed. Blocks for some round trips.
func (s RWSet) Bind(region int, reads []int64) (*RWView, error) {
	local, err := s.n.session.Objects.NewLocalRWSet(s.a, region, reads)
	if err != nil {
		return nil, err
	}
	return &RWView{local}, nil
}

// WriteSize returns the bytes of all elements that the region writes.
func (v *RWView) WriteSize() int64 { return v.local.WriteSize() }

// ReadSize returns the bytes of all elements that Bind has named.
func (v *RWView) ReadSize() int64 { return v.local.ReadSize() }

// Write writes the elements of the region, in the order of Decompose. Blocks for a round trip.
func (v *RWView) Write(b []byte) error { return v.local.Write(b) }

// Read reads the elements that Bind has named, in that order. Blocks for a round trip to all processes that have some.
func (v *RWView) Read(b []byte) error { return v.local.Read(b) }
