package object

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// allotment is which elements the regions write, at random: some have no writer.
func allotment(rnd *rand.Rand, elements, regions int) [][]int64 {
	lists := make([][]int64, regions)
	for _, e := range rnd.Perm(elements) {
		if r := rnd.IntN(regions + 1); r < regions && r != 1 { // region 1 writes none
			lists[r] = append(lists[r], int64(e))
		}
	}
	return lists
}

// valueOf returns the value of an element after a round of writes.
func valueOf(element int64, round int, size int64) []byte {
	b := make([]byte, size+8)
	binary.NativeEndian.PutUint64(b, uint64(element)*1_000_003+uint64(round)+1)
	for i := int64(8); i < size; i++ {
		b[i] = b[i-8] + byte(i)
	}
	return b[:size]
}

// TestRWSetModel: regions of several processes write and read elements at random, and are decomposed again and again.
func TestRWSetModel(t *testing.T) {
	for _, c := range []struct {
		elements, size int64
		regions        int
	}{{1, 8, 1}, {100, 1, 3}, {3 * writersOfPage, 24, 9}, {500, 3, 2 * regionsOfPage}} {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		w, all := newWorld(t, 3)
		addr, barrier := w.at(RWSetSize), w.at(BarrierSize)
		must(t, all[0].InitRWSet(addr, c.elements, c.size, c.regions))
		must(t, all[0].InitBarrier(barrier))
		threads(t, all, 2, func(o *Objects, th Thread) error {
			l, err := o.NewLocalBarrier(barrier)
			if err != nil {
				return err
			}
			defer l.Destroy()
			common := rand.New(rand.NewPCG(seed, 1)) // the same for all threads
			mine := rand.New(rand.NewPCG(seed, 2+uint64(th.Member)<<32+uint64(th.Number)))
			for phase := range 4 {
				lists := allotment(common, int(c.elements), c.regions)
				shift := common.IntN(6) // regions move to other threads
				each := func(f func(region int) error) error {
					for r := (th.Member*2 + int(th.Number) + shift) % 6; r < c.regions; r += 6 {
						if err := f(r); err != nil {
							return err
						}
					}
					return l.Sync(forever, 6)
				}
				p := &rwsetPhase{objects: o, addr: addr, elements: c.elements, size: c.size, lists: lists, rnd: mine, each: each}
				if err := p.run(phase); err != nil {
					return fmt.Errorf("phase %d: %w", phase, err)
				}
			}
			return nil
		})
		must(t, all[1].DestroyRWSet(addr))
		if len(w.spaces) != 2 {
			t.Errorf("%d spaces are left", len(w.spaces))
		}
		w.idle(all)
	}
}

// rwsetPhase is one thread of TestRWSetModel, between two decompositions.
type rwsetPhase struct {
	objects        *Objects
	addr           int64
	elements, size int64
	lists          [][]int64
	rnd            *rand.Rand
	each           func(f func(region int) error) error // calls f for the regions of the thread, then waits for the others
}

func (p *rwsetPhase) run(phase int) error {
	if err := p.each(func(r int) error { return p.objects.Decompose(p.addr, r, nil) }); err != nil {
		return err
	}
	if err := p.each(func(r int) error { return p.objects.Decompose(p.addr, r, p.lists[r]) }); err != nil {
		return err
	}
	writers := make([]bool, p.elements)
	for _, list := range p.lists {
		for _, e := range list {
			writers[e] = true
		}
	}
	sets, reads := map[int]*LocalRWSet{}, map[int][]int64{}
	err := p.each(func(r int) (err error) {
		for range p.rnd.IntN(300) {
			reads[r] = append(reads[r], p.rnd.Int64N(p.elements))
		}
		if p.rnd.IntN(3) == 0 {
			reads[r] = append(reads[r], p.lists[r]...)
		}
		sets[r], err = p.objects.NewLocalRWSet(p.addr, r, reads[r])
		return err
	})
	for round := 0; round < 3 && err == nil; round++ {
		err = p.each(func(r int) error {
			var b []byte
			for _, e := range p.lists[r] {
				b = append(b, valueOf(e, 3*phase+round, p.size)...)
			}
			return sets[r].Write(b)
		})
		if err == nil {
			err = p.each(func(r int) error { return p.check(sets[r], reads[r], writers, 3*phase+round) })
		}
	}
	for _, s := range sets {
		if s != nil {
			s.Destroy()
		}
	}
	return err
}

