package gate

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
)

func alive() error { return nil }

// TestGate: Close returns when the accesses have ended that had begun, and later ones fail until Open.
func TestGate(t *testing.T) {
	var g Gate
	var inside, woken atomic.Bool
	if err := g.Enter(); err != nil {
		t.Fatal(err)
	}
	inside.Store(true)
	go func() {
		for !g.Closed() || !woken.Load() {
		}
		inside.Store(false)
		g.Leave()
	}()
	g.Close(alive, func() { woken.Store(true) })
	if inside.Load() {
		t.Error("Close has returned while an access was under way")
	}
	if err := g.Enter(); !errors.Is(err, global.ErrFinalized) {
		t.Errorf("an access after Close: %v", err)
	}
	g.Open()
	if err := g.Enter(); err != nil {
		t.Errorf("an access after Open: %v", err)
	}
}

// TestOver: Close does not wait when the run is over.
func TestOver(t *testing.T) {
	var g Gate
	if err := g.Enter(); err != nil {
		t.Fatal(err)
	}
	g.Close(func() error { return errors.New("the run is over") }, nil)
}
