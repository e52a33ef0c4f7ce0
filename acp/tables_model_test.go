package acp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/race"
)

// structure has the methods that sets, multisets and maps share.
type structure interface {
	Address() acp.TableAddress
	Begin() (acp.TableIterator, error)
	BeginLocal() (acp.TableIterator, error)
	End() acp.TableIterator
	EndLocal() (acp.TableIterator, error)
	Next(acp.TableIterator) (acp.TableIterator, error)
	Find(acp.Element) (acp.TableIterator, error)
	Remove(acp.Element) (bool, error)
	Len() (int, error)
	LenLocal() (int, error)
	Empty() (bool, error)
	EmptyLocal() (bool, error)
	Clear() error
	ClearLocal() error
	Destroy() error
}

// kinds are the structures under test; the bytes before a key are from the layouts.
var kinds = []tableKind{
	{name: "set", head: 24, create: func(p *acp.Process, ranks []acp.Rank, slots int, rank acp.Rank) (structure, error) {
		return p.NewByteSet(ranks, slots, rank)
	}, at: func(p *acp.Process, a acp.TableAddress) structure { return p.ByteSetAt(a) }},
	{name: "multiset", head: 32, create: func(p *acp.Process, ranks []acp.Rank, slots int, rank acp.Rank) (structure, error) {
		return p.NewByteMultiset(ranks, slots, rank)
	}, at: func(p *acp.Process, a acp.TableAddress) structure { return p.ByteMultisetAt(a) }},
	{name: "map", head: 32, create: func(p *acp.Process, ranks []acp.Rank, slots int, rank acp.Rank) (structure, error) {
		return p.NewByteMap(ranks, slots, rank)
	}, at: func(p *acp.Process, a acp.TableAddress) structure { return p.ByteMapAt(a) }},
}

type tableKind struct {
	name   string
	head   int
	create func(p *acp.Process, ranks []acp.Rank, slots int, rank acp.Rank) (structure, error)
	at     func(p *acp.Process, a acp.TableAddress) structure
}

// content is the expected contents of a structure: by key its value, and in a multiset its multiplicity.
type content map[string]entry

type entry struct {
	value string
	times uint64
}

// TestTablesModel: every rank carries out random operations on its own structures, which lie on all ranks,
// and compares them with Go maps.
func TestTablesModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: race.Cases(30000, 6000), bridge.ModeTCP: race.Cases(4000, 1000)}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
				cfg := acp.Config{Mode: mode, StarterSize: 1 << 19, HeapSize: acp.MinHeapSize}
				run(t, n, cfg, func(p *member) error {
					u := &tableUser{p: p, kind: kind, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
					if err := u.play(steps[mode]); err != nil {
						return err
					}
					return heapIsWhole(p)
				})
			})
		})
	}
}

// heapIsWhole checks that the heap of the next rank is empty.
func heapIsWhole(p *member) error {
	if err := p.Sync(); err != nil {
		return err
	}
	next := acp.Rank((int(p.Rank()) + 1) % p.Procs())
	all, err := p.Malloc(acp.MinHeapSize, next)
	if err != nil {
		return fmt.Errorf("the heap of rank %d is not empty: %w", next, err)
	}
	return p.Free(all)
}

// tableUser is one rank of TestTablesModel. It has two structures of different shapes.
type tableUser struct {
	p    *member
	kind tableKind
	rnd  *rand.Rand
	is   [2]structure
	want [2]content
}

// The bytes of a user lie in its part of the starter memory of every rank, with places for the key, the value
// and the bytes that it reads.
const (
	userPart  = 150 << 10
	valuePart = 4 << 10
	readPart  = 80 << 10
)

