package node_test

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// TestErrors: wrong arguments are noticed in all processes, with the error of each kind.
func TestErrors(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		together(t, 2, h, 24, 3, func(n *node.Node, base int64) error {
			n.SetFunction(count)
			return errors.Join(accessErrors(n, base), atomicErrors(n, base), spaceErrors(n))
		})
	})
}

// expect returns an error unless an error is of a kind.
func expect(what string, err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%s: %v, expected %v", what, err, want)
}

// accessErrors makes accesses of 72 bytes at base that fail.
func accessErrors(n *node.Node, base int64) error {
	b, errs := make([]byte, 8), []error{}
	for _, addr := range []int64{0, 1, -1, -base, math.MaxInt64, math.MinInt64, base + 1<<45, base - 1, base + 128, base + 1<<62} {
		errs = append(errs,
			expect(fmt.Sprintf("reading %#x", addr), n.Read(addr, b, node.Get), node.ErrNoSpace),
			expect(fmt.Sprintf("writing %#x", addr), n.Write(addr, b, node.Put), node.ErrNoSpace),
			expect(fmt.Sprintf("watching %#x", addr), n.Watch(addr, b, b), node.ErrNoSpace),
			expect(fmt.Sprintf("saving %#x", addr), n.Save(addr, 8), node.ErrNoSpace),
		)
	}
	for _, addr := range []int64{base + 65, base + 72} {
		errs = append(errs,
			expect("reading beyond the end", n.Read(addr, b, node.Update), node.ErrRange),
			expect("writing beyond the end", n.Write(addr, b, node.Exclusive), node.ErrRange),
			expect("watching beyond the end", n.Watch(addr, b, b), node.ErrRange),
			expect("saving beyond the end", n.Save(addr, math.MaxInt64), node.ErrRange),
		)
	}
	for _, mode := range []node.Mode{math.MinInt8, -1, 0, node.Exclusive + 1, math.MaxInt8, node.Put, node.Exclusive} {
		errs = append(errs, expect(fmt.Sprintf("reading with %v", mode), n.Read(base, b, mode), node.ErrMode))
	}
	for _, mode := range []node.Mode{math.MinInt8, 0, math.MaxInt8, node.Get, node.Invalidate, node.Update} {
		errs = append(errs,
			expect(fmt.Sprintf("writing with %v", mode), n.Write(base, b, mode), node.ErrMode),
			expect(fmt.Sprintf("swapping with %v", mode), n.Swap(base, b, b, mode), node.ErrMode),
		)
	}
	return errors.Join(append(errs,
		expect("watching with other sizes", n.Watch(base, b, b[1:]), node.ErrSize),
		expect("saving a negative size", n.Save(base, -1), node.ErrSize),
		n.Read(base+72, nil, node.Get), n.Write(base+72, nil, node.Put), n.Watch(base+72, nil, nil), n.Save(base+72, 0), // they do nothing
	)...)
}

// atomicErrors makes atomic accesses to pages of 24 bytes that fail.
func atomicErrors(n *node.Node, base int64) error {
	b, errs := make([]byte, 8), []error{}
	for _, mode := range changes {
		_, wrongSizes := n.CompareAndSwap(base, b, b[1:], mode)
		_, addAcross := n.FetchAdd(base+20, 1, mode)
		_, addBeyond := n.FetchAdd(base+65, 1, mode)
		_, nowhere := n.CompareAndSwap(base-1, nil, nil, mode)
		_, beyond := n.CompareAndSwap(base+73, nil, nil, mode)
		equal, swapNothing := n.CompareAndSwap(base+72, nil, nil, mode)
		if !equal {
			errs = append(errs, errors.New("no bytes differ from no bytes"))
		}
		errs = append(errs,
			expect("comparing with fewer bytes", wrongSizes, node.ErrSize),
			expect("swapping fewer bytes", n.Swap(base, b, b[1:], mode), node.ErrSize),
			expect("adding in two pages", addAcross, node.ErrPages),
			expect("adding beyond the end", addBeyond, node.ErrRange),
			swapNothing, n.Swap(base+72, nil, nil, mode), // they do nothing
			expect("comparing nothing nowhere", nowhere, node.ErrNoSpace),
			expect("comparing nothing beyond the end", beyond, node.ErrNoSpace),
			expect("swapping nothing nowhere", n.Swap(base-1, nil, nil, mode), node.ErrNoSpace),
			expect("swapping nothing to read", n.Swap(base, nil, nil, node.Get), node.ErrMode),
			expect("calling for two pages", n.Call(base+23, 2, b, b, 0, mode), node.ErrPages),
			expect("calling for no bytes", n.Call(base, 0, b, b, 0, mode), node.ErrPages),
			expect("calling for a negative size", n.Call(base, -1, b, b, 0, mode), node.ErrSize),
			expect("calling for the greatest size", n.Call(base+1, math.MaxInt64, b, b, 0, mode), node.ErrRange),
		)
	}
	return errors.Join(errs...)
}

