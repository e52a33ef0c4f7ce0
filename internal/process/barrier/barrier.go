package barrier

import (
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Config describes one member of the barrier: its group, and how it reaches the others. Members are numbered
// from 0. All fields but Words, Ended and Missing are required.
type Config struct {
	Self    int
	Leaders []int // by member: the leader of its group

	// Words are in the memory of the leader of Self. Nil if its group has no other member.
	Words *segment.Barrier

	Budget *wait.Budget
	// Poll makes the fabrics progress.
	Poll func() bool
	// Notify sends a note to a leader, whose Note it reaches.
	Notify func(member int, kind uint32, value uint64) error

	// Ended reports whether the process of the next member of the group has ended. If it has
	// while this member waits, the member calls Missing. Both nil: this member does not check
	// the next one.
	Ended   func() bool
	Missing func()
}

// Barrier is the part of one member. One goroutine at a time may be in it; Note, End, Over and
// Count may be called at any time.
type Barrier struct {
	here    *maptable.Barrier
	words   *segment.Barrier
	budget  *wait.Budget
	cfg     Config
	leader  bool
	leaders []int32 // members that lead a group
	place   int     // of this group among them

	mu    sync.Mutex
	wake  sync.Cond             // a note has come, or the run is over
	notes [maxRounds][2]uint64  // by round, of even and odd barriers: newest note of the predecessor
	over  atomic.Pointer[error] // why the run is over
}

// New returns a Barrier that records notes of other leaders. Call Form before Wait. Form fills
// here, which C uses, too.
func New(here *maptable.Barrier) *Barrier {
	b := &Barrier{here: here}
	b.wake.L = &b.mu
	return b
}

// Reset forgets the groups, which Form forms anew. Notes that come from now on are of the new groups. No member of the old
// groups is in the barrier.
func (b *Barrier) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.notes {
		atomic.StoreUint64(&b.notes[k][0], 0)
		atomic.StoreUint64(&b.notes[k][1], 0)
	}
	b.words, b.leaders, b.place = nil, nil, 0
	h := b.here
	h.Arrived, h.Released, h.Sleepers, h.Marks = nil, nil, nil, nil
	h.Group, h.Marked = 0, [2]uint64{}
	atomic.StoreUint64(&h.Count, 0)
}

