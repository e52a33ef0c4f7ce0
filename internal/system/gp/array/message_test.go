package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/system/gp/grid"
)

// somePlaces are places as a rank sends them.
func somePlaces() places {
	return places{array: 3, flag: true, runs: []grid.Run{{Index: 4, N: 2}, {Index: 1 << 33, Entry: 2, N: 1}}, n: 3}
}

// TestPlacesTravel: decoded places equal the encoded places.
func TestPlacesTravel(t *testing.T) {
	for _, p := range []places{somePlaces(), {array: 1, runs: []grid.Run{}}} {
		b := p.append(nil)
		if len(b) != p.bytes() {
			t.Errorf("%d bytes, expected %d", len(b), p.bytes())
		}
		got, rest, err := decodePlaces(append(b, 7, 8))
		if err != nil || !reflect.DeepEqual(got, p) || !bytes.Equal(rest, []byte{7, 8}) {
			t.Errorf("%+v arrived as %+v, %v, %v", p, got, rest, err)
		}
	}
}

// TestCut: messages have at most as many places as they may, and together all of them, in order.
func TestCut(t *testing.T) {
	for most, want := range map[int]int{maxPlaces: 4, placesWithBytes: 13} {
		checkCut(t, most, want)
	}
}

// checkCut checks the messages about 3101 places, of most places each.
func checkCut(t *testing.T, most, want int) {
	t.Helper()
	runs := []grid.Run{{Index: 9, N: 1000}, {Index: 5000, Entry: 1000, N: 2100}, {Index: 3, Entry: 3100, N: 1}}
	var entries, messages int
	for len(runs) > 0 {
		var p places
		p, runs = cut(runs, most)
		n := 0
		for _, r := range p.runs {
			if r.Entry != entries {
				t.Errorf("entry %d comes as %d", entries, r.Entry)
			}
			n, entries = n+r.N, entries+r.N
		}
		if n != p.n || n > most {
			t.Errorf("a message of %d places has %d", p.n, n)
		}
		messages++
	}
	if entries != 3101 || messages != want {
		t.Errorf("%d places in %d messages", entries, messages)
	}
}

// collection is an answer of the owner about elements of these sizes.
func collection(bytes bool, sizes ...uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(done))
	var pairs []pair
	for i, n := range sizes {
		p := pair{}
		if n > 0 {
			p = pair{uint64(4096 * (i + 1)), n}
		}
		pairs = append(pairs, p)
		b = binary.LittleEndian.AppendUint64(b, p.at)
		b = binary.LittleEndian.AppendUint64(b, p.size)
	}
	if bytes {
		inline(pairs, wanted{bytes: true}, func(_ int, size uint64) { b = append(b, make([]byte, size)...) })
	}
	return b
}

// TestCollectionTravels: elements are inline as long as there is room.
func TestCollectionTravels(t *testing.T) {
	sizes := []uint64{100, 0, maxInline, 200, maxInline - 300, 1}
	here := []int{100, -1, -1, 200, maxInline - 300, -1}
	pairs, data, err := decodeCollection(collection(true, sizes...), len(sizes), wanted{bytes: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		if pairs[i].size != n || here[i] < 0 && data[i] != nil || here[i] >= 0 && len(data[i]) != here[i] {
			t.Errorf("entry %d of %d bytes arrived with %d, %d inline", i, n, pairs[i].size, len(data[i]))
		}
	}
	gone := binary.LittleEndian.AppendUint32(nil, uint32(unknown))
	if _, _, err := decodeCollection(gone, len(sizes), wanted{bytes: true}); !errors.Is(err, ErrDestroyed) {
		t.Errorf("an array that is gone: %v", err)
	}
}

// TestWantedTravels: the owner gets the number of bytes that the caller requests, and replies
// with no more.
func TestWantedTravels(t *testing.T) {
	p := places{flag: true, n: 3}
	pairs := []pair{{4096, 100}, {8192, maxInline + 1}, {1 << 20, 7}}
	for _, w := range []wanted{{}, {bytes: true}, {bytes: true, limits: []uint32{3, 40, 80}}, {bytes: true, limits: []uint32{0, math.MaxUint32, 1}}} {
		p.flag = w.bytes
		got, err := decodeWanted(p, w.append(nil))
		if err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("%+v arrived as %+v, %v", w, got, err)
		}
		size := statusSize + len(pairs)*pairBytes
		inline(pairs, w, func(i int, n uint64) {
			if n > pairs[i].size || w.limits != nil && n > uint64(w.limits[i]) {
				t.Errorf("%+v: %d bytes of place %d", w, n, i)
			}
			size += int(n)
		})
		if most := collectionSize(len(pairs), w); size > most {
			t.Errorf("%+v: an answer of %d bytes, %d at most", w, size, most)
		}
	}
	for _, b := range [][]byte{make([]byte, 4), make([]byte, 16), make([]byte, 11)} {
		if _, err := decodeWanted(p, b); err == nil {
			t.Errorf("%d bytes are %d limits", len(b), p.n)
		}
	}
	p.flag = false
	if _, err := decodeWanted(p, make([]byte, 12)); err == nil {
		t.Error("limits although no bytes are wanted")
	}
}

// FuzzDecodePlaces: a request is refused, or all of it is decoded.
func FuzzDecodePlaces(f *testing.F) {
	f.Add(somePlaces().append(nil))
	f.Add(append(places{array: 1}.append(nil), 1, 2, 3))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, rest, err := decodePlaces(b)
		if err != nil {
			return
		}
		if again := append(p.append(nil), rest...); !bytes.Equal(again, b) {
			t.Errorf("%x is sent as %x", b, again)
		}
		n := 0
		for _, r := range p.runs {
			n += r.N
			if r.Index < 0 || r.N < 1 {
				t.Errorf("%x has run %+v", b, r)
			}
		}
		if n != p.n || n > maxPlaces {
			t.Errorf("%x has %d places, and %d are decoded", b, n, p.n)
		}
	})
}

