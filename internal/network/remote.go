package network

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Remote is a transport for members that share no memory with this process, beside the agents.
// What it needs of other members it gets through their agents: questions by ServiceRemote
// and notices from NoticeRemote on.
type Remote interface {
	fabric.Transport

	// Carries reports whether the transport carries copies to and from a member. Does not
	// block.
	Carries(member int) bool

	// Serve answers a question of a member to the Remote of this one. Does not wait for
	// members.
	Serve(request, answer []byte) (int, error)

	// Notice takes a notice of a member. Does not block.
	Notice(from int, kind uint32, value uint64)

	// Settle returns when no member uses registered memory of this one that has been
	// withdrawn, or with the error of over.
	Settle(over func() error) error

	// Calls returns functions by which C carries out operations on mapped memory, or nil.
	Calls() unsafe.Pointer

	// Renumber takes note that the members have other ranks. No operation is under way.
	Renumber()

	// Spin says that there are enough processors for looking without a pause.
	Spin()

	// Abandon takes the place of Close when the run is lost: it waits for no member.
	Abandon()
}

// ServiceRemote is the service by which a Remote asks that of another member.
const ServiceRemote = 0xfe

// NoticeRemote is the first kind of notice between Remotes. Smaller ones are the Owner's.
const NoticeRemote = 1 << 16

// opener opens a Remote, or returns nil if the run has no use for it. The openers of this build
// are in remotes, in order of preference: a new transport is a folder beneath internal/fabric and
// an entry there.
type opener func(n *Network) (Remote, error)
