package fabrictest

import (
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// MemorySize is the least number of bytes that a Member must publish.
const MemorySize = 4 << 20

// Member is one member of the transport under test.
type Member struct {
	Transport fabric.Transport

	// Memory is published memory as the owner's CPU sees it, aligned to 4096, and
	// Pos the position of its first byte, also a multiple of 4096.
	Memory []byte
	Pos    uint64

	// Bad is a position of which not one byte is published. The bytes before
	// Bad may be.
	Bad uint64
}

// Caps says what can be done with the memory under test.
type Caps struct {
	Atomic bool // atomics; without it they must fail with fabric.ErrNoPath
	CPU    bool // atomics are atomic with respect to the owner's CPU
	Copy   bool // copies between any two members; without it they are not tried
	Range  bool // access beyond published memory is an error of fabric.RangeError
}

// Make makes n members that reach each other. It registers their clean-up,
// including Close of the transports, with t.
type Make func(t *testing.T, n int) []Member

// Run checks the transport that mk makes.
func Run(t *testing.T, caps Caps, mk Make) {
	s := suite{caps: caps, mk: mk}
	t.Run("copies", s.testCopies)
	t.Run("zero", s.testZero)
	t.Run("torn", s.testTorn)
	t.Run("order", s.testOrder)
	t.Run("atomics", s.testAtomics)
	if caps.Atomic {
		t.Run("misaligned", s.testMisaligned)
		t.Run("counter", s.testCounter)
	} else {
		t.Run("nopath", s.testNoPath)
	}
	if caps.Copy {
		t.Run("third", s.testThird)
	}
	if caps.Range {
		t.Run("range", s.testRange)
	}
	t.Run("crowd", s.testCrowd)
	t.Run("close", s.testClose)
	t.Run("stranger", s.testStranger)
}

type suite struct {
	caps Caps
	mk   Make
}

// make returns n members after checking what mk promised.
func (s suite) make(t *testing.T, n int) []Member {
	t.Helper()
	ms := s.mk(t, n)
	if len(ms) != n {
		t.Fatalf("asked for %d ranks, got %d", n, len(ms))
	}
	for i, m := range ms {
		if len(m.Memory) < MemorySize || m.Pos%4096 != 0 {
			t.Fatalf("rank %d has %d bytes at position %#x; the suite needs %d at a multiple of 4096",
				i, len(m.Memory), m.Pos, MemorySize)
		}
	}
	return ms
}

// fill writes a pattern that depends on seed and position.
func fill(b []byte, seed byte) {
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
}

// same compares got with want and describes the first difference.
func same(got, want []byte) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of %d is %#x, want %#x", i, len(want), got[i], want[i])
		}
	}
	return nil
}
