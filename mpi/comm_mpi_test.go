//go:build mpi

package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

func communicators(w world) error {
	if n, err := mpi.Self().Size(); err != nil || n != 1 {
		return fmt.Errorf("self has %d processes, %v", n, err)
	}
	if mpi.Self().IsNull() || mpi.World().IsNull() || !(mpi.Comm{}).IsNull() {
		return errors.New("IsNull is wrong")
	}
	if err := w.ofC(); err != nil {
		return err
	}
	// Even and odd ranks, in reverse order.
	part, err := w.comm.Split(w.rank%2, -w.rank)
	if err != nil {
		return err
	}
	rank, err := part.Rank()
	if err != nil {
		return err
	}
	size, err := part.Size()
	if err != nil {
		return err
	}
	wantSize := (w.size + 1 - w.rank%2) / 2
	if want := wantSize - 1 - w.rank/2; rank != want || size != wantSize {
		return fmt.Errorf("split: rank %d of %d, expected %d of %d", rank, size, want, wantSize)
	}
	if err := part.Free(); err != nil {
		return err
	}
	color := mpi.Undefined
	if w.rank == 0 {
		color = 5
	}
	alone, err := w.comm.Split(color, 0)
	if err != nil {
		return err
	}
	if alone.IsNull() != (w.rank != 0) {
		return fmt.Errorf("split with color %d: none is %v", color, alone.IsNull())
	}
	if w.rank == 0 {
		if err := alone.Free(); err != nil {
			return err
		}
	}
	shared, err := w.comm.SplitShared(w.rank, mpi.Info{})
	if err != nil {
		return err
	}
	if n, err := shared.Size(); err != nil || n != w.size {
		return fmt.Errorf("%d processes share memory, %v", n, err)
	}
	return shared.Free()
}

func groups(w world) error {
	reversed, err := w.comm.Split(0, -w.rank)
	if err != nil {
		return err
	}
	here, err := w.comm.Group()
	if err != nil {
		return err
	}
	there, err := reversed.Group()
	if err != nil {
		return err
	}
	rank, err := there.Rank()
	if err != nil {
		return err
	}
	size, err := there.Size()
	if err != nil {
		return err
	}
	if rank != w.size-1-w.rank || size != w.size {
		return fmt.Errorf("rank %d of %d in the reversed group", rank, size)
	}
	ranks, want := make([]int, w.size), make([]int, w.size)
	for i := range ranks {
		ranks[i], want[i] = i, w.size-1-i
	}
	got, err := here.Translate(ranks, there)
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("translated %v to %v, %v", ranks, got, err)
	}
	self, err := mpi.Self().Group()
	if err != nil {
		return err
	}
	want = slices.Repeat([]int{mpi.Undefined}, w.size)
	want[w.rank] = 0
	got, err = here.Translate(ranks, self)
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("translated %v to %v of self, %v", ranks, got, err)
	}
	if none, err := here.Translate(nil, self); err != nil || len(none) != 0 {
		return fmt.Errorf("translated nothing to %v, %v", none, err)
	}
	_, err = here.Translate([]int{w.size}, there)
	if err := expect("rank outside the group", err, mpi.ErrRank); err != nil {
		return err
	}
	return errors.Join(here.Free(), there.Free(), self.Free(), reversed.Free())
}

// intercommunicators are made of even and odd ranks, and merged again.
func intercommunicators(w world) error {
	if w.size < 2 {
		return nil
	}
	side := w.rank % 2
	mine, err := w.comm.Split(side, w.rank)
	if err != nil {
		return err
	}
	if inter, err := mine.IsInter(); err != nil || inter {
		return fmt.Errorf("half of the world is an intercommunicator: %v, %v", inter, err)
	}
	// Only the leaders, which are ranks 0 and 1 of the world, need a peer.
	peer, leader := w.comm, 1-side
	if w.rank > 1 {
		peer, leader = mpi.Comm{}, 0
	}
	inter, err := mine.CreateInter(0, peer, leader, 7)
	if err != nil {
		return err
	}
	if is, err := inter.IsInter(); err != nil || !is {
		return fmt.Errorf("IsInter: %v, %v", is, err)
	}
	others := (w.size + side) / 2
	if n, err := inter.RemoteSize(); err != nil || n != others {
		return fmt.Errorf("%d processes on the other side, %v, expected %d", n, err, others)
	}
	group, err := inter.RemoteGroup()
	if err != nil {
		return err
	}
	if n, err := group.Size(); err != nil || n != others {
		return fmt.Errorf("%d processes in the other group, %v", n, err)
	}
	if r, err := group.Rank(); err != nil || r != mpi.Undefined {
		return fmt.Errorf("rank %d in the other group, %v", r, err)
	}
	all, err := inter.Allgather([]byte{byte(w.rank)})
	if err != nil {
		return err
	}
	counts := slices.Repeat([]int{1}, others)
	uneven, err := inter.Allgatherv([]byte{byte(w.rank)}, counts)
	if err != nil {
		return err
	}
	var want []byte
	for r := 1 - side; r < w.size; r += 2 {
		want = append(want, byte(r))
	}
	if !bytes.Equal(all, want) || !bytes.Equal(uneven, want) {
		return fmt.Errorf("gathered %v and %v from the other side, expected %v", all, uneven, want)
	}
	merged, err := inter.Merge(side == 0)
	if err != nil {
		return err
	}
	rank, err := merged.Rank()
	if err != nil {
		return err
	}
	expected := w.rank / 2
	if side == 0 {
		expected += w.size / 2 // the odd ones come first
	}
	if rank != expected {
		return fmt.Errorf("rank %d after the merge, expected %d", rank, expected)
	}
	return errors.Join(group.Free(), merged.Free(), inter.Disconnect(), mine.Disconnect())
}

// ofC uses communicators of C.
func (w world) ofC() error {
	if !mpi.FromC(mpitest.Null()).IsNull() {
		return errors.New("MPI_COMM_NULL is a communicator")
	}
	comm := mpi.FromC(mpitest.World())
	rank, err := comm.Rank()
	if size, errSize := comm.Size(); comm.IsNull() || rank != w.rank || size != w.size || err != nil || errSize != nil {
		return fmt.Errorf("rank %d of %d in MPI_COMM_WORLD, %v, %v", rank, size, err, errSize)
	}
	return expect("free a communicator of the program", comm.Free(), mpi.ErrComm)
}
