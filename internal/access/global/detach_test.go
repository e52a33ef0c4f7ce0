package global_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// opStall makes the agent of its owner answer nothing until the test wants it.
const opStall = am.OpVector + 8

// stall is the agent of rank 1, which stops while it carries out opStall.
type stall struct {
	entered, resume chan struct{}
}

func newStall() *stall { return &stall{make(chan struct{}), make(chan struct{})} }

func (s *stall) operations(r *globaltest.Rank) []am.Operation {
	return append(operations(r), am.Operation{Op: opStall, Name: "stall", Serve: func(fabric.Request) (int, error) {
		close(s.entered)
		<-s.resume
		return 0, nil
	}})
}

// during calls f while the agent of rank 1 does not answer rank 0.
func (s *stall) during(t *testing.T, m *global.Memory, f func()) {
	stalled := make(chan error, 1)
	go func() {
		_, err := m.Call(1, opStall, nil, nil)
		stalled <- err
	}()
	<-s.entered
	f()
	close(s.resume)
	if err := <-stalled; err != nil {
		t.Error(err)
	}
}

// TestGiveUp: the caller of an operation gives up when its context ends. The operation goes on, with
// the bytes that it was called with. It changes no memory of the caller, and what it has allocated
// for the caller is freed.
func TestGiveUp(t *testing.T) {
	s := newStall()
	w := globaltest.New(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP, Operations: s.operations})
	m, theirs := w.Rank(0).Mem, w.Rank(1).Starter(0)
	before := usage(t, w)
	const put = 8192
	untouched := noise(rand.New(rand.NewPCG(1, 1)), 5000)
	into, from := bytes.Clone(untouched), bytes.Clone(untouched)
	operations := map[string]func(m *global.Memory) error{
		"get":   func(m *global.Memory) error { return m.Get(into, theirs) },
		"put":   func(m *global.Memory) error { return m.Put(theirs+put, from) },
		"move":  func(m *global.Memory) error { return m.Move(theirs, ga.Span{GA: theirs + 20000, N: 100}) },
		"alloc": func(m *global.Memory) error { _, err := m.Alloc(1, 4096); return err },
		"far": func(m *global.Memory) error {
			_, err := m.Far(1, am.Call{Op: opJoin, Data: from[:100], Out: into})
			return err
		},
		"far through a block": func(m *global.Memory) error {
			_, err := m.Far(1, am.Call{Op: opJoin, Data: make([]byte, 2*am.MaxData), Out: into})
			return err
		},
	}
	s.during(t, m, func() {
		for name, op := range operations {
			for _, when := range []string{"before", "meanwhile"} {
				ctx, cancel := context.WithCancel(context.Background())
				if when == "before" {
					cancel()
				} else {
					go cancel()
				}
				if err := op(m.WithContext(ctx)); !errors.Is(err, context.Canceled) {
					t.Errorf("%s with a context that ends %s: %v", name, when, err)
				}
				cancel()
			}
		}
		clear(from) // the caller's again
	})
	m.Settle()
	if !bytes.Equal(into, untouched) {
		t.Error("memory of the caller has changed after it had given up")
	}
	got := make([]byte, len(untouched))
	if err := m.Get(got, theirs+put); err != nil || !bytes.Equal(got, untouched) && !bytes.Equal(got, make([]byte, len(got))) {
		t.Errorf("a copy that was given up has brought other bytes (%v)", err)
	}
	if now := usage(t, w); now != before {
		t.Errorf("%d bytes are in use, before %d", now, before)
	}
}

// asked is a context that ends when an operation has asked for the first time whether it has ended.
type asked struct {
	context.Context
	end func()
}

func endsWhenAsked() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	return asked{ctx, cancel}
}

func (a asked) Err() error {
	defer a.end()
	return a.Context.Err()
}

// TestGiveUpOrder: operations on a structure wait for those on it that were given up, with and
// without a context, and operations on others do not.
func TestGiveUpOrder(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP, Operations: operations})
	m := w.Rank(0).Mem
	resume, order := make(chan struct{}), make(chan int, 4)
	append := func(m *global.Memory, n int, structures ...uint64) error {
		_, err := global.Detached(m, structures, func(*global.Memory) (int, error) {
			if n == 1 {
				<-resume
			}
			order <- n
			return n, nil
		}, nil)
		return err
	}
	cancelled := m.WithContext(endsWhenAsked())
	if m.Detaches() || !cancelled.Detaches() {
		t.Fatal("only a memory with a context detaches operations")
	}
	if err := append(cancelled, 1, 100, 200); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if !m.Detaches() {
		t.Fatal("an operation was given up, but the next ones do not wait for it")
	}
	if err := append(m.WithContext(endsWhenAsked()), 2, 200, 300); !errors.Is(err, context.Canceled) {
		t.Errorf("an operation on the same structure: %v", err)
	}
	if err := append(m, 3, 400); err != nil || <-order != 3 {
		t.Errorf("an operation on another structure has waited (%v)", err)
	}
	close(resume)
	if err := append(m, 4, 300); err != nil {
		t.Error(err)
	}
	for want := range 3 {
		if got := <-order; got != []int{1, 2, 4}[want] {
			t.Errorf("operation %d, expected %d", got, []int{1, 2, 4}[want])
		}
	}
	m.Settle()
	if m.Detaches() {
		t.Error("all operations have ended, but the next ones wait")
	}
}

// TestGiveUpTwo: of two operations on a structure that are under way at once, the second is given up
// first. The next one waits for both.
func TestGiveUpTwo(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP, Operations: operations})
	m := w.Rank(0).Mem
	var ended atomic.Int32
	begin := func() (cancel func(), resume, gaveUp chan struct{}) {
		began, resume, gaveUp := make(chan struct{}), make(chan struct{}), make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			_, _ = global.Detached(m.WithContext(ctx), []uint64{100}, func(*global.Memory) (int, error) {
				close(began)
				<-resume
				ended.Add(1)
				return 0, nil
			}, nil)
			close(gaveUp)
		}()
		<-began
		return cancel, resume, gaveUp
	}
	cancel1, resume1, gaveUp1 := begin()
	cancel2, resume2, gaveUp2 := begin()
	cancel2()
	<-gaveUp2
	cancel1()
	<-gaveUp1
	close(resume1)
	time.AfterFunc(10*time.Millisecond, func() { close(resume2) })
	if n, err := global.Detached(m, []uint64{100}, func(*global.Memory) (int32, error) { return ended.Load(), nil }, nil); err != nil || n != 2 {
		t.Errorf("an operation has waited for %d of 2 that were given up (%v)", n, err)
	}
	m.Settle()
}

// TestGiveUpLate ends contexts at about the time of the answer: the outcome is that of the operation
// or the error of the context, and nothing is lost in between.
func TestGiveUpLate(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP, Operations: operations})
	m := w.Rank(0).Mem
	before := usage(t, w)
	done, gaveUp := 0, 0
	for range 2000 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(200))*time.Microsecond)
		block, err := m.WithContext(ctx).Alloc(1, 64)
		switch {
		case err == nil:
			done++
			if err := m.Free(block); err != nil {
				t.Fatal(err)
			}
		case errors.Is(err, context.DeadlineExceeded):
			gaveUp++
		default:
			t.Fatal(err)
		}
		cancel()
	}
	m.Settle()
	t.Logf("%d done, %d given up", done, gaveUp)
	if now := usage(t, w); now != before {
		t.Errorf("%d bytes are in use, before %d", now, before)
	}
}
