//go:build cgo

package libacp

// #include "gp_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// pointerArrays is what libgp has besides the arrays of the process.
type pointerArrays struct {
	of    atomic.Pointer[acp.Process] // that GP_Initialize was called for, nil before and after
	owned *acp.Process                // for which GP_Initialize has called acp_init

	mu     sync.Mutex
	shapes map[*array.Array]*grid.Shape // of arrays that are not allocated yet
}

// shape calls f with what the program has set of an array that is not allocated.
func (g *pointerArrays) shape(a *array.Array, f func(s *grid.Shape) error) error {
	if _, err := a.Layout(); !errors.Is(err, array.ErrNotAllocated) {
		if err == nil {
			err = array.ErrAllocated
		}
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shapes == nil {
		g.shapes = make(map[*array.Array]*grid.Shape)
	}
	s := g.shapes[a]
	if s == nil {
		s = new(grid.Shape)
		g.shapes[a] = s
	}
	return f(s)
}

// drop forgets what the program has set of an array.
func (g *pointerArrays) drop(a *array.Array) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.shapes, a)
}

// forget forgets all arrays, which the process has forgotten, too.
func (g *pointerArrays) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.shapes)
}

// Errors of libgp alone.
var (
	errNoGP    = errors.New("GP_Initialize has not been called, or GP_Terminate has")
	errNoArray = errors.New("no such array")
)

// gpError is the error of a function about an array.
type gpError struct {
	number int
	err    error
}

func (e *gpError) Error() string { return e.err.Error() }
func (e *gpError) Unwrap() error { return e.err }

// onGP returns the result of f for the process. Functions of libgp have no failure values: if f
// fails the run ends.
func onGP[T any](function string, f func(p *acp.Process, s *array.System) (T, error)) T {
	p := lib.process.Load()
	defer stopGPPanic(function, p)
	debug.SetPanicOnFault(true)
	if p == nil || lib.gp.of.Load() != p {
		end(gpFailure(function, nil, errNoGP))
	}
	v, err := f(p, array.Of(p))
	if err != nil {
		if errors.Is(err, acp.ErrPeerDead) {
			time.Sleep(runEndLimit)
		}
		end(gpFailure(function, p, err))
	}
	return v
}

// stopGPPanic is stopPanic for functions of gp.h. The line names the function.
func stopGPPanic(function string, p *acp.Process) {
	if cause := recover(); cause != nil {
		end(gpFailure(function, p, errors.New(panicText(cause, panicPlace()))))
	}
}

// doGP is onGP for functions without a result.
func doGP(function string, f func(p *acp.Process, s *array.System) error) {
	onGP(function, func(p *acp.Process, s *array.System) (struct{}, error) { return struct{}{}, f(p, s) })
}

// onArray is onGP for functions about an array.
func onArray[T any](function string, number C.int, f func(a *array.Array) (T, error)) T {
	return onGP(function, func(_ *acp.Process, s *array.System) (T, error) {
		var v T
		err := errNoArray
		if a := s.Find(int(number)); a != nil {
			v, err = f(a)
		}
		if err != nil {
			return v, &gpError{int(number), err}
		}
		return v, nil
	})
}

// doArray is onArray for functions without a result.
func doArray(function string, number C.int, f func(a *array.Array) error) {
	onArray(function, number, func(a *array.Array) (struct{}, error) { return struct{}{}, f(a) })
}

// gpFailure returns the line about a call that has failed, for example
// "gp: GP_Put on rank 2: array 3, place [4 17]: 96 bytes for an element of 80".
func gpFailure(function string, p *acp.Process, err error) string {
	place := fmt.Sprintf("process %d", os.Getpid())
	if p != nil {
		place = fmt.Sprintf("rank %d", p.Rank())
	}
	var of *gpError
	if !errors.As(err, &of) {
		return fmt.Sprintf("gp: %s on %s: %v", function, place, err)
	}
	var at *array.PlaceError
	separator := ": "
	if errors.As(of.err, &at) {
		separator = ", "
	}
	return fmt.Sprintf("gp: %s on %s: array %d%s%v", function, place, of.number, separator, of.err)
}

// goacp_gp_initialize is GP_Initialize. It returns 1 if there is no process: then GP_Initialize
// calls acp_init and this again, with owns.
//
//export goacp_gp_initialize
func goacp_gp_initialize(owns C.int) C.int {
	defer stopPanic()
	p := lib.process.Load()
	if p == nil {
		return 1
	}
	if owns != 0 {
		lib.gp.owned = p
	}
	lib.gp.of.Store(p)
	if t, err := array.Of(p).Share(); err == nil { // otherwise C leaves everything to Go
		C.goacp_gp_publish(t)
	}
	return 0
}

// goacp_gp_terminate is GP_Terminate. It returns 1 if GP_Terminate has to call acp_finalize.
//
//export goacp_gp_terminate
func goacp_gp_terminate() C.int {
	return onGP("GP_Terminate", func(p *acp.Process, s *array.System) (C.int, error) {
		C.goacp_gp_publish(nil)
		err := s.Clear()
		lib.gp.forget()
		lib.gp.of.Store(nil)
		if lib.gp.owned == p {
			lib.gp.owned = nil
			return 1, err
		}
		return 0, err
	})
}

// goacp_gp_sync is GP_Sync.
//
//export goacp_gp_sync
func goacp_gp_sync() {
	doGP("GP_Sync", func(p *acp.Process, _ *array.System) error {
		return errors.Join(p.Complete(acp.HandleAll), p.Sync())
	})
}