// spaceErrors makes and ends spaces in wrong ways.
func spaceErrors(n *node.Node) error {
	var errs []error
	for _, x := range [][2]int64{{0, 1}, {1, 0}, {-1, 1}, {1, -1}, {1 << 40, 1 << 40}, {math.MaxInt64, math.MaxInt64}, {1, 1<<45 + 1}, {math.MinInt64, -1}, {1 << 32, 1 << 32}} {
		_, err := n.Map(x[0], x[1])
		errs = append(errs, expect(fmt.Sprintf("%d pages of %d bytes", x[1], x[0]), err, node.ErrSize))
	}
	for _, x := range [][2]int64{{-1, 1}, {1, 0}, {1, -1}, {1<<45 + 1, 1}, {math.MinInt64, 1}, {math.MaxInt64, math.MaxInt64}} {
		_, err := n.Malloc(x[0], x[1])
		errs = append(errs, expect(fmt.Sprintf("%d bytes in pages of %d", x[0], x[1]), err, node.ErrSize))
	}
	mapped, err := n.Map(8, 2)
	malloced, err1 := n.Malloc(16, math.MaxInt64)
	largest, err2 := n.Map(1<<45, 1)
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	_, reallocMapped := n.Realloc(mapped, 8, 8)
	_, reallocInside := n.Realloc(malloced+1, 8, 8)
	_, reallocSize := n.Realloc(malloced, -1, 8)
	errs = append(errs,
		expect("freeing what is mapped", n.Free(mapped), node.ErrNotBase),
		expect("unmapping what is malloced", n.Unmap(malloced), node.ErrNotBase),
		expect("unmapping inside", n.Unmap(mapped+8), node.ErrNotBase),
		expect("freeing inside", n.Free(malloced+8), node.ErrNotBase),
		expect("unmapping nothing", n.Unmap(0), node.ErrNoSpace),
		expect("realloc of what is mapped", reallocMapped, node.ErrNotBase),
		expect("realloc inside", reallocInside, node.ErrNotBase),
		expect("realloc to a negative size", reallocSize, node.ErrSize),
		n.Write(malloced, make([]byte, 16), node.Put), // it is still there
		n.Write(largest+1<<45-1, nil, node.Put),
		n.Free(0), n.Free(malloced), n.Unmap(mapped), n.Unmap(largest),
		expect("freeing twice", n.Free(malloced), node.ErrNoSpace),
		expect("unmapping twice", n.Unmap(mapped), node.ErrNoSpace),
	)
	return errors.Join(errs...)
}

// TestSpaceEndsMeanwhile: a space ends while threads of all processes access it in all ways. Each access works, or fails because there is no
// space any more, and nothing stays behind.
func TestSpaceEndsMeanwhile(t *testing.T) {
	const procs, threads, turns = 3, 4, 12
	forEach(t, func(t *testing.T, h hosts) {
		for _, size := range []int64{16, 40000} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				bases := make([]chan int64, procs)
				for i := range bases {
					bases[i] = make(chan int64)
				}
				ended, accesses := make(chan error), new(atomic.Int64)
				together(t, procs, h, 8, 1, func(n *node.Node, _ int64) error {
					n.SetFunction(count)
					if n.ID() != 0 {
						for base := range bases[n.ID()] {
							ended <- inThreads(threads, func(thread int) error { return useUntilEnd(n, base, size, thread, accesses) })
						}
						return left(n)
					}
					return errors.Join(endSpaces(n, bases, ended, size, turns, accesses), left(n))
				})
			})
		}
	})
}

// endSpaces makes spaces that others use, and ends each after some accesses.
func endSpaces(n *node.Node, bases []chan int64, ended chan error, size int64, turns int, accesses *atomic.Int64) error {
	var errs []error
	for turn := range turns {
		base, err := n.Map(size, 3)
		if err != nil {
			errs = append(errs, err)
			break
		}
		enough := accesses.Load() + int64(30*turn)
		for _, other := range bases[1:] {
			other <- base
		}
		b := make([]byte, size)
		for i := 0; accesses.Load() < enough; i++ {
			errs = append(errs, n.Write(base+int64(i%3)*size, b, changes[i%2]))
		}
		errs = append(errs, n.Unmap(base))
		for range bases[1:] {
			errs = append(errs, <-ended)
		}
	}
	for _, other := range bases[1:] {
		close(other)
	}
	return errors.Join(errs...)
}

// left returns an error if pages of spaces that have ended are left. It returns when no loans are.
func left(n *node.Node) error {
	n.AwaitLoans()
	if copies, owned := n.Pages(); copies+owned > 0 {
		return fmt.Errorf("%d copies and %d owned pages are left", copies, owned)
	}
	return nil
}

// useUntilEnd makes accesses of all kinds to 3 pages until their space ends.
func useUntilEnd(n *node.Node, base, size int64, thread int, accesses *atomic.Int64) error {
	b, old := make([]byte, size), make([]byte, size)
	for i := thread; ; i++ {
		addr, mode := base+int64(i%3)*size, changes[i/8%2]
		var err error
		switch i % 8 {
		case 0:
			err = n.Read(base, make([]byte, 3*size), node.Get)
		case 1:
			err = n.Read(addr, b, node.Invalidate)
		case 2:
			err = n.Read(addr, b, node.Update)
		case 3:
			err = n.Write(addr, b, mode)
		case 4:
			err = n.Swap(addr, b, old, mode)
		case 5:
			err = n.Call(addr, 16, b[:1], old[:1], 1, mode)
		case 6:
			err = n.ReadMany([]int64{base, addr, base + size}, [][]byte{b[:8], old[:8], old[8:16]}, node.Get)
		case 7:
			err = n.WriteMany([]int64{addr, addr}, [][]byte{b[:8], b[:8]}, mode)
		}
		if errors.Is(err, node.ErrNoSpace) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("access %d: %w", i%8, err)
		}
		accesses.Add(1)
	}
}
