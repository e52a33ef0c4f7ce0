package list

import (
	"encoding/binary"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// hostile is a world of two ranks on one host and one on another, with two lists that cross
// them.
func hostile(t testing.TB) (w *world, a, b uint64) {
	w = newWorld(0, 0, 1)
	do := func(c am.Call) uint64 {
		r, err := Perform(w.memory(), &c)
		if err != nil {
			t.Fatal(err)
		}
		return r.Val0
	}
	a, b = do(am.Call{Op: OpCreate}), do(am.Call{Op: OpCreate, GA: 1 << 44})
	for i := range uint64(6) {
		do(am.Call{Op: OpInsert, GA: a, Args: [4]uint64{a, i % 2}, Data: []byte("some value")})
		do(am.Call{Op: OpInsert, GA: b, Args: [4]uint64{b, i % 3}, Data: []byte("another")})
	}
	return w, a, b
}

// FuzzOwner: the agent of rank 0 carries out arbitrary requests of a peer on lists that programs have
// damaged. It must answer each, and write only to heaps.
func FuzzOwner(f *testing.F) {
	w, a, b := hostile(f)
	first := w.words(a).next
	for op := OpCreate; op <= OpTake; op++ {
		c := am.Call{Op: am.Op(op), GA: a, Args: [4]uint64{first, b, w.words(b).next, b}, Data: []byte("some value")}
		f.Add(uint16(op), c.Append(nil), uint16(100), []byte{})
		c.Args = [4]uint64{b, w.words(b).next, b}
		f.Add(uint16(op), c.Append(nil), uint16(100), []byte{4, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	}
	words := func(list ...uint64) (b []byte) {
		for _, w := range list {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return b
	}
	for op, c := range map[am.Op]am.Call{
		OpRun:    {GA: a, Args: [4]uint64{a, ^uint64(0), runValues}},
		OpStore:  {Data: words(first, a, first+8, 7)},
		OpMake:   {Args: [4]uint64{a, first, 1}, Data: []byte("value")},
		OpFree:   {Data: words(first, 1<<63, 0)},
		OpCopies: {Data: words(first, 10, first, ^uint64(0))},

		OpInsertMany: {GA: a, Args: [4]uint64{first, 1}, Data: AppendValue(AppendValue(nil, []byte("one")), nil)},
		OpTake:       {GA: a, Args: [4]uint64{a, 3, anySize}},
		OpMakeMany:   {Data: append(AppendValue(nil, []byte("one")), words(1<<60)...)},
	} {
		f.Add(uint16(op), c.Append(nil), uint16(200), []byte{})
	}
	block := am.Call{Op: OpRemove, GA: a, Block: am.Block{GA: first, Data: ^uint64(0), More: 2}}
	f.Add(uint16(OpRemove), block.Append(nil), uint16(100), []byte{})
	f.Fuzz(func(t *testing.T, op uint16, request []byte, capacity uint16, damage []byte) {
		w, a, _ := hostile(t)
		for ; len(damage) >= 10; damage = damage[10:] {
			mem := w.mems[damage[0]%2][heapFrom/8 : heapFrom/8+1024]
			v := binary.LittleEndian.Uint64(damage[2:])
			if v < 1<<12 { // likely an address
				v += a &^ 0xfff
			}
			mem[int(binary.LittleEndian.Uint16(damage))%len(mem)] = v
		}
		reply := make([]byte, capacity)
		c, err := am.Decode(w.views[0], am.OpList+am.Op(op%0x20), request, reply)
		var r am.Result
		if err == nil {
			r, err = Perform(&Heaps{Views: process{w, 0}}, &c)
		}
		if err == nil && (r.N < 0 || r.N > len(c.Out)) {
			t.Errorf("%d bytes in %d", r.N, len(c.Out))
		}
		for rank, mem := range w.mems {
			for at, word := range mem[heapFrom/8-1024 : heapFrom/8] {
				if word != 0 {
					t.Fatalf("word %d before the heap of rank %d was written", 1024-at, rank)
				}
			}
		}
	})
}
