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

	// Unmapped says of an immediate transport that it does not reach Memory by loads and
	// stores, but by system calls: then it has no atomics there.
	Unmapped bool

	// Kill ends the member as if its process had died. Nil: the test cannot do that.
	Kill func()
}

// Make makes n members that reach each other. It registers their clean-up,
// including Close of the transports, with t.
type Make func(t *testing.T, n int) []Member

// Run checks the transport that mk makes. What it tests follows from the Abilities of the
// transport.
func Run(t *testing.T, mk Make) {
	s := &suite{mk: mk}
	for _, test := range []struct {
		name string
		run  func(*testing.T, []Member)
		n    int                 // members
		of   func(m Member) bool // whether the test applies; nil: to all
	}{
		{"copies", testCopies, 2, nil},
		{"zero", testZero, 2, nil},
		{"torn", testTorn, 2, nil},
		{"order", testOrder, 2, nil},
		{"atomics", testAtomics, 2, hasAtomics},
		{"misaligned", testMisaligned, 2, hasAtomics},
		{"counter", testCounter, 3, hasAtomics},
		{"no atomics", testNoAtomics, 2, func(m Member) bool { return !hasAtomics(m) }},
		{"third", testThird, 3, func(m Member) bool { return m.can().Copies }},
		{"overlap", testOverlap, 2, func(m Member) bool { return m.can().Copies }},
		{"no third", testNoThird, 3, func(m Member) bool { return !m.can().Copies }},
		{"range", testRange, 3, nil},
		{"size", testSize, 2, nil},
		{"immediate", testImmediate, 2, func(m Member) bool { return m.can().Immediate }},
		{"unmapped source", testUnmapped, 2, noticesUnmapped},
		{"crowd", testCrowd, 4, nil},
		{"dead", testDead, 3, func(m Member) bool { return m.Kill != nil && !m.can().Waits }},
		{"close", testClose, 2, nil},
		{"stranger", testStranger, 2, nil},
	} {
		if test.of != nil && s.seen != nil && !test.of(*s.seen) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			ms := s.make(t, test.n)
			s.seen = &ms[0]
			if test.of == nil || test.of(ms[0]) {
				test.run(t, ms)
			}
		})
	}
}

func (m Member) can() fabric.Abilities { return m.Transport.Abilities() }

// byLoads reports whether the transport reaches the memory by loads and stores.
func (m Member) byLoads() bool { return m.can().Immediate && !m.Unmapped }

func hasAtomics(m Member) bool { return m.can().Atomics != fabric.NoAtomics && !m.Unmapped }

// noticesUnmapped reports whether memory of this process that is not mapped is an error.
func noticesUnmapped(m Member) bool {
	_, elsewhere := m.Transport.(*remote)
	return m.can().Notices && !m.byLoads() && !elsewhere
}

type suite struct {
	mk   Make
	seen *Member // one that mk has made, to know what the transport can do
}

// make returns n members after checking what mk promised.
func (s *suite) make(t *testing.T, n int) []Member {
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
		if m.can() != ms[0].can() || m.Transport.Name() != ms[0].Transport.Name() {
			t.Fatalf("rank %d has %s with %+v, rank 0 %s with %+v",
				i, m.Transport.Name(), m.can(), ms[0].Transport.Name(), ms[0].can())
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
