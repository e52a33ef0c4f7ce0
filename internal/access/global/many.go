package global

import (
	"bytes"
	"errors"

	"github.com/goacp/goacp/internal/memory/ga"
)

// LoadMany returns the bytes of many spans: those in memory of the library that this process has mapped
// where they are, and copies of the others. errs has an error for each span that cannot be read, nil for
// the others. Blocks for one round trip to all ranks together.
func (m *Memory) LoadMany(spans []ga.Span) (all [][]byte, errs []error) {
	all, errs = make([][]byte, len(spans)), make([]error, len(spans))
	var far []int
	for i, s := range spans {
		b, ok := m.View(s)
		if !ok {
			b, ok = m.copyOfRegistered(s)
		}
		if all[i] = b; ok {
			continue
		}
		if errs[i] = m.checkLoad(s); errs[i] == nil {
			all[i] = make([]byte, s.N)
			far = append(far, i)
		}
	}
	m.transferMany(far, spans, all, errs, true)
	return all, errs
}

// StoreMany copies bytes to the beginning of each span that has as many, of any rank; those without bytes are
// left out. It returns an error for each span that cannot be written. Blocks for one round trip to all ranks
// together.
func (m *Memory) StoreMany(spans []ga.Span, all [][]byte) (errs []error) {
	errs = make([]error, len(spans))
	var far []int
	for i, s := range spans {
		if len(all[i]) == 0 {
			continue
		}
		if b, ok := m.View(s); ok {
			copy(b, all[i])
		} else {
			far = append(far, i)
		}
	}
	m.transferMany(far, spans, all, errs, false)
	return errs
}

// copyOfRegistered returns a copy of registered memory of this process.
func (m *Memory) copyOfRegistered(s ga.Span) ([]byte, bool) {
	if !m.Registered(s.GA) {
		return nil, false
	}
	defer m.Leave(m.Enter())
	b, ok := m.ViewEntered(s)
	return bytes.Clone(b), ok
}

// transferMany copies between some of the spans and the slices with the same numbers. All copies are under
// way at the same time. If one fails, it makes each again to find out which.
func (m *Memory) transferMany(which []int, spans []ga.Span, all [][]byte, errs []error, load bool) {
	if len(which) == 0 {
		return
	}
	if !m.Detaches() && m.tryMany(which, spans, all, load) == nil {
		return
	}
	for _, i := range which {
		if load {
			errs[i] = m.Get(all[i], spans[i].GA)
		} else {
			errs[i] = m.Put(spans[i].GA, all[i])
		}
	}
}

// tryMany makes all copies of transferMany, or fails.
func (m *Memory) tryMany(which []int, spans []ga.Span, all [][]byte, load bool) error {
	b := m.NewBatch()
	for _, i := range which {
		err := b.WaitCapacity()
		if err == nil {
			err = m.add(b, spans[i].GA, all[i], load)
		}
		if err != nil {
			return errors.Join(err, b.Wait())
		}
	}
	return b.Wait()
}

// add begins to copy the bytes at an address to b, or those of b to there.
func (m *Memory) add(batch *Batch, at uint64, b []byte, load bool) error {
	if err := m.Check(at); err != nil {
		return err
	}
	defer m.Leave(m.Enter())
	there, err := m.Locate(at, uint64(len(b)))
	if err != nil {
		return err
	}
	if load {
		batch.Add(m.Here(b), there, uint64(len(b)))
	} else {
		batch.Add(there, m.Here(b), uint64(len(b)))
	}
	return nil
}
