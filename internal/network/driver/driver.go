package driver

import (
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Driver opens one fabric.
type Driver struct {
	// Route is the route of the pairs that the fabric serves.
	Route bridge.Route

	// Open opens the fabric in this process. It returns nil if the run does not use the
	// fabric. If processes must open a fabric together, Open blocks until all have called it.
	Open func(*Env) (fabric.Transport, error)
}

// Mapper is a transport that maps memory of its peers. The router reaches what is mapped by
// loads, stores and atomic instructions, and leaves the rest to the transport's copies. The
// transport's own atomics are for mapped memory alone.
type Mapper interface {
	fabric.Transport

	// View returns the memory of a member as far as it is mapped. Fails if it cannot be
	// mapped. Does not wait for the member.
	View(member int) (*segment.View, error)
}

// Messenger is a transport that carries messages, in order with its other operations. It
// reaches every member.
type Messenger interface {
	fabric.Transport
	fabric.Messenger

	// Serve starts to serve Env.Owner to other members. It is called once, before the first
	// operation. The requests of members that call earlier wait.
	Serve()
}

// Withdrawer is a transport that may use memory of this process after it was unregistered.
type Withdrawer interface {
	// Withdraw returns when no operation uses withdrawn memory any more. gone reports whether
	// some of the n bytes at p are such memory. Withdraw calls over from time to time, and
	// fails with its error if that is not nil. It may wait for members.
	Withdraw(gone func(p unsafe.Pointer, n uint64) bool, over func() error) error
}

// Peer is a transport that exchanges messages with its like in other processes: Env.Ask
// reaches Serve, and Env.Tell reaches Notice.
type Peer interface {
	// Serve answers a request of the transport of another member. It returns the number of
	// bytes of the answer. Does not wait for members.
	Serve(request, answer []byte) (int, error)

	// Notice takes a notice of the transport of member from. Does not block.
	Notice(from int, kind uint8, value uint64)
}

// CTransport is a transport of which C calls some operations directly.
type CTransport interface {
	// Calls returns the functions by which C carries out operations on the library's memory
	// (internal/memory/maptable), or nil if it must not.
	Calls() unsafe.Pointer

	// Renumber is called when the members have other ranks, and gives them to C. No operation
	// is under way.
	Renumber()
}

// Forgetter is a transport that has connections or other resources for each of its peers. Gone is called when
// a peer has left the run or is lost, and gives them up. Does not block.
type Forgetter interface{ Gone(member int) }

// Abandoner is a transport whose Close waits for members. Abandon takes its place when the
// run is lost, and waits for none.
type Abandoner interface{ Abandon() }
