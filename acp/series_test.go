package acp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// seriesTest issues many GMAs of one kind. Those with some numbers fail.
type seriesTest struct {
	p             *member
	near, far     acp.GA
	nearMem, want []byte
	end           uint64 // bytes of the memory
}

const (
	inSeries  = 1000 // GMAs
	failEvery = 97   // each one with a multiple as its number fails
)

// at returns the offset of GMA i of n bytes, which is beyond all memory if it is to fail.
func (s *seriesTest) at(i, n uint64) acp.GA {
	if i%failEvery == 0 {
		return acp.GA(s.end - n/2)
	}
	return acp.GA(i * n)
}

// each calls issue for each GMA, waits for all, and checks which have failed: those whose far memory ends too early.
func (s *seriesTest) each(n uint64, issue func(i uint64) (acp.Handle, error)) error {
	for i := range uint64(inSeries) {
		if _, err := issue(i); err != nil {
			return err
		}
	}
	err := s.p.Complete(acp.HandleAll)
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("got %v, expected several errors", err)
	}
	for _, err := range joined.Unwrap() {
		var op *acp.OpError
		if !errors.As(err, &op) || !errors.Is(err, acp.ErrBadAddress) || max(op.Dst, op.Src) != s.far+acp.GA(s.end-n/2) || op.Size != n {
			return fmt.Errorf("got %w", err)
		}
	}
	if got, want := len(joined.Unwrap()), (inSeries+failEvery-1)/failEvery; got != want {
		return fmt.Errorf("%d GMAs have failed, expected %d", got, want)
	}
	if err := s.p.Complete(acp.HandleAll); err != nil {
		return fmt.Errorf("an error is returned twice: %w", err)
	}
	return nil
}

// copies puts words of n bytes and gets them back.
func (s *seriesTest) copies(n uint64) error {
	clear(s.want)
	for i := range s.nearMem {
		s.nearMem[i] = byte(i*int(n) + i>>8)
	}
	for i := range uint64(inSeries) {
		if i%failEvery != 0 {
			copy(s.want[i*n:(i+1)*n], s.nearMem[i*n:])
		}
	}
	err := s.each(n, func(i uint64) (acp.Handle, error) {
		return s.p.Copy(s.far+s.at(i, n), s.near+acp.GA(i*n), n, acp.HandleNull)
	})
	if err != nil {
		return fmt.Errorf("puts: %w", err)
	}
	clear(s.nearMem)
	err = s.each(n, func(i uint64) (acp.Handle, error) {
		return s.p.Copy(s.near+acp.GA(i*n), s.far+s.at(i, n), n, acp.HandleNull)
	})
	if err != nil {
		return fmt.Errorf("gets: %w", err)
	}
	if !slices.Equal(s.nearMem, s.want) {
		return errors.New("the gets have found other bytes")
	}
	return nil
}

// atomics lets each of the GMAs add its number to one integer.
func (s *seriesTest) atomics() error {
	clear(s.nearMem)
	sum := uint64(0)
	h := must(s.p.Copy(s.far, s.near, 8, acp.HandleNull))
	if err := s.p.Complete(h); err != nil {
		return err
	}
	err := s.each(8, func(i uint64) (acp.Handle, error) {
		if i%failEvery == 0 {
			return s.p.Copy(s.near+acp.GA(8*i), s.far+acp.GA(s.end-4), 8, acp.HandleNull)
		}
		return s.p.Add8(s.near+acp.GA(8*i), s.far, i, acp.HandleNull)
	})
	if err != nil {
		return err
	}
	// The adds have no order: two goroutines may start those that they have taken out of the submission queue. So each has found
	// the sum of those that were executed before it.
	found := make(map[uint64]uint64) // the number of an add by what it has found
	for i := range uint64(inSeries) {
		if i%failEvery != 0 {
			found[binary.NativeEndian.Uint64(s.nearMem[8*i:])] = i
		}
	}
	for len(found) > 0 {
		i, ok := found[sum]
		if !ok {
			return fmt.Errorf("no add has found %d, and %d are left", sum, len(found))
		}
		delete(found, sum)
		sum += i
	}
	want := uint64(0)
	for i := range uint64(inSeries) {
		if i%failEvery != 0 {
			want += i
		}
	}
	if sum != want {
		return fmt.Errorf("the sum is %d, expected %d", sum, want)
	}
	return nil
}

// TestSeries: many GMAs in flight between agents share requests. Each finds its own bytes, and fails by itself.
func TestSeries(t *testing.T) {
	const size = 1 << 19
	run(t, 2, acp.Config{Mode: bridge.ModeTCP, StarterSize: size, Stats: true}, func(p *member) error {
		if p.Rank() != 0 {
			return nil
		}
		mem := foreign(t, size)
		key := must(p.Register(mem, 0))
		for _, s := range []*seriesTest{
			{p: p, near: must(p.StarterGA(0)), nearMem: p.Starter()},
			{p: p, near: must(p.QueryGA(key, unsafe.Pointer(&mem[0]))), nearMem: mem},
		} {
			s.far, s.end, s.want = must(p.StarterGA(1)), size, make([]byte, size)
			for _, n := range []uint64{8, 1, 3, 16, 256, 300} {
				before := operations(p, "put")[1]
				if err := s.copies(n); err != nil {
					return fmt.Errorf("%d bytes: %w", n, err)
				}
				if got := operations(p, "put")[1] - before; got != inSeries {
					return fmt.Errorf("%d puts of %d bytes are counted, expected %d", got, n, inSeries)
				}
			}
			if err := s.atomics(); err != nil {
				return fmt.Errorf("atomics: %w", err)
			}
		}
		return errors.Join(p.fromUnmapped(mem, must(p.QueryGA(key, unsafe.Pointer(&mem[0]))), must(p.StarterGA(1))), p.Unregister(key))
	})
}

// fromUnmapped puts from registered memory whose second page the program has unmapped. Puts from there fail, and all
// others among them do not.
func (p *member) fromUnmapped(mem []byte, near, far acp.GA) error {
	const n, puts = 64, 200
	for i := range mem {
		mem[i] = byte(i)
	}
	if err := unix.Mprotect(mem[4096:8192], unix.PROT_NONE); err != nil {
		return err
	}
	for i := range acp.GA(puts) {
		if _, err := p.Copy(far+i*n, near+i*n, n, acp.HandleNull); err != nil {
			return err
		}
	}
	err := p.Complete(acp.HandleAll)
	if protect := unix.Mprotect(mem[4096:8192], unix.PROT_READ|unix.PROT_WRITE); protect != nil {
		return protect
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 4096/n {
		return fmt.Errorf("got %w, expected %d errors", err, 4096/n)
	}
	back := make([]byte, puts*n)
	copy(mem[1<<16:], back)
	if err := p.Complete(must(p.Copy(near+1<<16, far, puts*n, acp.HandleNull))); err != nil {
		return err
	}
	for i := range uint64(puts * n) {
		if got := mem[1<<16+i]; (i < 4096 || i >= 8192) && got != mem[i] {
			return fmt.Errorf("byte %d is %d, expected %d", i, got, mem[i])
		}
	}
	return nil
}
