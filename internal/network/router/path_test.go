package router

import (
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/driver"
)

// recorder is a transport that records the calls of its methods. It completes an operation when
// hold is closed.
type recorder struct {
	name string
	can  fabric.Abilities
	hold chan struct{}

	mu    sync.Mutex
	calls []string
}

func (r *recorder) note(what string, done fabric.Completion) {
	r.mu.Lock()
	r.calls = append(r.calls, what)
	r.mu.Unlock()
	if r.can.Waits {
		<-r.hold
	}
	done.Complete(0, nil)
}

func (r *recorder) Name() string                { return r.name }
func (r *recorder) Abilities() fabric.Abilities { return r.can }
func (r *recorder) Close() error                { return nil }
func (r *recorder) Put(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	r.note("put", done)
}

func (r *recorder) Get(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	r.note("get", done)
}

func (r *recorder) Atomic(_ int, _ uint64, _ fabric.Atomic, done fabric.Completion) {
	r.note("atomic", done)
}

func (r *recorder) Copy(_ int, _ uint64, _ int, _, _ uint64, done fabric.Completion) {
	r.note("copy", done)
}

// took returns the recorded calls, and forgets them.
func (r *recorder) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

// end is a Completion that can be waited for.
type end chan error

func (e end) Complete(_ uint64, err error) { e <- err }

// testRouter is the network of member 0: member 1 is on this host, member 2 is reached by
// a remote transport that waits, member 3 by its agent.
func testRouter(t *testing.T) (n *Router, host, agents, remote *recorder) {
	t.Helper()
	space, err := segment.New(segment.Run{1}, 0, segment.Layout{Starter: 4096}, segment.Slot{})
	if err != nil {
		t.Fatal(err)
	}
	var started sync.WaitGroup // goroutines of Start use the space after the completion
	t.Cleanup(func() {
		started.Wait()
		space.Close()
	})
	host = &recorder{name: "host", can: fabric.Abilities{Immediate: true, Copies: true, Notices: true, Atomics: fabric.CPUAtomics}}
	agents = &recorder{name: "agents", can: fabric.Abilities{Copies: true, Notices: true, Atomics: fabric.CPUAtomics}}
	remote = &recorder{name: "remote", can: fabric.Abilities{Waits: true}, hold: make(chan struct{})}
	var contacts [][]byte
	for m := range uint32(4) {
		contact := bridge.Contact{Member: m, JobRank: m}
		contacts = append(contacts, contact.Append(nil))
	}
	members, err := bridge.NewMembers(contacts)
	if err != nil {
		t.Fatal(err)
	}
	n = &Router{env: driver.Env{
		Process: driver.Process{Self: 0, Seats: 4, Members: members, Roster: bridge.RosterOf(members), Go: started.Go, Space: space},
		Routes:  driver.NewRoutes(4),
	}}
	for m, route := range []bridge.Route{bridge.Self, bridge.SHM, bridge.RMA, bridge.TCP} {
		n.env.Routes.Set(m, route)
	}
	n.add(bridge.TCP, messenger{agents})
	n.add(bridge.SHM, mapper{host})
	n.add(bridge.RMA, remote)
	n.chooseAtomics()
	return n, host, agents, remote
}

// mapper is a recorder that maps no memory.
type mapper struct{ *recorder }

func (mapper) View(int) (*segment.View, error) { return nil, fabric.ErrNoPath }

// messenger is a recorder that carries messages.
type messenger struct{ *recorder }

var _ fabric.Messenger = messenger{} // otherwise the network would have none

func (messenger) Serve()                                        {}
func (messenger) Poll() bool                                    { return false }
func (messenger) PollPeer(int) bool                             { return false }
func (messenger) PollInline(int, time.Duration, func() bool)    {}
func (messenger) PollAllInline(time.Duration, func() bool) bool { return true }
func (messenger) Flush()                                        {}
func (messenger) Notify(int, uint16, uint32, uint64) error      { return nil }

func (m messenger) Call(_ int, _ uint16, _, _ []byte, done fabric.Completion) { m.note("call", done) }

func (m messenger) PutWords(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	m.note("put words", done)
}

func (m messenger) GetWords(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	m.note("get words", done)
}

func (m messenger) Series(_ int, _ *fabric.Series, done fabric.Completion) { m.note("series", done) }

