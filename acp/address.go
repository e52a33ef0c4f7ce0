package acp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/segment"
)

// explain returns err, the reason why a copy or an atomic fails. If an address is bad, the result also names
// the address and the memory that its rank has.
func (p *Process) explain(dst, src GA, size uint64, err error) error {
	if errors.Is(err, ErrBadAddress) {
		if text := p.badEnd(dst, src, size, err); text != "" {
			err = fmt.Errorf("%w: %s", ErrBadAddress, text)
		}
	}
	return err
}

// badEnd describes the bad end of a GMA. It returns "" if it cannot find the bad end.
func (p *Process) badEnd(dst, src GA, size uint64, err error) string {
	// If the owner of one end has refused it, the position identifies that end.
	var refused *fabric.RangeError
	at := uint64(0)
	if errors.As(err, &refused) {
		at = refused.Pos
	}
	guess := ""
	for _, end := range []struct {
		name string
		ga   GA
	}{{"destination", dst}, {"source", src}} {
		text, certain := p.whyBad(end.ga, size)
		if text == "" {
			continue
		}
		text = fmt.Sprintf("%s %v: %s", end.name, end.ga, text)
		if certain {
			return text
		}
		if guess == "" || end.ga.pos() == at {
			guess = text
		}
	}
	return guess
}

// whyBad returns the reason why the size bytes at ga are not all memory of a rank. The reason is empty if
// they are. certain is false if only the owner can decide.
func (p *Process) whyBad(ga GA, size uint64) (reason string, certain bool) {
	rank, pos := ga.rank(), ga.pos()
	switch {
	case ga == NullGA:
		return "null", true
	case errors.Is(p.mem.CheckRank(int(rank)), ErrBadRank):
		return fmt.Sprintf("there is no rank %d, the run has %d", rank, p.ranks.End()), true
	}
	l := p.router.Layout(p.member(rank))
	switch heap := l.HeapOffset(); {
	case l.Contains(pos, size):
		return "", true
	case pos >= segment.StarterOffset && pos < heap:
		return beyond(rank, l.Starter, "starter memory", pos-segment.StarterOffset, size), true
	case pos >= heap && pos <= heap+l.Heap:
		return beyond(rank, l.Heap, "heap", pos-heap, size), true
	case pos < segment.UserBase:
		return fmt.Sprintf("rank %d has no memory there", rank), true
	case rank != p.Rank():
		return fmt.Sprintf("rank %d has no %d bytes of registered memory there", rank, size), false
	}
	if _, err := p.space.Resolve(pos, size); err == nil {
		return "", true
	}
	if _, err := p.space.Resolve(pos, 0); err == nil {
		return fmt.Sprintf("%d bytes are more than the registered memory of rank %d has there", size, rank), true
	}
	return fmt.Sprintf("rank %d has no registered memory there", rank), true
}

// beyond returns the reason for an access of size bytes at offset in memory of a rank that has fewer bytes.
func beyond(rank Rank, has uint64, what string, offset, size uint64) string {
	return fmt.Sprintf("rank %d has %d bytes of %s; offset %d + %d bytes is beyond its end", rank, has, what, offset, size)
}
