package core_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// at returns the T at an address of this process.
func at[T any](addr uintptr) *T { return (*T)(world.At(addr)) }

// TestAccumulatesLoseNothing: processes and their goroutines add to the same elements by several
// shapes at the same time.
func TestAccumulatesLoseNothing(t *testing.T) {
	const procs, threads, turns, n = 3, 2, 20, 3000
	forEachMode(t, procs, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			addrs, err := s.Local().Malloc(session.Everyone, 8*n)
			if err != nil {
				return err
			}
			failed := make([]error, threads)
			var all sync.WaitGroup
			for i := range threads {
				all.Go(func() { failed[i] = addOnes(session, addrs, n, turns) })
			}
			all.Wait()
			if err := errors.Join(append(failed, session.Transfer.AllFence(), session.Everyone.Barrier())...); err != nil {
				return err
			}
			for i, x := range unsafe.Slice(at[int64](addrs[session.World.Self()]), n) {
				if want := int64(procs * threads * turns * 2); x != want {
					return fmt.Errorf("element %d is %d, want %d", i, x, want)
				}
			}
			return nil
		}
	})
}

// addOnes adds one to n elements of each process in turns, twice: by a contiguous accumulate, and by
// one of single elements with gaps and one of the gaps.
func addOnes(session *core.Session, addrs []uintptr, n, turns int) error {
	ones := make([]int64, n)
	for i := range ones {
		ones[i] = 1
	}
	one := element.Scale{0: 1}
	for range turns {
		for proc, addr := range addrs {
			requests := []transfer.Request{{Shape: shape.Contiguous(int64(8 * n))}, {}, {}}
			for i := range 2 {
				r := &requests[1+i]
				r.Shape = shape.Strided{Block: 8, Levels: 1, Count: [shape.MaxLevels]int64{int64(n / 2)}}
				r.Shape.Local[0], r.Shape.Remote[0] = 8, 16
				r.Remote = uintptr(8 * i)
			}
			for _, r := range requests {
				r.Kind, r.Type, r.Scale, r.Proc = transfer.Accumulate, element.Int64, one, proc
				r.Local, r.Remote = unsafe.Pointer(&ones[0]), addr+r.Remote
				if err := session.Transfer.Do(&r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// TestMutexes: only one thread of all processes at a time changes the data that a mutex protects, and
// the next holder sees the change.
func TestMutexes(t *testing.T) {
	const procs, threads, turns = 3, 2, 40
	forEachMode(t, procs, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			self := session.World.Self()
			addrs, err := s.Local().Malloc(session.Everyone, 8)
			if err != nil {
				return err
			}
			set, err := session.Mutexes.Create(session.Everyone, self) // none of process 0
			if err != nil {
				return err
			}
			failed := make([]error, threads)
			var all sync.WaitGroup
			for i := range threads {
				all.Go(func() {
					for range turns {
						failed[i] = errors.Join(failed[i], set.Lock(1, 2, uint64(i+1)), increment(session, 0, addrs[0]), set.Unlock(1, 2, uint64(i+1)))
					}
				})
			}
			all.Wait()
			if err := errors.Join(failed...); err != nil {
				return err
			}
			if err := errors.Join(mistakes(set, self), session.Everyone.Barrier(), set.Destroy()); err != nil {
				return err
			}
			if got, want := *at[int64](addrs[self]), int64(procs*threads*turns); self == 0 && got != want {
				return fmt.Errorf("the counter is %d, want %d", got, want)
			}
			return nil
		}
	})
}

// increment adds one to a counter by a get and a put.
func increment(session *core.Session, proc int, addr uintptr) error {
	x := new(int64)
	r := transfer.Request{Kind: transfer.Get, Proc: proc, Local: unsafe.Pointer(x), Remote: addr, Shape: shape.Contiguous(8)}
	err := session.Transfer.Do(&r)
	*x++
	r = transfer.Request{Kind: transfer.Put, Proc: proc, Local: unsafe.Pointer(x), Remote: addr, Shape: shape.Contiguous(8)}
	return errors.Join(err, session.Transfer.Do(&r))
}

// mistakes makes wrong calls with mutexes, each of which fails. It uses a mutex that no other process
// uses.
func mistakes(set interface {
	Lock(index, proc int, thread uint64) error
	TryLock(index, proc int, thread uint64) (bool, error)
	Unlock(index, proc int, thread uint64) error
}, self int) error {
	for _, c := range []struct {
		index, proc int
		want        error
	}{{0, 0, world.ErrLevels}, {-1, 2, world.ErrLevels}, {2, 2, world.ErrLevels}, {0, 3, world.ErrProc}, {0, -1, world.ErrProc}} {
		if err := set.Lock(c.index, c.proc, 1); !errors.Is(err, c.want) {
			return fmt.Errorf("locking (%d, %d): %v, want %v", c.index, c.proc, err, c.want)
		}
	}
	if self == 0 {
		return nil // has none
	}
	if err := set.Unlock(0, self, 1); !errors.Is(err, world.ErrState) {
		return fmt.Errorf("unlocking a free mutex: %v", err)
	}
	if ok, err := set.TryLock(0, self, 1); !ok || err != nil {
		return fmt.Errorf("a free mutex cannot be tried: %v", err)
	}
	if ok, err := set.TryLock(0, self, 2); ok || err != nil {
		return fmt.Errorf("a mutex is taken twice: %v", err)
	}
	if err := set.Lock(0, self, 1); !errors.Is(err, world.ErrState) {
		return fmt.Errorf("locking what the thread holds: %v", err)
	}
	if err := set.Unlock(0, self, 2); !errors.Is(err, world.ErrState) {
		return fmt.Errorf("unlocking what another thread holds: %v", err)
	}
	return set.Unlock(0, self, 1)
}

// TestAtomicsAndNotifications: atomics of all processes lose nothing, and a notification comes behind
// the data.
func TestAtomicsAndNotifications(t *testing.T) {
	const procs, turns = 3, 50
	forEachMode(t, procs, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			e, self := session.Transfer, session.World.Self()
			addrs, err := s.Local().Malloc(session.Everyone, 32)
			if err != nil {
				return err
			}
			next, before := (self+1)%procs, (self+procs-1)%procs
			for turn := 1; turn <= turns; turn++ {
				if _, err := e.Modify(0, addrs[0], fabric.Atomic{Op: fabric.OpAdd, Width: 4, Operand: 1}); err != nil {
					return err
				}
				x := []int64{int64(turn)}
				r := transfer.Request{Kind: transfer.Put, Proc: next, Local: unsafe.Pointer(&x[0]), Remote: addrs[next] + 8, Shape: shape.Contiguous(8)}
				if err := errors.Join(e.Do(&r), e.Flag(next, addrs[next]+16, uint32(turn))); err != nil {
					return err
				}
				if n, err := e.Notify(next); n != turn || err != nil {
					return fmt.Errorf("notification %d is number %d: %v", turn, n, err)
				}
				awaited, come, err := e.AwaitNotify(t.Context(), before)
				if err != nil || awaited != turn || come < turn {
					return fmt.Errorf("waiting for notification %d of %d: %d, %v", awaited, turn, come, err)
				}
				if got, flag := *at[int64](addrs[self] + 8), *at[uint32](addrs[self] + 16); got < int64(turn) || flag < uint32(turn) {
					return fmt.Errorf("notification %d has come before data %d and flag %d", turn, got, flag)
				}
			}
			if err := session.Everyone.Barrier(); err != nil {
				return err
			}
			if got := *at[uint32](addrs[self]); self == 0 && got != procs*turns {
				return fmt.Errorf("the counter is %d, want %d", got, procs*turns)
			}
			return nil
		}
	})
}

// TestMemory: blocks are zero, aligned and separate, also when memory is used again; a failure on one
// process is one on all.
func TestMemory(t *testing.T) {
	const procs = 3
	forEachMode(t, procs, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			self, l := session.World.Self(), s.Local()
			for turn := range 20 {
				size := []int64{1, 100, 4095, 4096, 70_000, 3 << 20}[turn%6] * int64(self%2+turn%2)
				addrs, err := l.Malloc(session.Everyone, size)
				if err != nil {
					return err
				}
				own := addrs[self]
				if (own == 0) != (size == 0) || own%64 != 0 || size >= 4096 && own%4096 != 0 {
					return fmt.Errorf("%d bytes are at %#x", size, own)
				}
				for i, b := range unsafe.Slice(at[byte](own), size) {
					if b != 0 {
						return fmt.Errorf("byte %d of %d is %d", i, size, b)
					}
				}
				for i := range unsafe.Slice(at[byte](own), size) {
					unsafe.Slice(at[byte](own), size)[i] = 0xff
				}
				if size > 0 {
					own += uintptr(size - 1) // any address in the block will do
				}
				if err := l.FreeTogether(session.Everyone, own); err != nil {
					return err
				}
			}
			size := int64(100)
			if self == 1 {
				size = 1 << 40
			}
			if addrs, err := l.Malloc(session.Everyone, size); addrs != nil || !errors.Is(err, world.ErrMemory) {
				return fmt.Errorf("more memory than there is: %v", err)
			}
			l.SetLimit(1 << 16)
			all, err := l.Alloc(1 << 16)
			if err != nil {
				return fmt.Errorf("memory up to the limit: %w", err)
			}
			if _, err := l.Alloc(1); !errors.Is(err, world.ErrMemory) {
				return fmt.Errorf("more memory than the limit: %v", err)
			}
			if err := l.Free(all); err != nil {
				return err
			}
			if err := l.Free(12345); !errors.Is(err, world.ErrAddress) {
				return fmt.Errorf("freeing what is none: %v", err)
			}
			return nil
		}
	})
}

