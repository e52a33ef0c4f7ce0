package gma

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
)

// span is where the memory of this process lies that the GMAs of a series use.
type span struct {
	low  uint64         // the lowest position
	high uint64         // the highest
	base unsafe.Pointer // address of the lowest; nil if not all of it is in one piece of memory
}

// nearPosition returns the position in this process that a GMA uses.
func (s *series) nearPosition(w *maptable.Submission) uint64 {
	if s.Kind == fabric.SeriesPut {
		return maptable.PositionOf(w.Src)
	}
	return maptable.PositionOf(w.Dst)
}

// extent returns a span without the address.
func (s *series) extent() span {
	at := span{low: ^uint64(0)}
	for i := range s.gmas {
		pos := s.nearPosition(&s.gmas[i])
		at.low, at.high = min(at.low, pos), max(at.high, pos)
	}
	return at
}

// resolve looks for the memory of a span. If it is registered memory the caller has entered the space.
func (r *routed) resolve(at *span, size uint64) {
	at.base, _ = r.space.Resolve(at.low, at.high-at.low+size)
}

// address returns the address of a position in the span.
func (at *span) address(pos uint64) unsafe.Pointer { return unsafe.Add(at.base, pos-at.low) }

func (r *routed) startSeries(s *series, done fabric.Completion) (path router.Path, ok bool) {
	first := access(&s.gmas[0])
	self := int(atomic.LoadUint64(&r.table.Rank))
	s.Op, s.Size = fabric.Op(s.gmas[0].Op), s.gmas[0].Size
	switch {
	case !first.IsCopy:
		s.Kind = fabric.SeriesAtomic
	case maptable.RankOf(first.Src) == self:
		s.Kind = fabric.SeriesPut
	default:
		s.Kind = fabric.SeriesGet
	}
	near := s.extent()
	if near.high >= segment.UserBase {
		defer r.space.Leave(r.space.Enter())
	}
	if path = r.path(&first); !r.router.HasSeries(path) {
		return path, false
	}
	if loaded := s.gmas[0].Loaded != 0; !loaded {
		if r.resolve(&near, s.Size); near.base == nil {
			return path, false
		}
	}
	if !s.fill(&near) {
		return path, false
	}
	r.countSeries(s, self, path)
	r.router.CarrySeries(path, &s.Series, done)
	return path, true
}

// fill makes the items. It reports false if the program has unmapped memory.
func (s *series) fill(near *span) bool {
	if n := len(s.gmas); cap(s.Items) < n {
		s.Items = make([]fabric.Item, n)
	}
	s.Items = s.Items[:len(s.gmas)]
	switch {
	case s.Kind == fabric.SeriesAtomic:
		for i := range s.gmas {
			w := &s.gmas[i]
			s.Items[i] = fabric.Item{Pos: maptable.PositionOf(w.Src), Word: w.Operand, Compare: w.Compare}
		}
	case s.Kind == fabric.SeriesGet:
		for i := range s.gmas {
			w := &s.gmas[i]
			s.Items[i] = fabric.Item{Pos: maptable.PositionOf(w.Src), Addr: near.address(maptable.PositionOf(w.Dst))}
		}
	default:
		for i := range s.gmas {
			w := &s.gmas[i]
			s.Items[i] = fabric.Item{Pos: maptable.PositionOf(w.Dst), Word: w.Operand}
		}
		return near.base == nil || s.load(near)
	}
	return true
}

// load reads the bytes of a series of puts. It reports false if the program has unmapped memory.
func (s *series) load(near *span) bool {
	if s.Size > wordSize {
		s.Data = append(s.Data[:0], make([]byte, uint64(len(s.gmas))*s.Size)...)
	}
	return fabric.Touch(func() {
		for i := range s.gmas {
			from := near.address(maptable.PositionOf(s.gmas[i].Src))
			to := unsafe.Pointer(&s.Items[i].Word)
			if s.Size > wordSize {
				to = unsafe.Pointer(&s.Data[uint64(i)*s.Size])
			}
			fabric.Move(to, from, s.Size)
		}
	}) == nil
}

// countSeries counts the GMAs of a series that starts on a path.
func (r *routed) countSeries(s *series, self int, path router.Path) {
	if r.traffic == nil {
		return
	}
	for i := range s.gmas {
		w := &s.gmas[i]
		if s.Kind == fabric.SeriesAtomic {
			r.traffic.Add(r.member(maptable.RankOf(w.Src)), traffic.Atomic, path.Traffic(), s.Size)
		} else {
			r.traffic.AddCopy(self, maptable.RankOf(w.Dst), maptable.RankOf(w.Src), path.Traffic(), s.Size)
		}
	}
}

func (r *routed) deliverSeries(s *series) {
	defer r.space.Leave(r.space.Enter())
	near := s.extent()
	if r.resolve(&near, s.Size); near.base != nil && len(s.Failed) == 0 {
		if fabric.Touch(func() {
			for i := range s.gmas {
				StoreResult(near.address(maptable.PositionOf(s.gmas[i].Dst)), uint8(s.Size), s.Items[i].Word)
			}
		}) == nil {
			return
		}
	}
	for i := range s.gmas {
		if s.hasFailed(i) {
			continue
		}
		a := access(&s.gmas[i])
		if err := r.deliver(&a, s.Items[i].Word); err != nil {
			s.Fail(i, err)
		}
	}
}
