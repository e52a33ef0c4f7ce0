package global

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/sparse"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
)

// Config says what a Memory is made of. All fields but Traffic are required.
type Config struct {
	Ranks  *ga.Ranks
	Router *router.Router
	Direct *maptable.Table // what this process reaches by loads and stores
	Cond   *wait.Cond      // where goroutines wait for what other processes do
	Alive  func() error    // why the run is over, or nil

	Traffic *traffic.Table // counts what structures do; nil: nothing does
}

// Memory is the memory of all ranks as this process reaches it. Its methods may be called by
// several goroutines at once.
type Memory struct {
	ctx  context.Context // the caller of an operation gives up when it ends
	done <-chan struct{} // of ctx

	ranks  *ga.Ranks
	router *router.Router
	space  *segment.Space
	direct *maptable.Table
	cond   *wait.Cond
	alive  func() error

	traffic   *traffic.Table
	heapViews *sparse.Table[heapview.View] // by member: heaps that have been used
	entering  *sync.Mutex                  // taken to enter memory of others in direct

	abandoned *abandoned // nil for an operation that is detached
}

// New returns the Memory that cfg describes, and enters the memory of this process in the table of
// direct access.
func New(cfg Config) *Memory {
	m := &Memory{
		ctx: context.Background(), entering: new(sync.Mutex), abandoned: newAbandoned(),
		ranks: cfg.Ranks, router: cfg.Router, space: cfg.Router.Space(), direct: cfg.Direct, cond: cfg.Cond, alive: cfg.Alive, traffic: cfg.Traffic,
		heapViews: sparse.New[heapview.View](cfg.Ranks.Seats()),
	}
	m.enterOwn()
	return m
}

// enterOwn enters the memory of this process in the table of direct access.
func (m *Memory) enterOwn() {
	own := m.ranks.Own()
	m.direct.SetRank(uint64(own))
	m.direct.Map(own, m.space.Extent(), m.space.Layout())
	m.direct.SetRegions(m.space.Regions())
}

// Renumber gives every member its new rank, by member, and forgets where the memory of the old
// ranks is mapped. No operation is under way.
func (m *Memory) Renumber(ranks []uint32) {
	m.ranks.Renumber(ranks)
	for rank := range ranks {
		m.direct.Unmap(rank)
	}
	m.heapViews.Clear() // a view has the rank of its owner
	m.enterOwn()
	m.router.Renumber()
	m.traffic.Renumber(ranks)
}

// Direct returns the table of direct access.
func (m *Memory) Direct() *maptable.Table { return m.direct }

// Ranks returns which member has which rank.
func (m *Memory) Ranks() *ga.Ranks { return m.ranks }

// Alive returns why the run is over, or nil.
func (m *Memory) Alive() error { return m.alive() }

// Check finds out what can be known about an address without asking its owner. Fails with
// ErrBadAddress, and if the run is over.
func (m *Memory) Check(at uint64) error {
	if err := m.alive(); err != nil {
		return err
	}
	if ga.Pos(at) < segment.StarterOffset || ga.Rank(at) >= m.ranks.Seats() {
		return ErrBadAddress
	}
	return m.checkMember(m.ranks.Member(ga.Rank(at)), ErrBadAddress)
}

// CheckRank returns ErrBadRank if the run does not have a rank, and fails if the run is over.
func (m *Memory) CheckRank(rank int) error {
	if err := m.alive(); err != nil {
		return err
	}
	if rank < 0 || rank >= m.ranks.Seats() {
		return ErrBadRank
	}
	return m.checkMember(m.ranks.Member(rank), ErrBadRank)
}

// Gone reports whether the process of a rank has left the run or is lost, while the run goes on.
func (m *Memory) Gone(rank int) bool { return errors.Is(m.CheckRank(rank), ErrRankGone) }

// checkMember returns bad if no process has come as a member, and an error that wraps ErrRankGone if the
// member is gone.
func (m *Memory) checkMember(member int, bad error) error {
	if m.ranks.Fellow(member) {
		return nil
	}
	err := m.CheckMember(member)
	if errors.Is(err, fabric.ErrNoMember) {
		return bad
	}
	return Cause(err)
}

