package tcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"golang.org/x/sys/unix"
)

// seriesModel is the memory of member 1 of a world as it is to be.
type seriesModel struct {
	rnd    *rand.Rand
	owner  *fabrictest.Owner
	memory []byte
	here   []byte
}

// checked is a series and what it is to find.
type checked struct {
	*fabrictest.Outcome
	s      *fabric.Series
	values []uint64 // of atomics
	bytes  []byte   // of gets
	to     []byte
	failed []int
}

// random makes a series, and carries it out in the model.
func (m *seriesModel) random() *checked {
	c := &checked{Outcome: fabrictest.NewOutcome(), s: &fabric.Series{Kind: fabric.SeriesKind(1 + m.rnd.IntN(3))}}
	s := c.s
	switch s.Size = uint64(1 + m.rnd.IntN(fabric.SeriesBytes)); {
	case s.Kind == fabric.SeriesAtomic:
		s.Op, s.Size = fabric.Op(1+m.rnd.IntN(6)), uint64(4+4*m.rnd.IntN(2))
	case m.rnd.IntN(2) == 0:
		s.Size = uint64(1 + m.rnd.IntN(8))
	}
	wrong := m.rnd.IntN(3) == 0
	n := 1 + m.rnd.IntN(fabric.SeriesItems)
	if s.Kind == fabric.SeriesGet {
		c.to = m.here[:uint64(n)*s.Size]
		m.here = m.here[len(c.to):]
	}
	for i := range n {
		pos := startPos + m.rnd.Uint64N(uint64(len(m.memory))-s.Size)
		if s.Kind == fabric.SeriesAtomic {
			pos &^= s.Size - 1
		}
		if wrong && m.rnd.IntN(8) == 0 {
			pos = []uint64{0, startPos - 1, startPos + uint64(len(m.memory)) - s.Size + 1, ^uint64(0), pos | 1}[m.rnd.IntN(5)]
		}
		m.add(c, pos, i)
	}
	return c
}

// add adds an item at a position to c, and carries it out in the model.
func (m *seriesModel) add(c *checked, pos uint64, i int) {
	s := c.s
	item := fabric.Item{Pos: pos, Word: m.rnd.Uint64(), Compare: m.rnd.Uint64()}
	at := pos - startPos
	valid := pos >= startPos && at <= uint64(len(m.memory))-s.Size && (s.Kind != fabric.SeriesAtomic || pos%s.Size == 0)
	if !valid {
		c.failed = append(c.failed, i)
	}
	switch s.Kind {
	case fabric.SeriesPut:
		b := binary.NativeEndian.AppendUint64(nil, item.Word)
		if s.Size > fabric.WordMax {
			b = make([]byte, s.Size)
			for k := range b {
				b[k] = byte(m.rnd.Uint32())
			}
			s.Data = append(s.Data, b...)
		}
		if valid {
			copy(m.memory[at:at+s.Size], b)
		}
	case fabric.SeriesGet:
		item.Addr = unsafe.Pointer(&c.to[uint64(i)*s.Size])
		b := make([]byte, s.Size)
		if valid {
			copy(b, m.memory[at:])
		}
		c.bytes = append(c.bytes, b...)
	case fabric.SeriesAtomic:
		found := uint64(0)
		if valid {
			if m.rnd.IntN(2) == 0 { // so that half of the swaps happen
				item.Compare = load(unsafe.Pointer(&m.memory[at]), s.Size)
			}
			found = s.Atomic(item.Word, item.Compare).Apply(unsafe.Pointer(&m.memory[at]))
		}
		c.values = append(c.values, found)
	}
	s.Items = append(s.Items, item)
}

// check waits for c and compares its outcome with that of the model.
func (c *checked) check() error {
	if _, err := c.Wait(); err != nil {
		return err
	}
	var failed []int
	for _, f := range c.s.Failed {
		failed = append(failed, f.Index)
		var bad *fabric.RangeError
		if !errors.As(f.Err, &bad) && !errors.Is(f.Err, fabric.ErrInvalid) {
			return f.Err
		}
	}
	if !slices.Equal(failed, c.failed) {
		return fmt.Errorf("items %v have failed, want %v", failed, c.failed)
	}
	if !bytes.Equal(c.to, c.bytes) {
		return errors.New("the gets have found other bytes")
	}
	for i, want := range c.values {
		if got := c.s.Items[i].Word; got != want && !slices.Contains(failed, i) {
			return fmt.Errorf("atomic %d has found %d, want %d", i, got, want)
		}
	}
	return nil
}

