package registration

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/segment"
)

// router stands for the router: it notes what is withdrawn, and waits for asks seconds.
type router struct {
	gone []segment.Withdrawn
	asks int
}

func (r *router) withdraw(gone segment.Withdrawn, over func() error) error {
	r.gone = append(r.gone, gone)
	for range r.asks {
		if err := over(); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

func newRegistrations(t *testing.T, self int, r *router, over func() error) *Registrations {
	t.Helper()
	space, err := segment.New(segment.Run{1}, self, segment.Layout{Starter: 4096}, segment.Slot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := space.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Config{Self: self, Space: space, Withdraw: r.withdraw, Over: over})
}

func open() error { return nil }

// TestLastUnregister: memory that is registered twice stays published and pinned until it has
// been unregistered twice, and the router is asked once.
func TestLastUnregister(t *testing.T) {
	var net router
	r := newRegistrations(t, 3, &net, open)
	mem := make([]byte, 64)
	at := unsafe.Pointer(&mem[0])
	key, err := r.Register(mem, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Register(mem, 0); err != nil || again != key {
		t.Fatalf("key %#x of the same memory, want %#x: %v", again, key, err)
	}
	if _, err := r.Position(key, at); err != nil {
		t.Error(err)
	}
	for i, want := range []struct{ pinned, asked int }{{2, 0}, {0, 1}} {
		if err := r.Unregister(key); err != nil {
			t.Fatal(err)
		}
		if len(r.pins.byKey[key]) != want.pinned || len(net.gone) != want.asked {
			t.Errorf("after %d calls %d pins, and the router was asked %d times", i+1, len(r.pins.byKey[key]), len(net.gone))
		}
	}
	if !net.gone[0].Touch(at, 1) {
		t.Error("the router does not know what memory is gone")
	}
	if err := r.Unregister(key); !errors.Is(err, segment.ErrUnknownKey) {
		t.Errorf("a third time: %v", err)
	}
	if _, err := r.Position(key, at); !errors.Is(err, segment.ErrUnknownKey) {
		t.Errorf("position in unregistered memory: %v", err)
	}
}

// TestKeysOfOthers: no key of another process is taken for one of this process.
func TestKeysOfOthers(t *testing.T) {
	mem := make([]byte, 64)
	var keys []Key
	var all []*Registrations
	for self := range 3 {
		r := newRegistrations(t, self, new(router), open)
		key, err := r.Register(mem, 0)
		if err != nil {
			t.Fatal(err)
		}
		keys, all = append(keys, key), append(all, r)
	}
	for self, r := range all {
		for of, key := range append(keys, 0) {
			_, err := r.Position(key, unsafe.Pointer(&mem[0]))
			if of == self && err != nil || of != self && !errors.Is(err, segment.ErrUnknownKey) {
				t.Errorf("member %d, key %#x of member %d: %v", self, key, of, err)
			}
			if of != self && !errors.Is(r.Unregister(key), segment.ErrUnknownKey) {
				t.Errorf("member %d has unregistered key %#x of member %d", self, key, of)
			}
		}
	}
}

// TestUnregisterAfterTheRun: when the run is over, unregistering goes on waiting for ranks that
// are still at work, and then fails. The memory stays pinned, because they may use it.
func TestUnregisterAfterTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("lost")
		net := router{asks: 1}
		r := newRegistrations(t, 0, &net, func() error { return lost })
		mem := make([]byte, 64)
		register := func() Key {
			key, err := r.Register(mem, 0)
			if err == nil {
				_, err = r.Position(key, unsafe.Pointer(&mem[0]))
			}
			if err != nil {
				t.Fatal(err)
			}
			return key
		}
		if err := r.Unregister(register()); err != nil {
			t.Errorf("a rank that is soon done: %v", err)
		}
		net.asks = 1000
		key := register()
		if err := r.Unregister(key); !errors.Is(err, lost) {
			t.Errorf("a rank that is never done: %v", err)
		}
		if len(r.pins.byKey[key]) != 1 {
			t.Error("memory that may be in use is not pinned")
		}
		r.Close()
		if len(r.pins.byKey) != 0 {
			t.Error("Close leaves memory pinned")
		}
	})
}

// TestEmptyMemory cannot be registered by Register; an address alone can.
func TestEmptyMemory(t *testing.T) {
	r := newRegistrations(t, 0, new(router), open)
	if _, err := r.Register(nil, 0); err == nil {
		t.Error("empty memory was registered")
	}
	word := new(uint64)
	key, err := r.RegisterAddress(unsafe.Pointer(word), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Position(key, unsafe.Pointer(word)); err != nil {
		t.Error(err)
	}
	if err := r.Reset(); err != nil {
		t.Error(err)
	}
	if _, err := r.Position(key, unsafe.Pointer(word)); !errors.Is(err, segment.ErrUnknownKey) {
		t.Errorf("after Reset: %v", err)
	}
}
