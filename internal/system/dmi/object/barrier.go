package object

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/internal/ground/activity"
)

// InitBarrier makes the BarrierSize bytes at addr a barrier. Any process may call it. Blocks for a round trip.
func (o *Objects) InitBarrier(addr int64) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	setWord(x.in[:], 0, rand.Uint32())
	return o.finish(addr, barrierInit, barrierKind, x)
}

// DestroyBarrier ends a barrier. Any process may call it. Blocks for a round trip. Fails with ErrWaiting.
func (o *Objects) DestroyBarrier(addr int64) error {
	return o.simple(addr, barrierDestroy, barrierKind)
}

// LocalBarrier is a barrier as one thread uses it.
type LocalBarrier struct {
	station *station
	slot    Slot
}

// NewLocalBarrier returns the barrier at addr for one thread, which then calls the methods of the result. Blocks for a
// round trip. Fails if there is no barrier.
func (o *Objects) NewLocalBarrier(addr int64) (*LocalBarrier, error) {
	if err := o.simple(addr, barrierCheck, barrierKind); err != nil {
		return nil, err
	}
	slot := o.memory.NewSlot()
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stations[addr]
	if s == nil {
		s = &station{objects: o, addr: addr, parties: map[uint32]*party{}}
		o.stations[addr] = s
	}
	s.users++
	return &LocalBarrier{s, slot}, nil
}

// Destroy ends the use of the barrier by the thread, which does not wait there. Does not block.
func (l *LocalBarrier) Destroy() {
	l.slot.Free()
	o := l.station.objects
	o.mu.Lock()
	defer o.mu.Unlock()
	if l.station.users--; l.station.users == 0 {
		delete(o.stations, l.station.addr)
	}
}

// Sync blocks until n threads have called Sync with the same n. If a thread calls differently in the
// same round, the calls of all threads fail from then on, until the barrier is initialised again. If ctx ends, Sync fails with its error, and the thread has arrived all the same.
func (l *LocalBarrier) Sync(ctx context.Context, n int) error {
	_, err := l.gather(ctx, n, gathering{}, value{})
	return err
}

// AllReduce blocks until n threads have called AllReduce with the same n, op and kind. It combines their values, which
// have the size of the kind, and stores the result, which has the same bytes for all. result may be value. The order
// in which values are combined is not fixed. Fails as Sync does.
func (l *LocalBarrier) AllReduce(ctx context.Context, n int, in, result []byte, op, kind int8) error {
	err := checkReduction(op, kind)
	if size := ValueSize(kind); err == nil && (len(in) != size || len(result) != size) {
		err = fmt.Errorf("%w: %d and %d bytes for type %d; expected %d", ErrArgument, len(in), len(result), kind, size)
	}
	if err != nil {
		return failed(barrierKind, l.station.addr, err)
	}
	var v value
	copy(v[:], in)
	v, err = l.gather(ctx, n, gathering{op: op, kind: kind}, v)
	if err == nil {
		copy(result, v[:])
	}
	return err
}

// gather arrives at the barrier, and waits until the round has ended.
func (l *LocalBarrier) gather(ctx context.Context, n int, call gathering, v value) (value, error) {
	if n < 1 || int(int32(n)) != n {
		return v, failed(barrierKind, l.station.addr, fmt.Errorf("%w: %d threads", ErrArgument, n))
	}
	call.threads = uint32(n)
	s, c := l.station, &comer{slot: l.slot, call: call, value: v}
	s.arrive(c)
	if err := s.await(ctx, c); err != nil {
		l.slot = s.objects.memory.NewSlot() // signals to the other one may be on the way
		if ctx.Err() == nil {
			return v, failed(barrierKind, s.addr, err)
		}
		go func() {
			_ = s.await(context.Background(), c) // fails if the run is over
			c.slot.Free()
		}()
		return v, failed(barrierKind, s.addr, err)
	}
	if c.outcome.err != nil {
		return v, failed(barrierKind, s.addr, c.outcome.err)
	}
	return c.outcome.value, nil
}

// Await blocks until a round has ended for which C has counted the thread, as one of n that call Sync. Fails as Sync does.
func (l *LocalBarrier) Await(n int, round uint32) error {
	o, addr := l.station.objects, l.station.addr
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	a := arrival{to: place{uint32(o.memory.Member()), l.slot.ID()}, round: round, threads: 1, call: gathering{threads: uint32(n)}}
	a.put(x.in[:])
	if err := o.call(addr, barrierEnter, x); err != nil {
		return err
	}
	got := answerAt(x.out[:])
	note := roundValue(&got)
	if got.status == waiting {
		v, err := l.slot.Wait(context.Background(), addr, activity.For(activity.Arrival).At(addr, int64(n)))
		if err == nil && !isRound(v) {
			err = errSignal
		}
		if err != nil {
			l.slot = o.memory.NewSlot() // signals to the other one may be on the way
			return failed(barrierKind, addr, err)
		}
		note = v
	}
	for _, p := range got.tell {
		_ = o.memory.Signal(int(p.member), p.slot, note) // fails if the run is over
	}
	if err := outcomeOf(note).err; err != nil {
		return failed(barrierKind, addr, err)
	}
	return nil
}

// await waits until a thread that has arrived knows the outcome, and does meanwhile what the thread has to do for
// others: send the arrivals of its process, and tell them and other processes how the round has ended.
func (s *station) await(ctx context.Context, c *comer) error {
	for !c.knows {
		v, err := c.slot.Wait(ctx, s.addr, activity.For(activity.Arrival).At(s.addr, int64(c.call.threads)))
		switch {
		case err != nil:
			return err
		case isRound(v):
			s.end(c, v)
			c.knows = true
		case len(v) == 2 && note(v[0]) == noteTold:
			c.knows = true
		case len(v) == 2 && note(v[0]) == noteSend:
			s.send(c)
		default:
			return errSignal
		}
	}
	return nil
}
