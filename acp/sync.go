package acp

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/internal/wait"
)

// barrier is where all ranks wait for each other.
//
// The members that share memory count themselves in the space of the lowest of
// them, their leader, and sleep until it is released. The leaders of several groups
// meet by dissemination: in round k each tells the one 2^k further and waits for the
// one 2^k before it. A member that shares memory with nobody is a group of its own.
//
// Every member brings the mark of the function that it has called. In a group the marks
// are added up in a word that all compare with what it is if the marks are equal. Leaders
// send digests of them. If the marks of all members are not equal, all of them find out in
// the same barrier.
type barrier struct {
	here    *direct.Barrier  // what C uses, too
	words   *segment.Barrier // in the leader's space; nil in a group of one
	leader  bool
	leaders []int32 // members that lead a group
	place   int     // of this group among them
	budget  *wait.Budget
	poll    func() bool
	notify  func(member int, kind uint32, value uint64) error
	ended   func() bool // whether the next member of the group has ended
	missing func()      // called when it has, and has not come to the barrier

	mu    sync.Mutex
	wake  sync.Cond             // a note came in, or lost was set
	notes [maxRounds][2]uint64  // by round, of even and odd barriers: newest note of the predecessor
	lost  atomic.Pointer[error] // the run is over
}

// maxRounds suffices for all members there can be.
const maxRounds = 20

func newBarrier() *barrier {
	b := &barrier{}
	b.wake.L = &b.mu
	return b
}

// form gives every member the group of its leader.
func (b *barrier) form(p *Process, leaders []int) error {
	b.budget = &p.budget
	if next := neighbour(p.self, leaders); next != p.self {
		p.watchNeighbour(next)
	}
	mine := leaders[p.self]
	b.group(p.self, leaders)
	switch {
	case b.here.Group == 1:
	case b.leader:
		b.words = p.space.Barrier()
	default:
		v, err := p.net.View(mine)
		if err != nil {
			return err
		}
		b.words = v.Barrier()
	}
	if b.words != nil && b.oneGroup() {
		b.here.Arrived, b.here.Released, b.here.Sleepers = b.words.Arrived, b.words.Released, b.words.Sleepers
		b.here.Marks, b.here.Spin = b.words.Marks, uint32(b.budget.Spin())
	}
	return nil
}

// group finds the place of member self among the groups.
func (b *barrier) group(self int, leaders []int) {
	mine := leaders[self]
	b.leader = mine == self
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
}

// wait returns when every member has called it as often as this one, and reports whether
// all have brought the same mark.
func (b *barrier) wait(mark uint64) (agreed bool, err error) {
	if b.words == nil {
		b.came()
		d, err := b.meetLeaders(digestOf(mark))
		return d != digestMixed, err
	}
	if mark != 0 {
		atomic.AddUint64(&b.words.Marks[(b.here.Count+1)%2], mark)
	}
	arrived := atomic.AddUint32(b.words.Arrived, 1)
	b.came() // now, while the others learn of the arrival
	last := arrived == b.everybody()
	switch {
	case b.oneGroup() && last:
		b.release()
		return b.agreed(mark), nil
	case b.oneGroup():
	case b.leader:
		return b.lead(mark)
	case last:
		b.wakeSleepers(b.words.Arrived)
	}
	return b.finish(mark)
}

// came counts the barrier that this member has come to. Others may ask for the count.
func (b *barrier) came() { atomic.StoreUint64(&b.here.Count, b.here.Count+1) }

// lead is the part of the leader of one of several groups, which has arrived.
func (b *barrier) lead(mark uint64) (agreed bool, err error) {
	if err := b.await(b.words.Arrived, b.everybody()); err != nil {
		return false, err
	}
	d := digestOf(mark)
	agreed = b.agreed(mark)
	if !agreed {
		d = digestMixed
	}
	if d, err = b.meetLeaders(d); err != nil {
		return false, err
	}
	if agreed && d == digestMixed {
		atomic.AddUint64(&b.words.Marks[b.parity()], 1) // tells the group
		agreed = false
	}
	b.release()
	return agreed, nil
}