// TestSeries carries out random series, some with items that fail, among other operations, and compares what they find
// and leave with a model.
func TestSeries(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, program := range []bool{false, true} { // whose memory it is
		rnd := rand.New(rand.NewPCG(seed, 0))
		w := newWorld(t, 2, 1<<14)
		w.owners[1].Program = program
		m := &seriesModel{rnd: rnd, owner: w.owners[1], memory: fabrictest.Pages(t, 1<<14)}
		f, shares := w.transports[0], new(shared)
		page, rounds := fabrictest.Pages(t, 4096), 60
		here := fabrictest.Pages(t, rounds*fabric.SeriesItems*fabric.SeriesBytes)
		m.here = here
		var all []*checked
		for i := range rounds {
			c := m.random()
			all = append(all, c)
			if rnd.IntN(2) == 0 {
				f.Series(1, c.s, sharing{c.Outcome, shares})
			} else {
				f.Series(1, c.s, c)
			}
			if rnd.IntN(4) == 0 {
				o := fabrictest.NewOutcome()
				page[8*i] = byte(rnd.Uint32())
				f.Put(1, startPos+uint64(8*i), unsafe.Pointer(&page[8*i]), 1, o)
				m.memory[8*i] = page[8*i]
				defer o.Must(t)
			}
		}
		f.Poll()
		for i, c := range all {
			if err := c.check(); err != nil {
				t.Fatalf("series %d of kind %d with %d items of %d bytes: %v", i, c.s.Kind, len(c.s.Items), c.s.Size, err)
			}
		}
		if !bytes.Equal(w.owners[1].Memory, m.memory) {
			t.Error("the owner's memory is another one")
		}
	}
}

// TestSeriesOfNothing: a series that none may have fails, and so does one on the process itself.
func TestSeriesOfNothing(t *testing.T) {
	w := newWorld(t, 2, 4096)
	item := make([]fabric.Item, 1)
	for peer, s := range []*fabric.Series{{Kind: fabric.SeriesPut, Size: 8, Items: item}, {Kind: fabric.SeriesPut, Items: item}} {
		o := fabrictest.NewOutcome()
		w.transports[0].Series(peer, s, o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrInvalid) {
			t.Errorf("got %v, want ErrInvalid", err)
		}
	}
}

// TestBadSeries: a peer asks for items that fail. The answer names them, and has nothing of other memory.
func TestBadSeries(t *testing.T) {
	w := newWorld(t, 2, 4096)
	w.owners[0].Memory[0], w.owners[0].Memory[4095] = 7, 8
	p := intrude(t, w, 1)
	p.expect(kindWelcome, statusOK)
	request := func(s *fabric.Series, at ...uint64) {
		t.Helper()
		if _, err := p.c.Write(seriesFrame(9, s, at...)); err != nil {
			t.Fatal(err)
		}
	}
	request(&fabric.Series{Kind: fabric.SeriesGet, Size: 1}, startPos, startPos+4096, startPos+4095, ^uint64(0))
	if h := p.expect(kindFault, 0); h.member != 1 || h.pos != startPos+4096 || h.size != 1 {
		t.Errorf("got %+v", h)
	}
	p.expect(kindFault, 0)
	values := make([]byte, 4)
	if h := p.expect(kindValues, 0); h.size != 4 || h.id != 9 {
		t.Errorf("got %+v", h)
	} else if _, err := io.ReadFull(p.c, values); err != nil || !bytes.Equal(values, []byte{7, 0, 8, 0}) {
		t.Errorf("got %v, %v", values, err)
	}
	request(&fabric.Series{Kind: fabric.SeriesAtomic, Op: fabric.OpAdd, Size: 8}, startPos+4)
	if h := p.expect(kindFault, 0); status(h.code) != statusInvalid {
		t.Errorf("got %+v", h)
	}
	p.payload(p.expect(kindValues, 0).size)
	request(&fabric.Series{Kind: fabric.SeriesPut, Size: 8}, 0)
	p.expect(kindFault, 0)
	p.expect(kindReply, statusOK)
}

