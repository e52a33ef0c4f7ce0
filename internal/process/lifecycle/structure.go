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

	// Joined is called when a member has come since this process was opened: a guest, or a newcomer that waits for its
	// adoption. Operations on it are possible. Any goroutine may call it, at any time. It waits for no other process.
	Joined func(member int)

	// Leave returns why this process cannot leave its epoch: the name of something that would end, such as an array with
	// a part in its memory. Adopt calls it on a rank that wants to leave, before the call counts.
	Leave func() error

	// Left and Lost forget the requests of a member, and end the waits for it: the member has left its epoch or the run,
	// or has ended without that. Operations on it fail already. Any goroutine may call them, at any time. They wait for
	// no other process.
	Left, Lost func(member int)

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

// Joined calls Joined of each structure.
func (s Structures) Joined(member int) {
	s.tell(member, func(x *Structure) func(int) { return x.Joined })
}

// Left calls Left of each structure.
func (s Structures) Left(member int) { s.tell(member, func(x *Structure) func(int) { return x.Left }) }

// Lost calls Lost of each structure.
func (s Structures) Lost(member int) { s.tell(member, func(x *Structure) func(int) { return x.Lost }) }

// Leave returns the first error of Leave of a structure.
func (s Structures) Leave() error {
	for _, x := range s {
		if x.Leave == nil {
			continue
		}
		if err := x.Leave(); err != nil {
			return err
		}
	}
	return nil
}

// Settle calls Settle of each structure.
func (s Structures) Settle() { s.each(func(x *Structure) func() { return x.Settle }) }

// Release calls Release of each structure.
func (s Structures) Release() { s.each(func(x *Structure) func() { return x.Release }) }

// Forget calls Forget of each structure.
func (s Structures) Forget() { s.each(func(x *Structure) func() { return x.Forget }) }

// Close calls Close of each structure.
func (s Structures) Close() { s.each(func(x *Structure) func() { return x.Close }) }

// tell calls the functions that pick returns with a member, apart from nil.
func (s Structures) tell(member int, pick func(*Structure) func(int)) {
	for i := range s {
		if f := pick(&s[i]); f != nil {
			f(member)
		}
	}
}

// each calls the functions that pick returns, apart from nil.
func (s Structures) each(pick func(*Structure) func()) {
	for i := range s {
		if f := pick(&s[i]); f != nil {
			f()
		}
	}
}
