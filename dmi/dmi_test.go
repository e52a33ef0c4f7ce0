package dmi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/dmi"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// run runs a program in n processes, over shared memory and over sockets.
func run(t *testing.T, n int, p dmi.Program) {
	t.Helper()
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		cfg := acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}
		extensiontest.Run(t, n, cfg, func(process *acp.Process) error { return dmi.Run(process, p, nil) })
	})
}

// places has the objects of a program in one page.
type places struct{ Mutex, Cond, Spin, Pool, Barrier, Counter dmi.Addr }

// TestObjects: threads of all processes use each kind of object.
func TestObjects(t *testing.T) {
	const procs, threads, rounds = 2, 3, 20
	ctx := t.Context()
	run(t, procs, dmi.Program{
		Main: func(n *dmi.Node, _ []string) error {
			page, err := n.Map(1000, 1)
			if err != nil {
				return err
			}
			p := places{page + 64, page + 128, page + 192, page + 256, page + 320, page + 448}
			err = errors.Join(n.Mutex(p.Mutex).Init(), n.Cond(p.Cond).Init(), n.Spin(p.Spin).Init(), n.IDPool(p.Pool).Init(procs*threads),
				n.InitBarrier(p.Barrier), dmi.Store(n, page, p, dmi.Exclusive))
			if err != nil {
				return err
			}
			if err := n.Rescale(ctx, page, procs, threads); err != nil {
				return err
			}
			if got, err := dmi.Load[int64](n, p.Counter, dmi.Get); err != nil || got != 2*procs*threads*rounds {
				return fmt.Errorf("the counter is %d (%v)", got, err)
			}
			self := n.MainThread()
			if err := n.Mutex(p.Mutex).Unlock(self); !errors.Is(err, dmi.ErrNotLocked) {
				return fmt.Errorf("unlocking a free mutex: %v", err)
			}
			if err := n.Spin(p.Mutex).Lock(ctx, self); !errors.Is(err, dmi.ErrKind) {
				return fmt.Errorf("a mutex as a spin lock: %v", err)
			}
			return errors.Join(n.Mutex(p.Mutex).Destroy(), n.Cond(p.Cond).Destroy(), n.Spin(p.Spin).Destroy(), n.IDPool(p.Pool).Destroy(),
				n.DestroyBarrier(p.Barrier), n.Unmap(page))
		},
		Unit: func(t *dmi.Thread, rank, size int, page dmi.Addr) error {
			p, err := dmi.Load[places](t.Node, page, dmi.Get)
			if err != nil {
				return err
			}
			return useObjects(ctx, t, p, rank, size, rounds)
		},
	})
}

// useObjects adds to the counter under each lock in turn, waits for all others, and takes a number.
func useObjects(ctx context.Context, t *dmi.Thread, p places, rank, size, rounds int) error {
	barrier, err := t.Barrier(p.Barrier)
	if err != nil {
		return err
	}
	defer barrier.Close()
	mutex, spin := t.Mutex(p.Mutex), t.Spin(p.Spin)
	add := func() error {
		x, err := dmi.Load[int64](t.Node, p.Counter, dmi.Update)
		return errors.Join(err, dmi.Store(t.Node, p.Counter, x+1, dmi.Put))
	}
	for range rounds {
		if err := errors.Join(mutex.Lock(ctx, t), add(), mutex.Unlock(t)); err != nil {
			return err
		}
	}
	if err := barrier.Sync(ctx, size); err != nil {
		return err
	}
	for range rounds {
		if err := errors.Join(spin.Lock(ctx, t), add(), spin.Unlock(t)); err != nil {
			return err
		}
	}
	sum, err := dmi.AllReduce(ctx, barrier, size, float64(rank), dmi.Sum)
	if want := float64(size * (size - 1) / 2); err != nil || sum != want {
		return fmt.Errorf("the sum of ranks is %v, want %v (%v)", sum, want, err)
	}
	id, err := t.IDPool(p.Pool).Get()
	if err != nil || id < 0 || id >= size {
		return fmt.Errorf("number %d of %d (%v)", id, size, err)
	}
	return errors.Join(barrier.Sync(ctx, size), t.IDPool(p.Pool).Put(id))
}

