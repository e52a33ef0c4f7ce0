package acp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// byteRow has the methods that vectors and deques share.
type byteRow interface {
	Address() acp.GA
	Destroy() error
	Len() (uint64, error)
	Cap() (uint64, error)
	Empty() (bool, error)
	Clear() error
	Reserve(n uint64) error
	Locate(offset int) (acp.GA, error)
	Begin() acp.SequenceIterator
	End() (acp.SequenceIterator, error)
	PushBack(e acp.Element) error
	PopBack(n uint64) error
	Insert(it acp.SequenceIterator, e acp.Element) (acp.SequenceIterator, error)
	Erase(it acp.SequenceIterator, n uint64) (acp.SequenceIterator, error)
	EraseRange(start, end acp.SequenceIterator) (acp.SequenceIterator, error)
	AssignRange(start, end acp.SequenceIterator) error
	InsertRange(it, start, end acp.SequenceIterator) (acp.SequenceIterator, error)
}

// modelled is a vector or deque, and its expected bytes.
type modelled struct {
	byteRow
	want []byte
}

// assign and swap take the type of the object itself.
func (m *modelled) assign(from *modelled) error {
	if v, ok := m.byteRow.(acp.ByteVector); ok {
		return v.Assign(from.byteRow.(acp.ByteVector))
	}
	return m.byteRow.(acp.ByteDeque).Assign(from.byteRow.(acp.ByteDeque))
}

func (m *modelled) swap(with *modelled) error {
	if v, ok := m.byteRow.(acp.ByteVector); ok {
		return v.Swap(with.byteRow.(acp.ByteVector))
	}
	return m.byteRow.(acp.ByteDeque).Swap(with.byteRow.(acp.ByteDeque))
}

// control returns address, offset, size and capacity as the memory has them.
func (m *modelled) control(u *rowUser) (data acp.GA, offset, size, capacity uint64, err error) {
	words := make([]uint64, 4)
	n := 24
	if _, ok := m.byteRow.(acp.ByteDeque); ok {
		n = 32
	}
	b, err := u.fetch(m.Address(), n)
	for i := range n / 8 {
		words[i] = binary.NativeEndian.Uint64(b[8*i:])
	}
	if n == 24 {
		return acp.GA(words[0]), 0, words[1], words[2], err
	}
	return acp.GA(words[0]), words[1], words[2], words[3], err
}

// check compares the object, by its memory and by its methods, with the model.
func (m *modelled) check(u *rowUser) error {
	data, offset, size, capacity, err := m.control(u)
	if err != nil {
		return err
	}
	if size != uint64(len(m.want)) || capacity < size || (offset > 0 && offset >= capacity) || (capacity == 0) != (data == acp.NullGA) {
		return fmt.Errorf("control block: data %v, offset %d, size %d, capacity %d; expected %d bytes", data, offset, size, capacity, len(m.want))
	}
	first := min(size, capacity-offset)
	got, err := u.fetch(data+acp.GA(offset), int(first))
	if err != nil {
		return err
	}
	rest, err := u.fetch(data, int(size-first))
	if err != nil {
		return err
	}
	if got = append(got, rest...); !bytes.Equal(got, m.want) {
		i := 0
		for got[i] == m.want[i] {
			i++
		}
		return fmt.Errorf("of %d bytes, those from %d on are %x, expected %x", size, i, got[i:min(i+16, len(got))], m.want[i:min(i+16, len(got))])
	}
	n, err1 := m.Len()
	c, err2 := m.Cap()
	empty, err3 := m.Empty()
	end, err4 := m.End()
	if n != size || c != capacity || empty != (size == 0) || end != m.Begin().Advance(int(size)) {
		return fmt.Errorf("size %d, capacity %d, empty %v, end %v; in memory %d of %d", n, c, empty, end, size, capacity)
	}
	return errors.Join(err1, err2, err3, err4, m.checkPlaces(u, data, offset, size, capacity))
}

// checkPlaces compares addresses with the layout.
func (m *modelled) checkPlaces(u *rowUser, data acp.GA, offset, size, capacity uint64) error {
	i := u.rnd.IntN(int(size)+3) - 1
	inside := i >= 0 && uint64(i) < size
	where := acp.NullGA
	if inside {
		where = data + acp.GA((offset+uint64(i))%capacity)
	}
	ga, err := m.Locate(i)
	if ga != where || inside != (err == nil) || !inside && !errors.Is(err, acp.ErrOutOfRange) {
		return fmt.Errorf("byte %d is at %v, expected %v: %v", i, ga, where, err)
	}
	it := m.Begin().Advance(i)
	if v, ok := m.byteRow.(acp.ByteVector); ok {
		if uint64(i) == size && capacity > 0 {
			where = data + acp.GA(size)
		}
		if ga, err := v.Deref(it); ga != where || err != nil {
			return fmt.Errorf("byte %d derefers to %v, expected %v: %v", i, ga, where, err)
		}
		return nil
	}
	n := u.rnd.Uint64N(size + 2)
	var want acp.Pair
	if left := size - uint64(i); inside && n > 0 {
		n = min(n, left)
		first := min(n, capacity-uint64(where-data))
		want.First = acp.Element{GA: where, Size: first}
		if n > first {
			want.Second = acp.Element{GA: data, Size: n - first}
		}
	} else if inside {
		want.First.GA = where
	}
	if got, err := m.byteRow.(acp.ByteDeque).Deref(it, n); got != want || err != nil {
		return fmt.Errorf("%d bytes from %d: %v, expected %v: %v", n, i, got, want, err)
	}
	return nil
}

