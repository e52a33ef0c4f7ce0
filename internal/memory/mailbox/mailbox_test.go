package mailbox

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// memory is a Server with some integers. The position of each is its number times 8.
type memory struct {
	words   [16]uint64
	refuses func() bool // nil: it carries out all requests
	carried atomic.Int64
}

func (m *memory) Carry(r Request, data unsafe.Pointer) (found uint64, ok bool) {
	n := r.Size
	if r.Kind == Atomic {
		n = uint64(r.Atomic.Width)
	}
	if r.Pos > uint64(len(m.words))*8-n || m.refuses != nil && m.refuses() {
		return 0, false
	}
	m.carried.Add(1)
	p := unsafe.Add(unsafe.Pointer(&m.words), r.Pos)
	switch r.Kind {
	case Put:
		fabric.Move(p, data, n)
	case Get:
		fabric.Move(data, p, n)
	default:
		found = r.Atomic.Apply(p)
	}
	return found, true
}

func add(pos, n uint64) *Request {
	return &Request{Kind: Atomic, Pos: pos, Atomic: fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: n}}
}

func never() bool { return false }

// TestModel lets initiators add to one integer and change one of their own each, while owners begin and end
// to poll at random, and refuse some requests. What does not go by the mailbox goes another way. Each change
// must happen once.
func TestModel(t *testing.T) {
	const initiators, owners, operations = 5, 2, 500
	var box Box
	var m memory
	var refusals atomic.Uint32
	m.refuses = func() bool { return refusals.Add(1)%7 == 0 }
	var end atomic.Bool
	var polling, working sync.WaitGroup
	for i := range owners {
		polling.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for !end.Load() {
				box.Open()
				for range r.IntN(200) {
					box.Serve(&m)
					if r.IntN(8) == 0 {
						runtime.Gosched()
					}
				}
				box.Shut(&m)
				time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
			}
		})
	}
	var mailed, other [initiators]int
	for i := range initiators {
		working.Go(func() {
			s, r, pauses := NewSender(&box, i), rand.New(rand.NewPCG(2, uint64(i))), rand.New(rand.NewPCG(3, uint64(i)))
			own := uint64(i+1) * 8
			post := func(r *Request, local *uint64) bool {
				for tries := pauses.IntN(2000); tries > 0 && !s.Open(r.Kind); tries-- {
					runtime.Gosched()
				}
				if !s.Open(r.Kind) {
					other[i]++
					return false
				}
				_, ok := s.Post(r, unsafe.Pointer(local), never)
				if ok {
					mailed[i]++
				} else {
					other[i]++
				}
				return ok
			}
			for range operations {
				n := r.Uint64N(100)
				if !post(add(0, 1), nil) {
					atomic.AddUint64(&m.words[0], 1)
				}
				if !post(&Request{Kind: Put, Pos: own, Size: 8}, &n) {
					atomic.StoreUint64(&m.words[i+1], n)
				}
				got := ^uint64(0)
				if !post(&Request{Kind: Get, Pos: own, Size: 8}, &got) {
					got = atomic.LoadUint64(&m.words[i+1])
				}
				if got != n {
					t.Errorf("initiator %d gets %d behind a put of %d", i, got, n)
					return
				}
			}
		})
	}
	working.Wait()
	end.Store(true)
	polling.Wait()
	if got := m.words[0]; got != initiators*operations {
		t.Errorf("%d; expected %d", got, initiators*operations)
	}
	for i := range box.slots {
		if !box.slots[i].is(free) {
			t.Errorf("slot %d is in use", i)
		}
	}
	if box.polls&pollers != 0 {
		t.Errorf("%d goroutines poll", box.polls&pollers)
	}
	t.Log("by the mailbox:", mailed, "another way:", other)
}

// TestTakenBack: the owner says that it polls and does not look. The request comes back, and the initiator
// posts none for some operations, or until the owner polls anew.
func TestTakenBack(t *testing.T) {
	var box Box
	var m memory
	s := NewSender(&box, 3)
	if s.Open(Atomic) {
		t.Error("open although the owner does not poll")
	}
	box.Open()
	if !s.Open(Atomic) {
		t.Error("not open")
	}
	if _, ok := s.Post(add(0, 1), nil, never); ok {
		t.Error("carried out by nothing")
	}
	for skip := skipFirst; skip <= 4*skipLast; skip *= 2 {
		for i := range min(skip, skipLast) {
			if s.Open(Atomic) {
				t.Fatalf("open behind %d operations although the owner has not looked", i)
			}
		}
		if !s.Open(Atomic) {
			t.Fatal("not open any more")
		}
		if _, ok := s.Post(add(0, 1), nil, never); ok {
			t.Fatal("carried out by nothing")
		}
	}
	if box.Serve(&m); m.carried.Load() != 0 {
		t.Error("a request that was taken back has been carried out")
	}
	box.Shut(&m)
	box.Open()
	if !s.Open(Atomic) {
		t.Error("not open although the owner polls anew")
	}
}

