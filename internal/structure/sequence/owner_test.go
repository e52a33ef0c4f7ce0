package sequence

import (
	"encoding/binary"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// hostile is a heap with two vectors and two deques, whose addresses it returns.
func hostile(t testing.TB) (*ground, [4]uint64) {
	g := newGround()
	var at [4]uint64
	for i := range at {
		op := am.Op(OpCreate)
		if i >= 2 {
			op += am.OpDeque - am.OpVector
		}
		r, err := Perform(g.view, &am.Call{Op: op, Args: [4]uint64{64, 40, 1}})
		if err != nil {
			t.Fatal(err)
		}
		at[i] = r.Val0
	}
	return g, at
}

// FuzzOwner: an agent carries out arbitrary requests of a peer on vectors and deques that programs have
// damaged. It must answer each, and write only to the heap.
func FuzzOwner(f *testing.F) {
	_, at := hostile(f)
	for op := range uint16(OpAdopt - OpCreate + 1) {
		for i, ga := range at {
			c := am.Call{GA: ga, Args: [4]uint64{8, at[i^1], 0, 30}, Data: []byte("bytes"), More: []byte("more")}
			if i >= 2 {
				c.Op = am.OpDeque - am.OpVector
			}
			f.Add(uint16(c.Op)+op, c.Append(nil), uint16(60), []byte{byte(8 * i), 0, 60, 0, 0, 0, 0, 0, 0, 0})
			c.Args = [4]uint64{at[i^1], ^uint64(0), ^uint64(0) - 3, 1 << 44}
			f.Add(uint16(c.Op)+op, c.Append(nil), uint16(60), []byte{})
		}
	}
	block := am.Call{GA: at[0], Block: am.Block{GA: at[1], Data: ^uint64(0), More: 2}}
	f.Add(uint16(OpAssign-OpCreate), block.Append(nil), uint16(24), []byte{})
	f.Fuzz(func(t *testing.T, op uint16, request []byte, capacity uint16, damage []byte) {
		g, at := hostile(t)
		for ; len(damage) >= 10; damage = damage[10:] {
			words := g.words[from/8 : from/8+2048]
			v := binary.LittleEndian.Uint64(damage[2:])
			if v < 1<<12 { // likely an address
				v += at[0]
			}
			words[int(binary.LittleEndian.Uint16(damage))%len(words)] = v
		}
		reply := make([]byte, capacity)
		c, err := am.Decode(g.view, am.OpVector+am.Op(op)%(am.OpList-am.OpVector), request, reply)
		var r am.Result
		if err == nil {
			r, err = Perform(g.view, &c)
		}
		if err == nil && (r.N < 0 || r.N > len(c.Out)) {
			t.Errorf("%d bytes in %d", r.N, len(c.Out))
		}
		if !g.intact() {
			t.Error("memory outside of the heap was written")
		}
	})
}
