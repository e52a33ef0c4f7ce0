package link

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestPostModel: whatever order a receiver and its senders take their steps in, a post is settled when all flows have claimed it or
// have been counted, it is withdrawn only before, and a sender that reads an old post claims nothing.
func TestPostModel(t *testing.T) {
	const flows = 3
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(1, seed))
		var p post
		var arrays [4]byte
		find := func(pos, _ uint64) unsafe.Pointer { return unsafe.Pointer(&arrays[pos]) }
		var to [flows]destination
		for i := range to {
			to[i].post = &p
		}
		identity, open, taken, where := uint64(0), false, [flows]bool{}, uint64(0)
		missing := func() (n int) {
			for _, is := range taken {
				if !is {
					n++
				}
			}
			return n
		}
		for range 40 {
			settled := open && missing() == 0
			switch i := r.IntN(flows); r.IntN(6) {
			case 0:
				if !open {
					identity++
					open, taken, where = true, [flows]bool{}, r.Uint64N(4)
					p.open(identity, flows, posting{7, -3, where})
				}
			case 1:
				if p.withdraw() == settled {
					t.Fatalf("seed %d: a post that is settled is withdrawn, or one is not that has %d missing flows", seed, missing())
				}
				open = settled
			case 2:
				if open && !taken[i] && !settled {
					taken[i] = true
					p.count()
				}
			case 3: // a message that the post is not for
				if to[i].claim(8, -3, find) || to[i].claimed != identity && to[i].claim(7, 4, find) {
					t.Fatalf("seed %d: the post of another message is claimed", seed)
				}
			case 4: // what was read before others act
				word, shown := p.read()
				other := destination{post: &p}
				k := (i + 1) % flows
				if open && !taken[k] && other.claim(7, -3, find) {
					settled = true
				}
				if open && !taken[k] {
					taken[k] = true
					if p.claim(word) || shown.data != where {
						t.Fatalf("seed %d: a post is claimed by what was read before", seed)
					}
				}
			case 5:
				counted := taken[i] && to[i].claimed != identity
				if !open || counted {
					continue
				}
				taken[i] = true
				if may := to[i].claim(7, -3, find); may != (missing() == 0) || to[i].array != unsafe.Pointer(&arrays[where]) {
					t.Fatalf("seed %d: a sender may copy: %v, with %d flows missing", seed, may, missing())
				}
			}
		}
	}
}

// TestPostOutsideOfMemory: a sender does not claim a post that shows an array of which a part is not mapped.
func TestPostOutsideOfMemory(t *testing.T) {
	var p post
	var memory [150]byte
	find := func(pos, n uint64) unsafe.Pointer {
		if pos+n > uint64(len(memory)) {
			return nil
		}
		return unsafe.Pointer(&memory[pos])
	}
	to := destination{post: &p, extent: 50}
	for identity, data := range []uint64{101, 100} {
		p.open(uint64(identity)+1, 1, posting{7, 3, data})
		if claimed := to.claim(7, 3, find); claimed != (data+to.extent <= uint64(len(memory))) || (p.word&mostMissing == 0) != claimed {
			t.Errorf("%d of %d bytes are mapped from %d on, and the post is claimed: %v", len(memory), data+to.extent, data, claimed)
		}
	}
}

// TestPostByThreads: the array belongs to the receiver, except from the moment when all senders have claimed the post
// until they have sent. Senders are up to one message ahead. The race detector watches it.
func TestPostByThreads(t *testing.T) {
	const senders, messages = 3, 400
	var p post
	var arrays [2][senders]uint64 // which the receiver shows in turn
	var packed [2][senders]uint64 // slots
	var sent [senders]atomic.Uint64
	var taken, copied atomic.Uint64
	find := func(pos, _ uint64) unsafe.Pointer { return unsafe.Pointer(&arrays[pos]) }
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			to := destination{post: &p}
			for number := uint64(1); number <= messages; number++ {
				for left := r.IntN(50); ; left-- {
					if to.claim(number, 0, find) {
						(*[senders]uint64)(to.array)[i] = number
						copied.Add(1)
						break
					}
					if left <= 0 {
						packed[number%2][i] = number
						break
					}
					runtime.Gosched()
				}
				sent[i].Store(number)
				for taken.Load()+1 < number {
					runtime.Gosched()
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(2, senders))
	identity, straight := uint64(0), uint64(0)
	for number := uint64(1); number <= messages; number++ {
		straight += receivePosted(t, r, &p, &arrays, &packed, &sent, number, &identity)
		taken.Store(number)
	}
	all.Wait()
	if straight != copied.Load() {
		t.Errorf("senders have copied %d messages, of which the receiver has seen %d", copied.Load(), straight)
	}
}

// receivePosted posts one of two arrays until a message is there, and returns how many senders have copied theirs straight.
func receivePosted(t *testing.T, r *rand.Rand, p *post, arrays *[2][3]uint64, packed *[2][3]uint64, sent *[3]atomic.Uint64, number uint64, identity *uint64) (straight uint64) {
	await := func(turns int) bool {
		for ; turns != 0; turns-- {
			n := 0
			for i := range sent {
				if sent[i].Load() >= number {
					n++
				}
			}
			if n == len(sent) {
				return true
			}
			runtime.Gosched()
		}
		return false
	}
	for !await(1) {
		shown := r.Uint64N(2)
		*identity++
		p.open(*identity, uint64(len(sent)), posting{number, 0, shown})
		await(1 + r.IntN(60))
		if p.withdraw() {
			arrays[shown] = [3]uint64{} // as a program whose call gave up
			continue
		}
		await(-1)
		for i, x := range arrays[shown] {
			if x == number {
				straight++
			} else if x > number || packed[number%2][i] != number {
				t.Errorf("message %d of sender %d has neither been packed nor copied", number, i)
			}
		}
		p.end()
	}
	return straight
}