// Form forms the groups. All members pass the same Leaders.
func (b *Barrier) Form(cfg Config) {
	b.mu.Lock() // End may be called
	b.words, b.budget, b.cfg = cfg.Words, cfg.Budget, cfg
	b.cfg.Leaders = nil // one for each member, of which no more is needed than what follows
	b.mu.Unlock()
	mine := cfg.Leaders[cfg.Self]
	b.leader = mine == cfg.Self
	for m, l := range cfg.Leaders {
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
	if b.words != nil && b.oneGroup() {
		b.here.Arrived, b.here.Released, b.here.Sleepers = b.words.Arrived, b.words.Released, b.words.Sleepers
		b.here.Marks = b.words.Marks
	}
}

// Wait returns when every member has called it as often as this one, and reports whether
// all have brought the same mark. Fails if the run is over.
func (b *Barrier) Wait(mark uint64) (agreed bool, err error) {
	if b.words == nil {
		b.begin()
		d, err := b.meetLeaders(DigestOf(mark))
		return d != digestMixed, err
	}
	if mark != 0 {
		atomic.AddUint64(&b.words.Marks[(b.here.Count+1)%2], mark)
	}
	arrived := atomic.AddUint32(b.words.Arrived, 1)
	b.begin() // now, while the others learn of the arrival
	last := arrived == b.complete()
	switch {
	case b.oneGroup() && last:
		b.release()
		return b.agreed(mark), nil
	case b.oneGroup():
	case b.leader:
		return b.lead(mark)
	case last:
		b.wakeParked(b.words.Arrived)
	}
	return b.Finish(mark)
}

// begin counts the barrier at which this member has arrived.
func (b *Barrier) begin() { atomic.StoreUint64(&b.here.Count, b.here.Count+1) }

// Count returns how many barriers this member has begun.
func (b *Barrier) Count() uint64 { return atomic.LoadUint64(&b.here.Count) }

// lead waits for the group of this leader, which has arrived, and then for the other leaders. It
// releases the group.
func (b *Barrier) lead(mark uint64) (agreed bool, err error) {
	if err := b.await(b.words.Arrived, b.complete()); err != nil {
		return false, err
	}
	d := DigestOf(mark)
	agreed = b.agreed(mark)
	if !agreed {
		d = digestMixed
	}
	if d, err = b.meetLeaders(d); err != nil {
		return false, err
	}
	if agreed && d == digestMixed {
		atomic.AddUint64(&b.words.Marks[b.parity()], 1) // so that the group finds out, too
		agreed = false
	}
	b.release()
	return agreed, nil
}

// agreed reports whether all members of the group have brought mark to the current
// barrier, which is complete.
func (b *Barrier) agreed(mark uint64) bool {
	marked := &b.here.Marked[b.parity()]
	*marked += mark * uint64(b.here.Group)
	return atomic.LoadUint64(&b.words.Marks[b.parity()]) == *marked
}

// parity tells the current barrier from the one before and the one after it.
func (b *Barrier) parity() uint64 { return b.here.Count % 2 }

func (b *Barrier) oneGroup() bool { return len(b.leaders) == 1 }

// complete returns the value that the word of arrivals has when all members of the group have
// arrived at the current barrier. It wraps as the word does.
func (b *Barrier) complete() uint32 { return uint32(b.here.Count) * b.here.Group }

// Finish is the rest of Wait for a member of a group that has counted itself: it waits for the
// others.
func (b *Barrier) Finish(mark uint64) (agreed bool, err error) {
	word, value := b.words.Released, uint32(b.here.Count)
	if b.pair() {
		word, value = b.words.Arrived, b.complete()
	}
	if err := b.await(word, value); err != nil {
		return false, err
	}
	return b.agreed(mark), nil
}

// pair reports whether the barrier has two members only. Then the arrival of the second
// releases the first, which saves a store to another cache line. Members of a larger group
// would slow each other down by reading the word to which all of them add.
func (b *Barrier) pair() bool { return b.oneGroup() && b.here.Group == 2 }

func (b *Barrier) release() {
	word := b.words.Arrived
	if !b.pair() {
		word = b.words.Released
		atomic.StoreUint32(word, uint32(b.here.Count))
	}
	b.wakeParked(word)
}

// wakeParked wakes the members that are parked on word, which has changed. A member counts
// itself as parked before it reads the word for the last time. So either that member sees the
// change, or this one sees the count.
func (b *Barrier) wakeParked(word *uint32) {
	if atomic.LoadUint32(b.words.Sleepers) != 0 {
		futex.Wake(word)
	}
}

// await returns when *word has reached value, or fails with the error of End. The words count
// modulo 2^32; the difference to value is always less than 2^31.
func (b *Barrier) await(word *uint32, value uint32) error {
	reached := func() bool { return int32(atomic.LoadUint32(word)-value) >= 0 }
	wait.Spin(b.budget.Spin(), func() bool { return reached() || b.over.Load() != nil })
	if reached() {
		return nil
	}
	defer b.budget.Unpark(b.budget.Park(activity.For(activity.Barrier)))
	atomic.AddUint32(b.words.Sleepers, 1)
	defer atomic.AddUint32(b.words.Sleepers, ^uint32(0))
	for {
		seen := atomic.LoadUint32(word)
		if int32(seen-value) >= 0 {
			return nil
		}
		if err := b.Over(); err != nil {
			return err
		}
		futex.Wait(word, seen, wait.LongestPark)
		// A member may end as soon as all have arrived. So the word is read after that.
		if atomic.LoadUint32(word) == seen && b.cfg.Ended != nil && b.cfg.Ended() && atomic.LoadUint32(word) == seen {
			b.cfg.Missing()
		}
	}
}

// End ends all waiting because the run is over. Other members of the group wake up, too; they
// check again and park. The first error counts.
func (b *Barrier) End(err error) {
	b.over.CompareAndSwap(nil, &err)
	b.mu.Lock()
	words := b.words
	b.wake.Broadcast()
	b.mu.Unlock()
	if words != nil {
		futex.Wake(words.Released)
		futex.Wake(words.Arrived)
	}
}

// Over returns the error of End, or nil.
func (b *Barrier) Over() error {
	if err := b.over.Load(); err != nil {
		return *err
	}
	return nil
}

// Next returns the member behind self in its group, the first one behind the last; self in a
// group of one.
func Next(self int, leaders []int) int {
	for i := 1; i < len(leaders); i++ {
		if m := (self + i) % len(leaders); leaders[m] == leaders[self] {
			return m
		}
	}
	return self
}
