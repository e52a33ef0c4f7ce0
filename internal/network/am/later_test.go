package am_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"github.com/goacp/goacp/internal/network/tcp"
)

// mutex is a lock in the memory of its owner, an example of operations whose answers come later:
// the answer to Lock comes when the caller holds the lock.
type mutex struct {
	mu      sync.Mutex
	held    bool
	waiting []fabric.Completion
}

const (
	opLock am.Op = 30 + iota
	opUnlock
)

func (m *mutex) operations() []am.Operation {
	return []am.Operation{
		{Op: opLock, Name: "lock", Serve: m.lock},
		{Op: opUnlock, Name: "unlock", Serve: m.unlock},
	}
}

func (m *mutex) lock(r fabric.Request) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held {
		m.waiting = append(m.waiting, r.Later.Defer())
	}
	m.held = true
	return 0, nil
}

func (m *mutex) unlock(fabric.Request) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 {
		m.held = false
		return 0, nil
	}
	next := m.waiting[0]
	m.waiting = m.waiting[1:]
	go next.Complete(0, nil)
	return 0, nil
}

// server is a fabric.Owner that serves by a table.
type server struct {
	*fabrictest.Owner
	*am.Table
}

// Serve implements fabric.Owner.
func (s server) Serve(r fabric.Request) (int, error) { return s.Table.Serve(r) }

// Notify implements fabric.Owner.
func (s server) Notify(from int, notice uint16, arg uint32, value uint64) {
	s.Table.Notify(from, notice, arg, value)
}

// openDoor is a tcp.Authenticator that accepts every caller.
type openDoor struct{}

func (openDoor) Challenge(_ context.Context, c net.Conn) (net.Conn, int, error) {
	_, err := c.Write([]byte{1})
	return c, -1, err
}

func (openDoor) Answer(_ context.Context, c net.Conn, _ int) (net.Conn, error) {
	_, err := io.ReadFull(c, make([]byte, 1))
	return c, err
}

// TestLockOverTCP has many goroutines of three members take a lock of member 0 in turn and
// count under it. More of them wait than a link has requests under way.
func TestLockOverTCP(t *testing.T) {
	const members, takers, turns, pos = 3, 1500, 2, 4096
	var listeners []*endpoint.Listener
	for range members {
		l, err := endpoint.NewListener(endpoint.Choice{}, []netip.Addr{endpoint.Loopback()})
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	var transports []*tcp.Transport
	for i, l := range listeners {
		table, err := am.NewTable(func() *heapview.View { return nil }, new(mutex).operations(), nil)
		if err != nil {
			t.Fatal(err)
		}
		o := fabrictest.NewOwner(t, pos, 4096)
		transports = append(transports, tcp.New(l, tcp.Config{
			Self: i, Size: members, Local: true, Auth: openDoor{}, Owner: server{o, table},
			Addrs: func(m int) []netip.AddrPort { return listeners[m].Addrs() },
		}))
	}
	count := 0 // guarded by the lock
	var all sync.WaitGroup
	errs := make(chan error, members*takers)
	for _, f := range transports {
		f.Serve()
		ask := func(op am.Op) error {
			o := fabrictest.NewOutcome()
			f.Call(0, uint16(op), nil, nil, o)
			_, err := o.Wait()
			return err
		}
		for range takers {
			all.Go(func() {
				for range turns {
					if err := ask(opLock); err != nil {
						errs <- fmt.Errorf("lock: %w", err)
						return
					}
					count++
					if err := ask(opUnlock); err != nil {
						errs <- fmt.Errorf("unlock: %w", err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if want := members * takers * turns; count != want {
		t.Errorf("%d turns, want %d", count, want)
	}
	var closing sync.WaitGroup
	for _, f := range transports {
		closing.Go(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	closing.Wait()
}