// TestPaths chooses the path of copies between all kinds of locations, and checks which method of
// which transport is called.
func TestPaths(t *testing.T) {
	n, host, agents, remote := testRouter(t)
	close(remote.hold)
	var word uint64
	addr := unsafe.Pointer(&word)
	here := Location{Member: 0, Addr: addr}
	mapped := Location{Member: 1, Pos: 4096, Addr: addr, via: bridge.TCP}
	kernel := Location{Member: 1, Pos: segment.UserBase, via: bridge.SHM, immediate: true}
	apart := Location{Member: 2, Pos: 4096, via: bridge.RMA}
	far := Location{Member: 3, Pos: 4096, via: bridge.TCP}
	for _, c := range []struct {
		name     string
		dst, src Location
		by       *recorder // nil: this process
		what     string
		ordered  bool
		distant  bool
	}{
		{"own memory", here, here, nil, "", false, false},
		{"to mapped memory", mapped, here, nil, "", false, false},
		{"between mapped memory", mapped, mapped, nil, "", false, false},
		{"to registered memory of this host", kernel, here, host, "put", false, false},
		{"from registered memory of this host", mapped, kernel, host, "get", false, false},
		{"between registered memory of this host", kernel, kernel, host, "copy", false, false},
		{"to a remote member", apart, mapped, remote, "put", true, true},
		{"from a remote member", here, apart, remote, "get", true, true},
		{"to a member that its agent serves", far, here, agents, "put", true, true},
		{"from a member that its agent serves", here, far, agents, "get", true, true},
		{"between members of the same remote transport", apart, apart, agents, "copy", false, true},
		{"between remote members", apart, far, agents, "copy", false, true},
		{"from a remote member to registered memory", kernel, apart, agents, "copy", false, true},
	} {
		a := n.Between(c.dst, c.src)
		if a.Immediate() != (c.by == nil) || a.Ordered() != c.ordered || a.Far() != c.distant {
			t.Errorf("%s: path %+v", c.name, a)
		}
		if n.Waits(a) != (c.by == remote) {
			t.Errorf("%s: waits: %v", c.name, n.Waits(a))
		}
		for how, carry := range map[string]func(Path, Location, Location, uint64, fabric.Completion){
			"Carry": n.Carry, "Start": n.Start, "Post": n.Post,
		} {
			done := make(end, 1)
			carry(a, c.dst, c.src, 8, done)
			if err := <-done; err != nil {
				t.Errorf("%s by %s: %v", c.name, how, err)
			}
			by := c.by
			if how == "Post" && by == remote {
				by = agents
			}
			for _, r := range []*recorder{host, agents, remote} {
				took := r.took()
				if r == by && (len(took) != 1 || took[0] != c.what) || r != by && len(took) != 0 {
					t.Errorf("%s by %s: %s was asked for %v", c.name, how, r.name, took)
				}
			}
		}
	}
}

// TestStartDoesNotWait begins copies with a remote transport whose calls do not return.
func TestStartDoesNotWait(t *testing.T) {
	n, _, _, remote := testRouter(t)
	var word uint64
	here, apart := Location{Addr: unsafe.Pointer(&word)}, Location{Member: 2, Pos: 4096, via: bridge.RMA}
	done := make(end, 2)
	n.Start(n.Between(apart, here), apart, here, 8, done)
	n.Forward(segment.StarterOffset, 2, 4096, 8, done)
	select {
	case <-done:
		t.Error("a copy has completed that the fabric holds")
	default:
	}
	close(remote.hold)
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestAtomicPaths carries out atomics with and without a transport that has all of them.
func TestAtomicPaths(t *testing.T) {
	n, host, agents, remote := testRouter(t)
	close(remote.hold)
	word := uint64(40)
	mapped, far := Location{Member: 1, Addr: unsafe.Pointer(&word), via: bridge.TCP}, Location{Member: 2, via: bridge.RMA}
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 2}
	do := func(p Location) {
		t.Helper()
		done := make(end, 1)
		n.Atomic(p, add, done)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if do(mapped); word != 42 || !n.AtomicPath(mapped).Immediate() {
		t.Errorf("the word is %d after an atomic here", word)
	}
	if do(far); len(agents.took()) != 1 || n.AtomicPath(far).Immediate() {
		t.Error("the agent was not asked for an atomic")
	}
	remote.can.Atomics = fabric.AllAtomics
	n.add(bridge.RMA, remote)
	n.chooseAtomics()
	if do(mapped); word != 42 || n.AtomicPath(mapped).Immediate() || len(remote.took()) != 1 {
		t.Error("an atomic of this CPU beside a fabric that has all atomics")
	}
	if do(far); len(remote.took()) != 1 || len(agents.took())+len(host.took()) != 0 {
		t.Error("an atomic of an agent beside a fabric that has all atomics")
	}
}
