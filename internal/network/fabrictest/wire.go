package fabrictest

import (
	"errors"

	"github.com/goacp/goacp/internal/fabric"
)

// The messages between the test and a member in another process, by package gob. First the
// member sends its address, then the test sends those of all members, then the member sends that
// it is ready.

// address is the first message of a member.
type address struct {
	Member int
	Addr   string
}

// ready is the message of a member that is open.
type ready struct {
	Name      string
	Abilities fabric.Abilities
	Pos, Bad  uint64
	Err       string
}

// action is the kind of an order.
type action uint8

const (
	doPut action = iota + 1
	doGet
	doAtomic
	doCopy
	doClose
)

// order is an operation that the test sends to a member.
type order struct {
	ID                uint64
	Do                action
	Peer, Dst         int
	Pos, DstPos, Size uint64
	Atomic            fabric.Atomic
	Data              []byte // of a put
}

// report is the outcome of an order.
type report struct {
	ID   uint64
	Old  uint64
	Data []byte // of a get
	Err  *failure
}

// failure is an error in a message: its text, and which of the errors of package fabric it is.
type failure struct {
	Text  string
	Known int // 1 + index in known; 0 if it is none of them
	Range *fabric.RangeError
}

// known are the errors that keep their identity between processes.
var known = [...]error{fabric.ErrClosed, fabric.ErrNoPath, fabric.ErrPeerDead, fabric.ErrGone, fabric.ErrInvalid}

// describe returns err as a message; nil if err is nil.
func describe(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	for i, k := range known {
		if errors.Is(err, k) {
			f.Known = 1 + i
		}
	}
	if errors.As(err, &f.Range) {
		f.Range = &fabric.RangeError{Pos: f.Range.Pos, Size: f.Range.Size}
	}
	return f
}

// Error implements the error interface.
func (f *failure) Error() string { return f.Text }

// Unwrap makes the errors of package fabric visible to errors.Is and errors.As.
func (f *failure) Unwrap() []error {
	var errs []error
	if f.Known > 0 {
		errs = append(errs, known[f.Known-1])
	}
	if f.Range != nil {
		errs = append(errs, f.Range)
	}
	return errs
}

// err returns f as an error; nil if f is nil.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	return f
}
