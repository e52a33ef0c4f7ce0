package acp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestListModel: each rank works on its own lists, whose control blocks and elements lie on all ranks, and on
// slices as their models. It compares the lists, and their words in memory, with the slices. At the end all
// heaps are empty.
func TestListModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 36000, bridge.ModeTCP: 4000}
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		cfg := acp.Config{Mode: mode, StarterSize: 1 << 20, HeapSize: acp.MinHeapSize}
		run(t, n, cfg, func(p *member) error {
			u := newListUser(p, seed, mode == bridge.ModeTCP)
			for i := range steps[mode] {
				if err := u.step(); err != nil {
					return fmt.Errorf("step %d: %w", i, err)
				}
			}
			for _, l := range u.lists {
				if err := l.Destroy(); err != nil {
					return err
				}
			}
			return p.emptyHeap()
		})
	})
}

// emptyHeap waits for all ranks and checks that the heap of the next rank is empty.
func (m *member) emptyHeap() error {
	if err := m.Sync(); err != nil {
		return err
	}
	next := acp.Rank((int(m.Rank()) + 1) % m.Procs())
	all, err := m.Malloc(acp.MinHeapSize, next)
	if err != nil {
		return fmt.Errorf("something is left in the heap of rank %d: %w", next, err)
	}
	return m.Free(all)
}

// listUser is one rank of TestListModel.
type listUser struct {
	p     *member
	rnd   *rand.Rand
	own   acp.GA
	lists []*listModel
	spare bool // look at the words only now and then
}

// listModel is a list and its expected contents.
type listModel struct {
	acp.ByteList
	rank     acp.Rank
	elements []listElement
}

type listElement struct {
	value string
	rank  acp.Rank
	ga    acp.GA // null until it has been looked up
}

func newListUser(p *member, seed uint64, spare bool) *listUser {
	u := &listUser{
		p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))),
		own: must(p.StarterGA(p.Rank())), spare: spare,
	}
	for range 4 {
		rank := u.rank()
		u.lists = append(u.lists, &listModel{ByteList: must(p.NewByteList(rank)), rank: rank})
	}
	return u
}

func (u *listUser) rank() acp.Rank { return acp.Rank(u.rnd.IntN(u.p.Procs())) }

func (u *listUser) list() *listModel { return u.lists[u.rnd.IntN(len(u.lists))] }

// value returns a short text of few letters, or, seldom, a long one.
func (u *listUser) value() string {
	n := u.rnd.IntN(4)
	if u.rnd.IntN(200) == 0 {
		n = 30000 + u.rnd.IntN(40000)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab"[u.rnd.IntN(2)]
	}
	return string(b)
}

// element stores a value in memory that all ranks reach.
func (u *listUser) element(value string) acp.Element {
	copy(u.p.Starter(), value)
	return acp.Element{GA: u.own, Size: uint64(len(value))}
}

// place returns the iterator of the i-th element.
func (u *listUser) place(l *listModel, i int) (acp.ListIterator, error) {
	it, err := l.Begin()
	if err == nil {
		it, err = l.Advance(it, i)
	}
	if err == nil && (i == len(l.elements)) != (it == l.End()) {
		err = fmt.Errorf("the place %d of %d is %v", i, len(l.elements), it)
	}
	return it, err
}

// between returns two places.
func (u *listUser) between(l *listModel) (i, j int, start, end acp.ListIterator, err error) {
	i = u.rnd.IntN(len(l.elements) + 1)
	j = i + u.rnd.IntN(len(l.elements)+1-i)
	if start, err = u.place(l, i); err == nil {
		end, err = u.place(l, j)
	}
	return i, j, start, end, err
}

func (u *listUser) step() error {
	l, other := u.list(), u.list()
	operations := []func(l, other *listModel) error{
		u.push, u.push, u.push, u.insert, u.pop, u.erase, u.eraseRange, u.assign, u.assignRange, u.insertRange,
		u.splice, u.spliceRange, u.swap, u.merge, u.sort, u.unique, u.remove, u.reverse, u.clear, u.walk, u.renew,
	}
	k := u.rnd.IntN(len(operations))
	for len(l.elements)+len(other.elements) > 30 { // some operations make lists longer and longer
		if err := errors.Join(u.clear(l, nil), u.clear(other, nil)); err != nil {
			return err
		}
	}
	if err := operations[k](l, other); err != nil {
		return fmt.Errorf("operation %d: %w", k, err)
	}
	if u.spare && u.rnd.IntN(5) > 0 {
		return nil
	}
	return errors.Join(u.check(l), u.check(other))
}

// check compares a list and its words with the model.
func (u *listUser) check(l *listModel) error {
	words := func(ga acp.GA, n int) ([]uint64, error) {
		if err := u.p.move(u.own, ga, 8*n); err != nil {
			return nil, err
		}
		w := make([]uint64, n)
		for i := range w {
			w[i] = binary.NativeEndian.Uint64(u.p.Starter()[8*i:])
		}
		return w, nil
	}
	head, err := words(l.Address(), 3)
	if err != nil {
		return err
	}
	if head[2] != uint64(len(l.elements)) || must(u.p.QueryRank(l.Address())) != l.rank {
		return fmt.Errorf("%d elements on rank %d, expected %d", head[2], l.rank, len(l.elements))
	}
	at, before := acp.GA(head[0]), l.Address()
	for i := range l.elements {
		e := &l.elements[i]
		if at == l.Address() || e.ga != acp.NullGA && at != e.ga || must(u.p.QueryRank(at)) != e.rank {
			return fmt.Errorf("element %d is at %v, expected %v on rank %d", i, at, e.ga, e.rank)
		}
		e.ga = at
		w, err := words(at, 3)
		if err != nil {
			return err
		}
		if acp.GA(w[1]) != before || w[2] != uint64(len(e.value)) {
			return fmt.Errorf("element %d has the words %#x, expected %v before and %d bytes", i, w, before, len(e.value))
		}
		if err := u.p.move(u.own, at+24, len(e.value)); err != nil {
			return err
		}
		if got := u.p.Starter()[:len(e.value)]; string(got) != e.value {
			return fmt.Errorf("element %d is %.20q, expected %.20q", i, got, e.value)
		}
		at, before = acp.GA(w[0]), at
	}
	if at != l.Address() || acp.GA(head[1]) != before {
		return fmt.Errorf("behind the last: %v; the last: %#x, expected %v", at, head[1], before)
	}
	return nil
}

func (m *member) move(dst, src acp.GA, n int) error {
	h, err := m.Copy(dst, src, uint64(n), acp.HandleNull)
	if err != nil {
		return err
	}
	return m.Complete(h)
}
