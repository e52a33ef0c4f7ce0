package acp

import "github.com/goacp/goacp/internal/ga"

// Element is a string of bytes in global memory, as structures take and give them.
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
