package object

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

var handOvers = flag.Int("handovers", 10_000, "of each object in the tests for lost wake-ups")

// limit bounds a test: after it, the run is over, and all waits fail.
func limit() time.Duration { return 5*time.Minute + time.Duration(*handOvers)*time.Millisecond }

var errOver = errors.New("the run is over")

// world is a run of several processes in memory. Signals take their time, but keep their order between two processes.
type world struct {
	t       testing.TB
	over    chan struct{}
	members []*member

	mu     sync.Mutex
	spaces map[int64]*space
	next   int64
}

type space struct {
	size, pages int64
	bytes       map[int64][]byte
}

// newWorld returns a run of n processes, and its objects in each of them.
func newWorld(t testing.TB, n int) (*world, []*Objects) {
	w := &world{t: t, over: make(chan struct{}), spaces: map[int64]*space{}, next: 1 << 32}
	timer := time.AfterFunc(limit(), func() { close(w.over) })
	t.Cleanup(func() {
		if !timer.Stop() {
			t.Error("the test took too long")
		}
	})
	var all []*Objects
	for i := range n {
		w.members = append(w.members, &member{world: w, number: i, pipes: map[int]*pipe{}})
		all = append(all, New(w.members[i]))
	}
	return w, all
}

// page returns the bytes of a page with a range. w.mu is held.
func (w *world) page(addr, size int64) ([]byte, error) {
	base := addr &^ (1<<32 - 1)
	s := w.spaces[base]
	if s == nil {
		return nil, fmt.Errorf("no space has the address %#x", addr)
	}
	at := addr - base
	i := at / s.size
	if i >= s.pages || (at+size-1)/s.size != i {
		return nil, fmt.Errorf("%d bytes at %#x are not in one page", size, addr)
	}
	if s.bytes[i] == nil {
		s.bytes[i] = make([]byte, s.size)
	}
	return s.bytes[i][at%s.size:][:size], nil
}

// member is one process of a world.
type member struct {
	world  *world
	number int

	mu    sync.Mutex
	pipes map[int]*pipe
	slots []*slot
	free  []*slot
	shown
}

func (m *member) Member() int { return m.number }

func (m *member) Modify(addr, size int64, op Builtin, in, out []byte) error {
	dither()
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := w.page(addr, size)
	if err != nil {
		return err
	}
	result := append([]byte(nil), out...)
	err = op.Run(b, append([]byte(nil), in...), result)
	copy(out, result)
	return err
}

func (m *member) Map(pageSize, pages int64) (int64, error) {
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	base := w.next
	w.next += 1 << 32
	w.spaces[base] = &space{pageSize, pages, map[int64][]byte{}}
	return base, nil
}

func (m *member) Unmap(addr int64) error {
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spaces[addr] == nil {
		return fmt.Errorf("no space begins at %#x", addr)
	}
	delete(w.spaces, addr)
	return nil
}

func (m *member) Read(addr int64, b []byte, mode int8) error {
	return m.world.access(addr, b, func(mem, b []byte) { copy(b, mem) })
}

func (m *member) Write(addr int64, b []byte, mode int8) error {
	return m.world.access(addr, b, func(mem, b []byte) { copy(mem, b) })
}

// access does something with the pieces of a range that lie in one page.
func (w *world) access(addr int64, b []byte, f func(mem, b []byte)) error {
	for len(b) > 0 {
		w.mu.Lock()
		s := w.spaces[addr&^(1<<32-1)]
		n := int64(len(b))
		if s != nil {
			n = min(n, s.size-addr&(1<<32-1)%s.size)
		}
		mem, err := w.page(addr, n)
		if err == nil {
			f(mem, b[:n])
		}
		w.mu.Unlock()
		if err != nil {
			return err
		}
		addr, b = addr+n, b[n:]
	}
	return nil
}

// reader is a Reader.
type reader struct {
	member *member
	ranges []Range
}

func (m *member) NewReader(ranges []Range) (Reader, error) {
	return &reader{m, append([]Range(nil), ranges...)}, nil
}

func (r *reader) Read(b []byte) error {
	var errs error
	for _, x := range r.ranges {
		dither()
		errs = errors.Join(errs, r.member.Read(x.Addr, b[x.At:x.At+x.Size], get))
	}
	return errs
}

func (r *reader) Free() {}

// pipe carries the signals from one process to another.
type pipe struct {
	mu      sync.Mutex
	queue   []func()
	running bool
}

func (p *pipe) send(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, f)
	if !p.running {
		p.running = true
		go p.run()
	}
}

func (p *pipe) run() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			p.running = false
			p.mu.Unlock()
			return
		}
		f := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		dither()
		f()
	}
}

func (m *member) Signal(to int, id uint32, value []byte) error {
	m.mu.Lock()
	p := m.pipes[to]
	if p == nil {
		p = &pipe{}
		m.pipes[to] = p
	}
	m.mu.Unlock()
	v := append([]byte(nil), value...)
	p.send(func() { m.world.members[to].deliver(id, v) })
	return nil
}

