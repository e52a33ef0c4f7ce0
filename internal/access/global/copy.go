package global

import (
	"bytes"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/router"
)

// Put copies b to dst. Blocks for one round trip.
func (m *Memory) Put(dst uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := m.Check(dst); err != nil {
		return err
	}
	if m.Detaches() {
		private := bytes.Clone(b)
		return m.detached(func(m *Memory) error { return m.Put(dst, private) })
	}
	epoch := m.space.Enter()
	to, err := m.Locate(dst, uint64(len(b)))
	return m.carry(epoch, to, m.router.Here(b), uint64(len(b)), err)
}

// Get copies the bytes at src to b. Blocks for one round trip.
func (m *Memory) Get(b []byte, src uint64) error {
	if len(b) == 0 {
		return nil
	}
	if err := m.Check(src); err != nil {
		return err
	}
	if m.Detaches() {
		private := make([]byte, len(b))
		err := m.detached(func(m *Memory) error { return m.Get(private, src) })
		if err == nil {
			copy(b, private)
		}
		return err
	}
	epoch := m.space.Enter()
	from, err := m.Locate(src, uint64(len(b)))
	return m.carry(epoch, m.router.Here(b), from, uint64(len(b)), err)
}

// Move copies the memory of src to dst, each of any rank. Blocks for one round trip.
func (m *Memory) Move(dst uint64, src ga.Span) error {
	if src.N == 0 {
		return nil
	}
	if err := m.Check(dst); err != nil {
		return err
	}
	if err := m.Check(src.GA); err != nil {
		return err
	}
	if m.Detaches() {
		return m.detached(func(m *Memory) error { return m.Move(dst, src) })
	}
	epoch := m.space.Enter()
	to, err := m.Locate(dst, src.N)
	var from router.Location
	if err == nil {
		from, err = m.Locate(src.GA, src.N)
	}
	return m.carry(epoch, to, from, src.N, err)
}

// carry copies n bytes from src to dst, unless err says that there is no such memory. The
// caller has entered the space before it located them. carry leaves it as soon as the
// transport has the copy, so that Unregister does not wait for a slow peer.
func (m *Memory) carry(epoch uint32, dst, src router.Location, n uint64, err error) error {
	if err != nil {
		m.space.Leave(epoch)
		return Cause(err)
	}
	a := m.router.Between(dst, src)
	if a.Immediate() {
		defer m.space.Leave(epoch)
		fabric.Move(dst.Addr, src.Addr, n)
		return nil
	}
	r := &reply{cond: m.cond}
	m.router.Carry(a, dst, src, n, r)
	m.space.Leave(epoch)
	_, err = r.wait(activity.On(activity.Answer, -1))
	return Cause(err)
}

// Load returns the bytes of a span: the bytes themselves if this process has mapped them,
// otherwise a copy. Fails with ErrFull if the span is larger than the heap of its rank may
// grow. Blocks for one round trip.
func (m *Memory) Load(s ga.Span) ([]byte, error) {
	if b, ok := m.View(s); ok {
		return b, nil
	}
	if err := m.checkLoad(s); err != nil {
		return nil, err
	}
	b := make([]byte, s.N)
	return b, m.Get(b, s.GA)
}

// checkLoad finds out what can be known about a span without asking its owner, for Load.
func (m *Memory) checkLoad(s ga.Span) error {
	if err := m.Check(s.GA); err != nil {
		return err
	}
	if heap := m.HeapSize(m.Member(s.GA)); s.N > heap {
		return fmt.Errorf("%w: %d bytes for a heap of %d", ErrFull, s.N, heap)
	}
	return nil
}