// TestWrongSeries answers a series of two gets, and one of two puts, as no owner does. The link ends.
func TestWrongSeries(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(p *impostor, gets, puts uint64)
		want   string
	}{
		"no values":       {func(p *impostor, gets, _ uint64) { p.send(header{kind: kindReply, id: gets}, nil) }, "without bytes"},
		"values of puts":  {func(p *impostor, _, puts uint64) { p.send(header{kind: kindValues, id: puts, size: 16}, nil) }, "without a series"},
		"few values":      {func(p *impostor, gets, _ uint64) { p.send(header{kind: kindValues, id: gets, size: 15}, nil) }, "without a series"},
		"values of none":  {func(p *impostor, _, _ uint64) { p.send(header{kind: kindValues, id: 77, size: 16}, nil) }, "without a series"},
		"data":            {func(p *impostor, gets, _ uint64) { p.send(header{kind: kindData, id: gets, size: 16}, nil) }, "without a request"},
		"item 2 of two":   {func(p *impostor, _, puts uint64) { p.send(header{kind: kindFault, code: 1, id: puts, member: 2}, nil) }, "of no series"},
		"item of nothing": {func(p *impostor, _, _ uint64) { p.send(header{kind: kindFault, code: 1, id: 77}, nil) }, "of no series"},
		"more items": {func(p *impostor, _, puts uint64) {
			for range 5 {
				p.send(header{kind: kindFault, code: 1, id: puts, member: 1}, nil)
			}
		}, "than it has"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 3, 1<<16)
			p := intrude(t, w, 2)
			p.expect(kindWelcome, statusOK)
			gets, puts := fabrictest.NewOutcome(), fabrictest.NewOutcome()
			w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesGet, Size: 8, Items: make([]fabric.Item, 2)}, gets)
			w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesPut, Size: 8, Items: make([]fabric.Item, 2)}, puts)
			first := p.expect(kindSeries, 0)
			p.payload(first.size)
			second := p.expect(kindSeries, 0)
			p.payload(second.size)
			c.answer(p, first.id, second.id)
			if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), c.want) {
				t.Errorf("PeerLost: %v, want %q in it", err, c.want)
			}
			for _, o := range []*fabrictest.Outcome{gets, puts} {
				if _, err := o.Wait(); err == nil {
					t.Error("a series has succeeded")
				}
			}
			w.healthy(t)
		})
	}
}

// TestWithdrawSeries withdraws where the second of two gets would store.
func TestWithdrawSeries(t *testing.T) {
	w := newWorld(t, 3, 1<<16)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	to := fabrictest.Pages(t, 8192)
	s := &fabric.Series{Kind: fabric.SeriesGet, Size: 2, Items: []fabric.Item{
		{Addr: unsafe.Pointer(&to[0])}, {Addr: unsafe.Pointer(&to[4096])},
	}}
	o := fabrictest.NewOutcome()
	w.transports[0].Series(2, s, o)
	h := p.expect(kindSeries, 0)
	p.payload(h.size)
	if err := w.transports[0].Withdraw(within(to[4096:]), nil); err != nil {
		t.Error(err)
	}
	p.send(header{kind: kindValues, id: h.id, size: 4}, []byte{1, 2, 3, 4})
	o.Must(t)
	if len(s.Failed) != 1 || s.Failed[0].Index != 1 || !errors.Is(s.Failed[0].Err, fabric.ErrGone) {
		t.Errorf("got %+v, want ErrGone of item 1", s.Failed)
	}
	if to[0] != 1 || to[1] != 2 || to[4096] != 0 {
		t.Errorf("got % x and % x", to[:3], to[4096:4098])
	}
}

// TestSeriesAmongGets: gets of much memory are in flight. A series that changes it is held back until the owner has to
// copy few bytes, and the gets do not see the change. A peer that does not hold it back is cut off.
func TestSeriesAmongGets(t *testing.T) {
	const size = 16 << 20
	w := newWorld(t, 3, size)
	to := fabrictest.Pages(t, size)
	var outcomes []*fabrictest.Outcome
	begin := func() *fabrictest.Outcome {
		outcomes = append(outcomes, fabrictest.NewOutcome())
		return outcomes[len(outcomes)-1]
	}
	puts := func(at uint64) *fabric.Series {
		return &fabric.Series{Kind: fabric.SeriesPut, Size: 8, Items: []fabric.Item{{Pos: startPos, Word: 1}, {Pos: at, Word: 1}}}
	}
	for i := range uint64(4) {
		for range 4 {
			w.transports[0].Get(1, startPos, unsafe.Pointer(&to[0]), size, begin())
		}
		w.transports[0].Series(1, puts(startPos+size/2+8*i), begin())
	}
	for _, o := range outcomes {
		o.Must(t)
	}
	for i := range 4 {
		if got, want := to[size/2+8*i], i < 3; (got == 1) != want {
			t.Errorf("the last get has found %d where series %d has put 1", got, i)
		}
	}

	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	for id := range uint64(8) {
		p.send(header{kind: kindGet, id: id, pos: startPos, size: size}, nil)
	}
	if _, err := p.c.Write(seriesFrame(9, &fabric.Series{Kind: fabric.SeriesPut, Size: 8}, startPos, startPos+size-8)); err != nil {
		t.Fatal(err)
	}
	if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), "gets under way") {
		t.Errorf("PeerLost: %v", err)
	}
}