func (m *member) deliver(id uint32, v []byte) {
	m.mu.Lock()
	s := m.slots[id]
	m.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used {
		m.world.t.Errorf("signal %v to slot %d of process %d, which no thread uses", v, id, m.number)
		return
	}
	s.values = append(s.values, v)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// slot is a Slot.
type slot struct {
	member *member
	id     uint32
	wake   chan struct{}

	mu     sync.Mutex
	used   bool
	values [][]byte
}

func (m *member) NewSlot() Slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s *slot
	if n := len(m.free); n > 0 {
		s, m.free = m.free[n-1], m.free[:n-1]
	} else {
		s = &slot{member: m, id: uint32(len(m.slots)), wake: make(chan struct{}, 1)}
		m.slots = append(m.slots, s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = true
	return s
}

func (s *slot) ID() uint32 { return s.id }

func (s *slot) Wait(ctx context.Context, _ int64, why activity.Reason) ([]byte, error) {
	defer s.member.Unsay(s.member.Say(why))
	for {
		s.mu.Lock()
		if len(s.values) > 0 {
			v := s.values[0]
			s.values = s.values[1:]
			s.mu.Unlock()
			return v, nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.member.world.over:
			return nil, errOver
		}
	}
}

func (s *slot) Free() {
	s.mu.Lock()
	if !s.used || len(s.values) != 0 {
		s.member.world.t.Errorf("slot %d of process %d is freed; it is used: %v; it has the signals %v", s.id, s.member.number, s.used, s.values)
	}
	s.used = false
	s.mu.Unlock()
	s.member.mu.Lock()
	defer s.member.mu.Unlock()
	s.member.free = append(s.member.free, s)
}

// slotsInUse returns how many slots are not free.
func (w *world) slotsInUse() (n int) {
	for _, m := range w.members {
		m.mu.Lock()
		n += len(m.slots) - len(m.free)
		m.mu.Unlock()
	}
	return n
}

// dither lets other goroutines run, sometimes.
func dither() {
	for rand.IntN(3) == 0 {
		runtime.Gosched()
	}
}

// at returns the address of a space with n bytes in one page.
func (w *world) at(n int64) int64 {
	addr, err := w.members[0].Map(n, 1)
	must(w.t, err)
	return addr
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expect fails unless err is a certain one, and has a certain text.
func expect(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || err.Error() != text {
		t.Errorf("error %q; expected %q", err, text)
	}
}

// threads runs f on several threads of each process, and waits for them.
func threads(t *testing.T, all []*Objects, each int, f func(o *Objects, th Thread) error) {
	t.Helper()
	errs := make(chan error)
	for m, o := range all {
		for i := range each {
			go func() { errs <- f(o, Thread{m, uint32(i)}) }()
		}
	}
	for range len(all) * each {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// meet runs f on several threads of each process, with a barrier for each thread.
func meet(t *testing.T, all []*Objects, each int, addr int64, f func(l *LocalBarrier, th Thread) error) {
	t.Helper()
	threads(t, all, each, func(o *Objects, th Thread) error {
		l, err := o.NewLocalBarrier(addr)
		if err != nil {
			return err
		}
		defer l.Destroy()
		return f(l, th)
	})
}

// exclude checks that threads of several processes exclude each other, each in some critical sections.
func exclude(t *testing.T, all []*Objects, each, rounds int, lock, unlock func(o *Objects, th Thread) error) {
	t.Helper()
	counter := 0
	threads(t, all, each, func(o *Objects, th Thread) error {
		for range rounds {
			if err := lock(o, th); err != nil {
				return err
			}
			counter++
			dither()
			if err := unlock(o, th); err != nil {
				return err
			}
		}
		return nil
	})
	if want := rounds * len(all) * each; counter != want {
		t.Errorf("%d processes with %d threads: %d critical sections; expected %d", len(all), each, counter, want)
	}
}

// until yields until cond holds.
func (w *world) until(cond func() bool) {
	w.t.Helper()
	for !cond() {
		select {
		case <-w.over:
			w.t.Fatal("the state has not come")
		default:
			runtime.Gosched()
		}
	}
}

// queued returns how many threads wait in the queue of a mutex or condition variable.
func (w *world) queued(addr int64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := w.page(addr, MutexSize)
	must(w.t, err)
	return int(word(b, countAt))
}

// idle fails if the processes keep anything for objects after all threads have ended.
func (w *world) idle(all []*Objects) {
	w.t.Helper()
	w.until(func() bool {
		for _, o := range all {
			o.mu.Lock()
			n := len(o.holds) + len(o.standIns) + len(o.stations)
			o.mu.Unlock()
			if n != 0 {
				return false
			}
		}
		return w.slotsInUse() == 0
	})
}
