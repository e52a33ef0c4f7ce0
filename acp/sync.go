package acp

import (
	"sync"
	"sync/atomic"
	"time"

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
	words   *segment.Barrier // in the leader's space; nil in a group of one
	group   uint32           // members of the group
	leader  bool
	leaders []int32 // members that lead a group
	place   int     // of this group among them
	spin    time.Duration
	poll    func() bool
	notify  func(member int, kind uint32, value uint64) error

	count uint64 // barriers begun by this process

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
	b := &barrier{group: 1, leader: true}
	b.wake.L = &b.mu
	return b
}

// form gives every member the group of its leader.
func (b *barrier) form(p *Process, leaders []int) error {
	mine := leaders[p.self]
	b.group, b.leader = 0, mine == p.self
	for m, l := range leaders {
		if l == m {
			if m == mine {
				b.place = len(b.leaders)
			}
			b.leaders = append(b.leaders, int32(m))
		}
		if l == mine {
			b.group++
		}
	}
	switch {
	case b.group == 1:
	case b.leader:
		b.words = p.space.Barrier()
	default:
		v, err := p.shm.View(mine)
		if err != nil {
			return err
		}
		b.words = v.Barrier()
	}
	return nil
}

func (b *barrier) wait() error {
	b.count++
	if b.words == nil {
		return b.meetLeaders()
	}
	arrived := atomic.AddUint32(b.words.Arrived, 1)
	everybody := uint32(b.count) * b.group
	last, oneGroup := arrived == everybody, len(b.leaders) == 1
	switch {
	case oneGroup && last:
		b.release()
		return nil
	case b.leader && !oneGroup:
		if err := b.await(b.words.Arrived, everybody); err != nil {
			return err
		}
		if err := b.meetLeaders(); err != nil {
			return err
		}
		b.release()
		return nil
	case last:
		futex.Wake(b.words.Arrived)
	}
	return b.await(b.words.Released, uint32(b.count))
}

func (b *barrier) release() {
	atomic.StoreUint32(b.words.Released, uint32(b.count))
	futex.Wake(b.words.Released)
}

// await returns when *word has become value.
func (b *barrier) await(word *uint32, value uint32) error {
	there := func() bool { return atomic.LoadUint32(word) == value || b.lost.Load() != nil }
	spinFor(b.spin, there)
	for {
		seen := atomic.LoadUint32(word)
		if seen == value {
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
		if err := b.notify(int(to), uint32(k), b.count); err != nil {
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
		return atomic.LoadUint64(&b.notes[k]) >= b.count
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	for atomic.LoadUint64(&b.notes[k]) < b.count {
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