// TestMistakes: each is an error with its reason, and moves nothing.
func TestMistakes(t *testing.T) {
	forEachMode(t, 2, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			addrs, err := s.Local().Malloc(session.Everyone, 4096)
			if err != nil {
				return err
			}
			here, to := make([]byte, 4096), 1-session.World.Self()
			local, remote := unsafe.Pointer(&here[0]), addrs[to]
			down := shape.Strided{Block: 8, Levels: 1, Count: [shape.MaxLevels]int64{1 << 30}, Remote: [shape.MaxLevels]int64{1 << 30}}
			for name, c := range map[string]struct {
				r    transfer.Request
				want error
			}{
				"process":         {transfer.Request{Proc: 2, Local: local, Remote: remote, Shape: shape.Contiguous(8)}, world.ErrProc},
				"no process":      {transfer.Request{Proc: -1, Local: local, Remote: remote, Shape: shape.Contiguous(8)}, world.ErrProc},
				"bytes":           {transfer.Request{Proc: to, Local: local, Remote: remote, Shape: shape.Contiguous(-1)}, world.ErrCount},
				"local":           {transfer.Request{Proc: to, Remote: remote, Shape: shape.Contiguous(8)}, world.ErrAddress},
				"remote":          {transfer.Request{Proc: to, Local: local, Shape: shape.Contiguous(8)}, world.ErrAddress},
				"not shared":      {transfer.Request{Proc: to, Local: local, Remote: 4096, Shape: shape.Contiguous(8)}, world.ErrAddress},
				"beyond":          {transfer.Request{Proc: to, Local: local, Remote: remote, Shape: down}, world.ErrAddress},
				"segment":         {transfer.Request{Proc: to, Vector: []transfer.Segment{{Local: local, Remote: remote, N: 8}, {Local: local, Remote: 4096, N: 8}}}, world.ErrAddress},
				"type":            {transfer.Request{Kind: transfer.Accumulate, Type: 6, Proc: to, Local: local, Remote: remote, Shape: shape.Contiguous(8)}, world.ErrLevels},
				"part of element": {transfer.Request{Kind: transfer.Accumulate, Type: element.Complex128, Proc: to, Local: local, Remote: remote, Shape: shape.Contiguous(8)}, world.ErrCount},
			} {
				if err := session.Transfer.Do(&c.r); !errors.Is(err, c.want) {
					return fmt.Errorf("%s: %v, want %v", name, err, c.want)
				}
			}
			empty := transfer.Request{Proc: to, Shape: shape.Contiguous(0)}
			if err := session.Transfer.Do(&empty); err != nil {
				return fmt.Errorf("an empty transfer: %v", err)
			}
			for _, addr := range []uintptr{0, remote + 2, 4096} {
				if _, err := session.Transfer.Modify(to, addr, fabric.Atomic{Op: fabric.OpAdd, Width: 4}); !errors.Is(err, world.ErrAddress) {
					return fmt.Errorf("an atomic at %#x: %v", addr, err)
				}
			}
			if err := s.Begin(s.Members(), core.Options{}); !errors.Is(err, world.ErrState) {
				return fmt.Errorf("a second world: %v", err)
			}
			return session.Everyone.Barrier()
		}
	})
}
