package bridge

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// TestDiscard discards blobs of random lengths that lie one behind the other: whole pages of them are zero afterwards, and what lies before
// and behind them is as it was. Blobs with a gap between stay.
func TestDiscard(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	page := os.Getpagesize()
	for range 50 {
		gap := r.IntN(3) == 0
		memory := bytes.Repeat([]byte{7}, 40*page)
		begin := r.IntN(3 * page)
		var blobs [][]byte
		end := begin
		for end < 20*page {
			n := r.IntN(page)
			if r.IntN(4) == 0 {
				n = 0
			}
			blobs = append(blobs, memory[end:end+n:end+n])
			end += n
		}
		if gap {
			blobs = append(blobs, memory[end+1:end+1+5*page])
			end += 1 + 5*page
		}
		Discard(blobs)
		zero := bytes.Count(memory, []byte{0})
		outside := bytes.Count(memory[:begin], []byte{7}) + bytes.Count(memory[end:], []byte{7})
		inside := end - begin
		switch {
		case outside != begin+len(memory)-end:
			t.Fatalf("bytes outside of the blobs have changed, gap %v", gap)
		case gap && zero != 0:
			t.Fatalf("%d bytes of blobs with a gap are zero", zero)
		case !gap && (zero < inside-2*page || zero > inside):
			t.Fatalf("%d of %d bytes are zero", zero, inside)
		}
	}
	Discard(nil)
	Discard([][]byte{nil, {}})
}
