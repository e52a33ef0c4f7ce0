package hashed

import (
	"encoding/binary"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// BenchmarkKeys inserts, finds and removes keys of 8 bytes.
func BenchmarkKeys(b *testing.B) {
	s, _, _ := newView(alive)
	const slots, keys = 1024, 1000
	table := newTable(b, s, Map, slots)
	each := func(b *testing.B, op Op) {
		var key, value [8]byte
		for i := range uint64(keys) {
			binary.LittleEndian.PutUint64(key[:], i)
			_, slot := SlotOf(key[:], 1, slots)
			c := am.Call{Data: key[:], Args: [4]uint64{3: 1}}
			if op == Insert {
				c.More = value[:]
			}
			table.Address(&c, Map, op, slot)
			if r, err := Perform(s, &c); err != nil || r.Val0 == 0 {
				b.Fatal(r, err)
			}
		}
	}
	for b.Loop() {
		each(b, Insert)
		each(b, Find)
		each(b, Remove)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(3*keys), "ns/key")
}
