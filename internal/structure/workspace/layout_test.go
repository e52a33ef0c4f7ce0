package workspace

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLayoutModel lays random workspaces out byte by byte and compares: where each piece lies,
// that pieces of one rank do not overlap, and how long the block of each rank is.
func TestLayoutModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		ranks := 1 + rnd.IntN(7)
		l := Layout{Size: uint64(rnd.IntN(500)), First: rnd.IntN(ranks), Piece: uint64(1 + rnd.IntN(60)), Ranks: ranks}
		ends := make([]uint64, ranks) // of the pieces so far, in the block of each rank
		pieces := 0
		for offset, rank := uint64(0), l.First; offset < l.Size; offset, rank = offset+l.Piece, (rank+1)%ranks {
			size := min(l.Piece, l.Size-offset)
			gotRank, at := l.Locate(pieces)
			if gotRank != rank || at%16 != 0 || at < ends[rank] || at >= ends[rank]+16 || l.PieceSize(uint64(pieces)) != size {
				t.Fatalf("%+v: piece %d: %d bytes at %d of rank %d, expected %d behind %d of rank %d",
					l, pieces, l.PieceSize(uint64(pieces)), at, gotRank, size, ends[rank], rank)
			}
			ends[rank] = at + size
			pieces++
		}
		if l.Pieces() != pieces {
			t.Fatalf("%+v: %d pieces, expected %d", l, l.Pieces(), pieces)
		}
		for rank, end := range ends {
			if n, ok := l.BlockSize(rank); n != end || !ok {
				t.Fatalf("%+v: the block of rank %d has %d bytes, %v, expected %d", l, rank, n, ok, end)
			}
		}
	}
}

// TestBlockTooLong: sizes that no heap can hold are refused, and their computation does not overflow.
func TestBlockTooLong(t *testing.T) {
	for _, l := range []Layout{
		{Size: math.MaxUint64, Piece: 1, Ranks: 3},
		{Size: math.MaxInt64 + 1, Piece: math.MaxUint64, Ranks: 1},
		{Size: 1 << 45, Piece: 1, Ranks: 2},
		{Size: 1 << 60, Piece: 1 << 59, Ranks: 1},
	} {
		if n, ok := l.BlockSize(0); ok {
			t.Errorf("%+v: a block of %d bytes", l, n)
		}
	}
	l := Layout{Size: math.MaxInt64, Piece: math.MaxUint64, Ranks: 2}
	if n, ok := l.BlockSize(0); n != math.MaxInt64 || !ok || l.Pieces() != 1 {
		t.Errorf("one piece on the first rank: %d bytes, %v", n, ok)
	}
	if n, ok := l.BlockSize(1); n != 0 || !ok {
		t.Errorf("nothing on the second rank: %d bytes, %v", n, ok)
	}
}