func (u *tableUser) play(steps int) error {
	n := u.p.Procs()
	shapes := []struct {
		ranks []acp.Rank
		slots int
	}{{[]acp.Rank{0, 1, 2}, 17}, {[]acp.Rank{2, 0}, 40}, {[]acp.Rank{1}, 1}, {[]acp.Rank{1, 2, 0}, 17}, {[]acp.Rank{0, 0, 1}, 5}}
	for i := range u.is {
		s := shapes[u.rnd.IntN(len(shapes))]
		var err error
		if u.is[i], err = u.kind.create(u.p.Process, s.ranks, s.slots, acp.Rank(u.rnd.IntN(n))); err != nil {
			return err
		}
		u.want[i] = content{}
	}
	for i := range steps {
		if err := u.step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if i%1000 == 999 {
			if err := errors.Join(u.check(0), u.check(1)); err != nil {
				return fmt.Errorf("after step %d: %w", i, err)
			}
		}
	}
	return errors.Join(u.is[0].Destroy(), u.is[1].Destroy())
}

func (u *tableUser) step() error {
	i := u.rnd.IntN(2)
	switch op := u.rnd.IntN(1000); {
	case op < 400:
		return u.insert(i)
	case op < 650:
		return u.find(i)
	case op < 990:
		return u.remove(i)
	case op < 993:
		return u.sizes(i)
	case op < 999:
		return u.both(i)
	}
	return u.clear(i)
}

// key returns a key, mostly one of few.
func (u *tableUser) key() string {
	k := fmt.Sprintf("key %d", u.rnd.IntN(300))
	if u.rnd.IntN(50) == 0 {
		k += string(bytes.Repeat([]byte{'.'}, u.rnd.IntN(3000)))
	}
	return k
}

func (u *tableUser) value() string {
	n := 1 + u.rnd.IntN(40)
	switch u.rnd.IntN(200) {
	case 0:
		n = u.rnd.IntN(60 << 10)
	case 1:
		n = 0
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(u.rnd.Uint32())
	}
	return string(b)
}

// place puts s into memory of some rank.
func (u *tableUser) place(s string, part int) acp.Element {
	at := int(u.p.Rank())*userPart + part
	copy(u.p.Starter()[at:], s)
	own := must(u.p.StarterGA(u.p.Rank())) + acp.GA(at)
	if u.rnd.IntN(4) > 0 {
		return acp.Element{GA: own, Size: uint64(len(s))}
	}
	far := must(u.p.StarterGA(acp.Rank(u.rnd.IntN(u.p.Procs())))) + acp.GA(at)
	u.move(far, own, len(s))
	return acp.Element{GA: far, Size: uint64(len(s))}
}

func (u *tableUser) move(dst, src acp.GA, n int) {
	if n == 0 {
		return
	}
	if err := u.p.Complete(must(u.p.Copy(dst, src, uint64(n), acp.HandleNull))); err != nil {
		panic(err)
	}
}

// read returns n bytes at ga of any rank.
func (u *tableUser) read(ga acp.GA, n int) []byte {
	at := int(u.p.Rank())*userPart + readPart
	u.move(must(u.p.StarterGA(u.p.Rank()))+acp.GA(at), ga, n)
	return u.p.Starter()[at : at+n : at+n]
}

func (u *tableUser) words(ga acp.GA, n int) []uint64 {
	list := make([]uint64, n)
	for i, b := 0, u.read(ga, 8*n); i < n; i++ {
		list[i] = binary.NativeEndian.Uint64(b[8*i:])
	}
	return list
}

func (u *tableUser) insert(i int) error {
	key := u.key()
	e := u.place(key, 0)
	old, had := u.want[i][key]
	var added bool
	var err error
	now := entry{times: 1}
	switch s := u.is[i].(type) {
	case acp.ByteSet:
		added, err = s.Insert(e)
	case acp.ByteMultiset:
		now.times += old.times
		added, err = s.Insert(e)
	case acp.ByteMap:
		now.value = u.value()
		added, err = s.Insert(acp.Pair{First: e, Second: u.place(now.value, valuePart)})
		if now.value == "" {
			delete(u.want[i], key)
			if added || err != nil {
				return fmt.Errorf("insertion of nothing: %v, %w", added, err)
			}
			return nil
		}
		if had {
			now = old
		}
	}
	u.want[i][key] = now
	if err != nil || added == had {
		return fmt.Errorf("insertion of %.20q: %v, %w", key, added, err)
	}
	return nil
}

