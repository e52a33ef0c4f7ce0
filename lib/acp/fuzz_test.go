//go:build cgo

package libacp

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/memory/ring"
)

// FuzzParseArguments: parseArguments leaves in an argument vector those that are not the library's,
// in their order.
func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{
		"prog", "prog\n--acp-nprocs\n1\nx", "prog\n--acp-size-smem=77\n--acp-size-smem-dl\n0",
		"prog\n--acp-", "prog\n--acp-portfile", "--acp-myrank\n--acp-myrank\n1048575", "\n\n",
		"prog\n--acp-taskid=18446744073709551616", "prog\n--acp-host-remote=-\n--", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		keep, r, err := parseArguments(args)
		if err != nil {
			if keep != nil || !strings.HasPrefix(err.Error(), "argument "+optionPrefix) {
				t.Errorf("%q: %v, %v", args, keep, err)
			}
			return
		}
		if keep[0] != 0 || !slices.IsSorted(keep) || keep[len(keep)-1] >= len(args) {
			t.Errorf("%q: %d are kept", args, keep)
		}
		for _, i := range keep[1:] {
			if strings.HasPrefix(args[i], optionPrefix) {
				t.Errorf("%q: %q is kept", args, args[i])
			}
		}
		for i, a := range args { // an argument that is gone is the library's, or its value
			if !slices.Contains(keep, i) && !strings.HasPrefix(a, optionPrefix) &&
				(!strings.HasPrefix(args[i-1], optionPrefix) || slices.Contains(keep, i-1)) {
				t.Errorf("%q: %q is gone", args, a)
			}
		}
		if r.member != "" && findOption(r.member) == nil {
			t.Errorf("%q: %+v", args, r)
		}
	})
}

// FuzzMemory: Go gets memory of a program as a slice of exactly that size, or returns an error.
func FuzzMemory(f *testing.F) {
	for _, n := range []uint64{0, 1, 8, math.MaxInt32, 1 << 31, 1 << 32, 1 << 48, math.MaxInt64, 1 << 63, math.MaxUint64} {
		f.Add(uint64(0), n, uint64(1))
		f.Add(uint64(4096), n, n)
		f.Add(uint64(math.MaxUint64-7), uint64(8), n)
	}
	f.Fuzz(func(t *testing.T, address, size, count uint64) {
		buf := unsafe.Add(unsafe.Pointer(nil), uintptr(address))
		check := func(b []byte, err error, total uint64) {
			if err != nil {
				if number := errno(err); number == 0 {
					t.Errorf("%v has no number", err)
				}
				return
			}
			if uint64(len(b)) != total || total > ring.MaxMessage || address+total < address || (address == 0 && total != 0) {
				t.Errorf("%d times %d bytes at %#x are %d", count, size, address, len(b))
			}
		}
		b, err := message(buf, size)
		check(b, err, size)
		b, err = segmentMemory(buf, size, count)
		check(b, err, size*count)
	})
}

// objects are one of each structure, in a process of its own.
type objects struct {
	p   *acp.Process
	gas []acp.GA
}

func newObjects(f *testing.F) objects {
	p, err := acp.Open(f.Context(), acp.Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := p.Finalize(); err != nil {
			f.Error(err)
		}
	})
	starter, err := p.StarterGA(0)
	o := objects{p: p, gas: []acp.GA{acp.NullGA, starter}}
	must := func(ga acp.GA, failed error) {
		if err != nil || failed != nil {
			f.Fatal(err, failed)
		}
		o.gas = append(o.gas, ga)
	}
	v, failed := p.NewByteVector(64, 0)
	must(v.Address(), failed)
	d, failed := p.NewByteDeque(64, 0)
	must(d.Address(), failed)
	l, failed := p.NewByteList(0)
	must(l.Address(), failed)
	s, failed := p.NewByteSet([]acp.Rank{0}, 2, 0)
	must(s.Address().GA, failed)
	ms, failed := p.NewByteMultiset([]acp.Rank{0}, 2, 0)
	must(ms.Address().GA, failed)
	m, failed := p.NewByteMap([]acp.Rank{0}, 2, 0)
	must(m.Address().GA, failed)
	return o
}

// look calls functions that change nothing with any handle, iterator and element.
func (o objects) look(ga, elem acp.GA, a, b uint64) []error {
	e := acp.Element{GA: elem, Size: b}
	row := acp.SequenceIterator{GA: ga, Index: int(a)}
	place := acp.ListIterator{GA: ga, Elem: elem}
	table := acp.TableAddress{GA: ga, Ranks: a, Slots: b}
	at := acp.TableIterator{Rank: int(int32(a)), Slot: int(int32(b)), Elem: elem}
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	_, err := o.p.QueryAddress(ga)
	note(err)
	_, err = o.p.ByteVectorAt(ga).Locate(int(int32(a)))
	note(err)
	_, err = o.p.ByteVectorAt(ga).Deref(row)
	note(err)
	_, err = o.p.ByteDequeAt(ga).Deref(row, b)
	note(err)
	_, err = o.p.ByteListAt(ga).Next(place)
	note(err)
	_, err = o.p.ByteListAt(ga).Deref(place)
	note(err)
	_, err = o.p.ByteSetAt(table).Find(e)
	note(err)
	_, err = o.p.ByteMultisetAt(table).Next(at)
	note(err)
	_, err = o.p.ByteMapAt(table).Deref(at)
	note(err)
	_, err = o.p.ByteMapAt(table).Len()
	note(err)
	return errs
}

// FuzzHandles: for all handles, iterators and elements, functions that look at them succeed, or
// return an error with a number.
func FuzzHandles(f *testing.F) {
	o := newObjects(f)
	for i := range o.gas {
		f.Add(uint8(i), int64(0), uint8(i), int64(8), uint64(1), uint64(2))
		f.Add(uint8(i), int64(-16), uint8(1), int64(1), uint64(0), uint64(math.MaxUint64))
		f.Add(uint8(i), int64(1)<<44, uint8(i), int64(-1), uint64(1)<<63, uint64(1)<<32)
	}
	f.Fuzz(func(t *testing.T, at uint8, off int64, elem uint8, elemOff int64, a, b uint64) {
		ga := o.gas[int(at)%len(o.gas)] + acp.GA(off)
		for _, err := range o.look(ga, o.gas[int(elem)%len(o.gas)]+acp.GA(elemOff), a, b) {
			if err != nil && errno(err) == 0 {
				t.Errorf("%v has no number", err)
			}
		}
	})
}