// rowUser is one rank of the test, with objects on all ranks that no other rank uses.
type rowUser struct {
	p    *member
	rnd  *rand.Rand
	rows []*modelled
	area []acp.GA // by rank
}

// Each rank has a part of the starter memory of every rank. Its first half holds the bytes to insert, its
// second half receives the bytes that are fetched.
const rowArea = 256 << 10

func newRowUser(p *member, seed uint64) (*rowUser, error) {
	u := &rowUser{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
	for rank := range p.Procs() {
		ga, err := p.StarterGA(acp.Rank(rank))
		if err != nil {
			return nil, err
		}
		u.area = append(u.area, ga+acp.GA(p.Rank())*rowArea)
	}
	return u, nil
}

func (u *rowUser) own() []byte {
	at := int(u.p.Rank()) * rowArea
	return u.p.Starter()[at : at+rowArea]
}

func (u *rowUser) copy(dst, src acp.GA, n int) error {
	h, err := u.p.Copy(dst, src, uint64(n), acp.HandleNull)
	if err != nil {
		return err
	}
	return u.p.Complete(h)
}

func (u *rowUser) fetch(ga acp.GA, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if err := u.copy(u.area[u.p.Rank()]+rowArea/2, ga, n); err != nil {
		return make([]byte, n), err
	}
	return bytes.Clone(u.own()[rowArea/2:][:n]), nil
}

// element returns bytes somewhere in global memory.
func (u *rowUser) element() (acp.Element, []byte, error) {
	n := u.rnd.IntN(40)
	switch u.rnd.IntN(200) {
	case 0:
		n = u.rnd.IntN(rowArea / 4)
	case 1, 2, 3, 4:
		n = u.rnd.IntN(2000)
	}
	b := u.own()[:n]
	for i := range b {
		b[i] = byte(u.rnd.Uint32())
	}
	rank := acp.Rank(u.rnd.IntN(u.p.Procs()))
	e := acp.Element{GA: u.area[rank], Size: uint64(n)}
	if rank == u.p.Rank() || n == 0 {
		return e, bytes.Clone(b), nil
	}
	return e, bytes.Clone(b), u.copy(e.GA, u.area[u.p.Rank()], n)
}

func (u *rowUser) create() (*modelled, error) {
	n := uint64(u.rnd.IntN(50))
	rank := acp.Rank(u.rnd.IntN(u.p.Procs()))
	if u.rnd.IntN(2) == 0 {
		d, err := u.p.NewByteDeque(n, rank)
		return &modelled{byteRow: u.p.ByteDequeAt(d.Address())}, err
	}
	v, err := u.p.NewByteVector(n, rank)
	if err != nil {
		return nil, err
	}
	m := &modelled{byteRow: u.p.ByteVectorAt(v.Address())}
	if n > 0 { // its contents are undefined
		ga, err1 := v.Locate(0)
		b, err2 := u.fetch(ga, int(n))
		m.want, err = b, errors.Join(err1, err2)
	}
	return m, err
}

func (u *rowUser) step() error {
	if len(u.rows) < 6 {
		m, err := u.create()
		u.rows = append(u.rows, m)
		return err
	}
	k := u.rnd.IntN(len(u.rows))
	m := u.rows[k]
	if u.rnd.IntN(200) == 0 {
		u.rows = slices.Delete(u.rows, k, k+1)
		return m.Destroy()
	}
	if len(m.want) > rowArea/4 || len(m.want) > 3000 && u.rnd.IntN(20) == 0 {
		n := u.rnd.IntN(len(m.want))
		m.want = m.want[:n]
		_, err := m.Erase(m.Begin().Advance(n), uint64(rowArea))
		return err
	}
	err := u.change(m)
	if err == nil && u.rnd.IntN(4) == 0 {
		err = m.check(u)
	}
	return err
}

// sibling returns an object of the same kind as m, maybe m itself.
func (u *rowUser) sibling(m *modelled) *modelled {
	_, deque := m.byteRow.(acp.ByteDeque)
	for {
		o := u.rows[u.rnd.IntN(len(u.rows))]
		if _, ok := o.byteRow.(acp.ByteDeque); ok == deque {
			return o
		}
	}
}

// part returns two places in m, the first not behind the second.
func (u *rowUser) part(m *modelled) (int, int) {
	i := u.rnd.IntN(len(m.want) + 1)
	return i, i + u.rnd.IntN(len(m.want)-i+1)
}

// change carries out one operation on m and on its model.
func (u *rowUser) change(m *modelled) error {
	switch u.rnd.IntN(14) {
	case 0, 1, 2:
		e, b, err := u.element()
		m.want = append(m.want, b...)
		return errors.Join(err, m.PushBack(e))
	case 3, 4:
		n := u.rnd.IntN(40)
		m.want = m.want[:max(0, len(m.want)-n)]
		return m.PopBack(uint64(n))
	case 5, 6, 7:
		d, ok := m.byteRow.(acp.ByteDeque)
		if !ok {
			return nil
		}
		if u.rnd.IntN(2) == 0 {
			n := min(u.rnd.IntN(60), len(m.want)+5)
			m.want = slices.Clone(m.want[min(n, len(m.want)):])
			return d.PopFront(uint64(n))
		}
		e, b, err := u.element()
		m.want = append(b, m.want...)
		return errors.Join(err, d.PushFront(e))
	case 8:
		e, b, err := u.element()
		i := u.rnd.IntN(len(m.want) + 3)
		return errors.Join(err, u.insert(m, i, b, func(it acp.SequenceIterator) (acp.SequenceIterator, error) { return m.Insert(it, e) }))
	case 9:
		return u.erase(m)
	case 10:
		return u.insertPart(m)
	case 11:
		return u.replace(m)
	case 12:
		o := u.sibling(m)
		m.want, o.want = o.want, m.want
		return errors.Join(m.swap(o), o.check(u))
	}
	if u.rnd.IntN(10) == 0 {
		m.want = nil
		return m.Clear()
	}
	n := uint64(u.rnd.IntN(2 * (len(m.want) + 10)))
	if err := m.Reserve(n); err != nil {
		return err
	}
	if c, err := m.Cap(); c < n || err != nil {
		return fmt.Errorf("capacity %d after a reservation of %d: %v", c, n, err)
	}
	return nil
}

func (u *rowUser) insert(m *modelled, i int, b []byte, do func(acp.SequenceIterator) (acp.SequenceIterator, error)) error {
	at := min(i, len(m.want))
	got, err := do(m.Begin().Advance(i))
	if want := m.Begin().Advance(at); err == nil && got != want {
		return fmt.Errorf("insertion at %d: %v, expected %v", i, got, want)
	}
	m.want = slices.Insert(slices.Clone(m.want), at, b...)
	return err
}

func (u *rowUser) insertPart(m *modelled) error {
	o := u.sibling(m)
	if len(o.want)+len(m.want) > rowArea/2 {
		return nil
	}
	i, j := u.part(o)
	b := bytes.Clone(o.want[i:j])
	if len(b) == 0 {
		return nil
	}
	return u.insert(m, u.rnd.IntN(len(m.want)+1), b, func(it acp.SequenceIterator) (acp.SequenceIterator, error) {
		return m.InsertRange(it, o.Begin().Advance(i), o.Begin().Advance(j))
	})
}

func (u *rowUser) erase(m *modelled) error {
	i, j := u.part(m)
	start, end := m.Begin().Advance(i), m.Begin().Advance(j)
	m.want = slices.Delete(slices.Clone(m.want), i, j)
	if u.rnd.IntN(2) == 0 {
		if it, err := m.Erase(start, uint64(j-i)); it != start || err != nil {
			return fmt.Errorf("erasure at %v: %v, %v", start, it, err)
		}
		return nil
	}
	if it, err := m.EraseRange(start, end); it != start || err != nil {
		return fmt.Errorf("erasure from %v to %v: %v, %v", start, end, it, err)
	}
	return nil
}

func (u *rowUser) replace(m *modelled) error {
	o := u.sibling(m)
	if u.rnd.IntN(2) == 0 {
		m.want = bytes.Clone(o.want)
		return m.assign(o)
	}
	i, j := u.part(o)
	beyond := 0
	if j == len(o.want) {
		beyond = u.rnd.IntN(3)
	}
	b := bytes.Clone(o.want[i:j])
	m.want = b
	return m.AssignRange(o.Begin().Advance(i), o.Begin().Advance(j+beyond))
}

// TestRowModel uses vectors and deques on all ranks from all ranks at random. It compares them, by their
// methods and by their memory, with slices. At the end all heaps are empty.
func TestRowModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 25000, bridge.ModeTCP: 5000}
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		cfg := acp.Config{Mode: mode, StarterSize: rowArea * uint64(n)}
		run(t, n, cfg, func(p *member) error {
			u, err := newRowUser(p, seed)
			if err != nil {
				return err
			}
			for i := range steps[mode] {
				if err := u.step(); err != nil {
					return fmt.Errorf("step %d: %w", i, err)
				}
			}
			for _, m := range u.rows {
				if err := errors.Join(m.check(u), m.Destroy()); err != nil {
					return err
				}
			}
			return wholeHeap(p)
		})
	})
}
