//go:build mpi

package rma

import (
	"errors"
	"net/netip"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"github.com/goacp/goacp/internal/network/tcp"
	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

// TestLibraryMemory has members in processes of MPI, with the memory of the library in a
// window.
func TestLibraryMemory(t *testing.T) { conform(t, "library") }

// TestRegisteredMemory has members in processes of MPI, with registered memory in dynamic
// windows.
func TestRegisteredMemory(t *testing.T) { conform(t, "registered") }

// conform runs the conformance suite on the processes of a case.
func conform(t *testing.T, name string) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		return fabrictest.Processes(t, n, func(env string) func(int) {
			job := mpitest.Start(t, nil, n, name, append(mpitest.Windows(), env)...)
			t.Cleanup(func() {
				if out, err := job.Wait(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
			return nil
		})
	})
}

// owner is the process of a member. What other transports ask goes to its windows.
type owner struct {
	*fabrictest.Owner
	windows windows
}

// Serve implements fabric.Owner.
func (o *owner) Serve(r fabric.Request) (int, error) {
	if am.Op(r.Service) != am.OpFabric {
		return o.Owner.Serve(r)
	}
	return o.peers().Serve(r.Body, r.Reply)
}

// Notify implements fabric.Owner.
func (o *owner) Notify(from int, notice uint16, arg uint32, value uint64) {
	if am.NoticeNumber(notice) == am.NoticeFabric {
		o.peers().Notice(from, arg, value)
	}
}

func (o *owner) peers() driver.Peers {
	peers := make(driver.Peers, bridge.RouteEnd)
	peers[bridge.RMA] = &o.windows
	return peers
}

// call waits for the answer to a call, as the layers above do.
func call(m fabric.Messenger) func(int, am.Op, []byte, []byte) (int, error) {
	return func(member int, op am.Op, request, answer []byte) (int, error) {
		o := fabrictest.NewOutcome()
		m.Call(member, uint16(op), request, answer, o)
		n, err := o.Wait()
		return int(n), err
	}
}

const (
	libraryPos    = 4096
	registeredPos = 1<<40 + 4096
)

// obey is a member of the suite. registered says that the memory under test is registered.
func obey(registered bool) func() error {
	return func() error {
		if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
			return err
		}
		self, err := mpi.World().Rank()
		if err != nil {
			return err
		}
		l, err := endpoint.NewListener(endpoint.Choice{}, []netip.Addr{endpoint.Loopback()})
		if err != nil {
			return err
		}
		credentials, err := bridge.NewCredentials(bridge.Token{1}, false)
		if err != nil {
			return err
		}
		var messenger *tcp.Transport
		t, err := fabrictest.Obey(self, l.Addrs()[0].String(), func(s fabrictest.Site) (fabrictest.Member, error) {
			pos := uint64(libraryPos)
			if registered {
				pos = registeredPos
			}
			o := &owner{Owner: fabrictest.OwnerOf(s.Memory[4096:], pos)}
			messenger = tcp.New(l, tcp.Config{
				Self: self, Size: len(s.Addrs), Local: true, Auth: credentials.Agent(self), Owner: o,
				Addrs: func(m int) []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort(s.Addrs[m])} },
			})
			o.Use(messenger)
			if err := o.open(s, messenger, registered); err != nil {
				return fabrictest.Member{}, err
			}
			messenger.Serve()
			return fabrictest.Member{Transport: &o.windows, Pos: pos, Bad: pos + fabrictest.MemorySize}, nil
		})
		if err != nil {
			return err
		}
		return errors.Join(mpi.World().Barrier(), t.Close(), messenger.Close(), mpi.Finalize())
	}
}

// open makes the windows.
func (o *owner) open(s fabrictest.Site, m *tcp.Transport, registered bool) (err error) {
	w := &o.windows
	w.env = &driver.Env{
		Process:   driver.Process{Self: s.Self, Seats: len(s.Addrs), Call: call(m), Go: func(f func()) { go f() }},
		Messenger: m,
	}
	library := uint64(len(s.Memory))
	cfg := Config{
		Comm: mpi.World(), Self: s.Self, Size: len(s.Addrs), Atomics: true, Memory: s.Memory,
		Rank:   func(member int) int { return member },
		Shared: func(int) bool { return true },
		Ask:    w.ask,
		Registered: func(pos uint64) (first, size, addr uint64, ok bool) {
			return registeredPos, fabrictest.MemorySize, uint64(uintptr(unsafe.Pointer(&s.Memory[4096]))),
				registered && pos-registeredPos <= fabrictest.MemorySize
		},
		Wake: func(member int) { w.tell(member, noticeWake, 0) },
		Tell: func(member int, ticket uint64) { w.tell(member, noticeForget, ticket) },
		Over: func() error { return nil }, Fallback: m,
	}
	if registered {
		library = 2 * 4096
		cfg.Memory, cfg.Bytes = nil, int(library)
	}
	cfg.Library = func(_ int, pos, n uint64) bool {
		return pos >= libraryPos && pos <= library && n <= library-pos
	}
	if w.Transport, err = Open(cfg); err == nil && registered {
		w.Published(registeredPos, fabrictest.MemorySize, uintptr(unsafe.Pointer(&s.Memory[4096])))
	}
	return err
}