func (u *tableUser) find(i int) error {
	key := u.key()
	e := u.place(key, 0)
	want, has := u.want[i][key]
	it, err := u.is[i].Find(e)
	if err != nil || (it != u.is[i].End()) != has {
		return fmt.Errorf("%.20q at %v, %w", key, it, err)
	}
	if has {
		if err := u.compare(i, it, key, want); err != nil {
			return err
		}
	}
	switch s := u.is[i].(type) {
	case acp.ByteMultiset:
		if times, err := s.Count(e); err != nil || times != want.times {
			return fmt.Errorf("%.20q is there %d times, expected %d, %w", key, times, want.times, err)
		}
	case acp.ByteMap:
		capacity := u.rnd.IntN(70 << 10)
		to := u.place(string(make([]byte, capacity)), valuePart)
		n, err := s.Load(acp.Pair{First: e, Second: to})
		if err != nil || n != uint64(min(capacity, len(want.value))) {
			return fmt.Errorf("%d of %d bytes, with room for %d: %w", n, len(want.value), capacity, err)
		}
		if got := u.read(to.GA, int(n)); string(got) != want.value[:n] {
			return fmt.Errorf("a wrong value of %d bytes", n)
		}
	}
	return nil
}

// compare checks the element at it.
func (u *tableUser) compare(i int, it acp.TableIterator, key string, want entry) error {
	var where acp.Pair
	var err error
	switch s := u.is[i].(type) {
	case acp.ByteSet:
		where.First, err = s.Deref(it)
	case acp.ByteMultiset:
		where.First, err = s.Deref(it)
	case acp.ByteMap:
		where, err = s.Deref(it)
	}
	if err != nil || where.First.Size != uint64(len(key)) || where.Second.Size != uint64(len(want.value)) {
		return fmt.Errorf("element of %d and %d bytes, expected %d and %d, %w", where.First.Size, where.Second.Size, len(key), len(want.value), err)
	}
	if got := u.read(where.First.GA, len(key)); string(got) != key {
		return fmt.Errorf("key %.20q, expected %.20q", got, key)
	}
	if got := u.read(where.Second.GA, len(want.value)); len(want.value) > 0 && string(got) != want.value {
		return fmt.Errorf("wrong value of %.20q", key)
	}
	return nil
}

func (u *tableUser) remove(i int) error {
	key := u.key()
	e := u.place(key, 0)
	old, had := u.want[i][key]
	old.times--
	remove := u.is[i].Remove
	s, isMultiset := u.is[i].(acp.ByteMultiset)
	switch {
	case isMultiset && u.rnd.IntN(3) == 0:
		remove = s.RemoveAll
		delete(u.want[i], key)
	case isMultiset && had && old.times > 0:
		u.want[i][key] = old
	default:
		delete(u.want[i], key)
	}
	if removed, err := remove(e); err != nil || removed != had {
		return fmt.Errorf("removal of %.20q: %v, %w", key, removed, err)
	}
	return nil
}

func (u *tableUser) sizes(i int) error {
	n, err := u.is[i].Len()
	if err != nil || n != len(u.want[i]) {
		return fmt.Errorf("%d elements, expected %d, %w", n, len(u.want[i]), err)
	}
	if empty, err := u.is[i].Empty(); err != nil || empty != (n == 0) {
		return fmt.Errorf("empty: %v with %d elements, %w", empty, n, err)
	}
	return nil
}

// local returns the part of a structure that lies on this rank.
func (u *tableUser) local(i int) content {
	part := content{}
	for key, e := range u.want[i] {
		table, _ := placeOf(key, u.is[i].Address())
		if u.tableAt(u.is[i], table)>>44 == acp.GA(u.p.Rank()) {
			part[key] = e
		}
	}
	return part
}

