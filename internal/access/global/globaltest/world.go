package globaltest

import (
	"errors"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/router"
)

// Sizes of the memory of a rank unless a Config says otherwise.
const (
	Starter = 64 << 10
	Heap    = 16 * heap.Unit
)

// Config describes a run. The zero value of a field is its default.
type Config struct {
	Size int         // ranks; 1
	Mode bridge.Mode // by which fabric they reach each other
	Heap uint64      // bytes of the heap of each rank; Heap

	// Refuse returns why a member does not map the memory of another, or nil.
	Refuse func(self, other int) error

	// Operations returns what the agent of a rank carries out beside calls on its heap.
	Operations func(r *Rank) []am.Operation

	// Spin: goroutines that wait poll before they park.
	Spin bool
}

// World is a run whose ranks are all in this process.
type World struct {
	Ranks []*Rank // by member

	over atomic.Pointer[error]
	lost chan struct{}
}

// Rank is one rank of a World.
type Rank struct {
	Numbers *ga.Ranks
	Cond    *wait.Cond
	Direct  *maptable.Table
	page    *activity.Page
	Space   *segment.Space
	Router  *router.Router
	Mem     *global.Memory
	Budget  wait.Budget

	world *World
	begun sync.WaitGroup // goroutines of the network
}

// New opens a run, which ends with the test.
func New(t testing.TB, cfg Config) *World {
	t.Helper()
	if cfg.Size == 0 {
		cfg.Size = 1
	}
	if cfg.Heap == 0 {
		cfg.Heap = Heap
	}
	w := &World{lost: make(chan struct{})}
	if err := w.open(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// End ends the run: all waiting ends with err.
func (w *World) End(err error) {
	if !w.over.CompareAndSwap(nil, &err) {
		return
	}
	close(w.lost)
	for _, r := range w.Ranks {
		r.Cond.End(err)
	}
}

// Over returns a channel that is closed when the run is over.
func (r *Rank) Over() <-chan struct{} { return r.world.lost }

// alive returns why the run is over, or nil.
func (w *World) alive() error {
	if err := w.over.Load(); err != nil {
		return *err
	}
	return nil
}

// open makes the ranks of the run that cfg describes.
func (w *World) open(cfg Config) error {
	token, err := bridge.NewToken()
	if err != nil {
		return err
	}
	credentials, err := bridge.NewCredentials(token, false)
	if err != nil {
		return err
	}
	o := opening{cfg: cfg, world: w, run: segment.Run(token[:16]), credentials: credentials}
	for member := range cfg.Size {
		if err := o.addRank(member); err != nil {
			return err
		}
	}
	if o.members, err = bridge.NewMembers(o.contacts); err != nil {
		return err
	}
	o.roster = bridge.RosterOf(o.members)
	for member, r := range w.Ranks {
		if err := o.connect(r, member); err != nil {
			return err
		}
	}
	return nil
}

// close takes down what open has set up.
func (w *World) close() (err error) {
	for _, r := range w.Ranks {
		err = errors.Join(err, r.Router.CloseAgents())
	}
	for _, r := range w.Ranks {
		r.begun.Wait()
		err = errors.Join(err, r.Router.Unmap(), r.page.Free())
	}
	for _, r := range w.Ranks {
		err = errors.Join(err, r.Space.Close())
	}
	return err
}

// opening is what the ranks of a World have in common while it is opened.
type opening struct {
	cfg         Config
	world       *World
	run         segment.Run
	credentials *bridge.Credentials
	members     *bridge.Members
	roster      *bridge.Roster
	listeners   []*endpoint.Listener // by member
	contacts    [][]byte             // by member
}

// addRank makes a rank and what it tells the others about itself.
func (o *opening) addRank(member int) (err error) {
	r := &Rank{world: o.world, Numbers: ga.NewRanks(o.cfg.Size, member)}
	r.Cond = wait.NewCond(&r.Budget, func() bool { return r.Router.Agents().Poll() })
	r.Cond.PollInlineBy(func(quiet time.Duration, done func() bool) bool { return r.Router.PollInline(quiet, done) })
	if r.Space, err = segment.New(o.run, member, segment.Layout{Starter: Starter, Heap: o.cfg.Heap}, segment.Slot{}); err != nil {
		return err
	}
	if r.page, err = activity.New(o.run, member, o.cfg.Size, maptable.Size(o.cfg.Size)); err != nil {
		return err
	}
	r.Direct = maptable.In(r.page.Counters(), o.cfg.Size)
	r.Budget.Show(r.page)
	r.Budget.KeepIn(&r.Direct.Load)
	if o.cfg.Spin {
		r.Budget.Permit(runtime.GOMAXPROCS(0))
	}
	listener, err := router.Listen(netip.Addr{}, true)
	if err != nil {
		return err
	}
	o.listeners = append(o.listeners, listener)
	o.world.Ranks = append(o.world.Ranks, r)
	return o.addContact(member, r.Space, listener)
}

// addContact adds what a member tells the others about itself.
func (o *opening) addContact(member int, space *segment.Space, listener *endpoint.Listener) error {
	host, err := bridge.LocalHost()
	if err != nil {
		return err
	}
	started, err := pid.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	layout := space.Layout()
	contact := bridge.Contact{
		Member: uint32(member), JobRank: uint32(member), Host: host, HostName: "test",
		PID: uint32(os.Getpid()), StartTime: started,
		MemFD: uint32(space.FD()), MemSize: layout.MapSize(), Base: uint64(uintptr(space.Base())),
		StarterOffset: segment.StarterOffset, StarterSize: layout.Starter,
		HeapOffset: layout.HeapOffset(), HeapSize: layout.Heap,
		Agent: listener.Addrs(), Mode: o.cfg.Mode,
	}
	o.contacts = append(o.contacts, contact.Append(nil))
	return nil
}

// connect opens the fabrics of a rank, and lets it serve others.
func (o *opening) connect(r *Rank, member int) (err error) {
	r.Router, err = router.Open(router.Config{
		Process: driver.Process{
			Self: member, Seats: o.cfg.Size, Local: true, Members: o.members, Roster: o.roster, Run: o.run, Space: r.Space,
			Listener: o.listeners[member], Auth: o.credentials.Agent(member), Ranks: r.Numbers.Rank, Go: r.begun.Go,
			Call: func(member int, op am.Op, request, answer []byte) (int, error) {
				return r.Mem.Call(member, op, request, answer)
			},
			Over: o.world.alive, Lost: o.world.lost, PollBudget: r.Budget.Poll,
			MaySpin: func() bool { return o.cfg.Spin }, Attach: o.attach(member),
		},
		PeerLost: func(_ int, err error) { o.world.End(err) },
		Mapped:   func(member int, m segment.Memory) { r.Mem.Mapped(member, m) },
	})
	if err != nil {
		return err
	}
	r.Mem = global.New(global.Config{Ranks: r.Numbers, Router: r.Router, Direct: r.Direct, Cond: r.Cond, Alive: o.world.alive})
	var operations []am.Operation
	if o.cfg.Operations != nil {
		operations = o.cfg.Operations(r)
	}
	return r.Router.Serve(r.Mem.Own, operations, nil)
}

// attach returns how a member maps the memory of others.
func (o *opening) attach(self int) func(segment.PeerInfo) (*segment.View, error) {
	return func(p segment.PeerInfo) (*segment.View, error) {
		if o.cfg.Refuse != nil {
			if err := o.cfg.Refuse(self, p.Member); err != nil {
				return nil, err
			}
		}
		return segment.Attach(p)
	}
}

// Renumber gives every member its new rank and forgets what the memory held, as a Reset of the
// library does. Nothing is under way.
func (w *World) Renumber(t testing.TB, ranks []uint32) {
	t.Helper()
	for _, r := range w.Ranks {
		r.Space.WithdrawAll()
		if err := r.Space.Reset(); err != nil {
			t.Fatal(err)
		}
		r.Mem.Renumber(ranks)
	}
}

// Rank returns the rank with a number.
func (w *World) Rank(number int) *Rank { return w.Ranks[w.Ranks[0].Numbers.Member(number)] }

// Starter returns the address of a byte of the starter memory of the rank.
func (r *Rank) Starter(at uint64) uint64 { return ga.Make(r.Numbers.Own(), segment.StarterOffset+at) }
