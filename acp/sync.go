package acp

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/futex"
)

// barrier is where all ranks wait for each other.
//
// The members that share memory count themselves in the space of the lowest of
// them, their leader, and sleep until it is released. The leaders of several groups
// meet by dissemination: in round k each tells the one 2^k further and waits for the
// one 2^k before it. A member that shares memory with nobody is a group of its own.
type barrier struct {
	here    *direct.Barrier  // what C uses, too
	words   *segment.Barrier // in the leader's space; nil in a group of one
	leader  bool
	leaders []int32 // members that lead a group
	place   int     // of this group among them
	spin    time.Duration
	rest    *leisure // told of sleeping waiters
	poll    func() bool
	notify  func(member int, kind uint32, value uint64) error

	mu    sync.Mutex
	wake  sync.Cond             // a note came in, or lost was set
	notes [maxRounds]uint64     // by round: newest barrier in which the predecessor got there
	lost  atomic.Pointer[error] // the run is over
}

// maxRounds suffices for all members there can be.
const maxRounds = 20

// napTime bounds one sleep, so that a wake-up lost to the end of the run delays its
// discovery by no more than this.
const napTime = time.Second

func newBarrier() *barrier {
	b := &barrier{}
	b.wake.L = &b.mu
	return b
}

// form gives every member the group of its leader.
func (b *barrier) form(p *Process, leaders []int) error {
	b.rest = &p.leisure
	mine := leaders[p.self]
	b.leader = mine == p.self
	for m, l := range leaders {
		if l == m {
			if m == mine {
				b.place = len(b.leaders)
			}
			b.leaders = append(b.leaders, int32(m))
		}
		if l == mine {
			b.here.Group++
		}
	}
	switch {
	case b.here.Group == 1:
	case b.leader:
		b.words = p.space.Barrier()
	default:
		v, err := p.shm.View(mine)
		if err != nil {
			return err
		}
		b.words = v.Barrier()
	}
	if b.words != nil && b.oneGroup() {
		b.here.Arrived, b.here.Released, b.here.Sleepers = b.words.Arrived, b.words.Released, b.words.Sleepers
		b.here.Spin = uint32(b.spin)
	}
	return nil
}

// wait returns when every member has called it as often as this one.
func (b *barrier) wait() error {
	b.here.Count++
	if b.words == nil {
		return b.meetLeaders()
	}
	arrived := atomic.AddUint32(b.words.Arrived, 1)
	last := arrived == b.everybody()
	switch {
	case b.oneGroup():
		if !last {
			return b.finish()
		}
		b.release()
		return nil
	case b.leader:
		if err := b.await(b.words.Arrived, b.everybody()); err != nil {
			return err
		}
		if err := b.meetLeaders(); err != nil {
			return err
		}
		b.release()
		return nil
	case last:
		b.wakeSleepers(b.words.Arrived)
	}
	return b.finish()
}

func (b *barrier) oneGroup() bool { return len(b.leaders) == 1 }

// everybody is the count of arrivals when the current barrier is complete. It wraps, as
// the words do.
func (b *barrier) everybody() uint32 { return uint32(b.here.Count) * b.here.Group }

// finish waits for the others of the group, this member having arrived.
func (b *barrier) finish() error {
	if b.pair() {
		return b.await(b.words.Arrived, b.everybody())
	}
	return b.await(b.words.Released, uint32(b.here.Count))
}

// pair reports whether the barrier is that of two members alone. Then the arrival of the
// second is the release of the first, which saves writing another line of memory.
// More than two would disturb each other by looking at the word that all of them add to.
func (b *barrier) pair() bool { return b.oneGroup() && b.here.Group == 2 }

func (b *barrier) release() {
	word := b.words.Arrived
	if !b.pair() {
		word = b.words.Released
		atomic.StoreUint32(word, uint32(b.here.Count))
	}
	b.wakeSleepers(word)
}

// wakeSleepers wakes who waits for word, which has changed. Somebody who is about to sleep
// is counted before he looks at the word for the last time, so that either he sees the
// change or is seen here.
func (b *barrier) wakeSleepers(word *uint32) {
	if atomic.LoadUint32(b.words.Sleepers) != 0 {
		futex.Wake(word)
	}
}

// await returns when *word has become value. Nobody adds so much to it meanwhile that
// their difference changes its sign.
func (b *barrier) await(word *uint32, value uint32) error {
	there := func() bool { return int32(atomic.LoadUint32(word)-value) >= 0 }
	spinFor(b.spin, func() bool { return there() || b.lost.Load() != nil })
	if there() {
		return nil
	}
	b.rest.begin()
	defer b.rest.end()
	atomic.AddUint32(b.words.Sleepers, 1)
	defer atomic.AddUint32(b.words.Sleepers, ^uint32(0))
	for {
		seen := atomic.LoadUint32(word)
		if int32(seen-value) >= 0 {
			return nil
		}
		if err := b.lostErr(); err != nil {
			return err
		}
		futex.Wait(word, seen, napTime)
	}
}

// meetLeaders waits for the leaders of the other groups.
func (b *barrier) meetLeaders() error {
	n := len(b.leaders)
	for k := 0; 1<<k < n; k++ {
		to := b.leaders[(b.place+1<<k)%n]
		if err := b.notify(int(to), uint32(k), b.here.Count); err != nil {
			return err
		}
		if err := b.awaitNote(k); err != nil {
			return err
		}
	}
	return nil
}

func (b *barrier) awaitNote(k int) error {
	spinFor(b.spin, func() bool {
		b.poll()
		return atomic.LoadUint64(&b.notes[k]) >= b.here.Count
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest.begin()
	defer b.rest.end()
	for atomic.LoadUint64(&b.notes[k]) < b.here.Count {
		if err := b.lostErr(); err != nil {
			return err
		}
		b.wake.Wait()
	}
	return nil
}

// note records what a leader has told this one.
func (b *barrier) note(round uint32, count uint64) {
	if round >= maxRounds {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	atomic.StoreUint64(&b.notes[round], count)
	b.wake.Broadcast()
}

// fail ends all waiting, also of other members in the group, which then look again
// and go back to sleep.
func (b *barrier) fail(err error) {
	b.lost.CompareAndSwap(nil, &err)
	b.mu.Lock()
	b.wake.Broadcast()
	b.mu.Unlock()
	if b.words != nil {
		futex.Wake(b.words.Released)
		futex.Wake(b.words.Arrived)
	}
}

// lostErr returns why the run is over, or nil.
func (b *barrier) lostErr() error {
	if err := b.lost.Load(); err != nil {
		return *err
	}
	return nil
}
