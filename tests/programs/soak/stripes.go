package main

import (
	"fmt"
	"math/rand/v2"
)

// A workspace consists of stripes, which belong to the ranks in turn.
const (
	workspaceSize = 600_000
	stripeSize    = 997
)

// stripes reads and writes the stripes of this rank in the workspace of the round.
type stripes struct {
	w       *world
	rnd     *rand.Rand
	model   []byte // of the whole workspace
	written []bool // of each stripe
}

func newStripes(w *world, rnd *rand.Rand) (actor, error) {
	return &stripes{w: w, rnd: rnd, model: make([]byte, workspaceSize), written: make([]bool, workspaceSize/stripeSize)}, nil
}

func (s *stripes) step() error {
	mine := len(s.written) / s.w.procs
	i := s.rnd.IntN(mine)*s.w.procs + s.w.rank
	if !s.written[i] {
		s.written[i] = true
		return s.write(i, 0, stripeSize)
	}
	n := s.rnd.IntN(stripeSize + 1)
	at := s.rnd.IntN(stripeSize - n + 1)
	if s.rnd.IntN(2) == 0 {
		return s.write(i, at, n)
	}
	return s.read(i, at, n)
}

// write changes n bytes at at of stripe i, half of the times from global memory.
func (s *stripes) write(i, at, n int) error {
	off := i*stripeSize + at
	b := s.model[off : off+n]
	pattern(b, s.rnd.Uint64())
	if s.rnd.IntN(2) == 0 {
		_, err := s.w.workspace.WriteAt(b, int64(off))
		return err
	}
	copy(s.w.here(stripePlace, n), b)
	return s.w.workspace.Write(s.w.at(s.w.rank, stripePlace), uint64(n), uint64(off))
}

func (s *stripes) read(i, at, n int) error {
	off := i*stripeSize + at
	found := s.w.here(stripePlace, n)
	if s.rnd.IntN(2) == 0 {
		found = make([]byte, n)
		if _, err := s.w.workspace.ReadAt(found, int64(off)); err != nil {
			return err
		}
	} else if err := s.w.workspace.Read(s.w.at(s.w.rank, stripePlace), uint64(n), uint64(off)); err != nil {
		return err
	}
	if err := differ(found, s.model[off:off+n]); err != nil {
		return fmt.Errorf("%d bytes at %d: %w", n, off, err)
	}
	return nil
}

func (s *stripes) settle() error { return nil }

func (s *stripes) check() error {
	for i, written := range s.written {
		if written {
			if err := s.read(i, 0, stripeSize); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *stripes) close() error { return nil }
