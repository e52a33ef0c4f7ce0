package acp_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// single opens a run of one rank with size bytes of registered memory, at ga, and 8 more of
// starter memory.
func single(tb testing.TB, size int) (p *acp.Process, key acp.Key, ga acp.GA) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single(), StarterSize: uint64(size) + 8})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Finalize() })
	mem := foreign(tb, size)
	key = must(p.Register(mem, 0))
	return p, key, must(p.QueryGA(key, unsafe.Pointer(&mem[0])))
}

// TestUnregisterEndsOwnAccess uses registered memory of the calling process on another
// goroutine while it is unregistered. The memory vanishes as soon as Unregister has
// returned, so a late access is a fault.
func TestUnregisterEndsOwnAccess(t *testing.T) {
	const size = 4 << 20
	p, _, _ := single(t, size)
	starter := must(p.StarterGA(0))
	w := must(p.NewWorkspace(size))
	values := must(p.NewByteMap([]acp.Rank{0}, 1, 0))
	list := must(p.NewByteList(0))
	key := acp.Element{GA: starter + size, Size: 8} // that no operation changes
	if _, err := values.Insert(acp.Pair{First: key, Second: acp.Element{GA: starter, Size: size}}); err != nil {
		t.Fatal(err)
	}
	issue := func(h acp.Handle, err error) error {
		if err != nil {
			return err
		}
		return p.Complete(h)
	}
	for name, use := range map[string]func(ga acp.GA) error{
		"copy to":       func(ga acp.GA) error { return issue(p.Copy(ga, starter, size, acp.HandleNull)) },
		"copy from":     func(ga acp.GA) error { return issue(p.Copy(starter, ga, size, acp.HandleNull)) },
		"word":          func(ga acp.GA) error { return issue(p.Copy(ga, starter, 8, acp.HandleNull)) },
		"atomic":        func(ga acp.GA) error { return issue(p.Add8(starter, ga, 1, acp.HandleNull)) },
		"atomic result": func(ga acp.GA) error { return issue(p.Add8(ga, starter, 1, acp.HandleNull)) },
		"workspace":     func(ga acp.GA) error { return w.Read(ga, size, 0) },
		"list":          func(ga acp.GA) error { return push(list, acp.Element{GA: ga, Size: size}) },
		"map value": func(ga acp.GA) error {
			_, err := values.Load(acp.Pair{First: key, Second: acp.Element{GA: ga, Size: size}})
			return err
		},
		"map key": func(ga acp.GA) error {
			_, err := values.Find(acp.Element{GA: ga, Size: size})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 20 {
				if err := unregisterDuring(p, size, use); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
}

// unregisterDuring lets another goroutine use registered memory again and again, and
// unregisters and unmaps it meanwhile. It returns an error unless the use then fails with
// ErrBadAddress.
func unregisterDuring(p *acp.Process, size int, use func(ga acp.GA) error) error {
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	defer unix.Munmap(mem)
	start := unsafe.Pointer(&mem[0])
	key := must(p.Register(mem, 0))
	ga := must(p.QueryGA(key, start))
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		debug.SetPanicOnFault(true)
		defer func() {
			if fault := recover(); fault != nil {
				ended <- fmt.Errorf("used after it was unregistered: %v", fault)
			}
		}()
		err := use(ga)
		close(begun)
		for err == nil {
			err = use(ga)
		}
		ended <- err
	}()
	<-begun
	err = errors.Join(p.Unregister(key), unix.Mprotect(mem, unix.PROT_NONE))
	if end := <-ended; !errors.Is(end, acp.ErrBadAddress) {
		err = errors.Join(err, end)
	}
	return err
}

// push appends a copy of e to a list and removes it.
func push(l acp.ByteList, e acp.Element) error {
	if err := l.PushBack(e, 0); err != nil {
		return err
	}
	return l.PopBack()
}

func BenchmarkPut8Registered(b *testing.B) {
	p, _, ga := single(b, 4096)
	from := must(p.StarterGA(0))
	for b.Loop() {
		h, _ := p.Copy(ga, from, 8, acp.HandleNull)
		p.Complete(h)
	}
}

func BenchmarkAdd8Registered(b *testing.B) {
	p, _, ga := single(b, 4096)
	to := must(p.StarterGA(0))
	for b.Loop() {
		h, _ := p.Add8(to, ga, 1, acp.HandleNull)
		p.Complete(h)
	}
}
