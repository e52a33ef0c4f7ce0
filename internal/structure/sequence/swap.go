package sequence

import (
	"errors"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
)

// Swap exchanges the bytes of two sequences. Each stays on its rank; if the ranks differ, the
// bytes are copied. Blocks for a few round trips. Fails with global.ErrFull, and then both are
// as before.
func (s Sequence) Swap(with Sequence) error {
	if err := s.mem.Check(s.at); err != nil {
		return err
	}
	if err := s.mem.Check(with.at); err != nil {
		return err
	}
	if s.mem.Detaches() {
		_, err := global.Detached(s.mem, []uint64{s.at, with.at}, func(m *global.Memory) (struct{}, error) {
			return struct{}{}, s.in(m).Swap(with)
		}, nil)
		return err
	}
	switch {
	case s.at == with.at:
		_, err := s.Size() // fails if there is no sequence
		return err
	case ga.Rank(s.at) == ga.Rank(with.at):
		c := s.call(OpExchange, args{with.at})
		_, err := s.do(&c)
		return err
	}
	return s.swapFar(with)
}

// swapFar copies the bytes of each to the rank of the other before it changes anything.
func (s Sequence) swapFar(with Sequence) error {
	with = with.in(s.mem)
	mine, n, err := with.copyTo(s)
	if err != nil {
		return err
	}
	theirs, m, err := s.copyTo(with)
	if err != nil {
		return errors.Join(err, s.discard(mine))
	}
	if err := s.adopt(mine, n); err != nil {
		return errors.Join(err, s.discard(mine), s.discard(theirs))
	}
	return with.adopt(theirs, m)
}

// copyTo copies the bytes into a new block on the rank of another sequence.
func (s Sequence) copyTo(to Sequence) (block, n uint64, err error) {
	first, second, err := s.Stretches(0, Everything)
	if err != nil || first.N == 0 {
		return ga.Null, 0, err
	}
	n = first.N + second.N
	if block, err = s.mem.Alloc(s.mem.Member(to.at), (n+7)&^7); err != nil {
		return ga.Null, 0, err
	}
	err = errors.Join(s.mem.Move(block, first), s.mem.Move(block+first.N, second))
	if err != nil {
		return ga.Null, 0, errors.Join(err, s.mem.Free(block))
	}
	return block, n, nil
}

// discard frees a block, unless it is ga.Null.
func (s Sequence) discard(block uint64) error {
	if block == ga.Null {
		return nil
	}
	return s.mem.Free(block)
}

// adopt makes a block that holds n bytes the storage.
func (s Sequence) adopt(block, n uint64) error {
	c := s.call(OpAdopt, args{block, n, (n + 7) &^ 7})
	_, err := s.do(&c)
	return err
}
