// Package greeting is what the hello programs in Go do once they know their ranks. hello.h does the
// same in C. A run may have programs of both.
package greeting

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
)

// How every rank uses its starter memory: offsets in bytes, as in struct hello of
// hello.h. Integers are in the byte order of the machine.
const (
	counterAt  = 0  // on rank 0: all ranks add to it
	oldAt      = 8  // receives the value that the counter had before
	totalAt    = 16 // receives the counter in the end
	outgoingAt = 24
	incomingAt = outgoingAt + textSize // written by the left neighbour

	textSize = 64
)

// text is the greeting that rank sends.
func text(rank acp.Rank) []byte {
	b := make([]byte, textSize)
	copy(b, fmt.Sprintf("greetings from rank %d", rank))
	return b
}

// Exchange proves that all ranks of all jobs share memory: the caller writes a
// greeting into the starter memory of its right neighbour, adds its rank + 1 to a
// counter on rank 0, waits for the others and checks what they have written. It
// returns the greeting that arrived, or what was wrong.
//
// Collective. Blocks until every rank has called it. Not for concurrent use.
func Exchange(p *acp.Process) (string, error) {
	if err := send(p); err != nil {
		return "", err
	}
	if err := p.Sync(); err != nil {
		return "", err
	}
	return check(p)
}

func send(p *acp.Process) error {
	here, err1 := p.StarterGA(p.Rank())
	right, err2 := p.StarterGA((p.Rank() + 1) % acp.Rank(p.Procs()))
	root, err3 := p.StarterGA(0)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	copy(p.Starter()[outgoingAt:], text(p.Rank()))
	if _, err := p.Copy(right+incomingAt, here+outgoingAt, textSize, acp.HandleNull); err != nil {
		return err
	}
	if _, err := p.Add8(here+oldAt, root+counterAt, uint64(p.Rank())+1, acp.HandleNull); err != nil {
		return err
	}
	return p.Complete(acp.HandleAll)
}

func check(p *acp.Process) (string, error) {
	here, err1 := p.StarterGA(p.Rank())
	root, err2 := p.StarterGA(0)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	get, err := p.Copy(here+totalAt, root+counterAt, 8, acp.HandleNull)
	if err == nil {
		err = p.Complete(get)
	}
	if err != nil {
		return "", err
	}
	procs := p.Procs()
	left := (p.Rank() + acp.Rank(procs) - 1) % acp.Rank(procs)
	incoming := trim(p.Starter()[incomingAt:][:textSize])
	if expected := trim(text(left)); incoming != expected {
		return "", fmt.Errorf("rank %d: found %q, expected %q", p.Rank(), incoming, expected)
	}
	total := binary.NativeEndian.Uint64(p.Starter()[totalAt:])
	if expected := uint64(procs) * uint64(procs+1) / 2; total != expected {
		return "", fmt.Errorf("rank %d: the counter is %d, expected %d", p.Rank(), total, expected)
	}
	return incoming, nil
}

// trim is the text of a field that is filled up with zeros.
func trim(field []byte) string {
	n := 0
	for n < len(field) && field[n] != 0 {
		n++
	}
	return string(field[:n])
}
