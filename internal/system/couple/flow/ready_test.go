package flow

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestReadyModel: whatever order a receiver and its senders take their steps in, a transfer is committed when all flows have reserved it or
// have been counted, it is withdrawn only before, and a sender that reads an old word reserves nothing.
func TestReadyModel(t *testing.T) {
	const flows = 3
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(1, seed))
		var p Ready
		var arrays [4]byte
		find := func(pos, _ uint64) unsafe.Pointer { return unsafe.Pointer(&arrays[pos]) }
		var to [flows]Destination
		for i := range to {
			to[i].Ready = &p
		}
		epoch, open, taken, where := uint64(0), false, [flows]bool{}, uint64(0)
		missing := func() (n int) {
			for _, is := range taken {
				if !is {
					n++
				}
			}
			return n
		}
		for range 40 {
			committed := open && missing() == 0
			switch i := r.IntN(flows); r.IntN(6) {
			case 0:
				if !open {
					epoch++
					open, taken, where = true, [flows]bool{}, r.Uint64N(4)
					p.Open(epoch, flows, Shown{7, -3, where})
				}
			case 1:
				if p.Withdraw() == committed {
					t.Fatalf("seed %d: a transfer that is committed is withdrawn, or one is not that has %d missing flows", seed, missing())
				}
				open = committed
			case 2:
				if open && !taken[i] && !committed {
					taken[i] = true
					p.Count()
				}
			case 3: // a message that the post is not for
				if to[i].Reserve(8, -3, find) || to[i].Reserved != epoch && to[i].Reserve(7, 4, find) {
					t.Fatalf("seed %d: the part of another message is reserved", seed)
				}
			case 4: // values read before other ranks act
				word, shown := p.read()
				other := Destination{Ready: &p}
				k := (i + 1) % flows
				if open && !taken[k] && other.Reserve(7, -3, find) {
					committed = true
				}
				if open && !taken[k] {
					taken[k] = true
					if p.reserve(word) || shown.Data != where {
						t.Fatalf("seed %d: a part is reserved by what was read before", seed)
					}
				}
			case 5:
				counted := taken[i] && to[i].Reserved != epoch
				if !open || counted {
					continue
				}
				taken[i] = true
				if may := to[i].Reserve(7, -3, find); may != (missing() == 0) || to[i].Array != unsafe.Pointer(&arrays[where]) {
					t.Fatalf("seed %d: a sender may copy: %v, with %d flows missing", seed, may, missing())
				}
			}
		}
	}
}

// TestReadyOutsideOfMemory: a sender does not reserve a part of an array of which a part is not mapped.
func TestReadyOutsideOfMemory(t *testing.T) {
	var p Ready
	var memory [150]byte
	find := func(pos, n uint64) unsafe.Pointer {
		if pos+n > uint64(len(memory)) {
			return nil
		}
		return unsafe.Pointer(&memory[pos])
	}
	to := Destination{Ready: &p, Extent: 50}
	for epoch, data := range []uint64{101, 100} {
		p.Open(uint64(epoch)+1, 1, Shown{7, 3, data})
		if claimed := to.Reserve(7, 3, find); claimed != (data+to.Extent <= uint64(len(memory))) || (p.word&MostMissing == 0) != claimed {
			t.Errorf("%d of %d bytes are mapped from %d on, and the part is reserved: %v", len(memory), data+to.Extent, data, claimed)
		}
	}
}

// TestReadyByThreads: the array belongs to the receiver, except from the moment when all senders have reserved their parts
// until they have sent. Senders are up to one message ahead. The race detector watches it.
func TestReadyByThreads(t *testing.T) {
	const senders, messages = 3, 400
	var p Ready
	var arrays [2][senders]uint64 // which the receiver shows in turn
	var packed [2][senders]uint64 // slots
	var sent [senders]atomic.Uint64
	var taken, copied atomic.Uint64
	find := func(pos, _ uint64) unsafe.Pointer { return unsafe.Pointer(&arrays[pos]) }
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			to := Destination{Ready: &p}
			for number := uint64(1); number <= messages; number++ {
				for left := r.IntN(50); ; left-- {
					if to.Reserve(number, 0, find) {
						(*[senders]uint64)(to.Array)[i] = number
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
	epoch, straight := uint64(0), uint64(0)
	for number := uint64(1); number <= messages; number++ {
		straight += receiveReady(t, r, &p, &arrays, &packed, &sent, number, &epoch)
		taken.Store(number)
	}
	all.Wait()
	if straight != copied.Load() {
		t.Errorf("senders have copied %d messages, of which the receiver has seen %d", copied.Load(), straight)
	}
}

// receiveReady shows one of two arrays until a message is there, and returns how many senders have copied theirs straight.
func receiveReady(t *testing.T, r *rand.Rand, p *Ready, arrays *[2][3]uint64, packed *[2][3]uint64, sent *[3]atomic.Uint64, number uint64, epoch *uint64) (straight uint64) {
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
		*epoch++
		p.Open(*epoch, uint64(len(sent)), Shown{number, 0, shown})
		await(1 + r.IntN(60))
		if p.Withdraw() {
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
		p.End()
	}
	return straight
}
