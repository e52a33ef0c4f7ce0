package main

import "github.com/goacp/goacp/acp"

// windows measures accesses by windows of MPI. The figures are named after the MPI.
func (b *bench) windows(mpi string) error {
	_, other, err := b.registered()
	if err != nil || b.p.Rank() != 0 {
		return err
	}
	far, near := b.peer+block, b.mine+block
	fill(b.p.Starter()[block : block+megabyte])
	b.measureCopy(mpi+"-put8", 20000, far, near, 8)
	b.measureCopy(mpi+"-get8", 20000, near, far, 8)
	b.measure(mpi+"-add8", 10000, func() { b.finish(b.p.Add8(near, far, 1, acp.HandleNull)) })
	b.measure(mpi+"-cas8", 10000, func() { b.finish(b.p.Cas8(near, far, 1, 2, acp.HandleNull)) })
	b.measureCopy(mpi+"-put1m", 20, far, near, megabyte)
	b.measureCopy(mpi+"-regput8", 500, other, near, 8)
	b.measureCopy(mpi+"-regget8", 500, near, other, 8)
	return nil
}