// check reads the elements of a region, and compares them.
func (p *rwsetPhase) check(s *LocalRWSet, reads []int64, writers []bool, round int) error {
	b := bytes.Repeat([]byte{77}, int(s.ReadSize()))
	if err := s.Read(b); err != nil {
		return err
	}
	for i, e := range reads {
		want := make([]byte, p.size)
		if writers[e] {
			want = valueOf(e, round, p.size)
		}
		if got := b[int64(i)*p.size:][:p.size]; !bytes.Equal(got, want) {
			return fmt.Errorf("round %d: element %d is %v; expected %v", round, e, got, want)
		}
	}
	return nil
}

// TestDecomposeAgain: elements that a region keeps have their values, the others begin with 0, and local sets with values
// of the region fail from then on.
func TestDecomposeAgain(t *testing.T) {
	w, all := newWorld(t, 2)
	o, addr := all[0], w.at(RWSetSize)
	must(t, o.InitRWSet(addr, 100, 1, 3))
	must(t, o.Decompose(addr, 0, []int64{5, 1, 9}))
	must(t, o.Decompose(addr, 1, []int64{2}))
	writer, err := o.NewLocalRWSet(addr, 0, nil)
	must(t, err)
	reader, err := all[1].NewLocalRWSet(addr, 2, []int64{1, 1, 50})
	must(t, err)
	other, err := all[1].NewLocalRWSet(addr, 1, []int64{2, 2})
	must(t, err)
	must(t, writer.Write([]byte{50, 10, 90}))
	must(t, other.Write([]byte{20}))
	b := make([]byte, 3)
	must(t, reader.Read(b))
	if !bytes.Equal(b, []byte{10, 10, 0}) {
		t.Errorf("the values are %v", b)
	}
	must(t, all[1].Decompose(addr, 0, []int64{9, 50, 5}))
	text := fmt.Sprintf("read-write-set at %#x: the region is being decomposed, or has been decomposed again: 0", addr)
	expect(t, reader.Read(b), ErrDecomposed, text)
	expect(t, writer.Write(b), ErrDecomposed, text)
	must(t, other.Read(b[:2]))
	must(t, o.Decompose(addr, 1, []int64{2, 1})) // region 0 has given up element 1
	again, err := o.NewLocalRWSet(addr, 2, []int64{1, 2, 5, 9, 50})
	must(t, err)
	b = make([]byte, 5)
	must(t, again.Read(b))
	if !bytes.Equal(b, []byte{0, 20, 50, 90, 0}) {
		t.Errorf("the values are %v", b)
	}
	for _, l := range []*LocalRWSet{writer, reader, other, again} {
		l.Destroy()
	}
	must(t, o.DestroyRWSet(addr))
	if len(w.spaces) != 1 {
		t.Errorf("%d spaces are left", len(w.spaces))
	}
	expect(t, again.Read(b), ErrNotInitialised, fmt.Sprintf("read-write-set at %#x: %v", addr, ErrNotInitialised))
	must(t, o.InitRWSet(addr, 100, 1, 3))
	expect(t, again.Read(b), ErrNotInitialised, fmt.Sprintf("read-write-set at %#x: %v", addr, ErrNotInitialised))
}

// TestDecomposeConflict: a decomposition that fails changes neither the directory nor the region, and keeps no memory.
func TestDecomposeConflict(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	w, all := newWorld(t, 2)
	const elements = 4 * writersOfPage
	addr := w.at(RWSetSize)
	must(t, all[0].InitRWSet(addr, elements, 2, 2))
	var lists [2][]int64
	for _, e := range rnd.Perm(elements)[:3000] {
		lists[e%2] = append(lists[e%2], int64(e))
	}
	must(t, all[0].Decompose(addr, 0, lists[0]))
	must(t, all[1].Decompose(addr, 1, lists[1]))
	s, err := all[0].set(addr, rwsetCheck)
	must(t, err)
	snapshot := func() []byte {
		b := make([]byte, elements*writerBytes+2*regionBytes)
		must(t, all[0].memory.Read(s.directory, b[:elements*writerBytes], get))
		must(t, all[0].memory.Read(s.table, b[elements*writerBytes:], get))
		return b
	}
	before, spaces := snapshot(), len(w.spaces)
	for range 20 {
		var list []int64
		for _, e := range rnd.Perm(elements)[:2000] {
			if e%2 == 0 {
				list = append(list, int64(e))
			}
		}
		stolen := lists[1][rnd.IntN(len(lists[1]))]
		list = append(list, stolen)
		rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		err := all[1].Decompose(addr, 0, list)
		expect(t, err, ErrWriter, fmt.Sprintf("read-write-set at %#x: another region writes the element: element %d, region 1", addr, stolen))
		if !bytes.Equal(snapshot(), before) || len(w.spaces) != spaces {
			t.Fatalf("the decomposition has changed something; there are %d spaces, before %d", len(w.spaces), spaces)
		}
	}
}

