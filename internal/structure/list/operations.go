package list

import (
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// names are the names of the operations in messages.
var names = map[am.Op]string{
	OpCreate: "creation", OpDestroy: "destruction", OpState: "size", OpInsert: "insertion",
	OpErase: "erasure", OpEraseRange: "erasure of a range", OpClear: "clearing",
	OpAssign: "assignment", OpInsertRange: "insertion of a range", OpMove: "splicing",
	OpSwap: "swap", OpReverse: "reversal", OpRemove: "removal", OpUnique: "unique",
	OpInsertMany: "insertion of many", OpTake: "removal of many",
	OpRun: "reading of elements", OpStore: "linking of elements", OpMake: "making of an element",
	OpFree: "freeing of elements", OpCopies: "copying of elements", OpMakeMany: "making of elements",
}

// Operations returns the operations for the table of a process that has mapped heaps.
func Operations(views HeapViews) []am.Operation {
	run := func(_ *heapview.View, c am.Call) (am.Result, error) {
		return Perform(&Heaps{Views: views}, &c)
	}
	var all []am.Operation
	for op, name := range names {
		all = append(all, am.Operation{Op: op, Name: name + " in a list", Run: run})
	}
	return all
}
