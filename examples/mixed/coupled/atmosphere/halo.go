//go:build mpi

package main

import (
	mpi "github.com/sbromberger/gompi"

	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

// halo is what the parts of this model do by MPI, among themselves: exchange the
// columns at their common boundaries. The twin of halo.h.
type halo struct {
	world      *mpi.Communicator
	rank, size int
	out, in    []float64 // one column each
}

func newHalo(p *heat.Part) *halo {
	world := mpi.NewCommunicator(nil)
	return &halo{
		world: world, rank: world.Rank(), size: world.Size(),
		out: make([]float64, p.Medium.Rows), in: make([]float64, p.Medium.Rows),
	}
}

// exchange fills all ghost columns of p: by neighbours or by walls. Even ranks
// exchange with their right neighbour first, odd ones with their left, so that the ranks
// do not wait for each other in a circle.
func (h *halo) exchange(p *heat.Part) {
	right := func() { h.swap(p, h.rank+1, p.Own.Count-1, p.Own.Count) }
	left := func() { h.swap(p, h.rank-1, 0, -1) }
	if h.rank%2 == 0 {
		right()
		left()
	} else {
		left()
		right()
	}
	p.Walls()
}

// swap sends column mine to a neighbour and puts its column into ghost.
func (h *halo) swap(p *heat.Part, neighbour, mine, ghost int) {
	if neighbour < 0 || neighbour >= h.size {
		return
	}
	p.Column(h.out, mine)
	if h.rank < neighbour {
		h.world.SendFloat64s(h.out, neighbour, 0)
		h.world.RecvPreallocFloat64s(h.in, neighbour, 0)
	} else {
		h.world.RecvPreallocFloat64s(h.in, neighbour, 0)
		h.world.SendFloat64s(h.out, neighbour, 0)
	}
	p.SetColumn(ghost, h.in)
}
