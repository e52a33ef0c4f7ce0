package lookup

import (
	"testing"
	"unsafe"
)

// TestTable: C finds an object until it is removed, and one with the same entry only after that.
func TestTable(t *testing.T) {
	var (
		table         Table
		first, second uint64
	)
	const number, other = 3, 3 + Size
	if !table.Enter(number, unsafe.Pointer(&first)) {
		t.Error("the entry of an empty table is taken")
	}
	if table.Enter(other, unsafe.Pointer(&second)) {
		t.Error("two objects have one entry")
	}
	table.Remove(other) // which is not there
	if table.Find(number) != uintptr(unsafe.Pointer(&first)) || table.Find(other) != 0 {
		t.Errorf("C finds %#x and %#x", table.Find(number), table.Find(other))
	}
	table.Remove(number)
	if !table.Enter(other, unsafe.Pointer(&second)) {
		t.Error("the entry of a removed object is taken")
	}
	if table.Find(number) != 0 || table.Find(other) != uintptr(unsafe.Pointer(&second)) {
		t.Errorf("C finds %#x and %#x", table.Find(number), table.Find(other))
	}
}
