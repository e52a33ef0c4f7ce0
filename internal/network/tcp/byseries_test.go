package tcp

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// bySeries carries out small operations as series of one item.
type bySeries struct{ *Transport }

// single is the Completion of such a series.
type single struct {
	s    *fabric.Series
	done fabric.Completion
}

// Complete implements fabric.Completion.
func (c single) Complete(_ uint64, err error) {
	old := uint64(0)
	switch {
	case err == nil && len(c.s.Failed) > 0:
		err = c.s.Failed[0].Err
	case err == nil && c.s.Kind == fabric.SeriesAtomic:
		old = c.s.Items[0].Word
	}
	c.done.Complete(old, err)
}

func (b bySeries) carry(peer int, s *fabric.Series, item fabric.Item, done fabric.Completion) {
	s.Items = []fabric.Item{item}
	b.Series(peer, s, single{s, done})
}

func (b bySeries) serves(peer int, n uint64) bool {
	return peer != b.cfg.Self && n > 0 && n <= fabric.SeriesBytes
}

// Put implements fabric.Transport.
func (b bySeries) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	if !b.serves(peer, n) {
		b.Transport.Put(peer, pos, src, n, done)
		return
	}
	s, item := &fabric.Series{Kind: fabric.SeriesPut, Size: n}, fabric.Item{Pos: pos}
	if err := fabric.Touch(func() { s.Data = bytes.Clone(unsafe.Slice((*byte)(src), n)) }); err != nil {
		done.Complete(0, fabric.Over(name, err))
		return
	}
	if n <= fabric.WordMax {
		item.Word = binary.NativeEndian.Uint64(append(s.Data, make([]byte, fabric.WordMax)...))
		s.Data = nil
	}
	b.carry(peer, s, item, done)
}

// Get implements fabric.Transport.
func (b bySeries) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	if !b.serves(peer, n) {
		b.Transport.Get(peer, pos, dst, n, done)
		return
	}
	b.carry(peer, &fabric.Series{Kind: fabric.SeriesGet, Size: n}, fabric.Item{Pos: pos, Addr: dst}, done)
}

// Atomic implements fabric.Transport.
func (b bySeries) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	s := &fabric.Series{Kind: fabric.SeriesAtomic, Op: a.Op, Size: uint64(a.Width)}
	if peer == b.cfg.Self || !s.MayHave(1) {
		b.Transport.Atomic(peer, pos, a, done)
		return
	}
	b.carry(peer, s, fabric.Item{Pos: pos, Word: a.Operand, Compare: a.Compare}, done)
}

// TestSeriesConformance runs the conformance suite with series.
func TestSeriesConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newWorld(t, n, fabrictest.MemorySize)
		return w.members(func(f fabric.Transport) fabric.Transport { return bySeries{f.(*Transport)} })
	})
}

// TestEncryptedSeriesConformance runs it with encrypted connections.
func TestEncryptedSeriesConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newProvenWorld(t, n, fabrictest.MemorySize, newEncrypting(t), noPollBudget)
		return w.members(func(f fabric.Transport) fabric.Transport { return bySeries{f.(*Transport)} })
	})
}
