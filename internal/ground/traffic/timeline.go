package traffic

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	maxSpans  = 240
	firstSpan = 50 * time.Millisecond
)

// Timeline holds, for each interval of the life of a process, how long its threads have waited. The intervals
// have the same length. If there are too many, pairs of them are merged.
type Timeline struct {
	Span   time.Duration   `json:"span"`
	Waited []time.Duration `json:"waited"` // from Snapshot.Begun on; of all threads together
}

// timelineRecord is a Timeline in the file. Only one thread at a time changes it, by atomic stores: a plain store may pass
// the change of turn before it on processors that do not keep the order of stores.
type timelineRecord struct {
	turn   uint32 // odd while it changes
	used   uint32
	span   int64
	waited [maxSpans]int64
}

func (t *Table) timeline() *timelineRecord {
	return (*timelineRecord)(unsafe.Pointer(&t.mem[timelineAt]))
}

// add adds a wait from one moment to another, both since the beginning.
func (r *timelineRecord) add(from, to time.Duration) {
	atomic.AddUint32(&r.turn, 1)
	defer atomic.AddUint32(&r.turn, 1)
	for to >= time.Duration(r.span)*maxSpans {
		r.halve()
	}
	span := time.Duration(r.span)
	for i := from / span; i <= to/span; i++ {
		atomic.AddInt64(&r.waited[i], int64(min(to, (i+1)*span)-max(from, i*span)))
	}
	atomic.StoreUint32(&r.used, max(r.used, uint32(to/span)+1))
}

// halve merges pairs of intervals.
func (r *timelineRecord) halve() {
	for i := range maxSpans {
		atomic.StoreInt64(&r.waited[i], sum(r.waited[min(2*i, maxSpans):min(2*i+2, maxSpans)]))
	}
	atomic.StoreUint32(&r.used, (r.used+1)/2)
	atomic.StoreInt64(&r.span, r.span*2)
}

func sum(list []int64) (n int64) {
	for _, x := range list {
		n += x
	}
	return n
}

// decode returns the timeline, nil if the process has not waited.
func (r *timelineRecord) decode() *Timeline {
	if r.used == 0 || r.used > maxSpans || r.span <= 0 {
		return nil
	}
	t := &Timeline{Span: time.Duration(r.span)}
	for _, n := range r.waited[:r.used] {
		t.Waited = append(t.Waited, time.Duration(n))
	}
	return t
}

// valid reports whether a process can have such a timeline.
func (t *Timeline) valid() bool {
	if len(t.Waited) > maxSpans || t.Span < firstSpan || t.Span > math.MaxInt64/maxSpans {
		return false
	}
	for _, n := range t.Waited {
		if n < 0 {
			return false
		}
	}
	return true
}
