package wait

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Budget is the time that the threads of one process may use processors for while they wait.
// The zero value permits none. Its methods may be called by several goroutines at once.
//
// If ranks share too few processors, they count those of them that are awake, in a word that they
// share. A rank sleeps while all its threads are parked. A Budget knows of as many threads as have
// waited at the same time.
type Budget struct {
	load   *Load // nil: threads may not spin
	page   *activity.Page
	parked atomic.Int32 // threads and goroutines of the program

	mu      sync.Mutex   // guards what follows, and parked, against changes
	threads atomic.Int32 // those that have waited at the same time
	shares  bool         // this rank is one of those that load.Awake counts
	asleep  bool         // it is not counted
}

// KeepIn makes the Budget keep its Load where C reads it. It is called before anything else.
func (b *Budget) KeepIn(l *Load) { b.load = l }

// Load returns what C reads.
func (b *Budget) Load() *Load { return b.load }

// Permit lets threads spin at any time, since there is a processor for each rank. processors is how many this rank has.
func (b *Budget) Permit(processors int) {
	if b.load == nil {
		b.load = new(Load)
	}
	atomic.StoreUint32(&b.load.Most, uint32(max(processors, 1)))
	atomic.StoreUint32(&b.load.Spin, uint32(SpinTime))
}

// Share lets threads spin while there is a processor for each rank that is awake. awake counts these
// ranks, all of which call Share.
func (b *Budget) Share(awake *uint32, processors int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.load == nil {
		b.load = new(Load)
	}
	atomic.StoreUint32(&b.load.Processors, uint32(processors))
	b.load.setAwake(awake)
	now := b.parked.Load()
	b.shares, b.asleep = true, now > 0 && now == b.threads.Load()
	if !b.asleep {
		atomic.AddUint32(awake, 1)
	}
	b.Permit(1)
}

// Withdraw makes the Budget permit nothing until Permit or Share is called again: the ranks of an epoch are other ones.
func (b *Budget) Withdraw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.load == nil {
		return
	}
	atomic.StoreUint32(&b.load.Spin, 0)
	if b.shares && !b.asleep {
		atomic.AddUint32(b.load.awake(), ^uint32(0))
	}
	b.shares, b.asleep = false, false
	b.load.setAwake(nil)
}

// Leave makes the Budget permit nothing any more, and not use the memory that Share has been given.
func (b *Budget) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shares = false
	if b.load != nil {
		atomic.StoreUint32(&b.load.Spin, 0)
	}
}

// permits reports whether Permit or Share has been called, and Leave has not.
func (b *Budget) permits() bool { return b.load != nil && atomic.LoadUint32(&b.load.Spin) != 0 }

// Ample reports whether there is a processor for each rank.
func (b *Budget) Ample() bool { return b.permits() && b.load.awake() == nil }

// Spin returns how long a thread of the program, which is about to wait, may spin before it parks.
func (b *Budget) Spin() time.Duration {
	if !b.permits() {
		return 0
	}
	if b.load.awake() != nil && b.parked.Load() >= b.threads.Load() {
		b.note(0, 1)
	}
	return b.load.spin(0)
}

// StartSpin is Spin for a thread beside which others of the process may wait. It returns 0 if as many of them spin as the rank has
// processors, or if a thread of AddThreads needs the processor; otherwise the caller calls EndSpin when it does not spin any more.
func (b *Budget) StartSpin() time.Duration {
	d := b.Spin()
	if d == 0 || atomic.LoadInt32(&b.load.Working) > int32(atomic.LoadUint32(&b.load.Most)) {
		return 0
	}
	if atomic.AddUint32(&b.load.Spinning, 1) > atomic.LoadUint32(&b.load.Most) {
		b.EndSpin()
		return 0
	}
	return d
}

// EndSpin ends what StartSpin has begun.
func (b *Budget) EndSpin() { atomic.AddUint32(&b.load.Spinning, ^uint32(0)) }

// AddThreads notes that the program has so many more threads, or fewer, all of which wait by this Budget. Of more threads than processors none
// spins unless the others are parked: it would take the processor of one that works.
func (b *Budget) AddThreads(more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.load == nil {
		b.load = new(Load)
	}
	atomic.AddInt32(&b.load.Working, int32(more))
}

// note notes that so many more threads are parked, and that there are others which wait. It counts
// this rank among those that are awake, or no longer.
func (b *Budget) note(parked, others int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.parked.Add(parked)
	if b.load != nil {
		atomic.AddInt32(&b.load.Working, -parked)
	}
	b.threads.Store(max(b.threads.Load(), now+others))
	asleep := now > 0 && now == b.threads.Load()
	if !b.shares || asleep == b.asleep {
		return
	}
	b.asleep = asleep
	change := uint32(1)
	if asleep {
		change = ^uint32(0)
	}
	atomic.AddUint32(b.load.awake(), change)
}

// Show makes parked threads say on a page why they wait. It is called before the first of them
// waits.
func (b *Budget) Show(page *activity.Page) { b.page = page }

// Park is called before a thread of the program parks for a reason. Unpark gets the result after
// that.
func (b *Budget) Park(why activity.Reason) activity.Wait {
	b.Pause()
	return b.Say(why)
}

// Unpark undoes Park.
func (b *Budget) Unpark(w activity.Wait) {
	b.Unsay(w)
	b.Resume()
}

// Pause is Park for a thread that tells its reasons by Say, because it has several or because they change.
func (b *Budget) Pause() { b.note(1, 0) }

// Resume undoes Pause.
func (b *Budget) Resume() { b.note(-1, 0) }

// Say says on the page why the calling thread waits. Unsay gets the result when that is no reason any more.
func (b *Budget) Say(why activity.Reason) activity.Wait { return b.page.Sleep(why) }

// Unsay undoes Say.
func (b *Budget) Unsay(w activity.Wait) { b.page.Wake(w) }

// Poll returns how long the agent may poll for the next request before it parks. To wake the
// agent takes as long as the rest of a round trip between hosts. But while no thread of the
// program is parked, the agent would take a processor from the program. It may take none from
// other ranks that are awake either.
func (b *Budget) Poll() time.Duration {
	if !b.permits() || b.parked.Load() == 0 {
		return 0
	}
	return b.load.spin(1)
}
