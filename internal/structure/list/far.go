package list

import (
	"encoding/binary"
	"errors"

	"github.com/goacp/goacp/internal/network/am"
)

// This file has the accesses of Heaps to memory that only an agent reaches. Each kind of access is an
// operation, which the agent carries out by the same functions on the heaps that it has mapped.

// OpRun, OpStore …: accesses to the memory of one rank, or of its host. Numbers in Data
// and Out are words of 8 bytes.
const (
	OpRun      = opAccess + iota // reads elements from GA on: see run
	OpStore                      // stores words; Data are pairs of an address and a word
	OpMake                       // makes an element with the value Data on rank Args[2], between Args[1] and Args[0]; Val0 is its address
	OpFree                       // frees the blocks whose addresses are Data
	OpCopies                     // copies the elements whose addresses and sizes are Data; Out are the addresses of the copies
	OpMakeMany                   // makes elements without links with the values in Data, see values, on rank Args[2]; Out are their addresses
	opAccess   = am.OpList + 0x10
)

func (h *Heaps) performAccess(c *am.Call) (r am.Result, err error) {
	switch c.Op {
	case OpRun:
		r.N, err = h.run(c)
	case OpStore:
		words := decode(c.Data)
		changes := make([]write, len(words)/2)
		for i := range changes {
			changes[i] = write{words[2*i], words[2*i+1]}
		}
		err = h.apply(changes)
	case OpMake:
		r.Val0, err = h.create(c.Args[2], node{next: c.Args[0], prev: c.Args[1]}, c.Data)
	case OpFree:
		err = h.free(decode(c.Data)...)
	case OpCopies:
		r.N, err = h.copies(c)
	case OpMakeMany:
		r.N, err = h.makeMany(c)
	default:
		err = am.ErrMalformed
	}
	return r, err
}

func (h *Heaps) copies(c *am.Call) (int, error) {
	words := decode(c.Data)
	originals := make([]Element, len(words)/2)
	for i := range originals {
		originals[i] = Element{GA: words[2*i], Size: words[2*i+1]}
	}
	if len(c.Out) < 8*len(originals) {
		return 0, am.ErrMalformed
	}
	made, err := h.copyOf(originals)
	for i, e := range made {
		binary.LittleEndian.PutUint64(c.Out[8*i:], e.GA)
	}
	return 8 * len(made), err
}

func decode(b []byte) []uint64 {
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

// byRank calls f for all things that only an agent reaches. Each call gets up to most things of one rank.
func byRank[T any](h *Heaps, things []T, ga func(T) uint64, most int, f func(rank uint64, part []T) error) error {
	parts := map[uint64][]T{}
	var failed error
	flush := func(rank uint64) {
		if err := f(rank, parts[rank]); err != nil {
			failed = errors.Join(failed, err)
		}
		parts[rank] = parts[rank][:0]
	}
	for _, t := range things {
		rank := rankOf(ga(t))
		if _, err := h.viewOf(rank); !h.needsAgent(err) {
			continue
		}
		parts[rank] = append(parts[rank], t)
		if len(parts[rank]) == most {
			flush(rank)
		}
	}
	for rank := range parts {
		if len(parts[rank]) > 0 {
			flush(rank)
		}
	}
	return failed
}

const wordsOfCall = am.MaxData / 8

func (h *Heaps) farBlock(ga uint64) (block, error) {
	b := make([]byte, blockSize)
	if err := h.Agents.Read(b, ga); err != nil {
		return block{}, err
	}
	w := decode(b)
	return block{node{w[0], w[1], w[2]}, w[3]}, nil
}

func (h *Heaps) applyFar(changes []write) error {
	at := func(w write) uint64 { return w.at }
	return byRank(h, changes, at, wordsOfCall/2, func(rank uint64, part []write) error {
		b := make([]byte, 0, 16*len(part))
		for _, w := range part {
			b = binary.LittleEndian.AppendUint64(b, w.at)
			b = binary.LittleEndian.AppendUint64(b, w.word)
		}
		_, err := h.Agents.Exec(rank, &am.Call{Op: OpStore, Data: b})
		return err
	})
}

func (h *Heaps) createFar(rank uint64, n node, value []byte) (uint64, error) {
	r, err := h.Agents.Exec(rank, &am.Call{Op: OpMake, Args: [4]uint64{n.next, n.prev, rank}, Data: value})
	return r.Val0, err
}

func (h *Heaps) freeFar(blocks []uint64) error {
	itself := func(ga uint64) uint64 { return ga }
	return byRank(h, blocks, itself, wordsOfCall, func(rank uint64, part []uint64) error {
		b := make([]byte, 0, 8*len(part))
		for _, ga := range part {
			b = binary.LittleEndian.AppendUint64(b, ga)
		}
		if _, err := h.Agents.Exec(rank, &am.Call{Op: OpFree, Data: b}); !isGone(err) {
			return err
		}
		return nil
	})
}

// copyFar makes the copies of those elements whose indexes are given.
func (h *Heaps) copyFar(copies, elements []Element, far []int) error {
	at := func(i int) uint64 { return elements[i].GA }
	return byRank(h, far, at, wordsOfCall/2, func(rank uint64, part []int) error {
		b := make([]byte, 0, 16*len(part))
		for _, i := range part {
			b = binary.LittleEndian.AppendUint64(b, elements[i].GA)
			b = binary.LittleEndian.AppendUint64(b, elements[i].Size)
		}
		c := am.Call{Op: OpCopies, Data: b, Out: make([]byte, 8*len(part))}
		r, err := h.Agents.Exec(rank, &c)
		if err == nil && r.N != len(c.Out) {
			err = am.ErrMalformed
		}
		if err != nil {
			return err
		}
		for k, ga := range decode(c.Out) {
			copies[part[k]] = Element{GA: ga, Size: elements[part[k]].Size}
		}
		return nil
	})
}
