package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/gp"
)

// world is the common state of the actors of a rank in one round.
type world struct {
	p           *acp.Process
	seed        uint64
	round       int
	rank, procs int
	starters    []acp.GA // of the starter memory of each rank
	shared      shared
	workspace   *acp.Workspace
	pointers    *gp.Array
	doubtful    sync.Map // GA of memory that its owner may have unregistered
}

func newWorld(p *acp.Process, seed uint64, round int) (*world, error) {
	w := &world{p: p, seed: seed, round: round, rank: int(p.Rank()), procs: p.Procs()}
	for rank := range w.procs {
		ga, err := p.StarterGA(acp.Rank(rank))
		if err != nil {
			return nil, err
		}
		w.starters = append(w.starters, ga)
	}
	return w, nil
}

// random returns the choices for a purpose that the numbers identify, the same on every rank.
func (w *world) random(numbers ...int) *rand.Rand {
	h := uint64(w.round) + 1
	for _, n := range numbers {
		h = mix(h ^ uint64(n+1))
	}
	return rand.New(rand.NewPCG(w.seed, h))
}

// Purposes of random choices that do not belong to one actor.
const (
	forReset = -iota - 2
	forWorkspace
	forChannels
	forSegments
	forTables
	forCouplings
)

// begin clears the starter memory of this rank and makes the shared structures.
func (w *world) begin() error {
	if w.procs > maxProcs {
		return fmt.Errorf("%d ranks, at most %d are possible", w.procs, maxProcs)
	}
	if have := len(w.p.Starter()); have < starterSize {
		return fmt.Errorf("%d bytes of starter memory, %d are needed: use -smemsize 1m", have, starterSize)
	}
	clear(w.p.Starter())
	if err := w.p.Sync(); err != nil {
		return err
	}
	if err := w.shared.create(w); err != nil {
		return err
	}
	rnd := w.random(forWorkspace)
	if err := w.p.SetWorkspaceParams(acp.Rank(rnd.IntN(w.procs)), uint64(1+rnd.IntN(workspaceSize))); err != nil {
		return err
	}
	var err error
	if w.workspace, err = w.p.NewWorkspace(workspaceSize); err != nil {
		return err
	}
	w.pointers, err = newPointerArray(w)
	return err
}

// end frees the shared structures, and checks that all blocks of the heap of the next rank are
// free again.
func (w *world) end() error {
	if err := w.pointers.Destroy(); err != nil {
		return err
	}
	if err := w.workspace.Destroy(); err != nil {
		return err
	}
	if err := w.shared.destroy(w); err != nil {
		return err
	}
	if err := w.p.Sync(); err != nil {
		return err
	}
	ga, err := w.p.Malloc(emptyHeap, acp.Rank((w.rank+1)%w.procs))
	if err != nil {
		return fmt.Errorf("after everything has been freed: %w", err)
	}
	if err := w.p.Free(ga); err != nil {
		return err
	}
	return w.p.Sync()
}

// emptyHeap is a block for which there is room in the smallest heap if little else is
// there.
const emptyHeap = 40 << 20

// reset calls Reset after some of the rounds, with ranks in a new order.
func (w *world) reset() error {
	rnd := w.random(forReset)
	if rnd.IntN(3) != 0 {
		return nil
	}
	to := rnd.Perm(w.procs)[w.rank]
	w.p.Starter()[0] = 1
	if err := w.p.Reset(acp.Rank(to)); err != nil {
		return err
	}
	if int(w.p.Rank()) != to {
		return fmt.Errorf("rank %d after a reset to %d", w.p.Rank(), to)
	}
	if w.p.Starter()[0] != 0 {
		return errors.New("starter memory is not zero after a reset")
	}
	return nil
}

// complete waits for a GMA. Operations on memory that may have been unregistered may fail; any
// goroutine may get the error.
func (w *world) complete(h acp.Handle, err error) error {
	if err != nil {
		return err
	}
	return w.allowed(w.p.Complete(h))
}

func (w *world) allowed(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if e := w.allowed(e); e != nil {
				return e
			}
		}
		return nil
	}
	var op *acp.OpError
	if errors.As(err, &op) && errors.Is(err, acp.ErrBadAddress) {
		if _, ok := w.doubtful.Load(op.Dst); ok {
			return nil
		}
	}
	return err
}

// peer returns any rank.
func (w *world) peer(rnd *rand.Rand) acp.Rank { return acp.Rank(rnd.IntN(w.procs)) }

// mix makes a pseudorandom number of another number (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