// TestSeriesHeldBack: a series waits behind gets only if it changes their bytes.
func TestSeriesHeldBack(t *testing.T) {
	w := newWorld(t, 3, 1<<16)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	to := fabrictest.Pages(t, 2*preserveMax)
	w.transports[0].Get(2, startPos, unsafe.Pointer(&to[0]), 2*preserveMax, fabrictest.NewOutcome())
	get := p.expect(kindGet, 0)
	at := func(pos uint64) []fabric.Item { return []fabric.Item{{Pos: 1 << 40}, {Pos: pos}} }
	inside := uint64(startPos + 2*preserveMax - 1)
	w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesPut, Size: 1, Items: at(inside + 1)}, fabrictest.NewOutcome())
	w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesGet, Size: 1, Items: at(inside)}, fabrictest.NewOutcome())
	for range 2 {
		p.payload(p.expect(kindSeries, 0).size)
	}
	w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesPut, Size: 1, Items: at(inside)}, fabrictest.NewOutcome())
	l := w.transports[0].peers.Load(2)
	l.mu.Lock()
	held := l.held.n
	l.mu.Unlock()
	if held != 1 {
		t.Errorf("%d requests are held back, want 1", held)
	}
	p.send(header{kind: kindData, id: get.id, size: get.size}, make([]byte, get.size))
	p.send(header{kind: kindReply, id: get.id}, nil)
	p.payload(p.expect(kindSeries, 0).size)
}

// protect makes memory inaccessible until the end of the test.
func protect(t *testing.T, b []byte) {
	t.Helper()
	if err := unix.Mprotect(b, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
}

// TestSeriesUnmapped: the owner's program has unmapped memory without unregistering it. Items there fail, and others do
// not.
func TestSeriesUnmapped(t *testing.T) {
	w := newWorld(t, 2, 3*4096)
	owner := w.owners[1]
	owner.Program = true
	protect(t, owner.Memory[4096:8192])
	for _, kind := range []fabric.SeriesKind{fabric.SeriesPut, fabric.SeriesGet, fabric.SeriesAtomic} {
		s := &fabric.Series{Kind: kind, Size: 8, Items: []fabric.Item{{Pos: startPos}, {Pos: startPos + 4096}, {Pos: startPos + 8192}}}
		if kind == fabric.SeriesAtomic {
			s.Op = fabric.OpAdd
		}
		o := fabrictest.NewOutcome()
		w.transports[0].Series(1, s, o)
		o.Must(t)
		var bad *fabric.RangeError
		if len(s.Failed) != 1 || s.Failed[0].Index != 1 || !errors.As(s.Failed[0].Err, &bad) {
			t.Errorf("kind %d: got %+v, want a range error of item 1", kind, s.Failed)
		}
	}
}

// TestSeriesToUnmapped: the program of the initiator has unmapped where a get stores.
func TestSeriesToUnmapped(t *testing.T) {
	w := newWorld(t, 2, 4096)
	w.owners[1].Memory[1] = 5
	to := fabrictest.Pages(t, 8192)
	protect(t, to[4096:])
	s := &fabric.Series{Kind: fabric.SeriesGet, Size: 1, Items: []fabric.Item{
		{Pos: startPos, Addr: unsafe.Pointer(&to[4096])}, {Pos: startPos + 1, Addr: unsafe.Pointer(&to[0])},
	}}
	o := fabrictest.NewOutcome()
	w.transports[0].Series(1, s, o)
	o.Must(t)
	if len(s.Failed) != 1 || s.Failed[0].Index != 0 || !errors.Is(s.Failed[0].Err, fabric.ErrGone) || to[0] != 5 {
		t.Errorf("got %+v and %d", s.Failed, to[0])
	}
}

// TestSeriesDies: a series in flight ends with the link.
func TestSeriesDies(t *testing.T) {
	w := newWorld(t, 3, 1<<16)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	o := fabrictest.NewOutcome()
	w.transports[0].Series(2, &fabric.Series{Kind: fabric.SeriesGet, Size: 8, Items: make([]fabric.Item, 3)}, o)
	p.payload(p.expect(kindSeries, 0).size)
	p.c.Close()
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrPeerDead) {
		t.Errorf("got %v, want ErrPeerDead", err)
	}
}

// BenchmarkSeries measures series of the most items.
func BenchmarkSeries(b *testing.B) {
	w := newPollingWorld(b, 2, 1<<16, func(int) time.Duration { return 50 * time.Microsecond })
	s := &fabric.Series{Kind: fabric.SeriesPut, Size: 8}
	for i := range uint64(fabric.SeriesItems) {
		s.Items = append(s.Items, fabric.Item{Pos: startPos + 8*i})
	}
	p := newPoller(w.transports[0])
	for b.Loop() {
		w.transports[0].Series(1, s, p)
		if err := p.wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/fabric.SeriesItems, "ns/item")
}
