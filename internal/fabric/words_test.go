package fabric

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestMoveWords: bytes at any address arrive, also if source and destination overlap, and nothing
// beside them changes.
func TestMoveWords(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	memory := make([]byte, 400)
	for range 20_000 {
		for i := range memory {
			memory[i] = byte(rng.Uint32())
		}
		n := rng.IntN(100)
		if rng.IntN(4) == 0 {
			n = rng.IntN(9)
		}
		to, from := rng.IntN(300), rng.IntN(300)
		want := bytes.Clone(memory)
		copy(want[to:to+n], memory[from:])
		owner := to
		if rng.IntN(2) == 0 {
			owner = from
		}
		MoveWords(unsafe.Pointer(&memory[to]), unsafe.Pointer(&memory[from]), uint64(n), unsafe.Pointer(&memory[owner]))
		if !bytes.Equal(memory, want) {
			t.Fatalf("seed %d: %d bytes from %d to %d", seed, n, from, to)
		}
	}
}
