package object

import (
	"bytes"
	"testing"
)

// TestOperations: the table of operations is complete, and its sizes fit.
func TestOperations(t *testing.T) {
	for op := range operations {
		d := builtins[op] // a copy
		if d.run == nil || d.out < 1 || d.kind != none && d.out < 2 {
			t.Errorf("operation %d: %d bytes come back", op, d.out)
		}
		if d.in > MaxExchange || d.out > MaxExchange {
			t.Errorf("operation %d has %d and %d bytes; expected at most %d", op, d.in, d.out, MaxExchange)
		}
		if d.in == anySize {
			d.in = MaxExchange
		} else if d.in > maxIn || d.out > maxOut {
			t.Errorf("operation %d has %d and %d bytes; an exchange has %d and %d", op, d.in, d.out, maxIn, maxOut)
		}
		b := make([]byte, d.size)
		for _, c := range [][3]int{{d.size + 1, d.in, d.out}, {d.size, d.in + 1, d.out}, {d.size, d.in, d.out + 1}} {
			if d.size == 0 && c[0] == 1 || builtins[op].in == anySize && c[1] > d.in {
				continue
			}
			if err := op.Run(make([]byte, c[0]), make([]byte, c[1]), make([]byte, c[2])); err == nil {
				t.Errorf("operation %d takes %v bytes", op, c)
			}
		}
		out := make([]byte, d.out)
		must(t, op.Run(b, make([]byte, d.in), out))
		if d.kind != none && (status(out[0]) != noObject || !bytes.Equal(b, make([]byte, d.size))) {
			t.Errorf("operation %d on zero memory returns status %d, and leaves %v", op, out[0], b)
		}
	}
	if err := operations.Run(nil, nil, nil); err == nil || err.Error() != "object: there is no built-in operation 37" {
		t.Errorf("an operation that does not exist returns %v", err)
	}
}

// FuzzOperations: no operation panics, whatever the memory and its input are, and the result does not depend on
// anything else.
func FuzzOperations(f *testing.F) {
	for op := range operations {
		f.Add(uint8(op), []byte{}, []byte{1, 1, 1, 1})
		f.Add(uint8(op), bytes.Repeat([]byte{255}, 128), bytes.Repeat([]byte{255}, 64))
	}
	f.Fuzz(func(t *testing.T, number uint8, memory, input []byte) {
		if Builtin(number) >= operations {
			return
		}
		d := builtins[number]
		size := d.size
		if size == 0 {
			size = len(memory)
		}
		b, in := make([]byte, size), make([]byte, max(d.in, 0))
		if d.in == anySize {
			in = input
		}
		copy(b, memory)
		copy(in, input)
		if d.kind != none {
			setWord(b, 0, d.kind.mark())
		}
		again, out, out2 := bytes.Clone(b), make([]byte, d.out), make([]byte, d.out)
		must(t, Builtin(number).Run(b, in, out))
		must(t, Builtin(number).Run(again, in, out2))
		if !bytes.Equal(b, again) || !bytes.Equal(out, out2) {
			t.Errorf("operation %d has two results", number)
		}
	})
}
