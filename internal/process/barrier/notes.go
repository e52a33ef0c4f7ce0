package barrier

import (
	"math"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// maxRounds is enough for the greatest number of members, 2^20.
const maxRounds = 20

// Digest is a short form of a mark. Leaders send the digest of the mark that all members have
// brought of which they know.
type Digest uint32

// digestMixed says that the members have brought different marks.
const digestMixed Digest = 1<<32 - 1

// DigestOf shortens a mark. Only the mark 0 has the digest 0, and none has digestMixed.
func DigestOf(mark uint64) Digest {
	if mark == 0 {
		return 0
	}
	return Digest(1 + mark%uint64(digestMixed-1))
}

// makeNote returns the note of one leader to another: the low half of the number of the
// barrier, and above it a digest.
func makeNote(count uint64, d Digest) uint64 { return uint64(d)<<32 | count&math.MaxUint32 }

// meetLeaders waits for the leaders of the other groups. d says what this leader's group
// has brought; the result says what all have brought.
func (b *Barrier) meetLeaders(d Digest) (Digest, error) {
	n := len(b.leaders)
	for k := 0; 1<<k < n; k++ {
		to := b.leaders[(b.place+1<<k)%n]
		if err := b.cfg.Notify(int(to), uint32(k), makeNote(b.here.Count, d)); err != nil {
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
func (b *Barrier) awaitNote(k int) (Digest, error) {
	// A note of the next barrier is stored in the other element. No note of the one after that
	// arrives before this leader begins the next barrier.
	place := &b.notes[k][b.parity()]
	there := func() bool { return uint32(atomic.LoadUint64(place)) == uint32(b.here.Count) }
	wait.Spin(b.budget.Spin(), func() bool {
		b.cfg.Poll()
		return there()
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if there() {
		return Digest(atomic.LoadUint64(place) >> 32), nil
	}
	defer b.budget.Unpark(b.budget.Park(activity.For(activity.Barrier)))
	for !there() {
		if err := b.Over(); err != nil {
			return digestMixed, err
		}
		b.wake.Wait()
	}
	return Digest(atomic.LoadUint64(place) >> 32), nil
}

// Note records what another leader has sent to this one.
func (b *Barrier) Note(round uint32, value uint64) {
	if round >= maxRounds {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	atomic.StoreUint64(&b.notes[round][value%2], value)
	b.wake.Broadcast()
}
