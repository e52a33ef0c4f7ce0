package hashed

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// FuzzOwner: an agent carries out arbitrary requests of a peer on tables that programs have damaged. It must
// answer each.
func FuzzOwner(f *testing.F) {
	keys := []string{"a", "b", "c", "d", "e", "f"}
	s, _, _ := newView(alive)
	for kind := range kinds {
		table, other := newTable(f, s, kind, 3, keys...), newTable(f, s, kind, 3)
		for op := range ops {
			c := am.Call{Data: []byte("a"), More: []byte("value"), Args: [4]uint64{3: table.GA + 200}}
			switch op {
			case Import, Delete:
				c.Data = kind.AppendRecord(nil, &Record{Slot: 1, Key: []byte("a"), Value: []byte("value"), Times: ^uint64(0)})
			case Exchange:
				c.Data, c.Args[3] = other.AppendIdentity(nil), other.GA
			}
			table.Address(&c, kind, op, 1)
			f.Add(uint16(c.Op), c.Append(nil), uint16(100), []byte{})
			f.Add(uint16(c.Op), c.Append(nil), uint16(30), []byte{17, 0, 96, 0, 0, 0, 0, 0, 0, 0})
		}
		for i, op := range manyOps {
			var c am.Call
			table.Address(&c, kind, op, 0)
			c.Op, c.Args[3] = manyNumber(kind, i), 1
			for slot, key := range []string{"a", "b", "z"} {
				c.Data = kind.AppendRecord(c.Data, &Record{Slot: uint32(slot), Key: []byte(key), Value: []byte("value"), Times: 1})
			}
			f.Add(uint16(c.Op), c.Append(nil), uint16(200), []byte{})
			f.Add(uint16(c.Op), c.Append(nil), uint16(26), []byte{17, 0, 96, 0, 0, 0, 0, 0, 0, 0})
		}
	}
	f.Fuzz(func(t *testing.T, op uint16, request []byte, capacity uint16, damage []byte) {
		waits := 0
		s, mem, _ := newView(func() error { // called in the wait for a damaged lock
			if waits++; waits > 2 {
				return errors.New("over")
			}
			return nil
		})
		for kind := range kinds {
			newTable(t, s, kind, 3, keys...)
			newTable(t, s, kind, 3)
		}
		for ; len(damage) >= 10; damage = damage[10:] {
			v := binary.LittleEndian.Uint64(damage[2:])
			if v < 1<<16 { // likely an address
				v += 3<<44 + testBase
			}
			mem[int(binary.LittleEndian.Uint16(damage))] = v
		}
		reply := make([]byte, capacity)
		c, err := am.Decode(s, am.OpHash+am.Op(op)%am.RangeSize, request, reply)
		var r am.Result
		if err == nil {
			r, err = Perform(s, &c)
		}
		if err == nil && (r.N < 0 || r.N > len(c.Out)) {
			t.Errorf("%d bytes in %d", r.N, len(c.Out))
		}
	})
}