// both does an operation on both structures, the first of which is i.
func (u *tableUser) both(i int) error {
	op, local := u.rnd.IntN(4), u.rnd.IntN(2) == 0
	from := u.want[1-i]
	if local && op < 3 {
		from = u.local(1 - i)
	}
	switch op {
	case 0:
		u.want[i] = content{}
		u.mergeModel(i, from)
	case 1:
		u.mergeModel(i, from)
	case 2:
		u.mergeModel(i, from)
		for key := range maps.Clone(from) {
			delete(u.want[1-i], key)
		}
	case 3:
		u.want[0], u.want[1] = u.want[1], u.want[0]
	}
	var err error
	switch a := u.is[i].(type) {
	case acp.ByteSet:
		b := u.is[1-i].(acp.ByteSet)
		err = [...]func(acp.ByteSet) error{a.Assign, a.Merge, a.Move, a.Swap, a.AssignLocal, a.MergeLocal, a.MoveLocal, a.Swap}[which(op, local)](b)
	case acp.ByteMultiset:
		b := u.is[1-i].(acp.ByteMultiset)
		err = [...]func(acp.ByteMultiset) error{a.Assign, a.Merge, a.Move, a.Swap, a.AssignLocal, a.MergeLocal, a.MoveLocal, a.Swap}[which(op, local)](b)
	case acp.ByteMap:
		b := u.is[1-i].(acp.ByteMap)
		err = [...]func(acp.ByteMap) error{a.Assign, a.Merge, a.Move, a.Swap, a.AssignLocal, a.MergeLocal, a.MoveLocal, a.Swap}[which(op, local)](b)
	}
	if err == nil {
		err = errors.Join(u.check(0), u.check(1))
	}
	if err != nil {
		return fmt.Errorf("operation %d on both, local %v: %w", op, local, err)
	}
	return nil
}

func which(op int, local bool) int {
	if local {
		return op + 4
	}
	return op
}

func (u *tableUser) mergeModel(i int, from content) {
	for key, e := range from {
		old, had := u.want[i][key]
		if had && u.kind.name != "multiset" {
			e = old
		} else if had {
			e.times += old.times
		}
		u.want[i][key] = e
	}
}

func (u *tableUser) clear(i int) error {
	if u.rnd.IntN(2) == 0 {
		for key := range u.local(i) {
			delete(u.want[i], key)
		}
		return u.is[i].ClearLocal()
	}
	u.want[i] = content{}
	return u.is[i].Clear()
}

// check compares a structure, by its iterators and by its memory, with its expected contents.
func (u *tableUser) check(i int) error {
	if err := u.sizes(i); err != nil {
		return err
	}
	found, err := u.iterate(i, u.is[i].Begin, func() (acp.TableIterator, error) { return u.is[i].End(), nil }, u.want[i])
	if err != nil || found != len(u.want[i]) {
		return fmt.Errorf("iteration over %d of %d elements: %w", found, len(u.want[i]), err)
	}
	local := u.local(i)
	if n, err := u.is[i].LenLocal(); err != nil || n != len(local) {
		return fmt.Errorf("%d local elements, expected %d, %w", n, len(local), err)
	}
	if empty, err := u.is[i].EmptyLocal(); err != nil || empty != (len(local) == 0) {
		return fmt.Errorf("local part empty: %v with %d elements, %w", empty, len(local), err)
	}
	found, err = u.iterate(i, u.is[i].BeginLocal, u.is[i].EndLocal, local)
	if err != nil || found != len(local) {
		return fmt.Errorf("iteration over %d of %d local elements: %w", found, len(local), err)
	}
	return u.walk(i)
}

func (u *tableUser) iterate(i int, begin, end func() (acp.TableIterator, error), want content) (int, error) {
	it, err := begin()
	if err != nil {
		return 0, err
	}
	last, err := end()
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	for ; it != last; it = must(u.is[i].Next(it)) {
		where := u.element(it)
		key := string(u.read(where.GA, int(where.Size)))
		e, ok := want[key]
		table, slot := placeOf(key, u.is[i].Address())
		if !ok || seen[key] || table != it.Rank || slot != it.Slot {
			return len(seen), fmt.Errorf("%.20q at %+v, expected in slot %d of table %d", key, it, slot, table)
		}
		seen[key] = true
		if err := u.compare(i, it, key, e); err != nil {
			return len(seen), err
		}
	}
	return len(seen), nil
}

// element returns where the key of an element lies, from its memory.
func (u *tableUser) element(it acp.TableIterator) acp.Element {
	w := u.words(it.Elem, 4)
	return acp.Element{GA: it.Elem + acp.GA(u.kind.head), Size: w[u.kind.head/8-1]}
}
