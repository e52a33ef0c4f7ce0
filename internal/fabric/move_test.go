package fabric

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestMove compares copies of all lengths, to places before, behind and within what they copy, with
// those of a model.
func TestMove(t *testing.T) {
	lengths := []int{0, 1, 4, 7, 8, 100, streamed - 1, streamed, streamed + 1, 3*piece + 5, caches, caches + 1}
	offsets := []int{-caches, -streamed, -piece - 3, -piece, -8, -1, 0, 1, 8, piece, piece + 3, streamed, caches}
	mem := make([]byte, 3*caches+16)
	if _, err := rand.NewChaCha8([32]byte{}).Read(mem); err != nil {
		t.Fatal(err)
	}
	for _, n := range lengths {
		for _, offset := range offsets {
			src := caches + 1 + rand.IntN(8)
			dst := src + offset
			want := bytes.Clone(mem[src : src+n])
			before, behind := mem[dst-1], mem[dst+n]
			Move(unsafe.Pointer(&mem[dst]), unsafe.Pointer(&mem[src]), uint64(n))
			if !bytes.Equal(mem[dst:dst+n], want) {
				t.Fatalf("%d bytes to %d bytes behind them: wrong bytes", n, offset)
			}
			if mem[dst-1] != before || mem[dst+n] != behind {
				t.Fatalf("%d bytes to %d bytes behind them: bytes beside them have changed", n, offset)
			}
		}
	}
}