// TestRWSetMisuse: each misuse fails with its text and changes nothing.
func TestRWSetMisuse(t *testing.T) {
	w, all := newWorld(t, 1)
	o, addr := all[0], w.at(RWSetSize)
	const at = "read-write-set at 0x100000000: "
	missing := at + ErrNotInitialised.Error()
	expect(t, o.Decompose(addr, 0, nil), ErrNotInitialised, missing)
	expect(t, o.DestroyRWSet(addr), ErrNotInitialised, missing)
	_, err := o.NewLocalRWSet(addr, 0, nil)
	expect(t, err, ErrNotInitialised, missing)
	expect(t, o.InitRWSet(addr, 0, 8, 1), ErrArgument, at+"invalid argument: 0 elements of 8 bytes in 1 regions")
	expect(t, o.InitRWSet(addr, 8, -1, 1), ErrArgument, at+"invalid argument: 8 elements of -1 bytes in 1 regions")
	expect(t, o.InitRWSet(addr, 8, 8, 0), ErrArgument, at+"invalid argument: 8 elements of 8 bytes in 0 regions")
	expect(t, o.InitRWSet(addr, 1<<40, 1<<40, 1), ErrArgument, at+"invalid argument: 1099511627776 elements of 1099511627776 bytes")
	must(t, o.InitRWSet(addr, 10, 8, 4))
	expect(t, o.Decompose(addr, 4, nil), ErrArgument, at+"invalid argument: region 4; it has 0 to 3")
	expect(t, o.Decompose(addr, -1, nil), ErrArgument, at+"invalid argument: region -1; it has 0 to 3")
	expect(t, o.Decompose(addr, 0, []int64{3, 10}), ErrArgument, at+"invalid argument: element 10; it has 0 to 9")
	expect(t, o.Decompose(addr, 0, []int64{3, 7, 3}), ErrTwice, at+"the element occurs twice: 3")
	_, err = o.NewLocalRWSet(addr, 0, []int64{-3})
	expect(t, err, ErrArgument, at+"invalid argument: element -3; it has 0 to 9")
	must(t, o.Decompose(addr, 0, []int64{3, 7}))
	l, err := o.NewLocalRWSet(addr, 0, []int64{3})
	must(t, err)
	expect(t, l.Write(make([]byte, 15)), ErrArgument, at+"invalid argument: 15 bytes to write; expected 16")
	expect(t, l.Read(make([]byte, 16)), ErrArgument, at+"invalid argument: 16 bytes to read; expected 8")
	l.Destroy()
	s, err := o.set(addr, rwsetCheck)
	must(t, err)
	d := decomposition{objects: o, set: &s, region: 0}
	must(t, d.begin())
	busy := at + "the region is being decomposed, or has been decomposed again: 0"
	expect(t, o.Decompose(addr, 0, nil), ErrDecomposed, busy)
	_, err = o.NewLocalRWSet(addr, 1, []int64{7})
	expect(t, err, ErrDecomposed, busy)
	_, err = o.NewLocalRWSet(addr, 0, nil)
	expect(t, err, ErrDecomposed, busy)
	must(t, d.end(&d.was))
	if err := o.InitRWSet(72, 5, 5, 5); err == nil || errors.Is(err, ErrArgument) {
		t.Errorf("InitRWSet outside of all spaces returns %v", err)
	}
	must(t, o.DestroyRWSet(addr))
	if len(w.spaces) != 1 {
		t.Errorf("%d spaces are left", len(w.spaces))
	}
}
