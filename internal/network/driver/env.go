package driver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
)

// Authenticator proves to the other end of a new connection that this process
// belongs to the run, and checks the other end. Both methods read and write no
// byte beyond their own exchange and return when ctx ends or the deadline of the
// connection passes. secured is the connection to use from then on: c, or one that
// encrypts and reads and writes c.
type Authenticator interface {
	// Challenge is for the side that accepted c. member is the one that dialled, or -1 if the
	// exchange does not tell.
	Challenge(ctx context.Context, c net.Conn) (secured net.Conn, member int, err error)

	// Answer is for the side that dialled c to reach member.
	Answer(ctx context.Context, c net.Conn, member int) (secured net.Conn, err error)
}

// Process is what fabrics know of this process, of its run and of the other members. All fields but Universe and Attach are
// required.
type Process struct {
	Self     int
	Seats    int             // members that the run can ever have
	Local    bool            // all ranks of the cohort are on this host
	Members  *bridge.Members // the processes that have started together with this one
	Roster   *bridge.Roster
	Universe *bridge.Universe // ranks that share a communicator of MPI; nil if there is none
	Ranks    fabric.Ranks     // the rank that a member has now
	Run      segment.Run
	Listener *endpoint.Listener // the fabric that serves it takes it over
	Auth     Authenticator

	// Space is what this process publishes. A driver may replace it, since nothing uses it
	// before the last fabric is open.
	Space *segment.Space

	// Attach maps the memory of a peer on this host. Nil: segment.Attach.
	Attach func(segment.PeerInfo) (*segment.View, error)

	// Go runs a function on a goroutine that ends before the run does.
	Go func(func())
	// Call lets a member carry out an operation and waits for the answer.
	Call func(member int, op am.Op, request, answer []byte) (int, error)
	// Over returns why the run is over, or nil. Lost is closed then.
	Over func() error
	Lost <-chan struct{}
	// PollBudget returns for how long a goroutine that serves requests may poll for the next
	// one before it sleeps.
	PollBudget func() time.Duration
	// MaySpin reports whether every rank of this host has a processor, so that a thread which
	// polls without a pause delays no other.
	MaySpin func() bool
}

// Env is what a process gives to the fabrics that it opens. Fabrics are opened one after the
// other, the messenger first.
type Env struct {
	Process
	Routes *Routes      // which fabric serves each member
	Owner  fabric.Owner // what agents serve

	// Messenger is the transport that carries messages and reaches every member. Nil while
	// it is being opened.
	Messenger Messenger
}

// Layout returns how the library's memory of a member is laid out: without any for a member that is not
// known.
func (e *Env) Layout(member int) segment.Layout {
	members := e.Roster.CohortOf(member)
	if members == nil {
		return segment.Layout{}
	}
	_, starter := members.Starter(member)
	_, heap := members.Heap(member)
	return segment.Layout{Starter: starter, Heap: heap}
}

// Check returns nil if a member is present, and otherwise an error that wraps fabric.ErrNoMember or
// fabric.ErrMemberGone.
func (e *Env) Check(member int) error {
	if member < 0 || member >= e.Seats {
		return fmt.Errorf("%w: no rank %d in a run of %d", fabric.ErrNoMember, member, e.Seats)
	}
	switch e.Roster.State(member) {
	case bridge.MemberPresent, bridge.MemberWaiting:
		return nil
	case bridge.MemberUnknown:
		return fmt.Errorf("%w: no process has come as rank %d", fabric.ErrNoMember, member)
	case bridge.MemberHasLeft:
		return fmt.Errorf("%w: %s has left the run", fabric.ErrMemberGone, e.Roster.Describe(member))
	}
	return fmt.Errorf("%w: %s is lost", fabric.ErrMemberGone, e.Roster.Describe(member))
}

// Survives reports whether the run goes on without a member: a guest of another cohort, or a process of the run itself that
// does not belong to the epoch. Of those that have started together with this one, the run goes on without the ones that have left in order.
func (e *Env) Survives(member int) bool {
	members := e.Roster.CohortOf(member)
	switch state := e.Roster.State(member); {
	case members == nil:
		return false
	case e.Roster.CohortNumber(member) != 0:
		return members != e.Members
	case members == e.Members:
		return state == bridge.MemberHasLeft
	default:
		return state != bridge.MemberPresent
	}
}

// Agent returns the addresses of the agent of a member that is known.
func (e *Env) Agent(member int) []netip.AddrPort {
	members := e.Roster.CohortOf(member)
	if members == nil {
		return nil
	}
	return members.Agent(member)
}

// Ask sends a request to the transport of a member over the same fabric, and waits for the
// answer. It is the operation am.OpFabric. The first byte of the request is the route of the
// fabric.
func (e *Env) Ask(fabric bridge.Route, member int, request, answer []byte) (int, error) {
	return e.Call(member, am.OpFabric, append([]byte{byte(fabric)}, request...), answer)
}

// Tell sends a notice to the transport of a member over the same fabric, am.NoticeFabric. If
// the member is gone, the run is about to end. Does not block.
func (e *Env) Tell(fabric bridge.Route, member int, kind uint8, value uint64) {
	_ = e.Messenger.Notify(member, uint16(am.NoticeFabric), uint32(fabric)<<8|uint32(kind), value)
}

// Peers passes the messages of Ask and Tell of other processes to the transports of this one.
// The index is the route. The entry of a transport without messages is nil.
type Peers []Peer

var errNoPeer = errors.New("the request is for a fabric that is not open here")

// Serve answers a request. Does not wait for members.
func (p Peers) Serve(request, answer []byte) (int, error) {
	if len(request) == 0 || int(request[0]) >= len(p) || p[request[0]] == nil {
		return 0, errNoPeer
	}
	return p[request[0]].Serve(request[1:], answer)
}

// Notice passes on a notice with the route and the kind of Tell in arg. It drops one for a
// fabric that is not open. Does not block.
func (p Peers) Notice(from int, arg uint32, value uint64) {
	if route := arg >> 8; route < uint32(len(p)) && p[route] != nil {
		p[route].Notice(from, uint8(arg), value)
	}
}
