package acp

import "github.com/goacp/goacp/internal/memory/ga"

// Element is a string of bytes in global memory. Structures take and return elements.
type Element struct {
	GA   GA     // on any rank
	Size uint64 // bytes
}

func (e Element) span() ga.Span { return ga.Span{GA: uint64(e.GA), N: e.Size} }

func elementOf(s ga.Span) Element { return Element{GA(s.GA), s.N} }

// Pair is a key and its value in global memory.
type Pair struct {
	First, Second Element
}

func spansOf(es []Element) []ga.Span {
	spans := make([]ga.Span, len(es))
	for i, e := range es {
		spans[i] = e.span()
	}
	return spans
}

// elementBytes returns the bytes of many elements of any rank. Fails with a ManyError.
func (p *Process) elementBytes(es []Element) ([][]byte, error) {
	all, errs := p.mem.LoadMany(spansOf(es))
	return all, manyError(errs)
}

// checkElements returns a ManyError if some elements cannot be memory of a rank.
func (p *Process) checkElements(es []Element) error {
	errs := make([]error, len(es))
	for i, e := range es {
		if e.Size > 0 {
			errs[i] = p.mem.Check(uint64(e.GA))
		}
	}
	return manyError(errs)
}

// storeElements copies bytes to the beginning of many elements, none of which has fewer. Fails with a
// ManyError.
func (p *Process) storeElements(es []Element, all [][]byte) error {
	return manyError(p.mem.StoreMany(spansOf(es), all))
}
