package gp_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
)

// TestOneElementTwice: an element may belong to two places, which name the same bytes. It is free
// when both have given it up.
func TestOneElementTwice(t *testing.T) {
	forEach(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, e, err := twoRows(p)
			if err != nil {
				return err
			}
			own, other := int(p.Rank()), 1-int(p.Rank())
			if err := errors.Join(a.AssignPrefix(e, 5, own, 2), p.sync()); err != nil {
				return err
			}
			err = a.Scatter([][]int{{other, 2}}, [][]byte{[]byte("12345")})
			found, getErr := a.Gather([][]int{{other, 0}})
			if err := errors.Join(err, getErr); err != nil || string(found[0][:5]) != "12345" {
				return fmt.Errorf("the other place has %q: %w", found, err)
			}
			if err := p.sync(); err != nil {
				return err
			}
			first, err := a.Detach(own, 0)
			if err != nil || first != e || !errors.Is(e.Free(), gp.ErrAssigned) {
				return fmt.Errorf("the first place had %v: %w", first, err)
			}
			second, err := a.Detach(own, 2)
			if err != nil || second != e {
				return fmt.Errorf("the second place had %v: %w", second, err)
			}
			return errors.Join(e.Free(), a.Destroy(), wholeHeap(p))
		})
	})
}

// TestElementOfAnother: the element of a place is of the rank that has the place, also if several
// ranks are in one program.
func TestElementOfAnother(t *testing.T) {
	elements := make(chan *gp.Element, 1)
	run(t, bridge.ModeSHM, 2, func(p *member) error {
		a, e, err := twoRows(p)
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			elements <- e
			return p.sync()
		}
		if err := expect(gp.ErrNotOwner, a.Assign(<-elements, 0, 1)); err != nil {
			return err
		}
		if size, err := a.Size(gp.One(0, 1)); err != nil || size != 0 {
			return fmt.Errorf("the place has %d bytes: %w", size, err)
		}
		return p.sync()
	})
}

// TestReplace lets owners replace elements all the time while other ranks read them: they get the
// old element or the new element.
func TestReplace(t *testing.T) {
	const turns, generations = 300, 8
	forEach(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, _, err := twoRows(p)
			if err != nil {
				return err
			}
			// Elements are not freed: that would be an error while another rank reads.
			var elements []*gp.Element
			for g := range generations {
				e, err := gp.Alloc(p.Process, 100*(g+1))
				if err != nil {
					return err
				}
				for i := range e.Bytes() {
					e.Bytes()[i] = byte(g)
				}
				elements = append(elements, e)
			}
			own, next := int(p.Rank()), (int(p.Rank())+1)%n
			for turn := range turns {
				if err := a.Assign(elements[turn%generations], own, 1); err != nil {
					return err
				}
				got, err := a.Gather([][]int{{next, 1}})
				if err != nil {
					return err
				}
				mem := got[0]
				if len(mem) == 0 {
					continue // the owner has not assigned anything yet
				}
				for _, b := range mem {
					if len(mem) != 100*(int(b)+1) {
						return fmt.Errorf("an element of %d bytes has those of generation %d", len(mem), b)
					}
				}
			}
			return p.sync()
		})
	})
}

// TestThreads has several goroutines of each rank use one array at the same time.
func TestThreads(t *testing.T) {
	const threads, turns = 4, 60
	forEach(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, err := gp.Create(p.Process, gp.Config{Dims: []int{n, threads}, Chunk: []int{1, threads}})
			if err != nil {
				return err
			}
			errs := make([]error, threads)
			var all sync.WaitGroup
			for thread := range threads {
				all.Go(func() {
					for turn := range turns {
						if errs[thread] = thisTurn(p, a, thread, turn); errs[thread] != nil {
							return
						}
					}
				})
			}
			all.Wait()
			return errors.Join(errors.Join(errs...), a.Destroy(), wholeHeap(p))
		})
	})
}

// thisTurn assigns an element to a place that no other goroutine uses, reads it and writes to it,
// asks for the sizes of all, and removes it.
func thisTurn(p *member, a *gp.Array, thread, turn int) error {
	place := []int{int(p.Rank()), thread}
	e, err := gp.Alloc(p.Process, 10+turn*thread)
	if err != nil {
		return err
	}
	want := bytes.Repeat([]byte{byte(turn)}, e.Size())
	if err := errors.Join(a.Assign(e, place...), a.PutExact(gp.One(place...), [][]byte{want})); err != nil {
		return err
	}
	got, err := a.Gather([][]int{place})
	if err != nil || !bytes.Equal(got[0], want) {
		return fmt.Errorf("place %v has %v, want %v: %w", place, got, want, err)
	}
	all := gp.Section{Lo: []int{0, 0}, Hi: []int{p.Procs() - 1, 3}}
	sizes, err := a.Sizes(all)
	if err != nil || sizes[all.Index(place...)] != e.Size() {
		return fmt.Errorf("sizes %v, want %d at place %v: %w", sizes, e.Size(), place, err)
	}
	_, err = a.Detach(place...)
	return errors.Join(err, e.Free())
}
