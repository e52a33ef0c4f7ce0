package acp_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/goacp/goacp/acp"
)

// tableAt returns the address of a table, from the directory.
func (u *tableUser) tableAt(s structure, table int) acp.GA {
	return acp.GA(u.words(s.Address().GA+acp.GA(8*table), 1)[0])
}

// walk reads the memory of a structure, as programs may, and compares it with the expected contents.
func (u *tableUser) walk(i int) error {
	a := u.is[i].Address()
	left := maps.Clone(u.want[i])
	for table := range int(a.Ranks) {
		at := u.tableAt(u.is[i], table)
		for slot := range int(a.Slots) {
			w := u.words(at+acp.GA(32*slot), 4)
			if w[0] != 0 || (w[1] == 0) != (w[3] == 0) || (w[2] == 0) != (w[3] == 0) {
				return fmt.Errorf("slot %d of table %d is %x", slot, table, w)
			}
			prev := uint64(0)
			for ga := w[1]; w[3] > 0; w[3]-- {
				e := u.words(acp.GA(ga), 4)
				if e[1] != prev || (e[0] == 0) != (w[3] == 1) || (w[3] == 1) != (ga == w[2]) {
					return fmt.Errorf("element %x behind %x in slot %d of table %d: %x", ga, prev, slot, table, e)
				}
				if err := u.strike(left, ga, e); err != nil {
					return err
				}
				prev, ga = ga, e[0]
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%d elements are nowhere", len(left))
	}
	return nil
}

// strike takes the element at ga, whose first words are e, from left.
func (u *tableUser) strike(left content, ga uint64, e []uint64) error {
	keySize, valueSize, times := e[2], uint64(0), uint64(1)
	switch u.kind.name {
	case "multiset":
		keySize, times = e[3], e[2]
	case "map":
		keySize, valueSize = e[3], e[2]-8-e[3]
	}
	b := string(u.read(acp.GA(ga)+acp.GA(u.kind.head), int(keySize+valueSize)))
	want, ok := left[b[:keySize]]
	if !ok || b[keySize:] != want.value || times != want.times {
		return fmt.Errorf("element %.20q with a value of %d bytes, %d times; expected %d bytes, %d times", b[:keySize], valueSize, times, len(want.value), want.times)
	}
	delete(left, b[:keySize])
	return nil
}

// placeOf computes where a key belongs, bit by bit.
func placeOf(key string, a acp.TableAddress) (table, slot int) {
	h := crc64(key) >> 16
	return int(h / a.Slots % a.Ranks), int(h % a.Slots)
}

func crc64(s string) uint64 {
	h := ^uint64(0)
	for _, c := range []byte(s) {
		h ^= uint64(c)
		for range 8 {
			h = h>>1 ^ h&1*0xC96C5795D7870F42
		}
	}
	return ^h
}

func TestCRC(t *testing.T) {
	if got := crc64("123456789"); got != 0x995dc9bbdf1939fa {
		t.Errorf("check value %#x", got)
	}
}
