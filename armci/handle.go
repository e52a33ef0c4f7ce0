package armci

import (
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// Handle collects transfers that have begun: any number, of any kind, to any processes. One goroutine
// at a time uses it. It is an Issuer.
type Handle struct {
	w       *World
	tracker transfer.Tracker
}

// NewHandle returns a handle without transfers. Local. Does not block. ARMCI API: ARMCI_INIT_HANDLE.
func (w *World) NewHandle() *Handle { return &Handle{w: w} }

func (h *Handle) in() *World { return h.w }

func (h *Handle) issue(r *transfer.Request) error {
	s, err := h.w.live()
	if err != nil {
		return err
	}
	return s.Transfer.Issue(r, &h.tracker)
}

// Wait returns when the memory of the caller may be used again, for all transfers of the handle: gets
// are complete, and puts may still be in flight. Returns the error of a transfer that has failed. The
// handle may be used again. If the context of the world ends, Wait gives up, and may be called again.
// Any process. Blocks until then. ARMCI API: ARMCI_Wait.
func (h *Handle) Wait() error {
	s, err := h.w.live()
	if err == nil {
		err = s.Transfer.WaitContext(h.w.ctx, &h.tracker)
	}
	return h.w.failed("wait", err)
}

// Test reports whether Wait would return at once, and then fails as Wait does. Local. Does not block.
// ARMCI API: ARMCI_Test.
func (h *Handle) Test() (bool, error) {
	s, err := h.w.live()
	if err != nil {
		return false, h.w.failed("test", err)
	}
	done, err := s.Transfer.Test(&h.tracker)
	return done, h.w.failed("test", err)
}

// implicit issues transfers that no handle collects.
type implicit struct{ w *World }

// NonBlocking returns an Issuer for transfers without a handle. WaitProc and WaitAll wait for them.
// One goroutine at a time issues transfers to one process with it. Local. Does not block. ARMCI API:
// ARMCI_NbPut.
func (w *World) NonBlocking() Issuer { return implicit{w} }

func (i implicit) in() *World { return i.w }

func (i implicit) issue(r *transfer.Request) error {
	s, err := i.w.live()
	if err == nil {
		err = s.World.Check(r.Proc)
	}
	if err != nil {
		return err
	}
	return s.Transfer.Issue(r, s.Transfer.Implicit(r.Proc))
}

// WaitProc is Wait for the transfers of NonBlocking to a process. Fails with ErrProc as well. Any
// process. Blocks as Handle.Wait does. ARMCI API: ARMCI_WaitProc.
func (w *World) WaitProc(proc int) error {
	s, err := w.live()
	if err == nil {
		err = s.World.Check(proc)
	}
	if err == nil {
		err = s.Transfer.WaitContext(w.ctx, s.Transfer.Implicit(proc))
	}
	return w.failedAt("wait", proc, 0, err)
}

// WaitAll is WaitProc for all processes. Any process. Blocks as Handle.Wait does. ARMCI API:
// ARMCI_WaitAll.
func (w *World) WaitAll() error {
	s, err := w.live()
	if err == nil {
		err = s.Transfer.WaitAll(w.ctx)
	}
	return w.failed("wait", err)
}