// agreed reports whether all members of the group have brought mark to the current
// barrier, which is complete.
func (b *barrier) agreed(mark uint64) bool {
	marked := &b.here.Marked[b.parity()]
	*marked += mark * uint64(b.here.Group)
	return atomic.LoadUint64(&b.words.Marks[b.parity()]) == *marked
}

// parity tells the current barrier from the one before and the one after it.
func (b *barrier) parity() uint64 { return b.here.Count % 2 }

func (b *barrier) oneGroup() bool { return len(b.leaders) == 1 }

// everybody is the count of arrivals when the current barrier is complete. It wraps, as
// the words do.
func (b *barrier) everybody() uint32 { return uint32(b.here.Count) * b.here.Group }

// finish waits for the others of the group, this member having arrived, and reports
// whether all have brought the same mark.
func (b *barrier) finish(mark uint64) (agreed bool, err error) {
	word, value := b.words.Released, uint32(b.here.Count)
	if b.pair() {
		word, value = b.words.Arrived, b.everybody()
	}
	if err := b.await(word, value); err != nil {
		return false, err
	}
	return b.agreed(mark), nil
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
	wait.Spin(b.budget.Spin(), func() bool { return there() || b.lost.Load() != nil })
	if there() {
		return nil
	}
	b.budget.Park()
	defer b.budget.Unpark()
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
		futex.Wait(word, seen, wait.LongestPark)
		// A member that has come may end as soon as the last one has.
		if atomic.LoadUint32(word) == seen && b.ended != nil && b.ended() && atomic.LoadUint32(word) == seen {
			b.missing()
		}
	}
}

// digest stands for the mark that all members have brought of which a leader knows.
type digest uint32

// digestMixed says that they have brought different ones.
const digestMixed digest = 1<<32 - 1

// digestOf shortens a mark. It is 0 for acp_sync alone, as the mark is.
func digestOf(mark uint64) digest {
	if mark == 0 {
		return 0
	}
	return digest(1 + mark%uint64(digestMixed-1))
}

// note is what one leader tells another: the low half of the number of the barrier, and
// above it a digest.
func makeNote(count uint64, d digest) uint64 { return uint64(d)<<32 | count&math.MaxUint32 }

// meetLeaders waits for the leaders of the other groups. d says what this leader's group
// has brought; the result says what all have brought.
func (b *barrier) meetLeaders(d digest) (digest, error) {
	n := len(b.leaders)
	for k := 0; 1<<k < n; k++ {
		to := b.leaders[(b.place+1<<k)%n]
		if err := b.notify(int(to), uint32(k), makeNote(b.here.Count, d)); err != nil {
			return digestMixed, err
		}
		theirs, err := b.awaitNote(k)
		if err != nil {
			return digestMixed, err
		}
		if theirs != d {
			d = digestMixed
		}
	}
	return d, nil
}

// awaitNote returns the digest of the note of round k.
func (b *barrier) awaitNote(k int) (digest, error) {
	// A note of the next barrier goes to the other place, and there is none of the one
	// after that before this leader comes to the next.
	place := &b.notes[k][b.parity()]
	there := func() bool { return uint32(atomic.LoadUint64(place)) == uint32(b.here.Count) }
	wait.Spin(b.budget.Spin(), func() bool {
		b.poll()
		return there()
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.budget.Park()
	defer b.budget.Unpark()
	for !there() {
		if err := b.lostErr(); err != nil {
			return digestMixed, err
		}
		b.wake.Wait()
	}
	return digest(atomic.LoadUint64(place) >> 32), nil
}

// note records what a leader has told this one.
func (b *barrier) note(round uint32, value uint64) {
	if round >= maxRounds {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	atomic.StoreUint64(&b.notes[round][value%2], value)
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
