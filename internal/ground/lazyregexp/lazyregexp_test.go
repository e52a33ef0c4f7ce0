package lazyregexp

import (
	"sync"
	"testing"
)

func TestGet(t *testing.T) {
	r := New(`^rank ([0-9]+)$`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if m := r.Get().FindStringSubmatch("rank 17"); m == nil || m[1] != "17" {
				t.Errorf("found %q", m)
			}
		})
	}
	all.Wait()
	if first := r.Get(); r.Get() != first {
		t.Error("each call compiles the expression")
	}
}

// TestNewCompilesNothing: a text that is no expression panics at its first use, not before.
func TestNewCompilesNothing(t *testing.T) {
	r := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	r.Get()
}
