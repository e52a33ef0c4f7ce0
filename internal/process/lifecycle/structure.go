package lifecycle

import (
	"slices"

	"github.com/goacp/goacp/internal/network/am"
)

// Structure is the part that a structure or a protocol has in the life of its process. Each
// field may be nil.
type Structure struct {
	// Operations and Notices are what other processes may send. The process serves none
	// before all its structures are there.
	Operations []am.Operation
	Notices    []am.Notice

	// Fail ends all waiting of this process with err, because the run is over or the process has
	// finalized. Other processes find that out by themselves. Any goroutine may call it, at any
	// time. The first error counts. It does not block.
	Fail func(err error)

	// Gone forgets the requests of a member of another cohort, and ends the waits for it: the
	// member has left the run or is lost, and operations on it fail already. Any goroutine may
	// call it, at any time. It waits for no other process.
	Gone func(member int)

	// Holds returns the name of something that ends if this process leaves, such as an array with a part in its
	// memory; "" = nothing. Adopt calls it on a rank that wants to leave.
	Holds func() string

	// Settle waits until nothing of this process is under way that touches memory of other
	// ranks, or until Fail is called. Finalize and Reset call it before they meet the other
	// ranks. Other ranks may still be at work.
	Settle func()

	// Release gives up all use of the memory of other ranks. Reset calls it when all ranks
	// have settled. It does not wait for other ranks to call it.
	Release func()

	// Forget makes the structure what it was when the process started. Reset calls it when
	// all ranks have released, and no rank goes on before all have forgotten.
	Forget func()

	// Close ends what the structure does by itself, and fails what still waits. Finalize
	// calls it when the process serves no other rank any more, and Open when it fails. The
	// memory of other ranks is still mapped.
	Close func()
}

// Structures are all structures of a process, in the order in which it calls them.
type Structures []Structure

// Operations returns what other processes may ask for.
func (s Structures) Operations() (all []am.Operation) {
	for _, x := range s {
		all = append(all, x.Operations...)
	}
	return slices.Clip(all)
}

// Notices returns what other processes may send without an answer.
func (s Structures) Notices() (all []am.Notice) {
	for _, x := range s {
		all = append(all, x.Notices...)
	}
	return slices.Clip(all)
}

// Fail calls Fail of each structure.
func (s Structures) Fail(err error) {
	for _, x := range s {
		if x.Fail != nil {
			x.Fail(err)
		}
	}
}

// Gone calls Gone of each structure.
func (s Structures) Gone(member int) {
	for _, x := range s {
		if x.Gone != nil {
			x.Gone(member)
		}
	}
}

// Holds returns the first result of Holds that is not empty.
func (s Structures) Holds() string {
	for _, x := range s {
		if x.Holds == nil {
			continue
		}
		if held := x.Holds(); held != "" {
			return held
		}
	}
	return ""
}

// Settle calls Settle of each structure.
func (s Structures) Settle() { s.each(func(x *Structure) func() { return x.Settle }) }

// Release calls Release of each structure.
func (s Structures) Release() { s.each(func(x *Structure) func() { return x.Release }) }

// Forget calls Forget of each structure.
func (s Structures) Forget() { s.each(func(x *Structure) func() { return x.Forget }) }

// Close calls Close of each structure.
func (s Structures) Close() { s.each(func(x *Structure) func() { return x.Close }) }

// each calls the functions that pick returns, apart from nil.
func (s Structures) each(pick func(*Structure) func()) {
	for i := range s {
		if f := pick(&s[i]); f != nil {
			f()
		}
	}
}
