package array

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// alone returns the arrays of a process that is the only rank of its run.
func alone(t testing.TB) *System {
	return Of(extensiontest.Alone(t, acp.Config{HeapSize: acp.MinHeapSize}))
}

// someArray returns an array of ten places, of which place 3 has an element of 20 bytes, all 9.
func someArray(t testing.TB, s *System) (*Array, *Element) {
	t.Helper()
	a := s.New()
	if err := a.Allocate(grid.Shape{Dims: []int{10}}); err != nil {
		t.Fatal(err)
	}
	e, err := s.Alloc(20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.Bytes() {
		e.Bytes()[i] = 9
	}
	if err := a.Assign(e, 20, []int{3}); err != nil {
		t.Fatal(err)
	}
	return a, e
}

// TestMalformed: the owner refuses messages that no rank sends, and changes nothing.
func TestMalformed(t *testing.T) {
	s := alone(t)
	a, e := someArray(t, s)
	places := func(number int, runs ...grid.Run) []byte { return places{array: number, runs: runs}.append(nil) }
	third := grid.Run{Index: 3, N: 1}
	deposit := func(n uint32, data int) []byte {
		return append(binary.LittleEndian.AppendUint32(places(a.Number(), third), n), make([]byte, data)...)
	}
	spans := func(at uint64, n uint64, data int) []byte {
		return append(appendSpans(nil, []span{{at, n}}), make([]byte, data)...)
	}
	for _, c := range []struct {
		name  string
		serve func(*System, fabric.Request) (int, error)
		body  []byte
		reply int
	}{
		{"empty", (*System).serveCollect, nil, 1000},
		{"more", (*System).serveCollect, append(places(a.Number(), third), 0), 1000},
		{"no room", (*System).serveCollect, places(a.Number(), third), collectionSize(1, wanted{}) - 1},
		{"beyond", (*System).serveCollect, places(a.Number(), grid.Run{Index: 9, N: 2}), 1000},
		{"far beyond", (*System).serveCollect, places(a.Number(), grid.Run{Index: 1 << 60, N: 1}), 1000},
		{"no lengths", (*System).serveDeposit, places(a.Number(), third), 1000},
		{"few bytes", (*System).serveDeposit, deposit(5, 4), 1000},
		{"many bytes", (*System).serveDeposit, deposit(5, 6), 1000},
		{"no room for a refusal", (*System).serveDeposit, deposit(5, 5), refusal - 1},
		{"read nowhere", (*System).serveRead, spans(8, 5, 0), 1000},
		{"read much", (*System).serveRead, spans(e.at, maxInline+1, 0), 64 << 10},
		{"read more than fits", (*System).serveRead, spans(e.at, 20, 0), 19},
		{"read with bytes", (*System).serveRead, spans(e.at, 5, 5), 1000},
		{"write nowhere", (*System).serveWrite, spans(8, 5, 5), 1000},
		{"write less", (*System).serveWrite, spans(e.at, 5, 4), 1000},
		{"write more", (*System).serveWrite, spans(e.at, 5, 6), 1000},
		{"limits without bytes", (*System).serveCollect, append(places(a.Number(), third), 0, 0, 0, 0), 1000},
	} {
		if n, err := c.serve(s, fabric.Request{Body: c.body, Reply: make([]byte, c.reply)}); err == nil {
			t.Errorf("%s: an answer of %d bytes", c.name, n)
		}
	}
	for _, b := range e.Bytes() {
		if b != 9 {
			t.Fatalf("the element is %v", e.Bytes())
		}
	}
}

// TestGone: the owner replies that it does not have an array.
func TestGone(t *testing.T) {
	s := alone(t)
	a, _ := someArray(t, s)
	empty := s.New()
	for _, number := range []int{0, -1, a.Number() + 100, empty.Number()} {
		body := places{array: number, runs: []grid.Run{{Index: 3, N: 1}}}.append(nil)
		reply := make([]byte, 1000)
		n, err := s.serveCollect(fabric.Request{Body: body, Reply: reply})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := decodeCollection(reply[:n], 1, wanted{}); !errors.Is(err, ErrDestroyed) {
			t.Errorf("array %d: %v", number, err)
		}
		n, err = s.serveDeposit(fabric.Request{Body: append(body, 0, 0, 0, 0), Reply: reply})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := decodeRefusal(reply[:n], 1); !errors.Is(err, ErrDestroyed) {
			t.Errorf("array %d: %v", number, err)
		}
	}
}

// TestNumbersTurnAround: numbers of arrays begin again after the greatest, and numbers in use
// are left out.
func TestNumbersTurnAround(t *testing.T) {
	s := alone(t)
	first := s.New().Number()
	s.last = 1<<31 - 2
	if a, b := s.New().Number(), s.New().Number(); a != 1<<31-1 || b != first+1 {
		t.Errorf("numbers %d and %d behind %d", a, b, first)
	}
}

// TestNoTornRecord has goroutines read a record a million times while its owner changes it: each
// sees an address and a size that belong together.
func TestNoTornRecord(t *testing.T) {
	const readers = 2
	reads := 1_000_000 / readers
	if testing.Short() {
		reads /= 20
	}
	recs := records{new(recordsHead), make([]record, 3)}
	var all sync.WaitGroup
	var torn, changed atomic.Int64
	var finished atomic.Bool
	all.Go(func() {
		for i := uint64(1); !finished.Load(); i++ {
			recs.store(1, i, 3*i)
			changed.Store(int64(i))
		}
	})
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			var all [3]pair
			alive := func() error { return nil }
			for range reads / 2 {
				if at, size, err := recs.load(1, alive); err != nil || size != 3*at {
					torn.Add(1)
				}
				if err := recs.loadAll(0, all[:], alive); err != nil || all[1].size != 3*all[1].at || all[0] != all[2] {
					torn.Add(1)
				}
			}
		})
	}
	reading.Wait()
	finished.Store(true)
	all.Wait()
	if torn.Load() != 0 || changed.Load() < 2 {
		t.Errorf("%d records are torn, %d changes", torn.Load(), changed.Load())
	}
}

// TestOwnerGone: a reader does not wait for an owner that has died while it changed a record.
func TestOwnerGone(t *testing.T) {
	recs := records{new(recordsHead), make([]record, 1)}
	recs.head.changes = 1
	dead := errors.New("the run is over")
	if _, _, err := recs.load(0, func() error { return dead }); err != dead {
		t.Errorf("%v, want %v", err, dead)
	}
}