// TestTakenLate: behind a request that the owner has taken late copies go another way, until one is taken
// soon. Atomics do not, since their other way takes longer.
func TestTakenLate(t *testing.T) {
	var box Box
	var m memory
	var delay atomic.Int64 // of the owner, in looks
	var end atomic.Bool
	var polling sync.WaitGroup
	polling.Go(func() {
		for !end.Load() {
			at := &box.slots[0]
			if !at.is(posted) {
				runtime.Gosched()
				continue
			}
			for n := delay.Load(); n > 0 && at.is(posted); n-- {
			}
			box.Serve(&m)
		}
	})
	defer polling.Wait()
	defer end.Store(true)
	s := NewSender(&box, 0)
	var value uint64
	late := [2]bool{} // an atomic, a copy
	begin := time.Now()
	for delay.Store(soonLooks); late != [2]bool{true, true}; delay.Store(soonLooks + delay.Load()*5/4%(100*soonLooks)) {
		for i, r := range []*Request{add(0, 1), {Kind: Get, Pos: 8, Size: 8}} {
			box.Open()
			if _, ok := s.Post(r, unsafe.Pointer(&value), never); ok && !s.Open(Get) {
				late[i] = true
				if !s.Open(Atomic) {
					t.Fatal("a request that was taken late keeps atomics away")
				}
			}
			box.Shut(&m)
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("requests that were taken late: %v", late)
		}
	}
	delay.Store(0)
	box.Open()
	for s.late.next.Store(skipLast); s.late.next.Load() != skipFirst; {
		if _, ok := s.Post(add(0, 1), nil, never); !ok {
			s.late.next.Store(skipLast)
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("none was taken soon")
		}
	}
}

// TestLastLook: Shut carries out what was posted before.
func TestLastLook(t *testing.T) {
	var box Box
	var m memory
	box.Open()
	at := NewSender(&box, 0).claim()
	at.write(add(8, 5))
	at.set(posted)
	box.Shut(&m)
	if !at.is(done) || m.words[1] != 5 || at.data[0] != 0 {
		t.Errorf("state %d, integer %d, found %d", at.state, m.words[1], at.data[0])
	}
}

// TestRefused: a request that the owner refuses changes nothing.
func TestRefused(t *testing.T) {
	var box Box
	m := memory{refuses: func() bool { return true }}
	box.Open()
	stop := serveAlways(&box, &m)
	defer stop()
	value := uint64(7)
	s := NewSender(&box, 0)
	for range 100 {
		for _, r := range []*Request{add(0, 1), {Kind: Put, Size: 8}, {Kind: Get, Size: 8}} {
			if _, ok := s.Post(r, unsafe.Pointer(&value), never); ok || value != 7 {
				t.Fatalf("%+v: %v, %d", r, ok, value)
			}
		}
	}
	if m.carried.Load() != 0 || m.words[0] != 0 {
		t.Error("changed")
	}
}

// serveAlways serves until the result is called.
func serveAlways(b *Box, s Server) (stop func()) {
	var end atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !end.Load() {
			b.Serve(s)
			runtime.Gosched()
		}
	})
	return func() {
		end.Store(true)
		wg.Wait()
	}
}

// TestOwnerStops: an owner that has taken a request and does not answer holds the initiator until the run is
// over, and the slot for ever. Others use other slots.
func TestOwnerStops(t *testing.T) {
	var box Box
	var m memory
	box.Open()
	s := NewSender(&box, 0)
	var taker sync.WaitGroup
	taker.Go(func() {
		for !box.slots[0].change(posted, taken) {
			runtime.Gosched()
		}
	})
	looks := 0
	over := func() bool { looks++; return looks > 3*yields }
	for { // the request may come back before it is taken
		if _, ok := s.Post(add(0, 1), nil, over); ok {
			t.Fatal("carried out by nothing")
		}
		if looks > 0 {
			break
		}
	}
	taker.Wait()
	if !box.slots[0].is(taken) {
		t.Error("the slot is used again")
	}
	defer serveAlways(&box, &m)()
	for posts := 0; ; posts++ {
		if _, ok := s.Post(add(0, 1), nil, never); ok {
			break
		}
		if posts > 1e6 {
			t.Fatal("no other slot is used")
		}
	}
}