// TestAccesses: accesses of each kind, and their errors.
func TestAccesses(t *testing.T) {
	const reverse = 1
	run(t, 2, dmi.Program{
		Atomics: map[int8]dmi.AtomicFunc{reverse: func(page, in, out []byte) {
			copy(out, page)
			copy(page, in)
			slices.Reverse(page)
		}},
		Main: func(n *dmi.Node, _ []string) error {
			a, err := n.Malloc(100, 30)
			if err != nil {
				return err
			}
			b := make([]byte, 100)
			for i := range b {
				b[i] = byte(i)
			}
			f := n.WriteAsync(a, b, dmi.Exclusive)
			if err := f.Wait(); err != nil {
				return err
			}
			old, err := n.Atomic(a+30, 3, reverse, []byte{7, 8, 9}, 3, dmi.Put)
			if err != nil || !bytes.Equal(old, b[30:33]) {
				return fmt.Errorf("an atomic operation yields %v (%v)", old, err)
			}
			if got, err := n.Swap(a+30, []byte{1, 2, 3}, dmi.Put); err != nil || !bytes.Equal(got, []byte{9, 8, 7}) {
				return fmt.Errorf("a swap yields %v (%v)", got, err)
			}
			if ok, err := n.CompareAndSwap(a+30, []byte{1, 2, 4}, []byte{5, 5, 5}, dmi.Put); ok || err != nil {
				return fmt.Errorf("a comparison with other bytes: %v, %v", ok, err)
			}
			if a, err = n.Realloc(a, 200, 64); err != nil {
				return err
			}
			two := [][]byte{make([]byte, 2), make([]byte, 3)}
			if err := n.ReadMany([]dmi.Addr{a + 99, a + 30}, two, dmi.Get); err != nil || two[0][0] != 99 || two[0][1] != 0 || two[1][2] != 3 {
				return fmt.Errorf("reads of several ranges yield %v (%v)", two, err)
			}
			for _, c := range []struct{ got, want error }{
				{n.Read(a+190, b[:11], dmi.Get), dmi.ErrRange}, {n.Read(a, b[:1], dmi.Put), dmi.ErrMode}, {n.Read(0, b[:1], dmi.Get), dmi.ErrNoSpace},
				{n.Unmap(a), dmi.ErrNotBase}, {n.Free(a + 1), dmi.ErrNotBase},
			} {
				if !errors.Is(c.got, c.want) {
					return fmt.Errorf("%v, want %v", c.got, c.want)
				}
			}
			if _, err := n.FetchAdd(a+60, 1, dmi.Put); !errors.Is(err, dmi.ErrPages) {
				return fmt.Errorf("adding across pages: %v", err)
			}
			if _, err := n.Map(1<<40, 1<<30); !errors.Is(err, dmi.ErrSize) {
				return fmt.Errorf("a space that is too large: %v", err)
			}
			if _, err := dmi.Load[*int](n, a, dmi.Get); err == nil {
				return errors.New("pointers are loaded")
			}
			return n.Free(a)
		},
	})
}

// TestThreads: a process makes threads on another one, wakes them, and joins them.
func TestThreads(t *testing.T) {
	var mu sync.Mutex
	asleep := map[dmi.ThreadID]bool{}
	run(t, 2, dmi.Program{
		Main: func(n *dmi.Node, _ []string) error {
			infos, err := n.Nodes()
			if err != nil || len(infos) != 2 {
				return fmt.Errorf("%d processes (%v)", len(infos), err)
			}
			id, err := n.Create(1, 77)
			if err != nil {
				return err
			}
			for done := false; !done && err == nil; {
				err = n.Wake(id, binary.LittleEndian.AppendUint64(nil, 5)) // it may not sleep yet
				mu.Lock()
				done = asleep[id]
				mu.Unlock()
			}
			if err != nil {
				return err
			}
			if got, err := n.Join(t.Context(), id); err != nil || got != 82 {
				return fmt.Errorf("the thread returns %d (%v)", got, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			for range n.Requests(ctx) {
				break
			}
			if _, err := n.Fork(); err == nil {
				return errors.New("a run whose processes are fixed gets one more")
			}
			mu.Lock()
			defer mu.Unlock()
			clear(asleep)
			return nil
		},
		Thread: func(t *dmi.Thread, arg dmi.Addr) (int64, error) {
			b, err := t.Suspend()
			mu.Lock()
			defer mu.Unlock()
			asleep[t.ID()] = true
			if err != nil {
				return 0, err
			}
			return int64(arg) + int64(binary.LittleEndian.Uint64(b)), nil
		},
	})
}

// TestEndWithThreads: the run ends in order while threads still access memory, whose accesses fail then.
func TestEndWithThreads(t *testing.T) {
	const procs = 2
	var ended sync.WaitGroup
	run(t, procs, dmi.Program{
		Main: func(n *dmi.Node, _ []string) error {
			a, err := n.Map(8, 1)
			for process := range procs {
				ended.Add(1)
				if _, failed := n.Create(process, a); failed != nil {
					return failed
				}
			}
			return err
		},
		Thread: func(t *dmi.Thread, a dmi.Addr) (int64, error) {
			defer ended.Done()
			for {
				if _, err := t.FetchAdd(a, 1, dmi.Put); err != nil {
					return 0, err
				}
			}
		},
	})
	ended.Wait()
}