// CheckMember returns nil if a member is present, and otherwise an error that wraps fabric.ErrNoMember or
// ErrRankGone. Another process may know a guest before this one. So CheckMember catches up with the changes of the
// members if the member is unknown, which blocks for a round trip to the rendezvous.
func (m *Memory) CheckMember(member int) error {
	err := m.router.Check(member)
	if errors.Is(err, fabric.ErrNoMember) {
		m.router.CatchUp(member)
		err = m.router.Check(member)
	}
	return err
}

// Refresh returns when this process has received all changes of the members that another one may have received. Fails if
// the run is over. Blocks for a round trip to the rendezvous.
func (m *Memory) Refresh() error { return m.router.Refresh() }

// Cohort returns the number of the cohort of a member, 0 for residents of the run and for a member that is not known.
func (m *Memory) Cohort(member int) int { return m.router.Cohort(member) }

// Permanent returns how many members, the first ones, stay until the end of the run. They hold what
// a name or a number selects among all processes.
func (m *Memory) Permanent() int { return m.router.Permanent() }

// Forget takes the memory of a member that has left out of the table of direct access. It stays mapped, since another
// thread may use it.
func (m *Memory) Forget(member int) {
	m.entering.Lock()
	defer m.entering.Unlock()
	m.heapViews.Store(member, nil)
	if member < m.ranks.Limit() {
		m.direct.Unmap(m.ranks.Rank(member))
	}
}

// Member returns the member whose memory an address is in. The run has the rank.
func (m *Memory) Member(at uint64) int { return m.ranks.Member(ga.Rank(at)) }

// HeapSize returns the bytes to which the heap of a member may grow.
func (m *Memory) HeapSize(member int) uint64 { return m.router.Layout(member).Heap }

// Locate finds n bytes. If they are registered memory of this process, the caller has entered
// the space. Does not block.
func (m *Memory) Locate(at, n uint64) (router.Location, error) {
	return m.router.Locate(m.Member(at), ga.Pos(at), n)
}

// Find is Locate, and faster for memory in the table of direct access.
func (m *Memory) Find(at, n uint64) (router.Location, error) {
	if b, ok := m.View(ga.Span{GA: at, N: n}); ok {
		return m.router.Here(b), nil
	}
	return m.Locate(at, n)
}

// Here returns the place of a slice, which is not on the stack of a goroutine.
func (m *Memory) Here(b []byte) router.Location { return m.router.Here(b) }

// Registered reports whether an address can be registered memory of this process.
func (m *Memory) Registered(at uint64) bool {
	return ga.Pos(at) >= segment.UserBase && m.direct.IsOwn(at)
}

// Elsewhere returns where n bytes are in this process if they are heap memory in the table
// of direct access, registered memory in a pool there, or registered memory of this process, otherwise
// nil. If they are registered memory of this process, the caller has entered the space, and leaves it
// when it no longer uses the result.
func (m *Memory) Elsewhere(at, n uint64) unsafe.Pointer {
	if addr := m.direct.HeapAt(at, n); addr != nil {
		return addr
	}
	if addr := m.direct.Pooled(at, n); addr != nil {
		return addr
	}
	if !m.Registered(at) {
		return nil
	}
	addr, err := m.space.Resolve(ga.Pos(at), n)
	if err != nil {
		return nil // the function that copies the bytes meets the same error and returns it
	}
	return addr
}

// View returns memory of the library that this process reaches by loads and stores.
// Registered memory is left out, since it may be unregistered and freed at any time.
func (m *Memory) View(s ga.Span) ([]byte, bool) {
	if m.Registered(s.GA) && s.N > 0 {
		return nil, false
	}
	return m.ViewEntered(s)
}

// Enter counts the caller as one that uses registered memory of this process. It returns the
// argument for Leave, which ends the use. Unregister waits for it meanwhile.
func (m *Memory) Enter() uint32 { return m.space.Enter() }

// Leave undoes Enter.
func (m *Memory) Leave(epoch uint32) { m.space.Leave(epoch) }

// ViewEntered is View with registered memory of this process. The caller has entered the
// space, and leaves it when it no longer uses the bytes.
func (m *Memory) ViewEntered(s ga.Span) ([]byte, bool) {
	if s.N == 0 {
		return nil, true
	}
	addr := m.direct.At(s.GA, s.N)
	if addr == nil {
		addr = m.Elsewhere(s.GA, s.N)
	}
	if addr == nil {
		return nil, false
	}
	return unsafe.Slice((*byte)(addr), s.N), true
}
