// Package binding gives bindings of other languages, such as lib/acp, what package acp does
// not show to its users: the table that their fast path reads, and channels and requests by
// handle.
//
// Package acp calls Provide when it is initialised. A binding imports acp, and calls Of with
// the types of acp for which the parameters stand. Neither the types of acp nor its
// documentation mention this package.
package binding

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/structure/channel"
)

// Hidden is what acp provides. P is *acp.Process, F is acp.Config and C is *acp.Channel.
// All functions but FinishSync and Abort are local and do not block.
type Hidden[P, F, C any] struct {
	// OnFailed makes a Process with this configuration call f for every GMA that fails, with
	// an *acp.OpError, before any thread can find the GMA complete, on the goroutine that
	// notices the failure. f must not block unless the OS process is about to end, and must
	// not call the Process.
	OnFailed func(cfg *F, f func(error))

	// SetPool makes registered memory of a Process with this configuration that lies in the pool
	// mapped memory for its peers.
	SetPool func(cfg *F, pool segment.Pool)

	// EndOnLoss is the OnLost of processes that a launcher started: it ends the process
	// with status 1. The launcher has said why, unless it is the launcher that is gone.
	EndOnLoss func(err error)

	// Table returns the table of memory that the process reaches by loads and stores.
	Table func(p P) *maptable.Table

	// FinishSync is Sync for a process that has counted itself in the barrier of the table
	// and has seen that others have not arrived yet, or that not all have called Sync. It
	// blocks as Sync does.
	FinishSync func(p P) error

	// MPIFinalizing says that MPI_Finalize has called the binding, which is going to finalize
	// the process.
	MPIFinalizing func(p P)

	// Report does for a call of a binding that has failed with err what acp.ReportErrors
	// asks for, with the line that line returns; and, if abort is true, what
	// acp.AbortOnError asks for. In the latter case it does not return unless err is no
	// failure. Bindings open the Process with acp.ReturnErrors, since lines about calls of
	// package acp would not name their functions.
	Report func(p P, abort bool, err error, line func() string)

	// Abort is Abort of the process, for a binding that has reported the reason itself or exits with
	// another status. It waits for the network no longer than a second.
	Abort func(p P, a bridge.Abort)

	// ChannelHandle returns the handle of a channel, which is never 0.
	ChannelHandle func(c C) uint64

	// Channel returns the channel with a handle. Fails with acp.ErrClosed. What its methods
	// return is what the Process returns.
	Channel func(p P, handle uint64) (*channel.Channel, error)

	// Request returns the request with a handle, once. Fails with acp.ErrNoRequest.
	Request func(p P, handle uint64) (*channel.Request, error)

	// KeepRequest lets Request return a request once more.
	KeepRequest func(p P, handle uint64, r *channel.Request)
}

var hidden any // set once, when acp is initialised

// Provide is called by package acp alone.
func Provide[P, F, C any](h *Hidden[P, F, C]) { hidden = h }

// Of returns what Provide was called with. It panics if the types are not those of acp.
func Of[P, F, C any]() *Hidden[P, F, C] { return hidden.(*Hidden[P, F, C]) }