// FuzzDecodeLengths: the lengths of a deposit add up to its bytes.
func FuzzDecodeLengths(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 7, 8, 9}, 2)
	f.Add([]byte{255, 255, 255, 255, 1}, 1)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		n = min(max(n, 0), maxPlaces)
		lengths, data, err := decodeLengths(b, n)
		if err != nil {
			return
		}
		total := uint64(0)
		for _, length := range lengths {
			total += length
		}
		if len(lengths) != n || total != uint64(len(data)) {
			t.Errorf("%x has %d lengths and %d bytes of %d", b, len(lengths), len(data), total)
		}
	})
}

// FuzzDecodeCollection: an answer is refused, or it has the records and the bytes that belong to
// them.
func FuzzDecodeCollection(f *testing.F) {
	f.Add(collection(true, 3, 0, 40), 3, true)
	f.Add(collection(false, 3, 1<<40), 2, false)
	f.Add(binary.LittleEndian.AppendUint32(nil, uint32(unknown)), 1, true)
	f.Fuzz(func(t *testing.T, b []byte, n int, wantBytes bool) {
		n = min(max(n, 0), maxPlaces)
		pairs, data, err := decodeCollection(b, n, wanted{bytes: wantBytes})
		if err != nil {
			return
		}
		length := statusSize + n*pairBytes
		for i, p := range pairs {
			if data[i] != nil && uint64(len(data[i])) != p.size || !wantBytes && data[i] != nil {
				t.Errorf("%x has %d bytes of an element of %d", b, len(data[i]), p.size)
			}
			length += len(data[i])
		}
		if length != len(b) {
			t.Errorf("%d bytes of %x are decoded", length, b)
		}
	})
}

// FuzzDecodeRefusal: an answer to a deposit is refused, or it names an entry that there is.
func FuzzDecodeRefusal(f *testing.F) {
	f.Add([]byte{byte(done), 0, 0, 0}, 4)
	f.Add([]byte{byte(refused), 0, 0, 0, 3, 0, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0}, 4)
	f.Add([]byte{byte(unknown), 0, 0, 0}, 4)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		n = min(max(n, 0), maxPlaces)
		if bad, _, err := decodeRefusal(b, n); err == nil && (bad < -1 || bad >= n) {
			t.Errorf("%x refuses entry %d of %d", b, bad, n)
		}
	})
}

// FuzzDecodeSpans: a request for bytes at addresses is refused, or all of it is decoded.
func FuzzDecodeSpans(f *testing.F) {
	f.Add(appendSpans(nil, []span{{4096, 10}, {1 << 50, 0}}))
	f.Add(append(appendSpans(nil, []span{{4096, 2}}), 1, 2))
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		spans, rest, err := decodeSpans(b)
		if err != nil {
			return
		}
		if again := append(appendSpans(nil, spans), rest...); !bytes.Equal(again, b) {
			t.Errorf("%x is sent as %x", b, again)
		}
		total := uint64(0)
		for _, s := range spans {
			total += s.n
		}
		if total > maxInline {
			t.Errorf("%x has %d bytes", b, total)
		}
	})
}

// someContribution is a contribution as a rank sends it.
func someContribution() contribution {
	return contribution{at: 1<<44 | 8192, dims: []uint32{7, 9}, chunk: []uint32{0, 9}, blocks: []uint32{3, 1}, starts: []uint64{digest([]int32{0, 3, 5}), digest([]int32{0})}}
}

// FuzzDecodeContribution: a contribution is refused, or all of it is decoded.
func FuzzDecodeContribution(f *testing.F) {
	f.Add(someContribution().encode())
	f.Add(contribution{state: heapFull}.encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeContribution(b)
		if err == nil && !bytes.Equal(c.encode(), b) {
			t.Errorf("%x is sent as %x", b, c.encode())
		}
	})
}

// TestProblems: all ranks get the same error, which names the first rank that differs.
func TestProblems(t *testing.T) {
	first := someContribution()
	for _, test := range []struct {
		change func(c *contribution)
		want   string
	}{
		{func(*contribution) {}, ""},
		{func(c *contribution) { c.at = 0 }, ""},
		{func(c *contribution) { *c = contribution{state: heapFull} }, "heap full on rank 2 for the records of its places"},
		{func(c *contribution) { *c = contribution{state: badShape} }, "bad shape: rank 2 asks for what no array has"},
		{func(c *contribution) { *c = contribution{state: failedOtherwise} }, "the ranks disagree: rank 2 cannot take part"},
		{func(c *contribution) { c.dims = []uint32{7} }, "the ranks disagree: rank 2 asks for dimensions [7], rank 0 for [7 9]"},
		{func(c *contribution) { c.chunk = []uint32{1, 9} }, "the ranks disagree: rank 2 asks for chunks [1 9], rank 0 for [0 9]"},
		{func(c *contribution) { c.blocks = []uint32{1, 3} }, "the ranks disagree: rank 2 asks for [1 3] blocks, rank 0 for [3 1]"},
		{func(c *contribution) { c.starts = []uint64{1, first.starts[1]} }, "the ranks disagree: rank 2 lets the blocks of dimension 0 begin elsewhere than rank 0"},
	} {
		c := someContribution()
		test.change(&c)
		switch err := c.problem(2, first); {
		case err == nil && test.want != "", err != nil && err.Error() != test.want:
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
