package acp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/bridge"
)

// TestBadEnd checks the errors of copies between wrong addresses, from the call and from Complete.
func TestBadEnd(t *testing.T) {
	p, err := Open(context.Background(), Config{Bootstrap: bridge.Single(), StarterSize: 10240})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Finalize()
	start, err := p.StarterGA(0)
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 100)
	key, err := p.Register(mem, 0)
	if err != nil {
		t.Fatal(err)
	}
	own, err := p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(mem)))
	if err != nil {
		t.Fatal(err)
	}
	heap := makeGA(0, p.router.Layout(0).HeapOffset())
	for _, test := range []struct {
		dst, src GA
		size     uint64
		want     string
	}{
		{start + 10230, start, 64, "destination " + (start + 10230).String() + ": rank 0 has 10240 bytes of starter memory; offset 10230 + 64 bytes is beyond its end"},
		{start, start + 10241, 0, "source " + (start + 10241).String() + ": rank 0 has 10240 bytes of starter memory; offset 10241 + 0 bytes is beyond its end"},
		{heap, heap + 16, DefaultHeapSize, "rank 0 has 1073741824 bytes of heap; offset 16 + 1073741824 bytes is beyond its end"},
		{start, own + 50, 51, "source " + (own + 50).String() + ": 51 bytes are more than the registered memory of rank 0 has there"},
		{start, own + 1<<30, 8, "rank 0 has no registered memory there"},
		{start, 8, 8, "source 0x8: rank 0 has no memory there"},
		{NullGA, start, 8, "destination 0x0: null"},
		{start, makeGA(9, 4096), 8, "there is no rank 9, the run has 1"},
	} {
		h, err := p.Copy(test.dst, test.src, test.size, HandleNull)
		if err == nil {
			err = p.Complete(h)
		}
		if !errors.Is(err, ErrBadAddress) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("copy of %d bytes from %v to %v: %v, expected %q", test.size, test.src, test.dst, err, test.want)
		}
	}
}