// TestFull: an initiator that finds no slot goes another way.
func TestFull(t *testing.T) {
	var box Box
	box.Open()
	s := NewSender(&box, 5)
	seen := map[*slot]bool{}
	for range Slots {
		seen[s.claim()] = true
	}
	if len(seen) != Slots || seen[nil] {
		t.Errorf("%d slots", len(seen))
	}
	if _, ok := s.Post(add(0, 1), nil, never); ok {
		t.Error("posted without a slot")
	}
}

// TestLocalMemoryIsGone: memory of the program that is not there is no reason to end it.
func TestLocalMemoryIsGone(t *testing.T) {
	var box Box
	var m memory
	box.Open()
	defer serveAlways(&box, &m)()
	s := NewSender(&box, 0)
	for _, kind := range []Kind{Put, Get} {
		if _, ok := s.Post(&Request{Kind: kind, Size: 8}, nil, never); ok {
			t.Errorf("kind %d succeeds without memory", kind)
		}
	}
	if s.claim() != &box.slots[0] {
		t.Error("a slot is lost")
	}
}

// strict is a Server that gets only requests which an initiator may post.
type strict struct{ t *testing.T }

func (s strict) Carry(r Request, data unsafe.Pointer) (uint64, bool) {
	switch {
	case r.Kind == Atomic && r.Atomic.Valid(r.Pos):
	case (r.Kind == Put || r.Kind == Get) && r.Size <= MaxBytes:
		clear(unsafe.Slice((*byte)(data), r.Size))
	default:
		s.t.Errorf("got %+v", r)
	}
	return r.Pos, true
}

// FuzzServe lets an owner serve slots with any contents. It writes only in the slots that are posted,
// and each of them is answered.
func FuzzServe(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{byte(posted), 0, 0, 0, byte(Put), 1, 8, MaxBytes + 1}, 64))
	f.Add(bytes.Repeat([]byte{byte(posted), 0, 0, 0, byte(Atomic), 1, 8, 0, 8, 0, 0, 0, 0, 0, 0, 0}, 64))
	f.Fuzz(func(t *testing.T, garbage []byte) {
		var box, before Box
		all := unsafe.Slice((*byte)(unsafe.Pointer(&box)), unsafe.Sizeof(box))
		copy(all, garbage)
		before = box
		box.Serve(strict{t})
		for i := range box.slots {
			now, was := &box.slots[i], &before.slots[i]
			if was.state != posted && *now != *was {
				t.Errorf("slot %d has changed", i)
			}
			if was.state == posted && !now.answered() {
				t.Errorf("slot %d is not answered", i)
			}
		}
		if box.polls != before.polls {
			t.Error("the number of goroutines that poll has changed")
		}
	})
}

// TestLayout: a request for a word takes one cache line.
func TestLayout(t *testing.T) {
	if size := unsafe.Sizeof(slot{}); size != 128 || unsafe.Offsetof(slot{}.data)+16 > 64 || unsafe.Offsetof(Box{}.slots)%64 != 0 {
		t.Errorf("a slot has %d bytes, its data is at %d", size, unsafe.Offsetof(slot{}.data))
	}
}

// TestSizes puts and gets each number of bytes.
func TestSizes(t *testing.T) {
	var box Box
	var m memory
	box.Open()
	defer serveAlways(&box, &m)()
	s := NewSender(&box, 0)
	must := func(r *Request, local unsafe.Pointer) {
		for range 1000000 {
			if _, ok := s.Post(r, local, never); ok {
				return
			}
		}
		t.Fatalf("%+v is never carried out", r)
	}
	for n := uint64(0); n <= MaxBytes; n++ {
		var from, to [MaxBytes + 8]byte
		for i := range from {
			from[i] = byte(n) + byte(i)
		}
		must(&Request{Kind: Put, Pos: n % 5, Size: n}, unsafe.Pointer(&from[1]))
		must(&Request{Kind: Get, Pos: n % 5, Size: n}, unsafe.Pointer(&to[2]))
		if !bytes.Equal(from[1:1+n], to[2:2+n]) || to[2+n] != 0 || to[1] != 0 {
			t.Errorf("%d bytes: %s, expected %s", n, hex(to[:]), hex(from[:]))
		}
	}
	if _, ok := s.Post(&Request{Kind: Atomic, Pos: 4, Atomic: fabric.Atomic{Op: fabric.OpAdd, Width: 8}}, nil, never); ok {
		t.Error("an atomic on no multiple of its width is carried out")
	}
}

func hex(b []byte) string { return fmt.Sprintf("%x", b) }
