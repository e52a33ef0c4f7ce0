package armci

import (
	"context"
	"errors"

	"github.com/goacp/goacp/internal/system/armci/core"
)

// Fence waits until all puts and accumulates of this process to another process are visible there, to
// the owner and to all processes. Fails with ErrProc, and with the first failure of a store that no
// call has returned. Any process. Blocks for a round trip, or for none if nothing is in flight. ARMCI
// API: ARMCI_Fence.
func (w *World) Fence(proc int) error {
	s, err := w.live()
	if err == nil {
		err = s.World.Check(proc)
	}
	if err == nil {
		err = errors.Join(w.patient(proc, func() error { return s.Transfer.Fence(proc) }), w.failures.take())
	}
	return w.failedAt("fence", proc, 0, err)
}

// AllFence is Fence for all processes. Any process. Blocks as Fence does. ARMCI API: ARMCI_AllFence.
func (w *World) AllFence() error {
	s, err := w.live()
	if err == nil {
		err = errors.Join(w.patient(all, s.Transfer.AllFence), w.failures.take())
	}
	return w.failed("fence", err)
}

// Barrier is AllFence, and waits until every process has called it. After it every process sees all
// earlier stores of all processes. Fails as AllFence does. Collective. Blocks until every process of
// the world has called it. Not for concurrent use. ARMCI API: ARMCI_Barrier.
func (w *World) Barrier() error {
	s, err := w.live()
	if err == nil {
		err = errors.Join(w.settle(s), s.Everyone.Barrier())
	}
	return w.failed("barrier", err)
}

// settle waits until no transfer of this process is in flight, including transfers that their callers
// have given up, and returns the error of a transfer that has failed.
func (w *World) settle(s *core.Session) error {
	attached := w.WithContext(context.Background())
	return errors.Join(attached.patient(all, s.Transfer.Settle), w.failures.take())
}
