// Package hashedtest checks histories of operations on sets, multisets and maps, for tests of them.
//
// A history lists the calls of each client, on single keys and on whole structures, with the times before and
// after each call and its result. [History.Check] checks whether it is linearizable for each key: whether
// each call can have taken effect on that key at one moment between its beginning and its end, so that all
// results are explained.
package hashedtest

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// Op is the operation of an Event. Programs in C write the numbers.
type Op int

// The operations. Those from Clear on concern every key.
const (
	Insert    Op = iota // adds the key if it is not there, in a multiset once more; Result is whether it was not there
	Store               // of a map: replaces the value; Result as of Insert
	Remove              // takes the key away, from a multiset once; Result is whether it was there
	RemoveAll           // takes the key away, whatever its multiplicity; Result is whether it was there
	Find                // Result is whether the key is there
	Load                // Result is the value in a map, or the multiplicity in a multiset; 0 if the key is not there
	Clear
	Size   // Result is the number of keys, and so is checked if the history has a single one
	Assign // from the other structure to On
	Merge
	Move
	Swap
	ops
)

var names = [ops]string{"insert", "store", "remove", "remove all", "find", "load", "clear", "size", "assign", "merge", "move", "swap"}

// Whole reports whether the operation concerns every key.
func (o Op) Whole() bool { return o >= Clear }

// Event is one operation, recorded by its client.
type Event struct {
	Client     int   // which calls one operation after the other
	Begin, End int64 // on a clock of all clients
	Op         Op
	Local      bool   // of an operation on every key: only on those of tables on the rank of the client
	On         int    // 0 or 1: which structure it reads or changes
	Key        int    // of an operation on a single key
	Arg        uint64 // the value of Insert and Store in a map
	Result     uint64
	Blind      bool // the call has no result
}

// String returns the event as text for failures.
func (e *Event) String() string {
	s := fmt.Sprintf("%d..%d client %d: %s", e.Begin, e.End, e.Client, names[e.Op])
	if e.Local {
		s += " local"
	}
	s += fmt.Sprintf(" on %c", 'A'+e.On)
	if !e.Op.Whole() {
		s += fmt.Sprintf(" key %d", e.Key)
	}
	if e.Arg != 0 {
		s += fmt.Sprintf(" value %d", e.Arg)
	}
	if e.Blind || e.Op.Whole() && e.Op != Size {
		return s
	}
	return s + fmt.Sprintf(" = %d", e.Result)
}

// ParseEvents reads events that a program has written, one in a line: client, begin, end, operation,
// whether it is local, structure, key, argument, result, and whether it is blind.
func ParseEvents(text string) ([]Event, error) {
	var all []Event
	for line := range strings.Lines(text) {
		var e Event
		var local, blind int
		if _, err := fmt.Sscan(line, &e.Client, &e.Begin, &e.End, &e.Op, &local, &e.On, &e.Key, &e.Arg, &e.Result, &blind); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		if e.Op < 0 || e.Op >= ops || e.On != e.On&1 {
			return nil, fmt.Errorf("line %q is no operation on one of two structures", line)
		}
		e.Local, e.Blind = local != 0, blind != 0
		all = append(all, e)
	}
	return all, nil
}

// Shape is the placement of the tables of a structure.
type Shape struct {
	Ranks []int // rank of each table
	Slots int
}

// KeySize is the number of bytes of a key: its number, the lowest byte first.
const KeySize = 8

// AppendKey appends the bytes of key number i.
func AppendKey(b []byte, i int) []byte {
	for n := range KeySize {
		b = append(b, byte(uint64(i)>>(8*n)))
	}
	return b
}

// rankOf returns the rank whose table has key number i.
func (s *Shape) rankOf(i int) int {
	table, _ := hashed.SlotOf(AppendKey(nil, i), uint32(len(s.Ranks)), uint32(s.Slots))
	return s.Ranks[table]
}
