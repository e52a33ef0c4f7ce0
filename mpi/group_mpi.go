//go:build mpi

package mpi

// #include "shim.h"
import "C"

// Group is an ordered set of processes, without the means to communicate. Copies
// of the value are the same group. The zero value is no group: its methods return
// [ErrGroup].
type Group struct {
	handle C.MPI_Group
	made   bool
}

// Group returns the processes of c, of an intercommunicator those on the
// caller's side. Free it. Local. Does not block. MPI 6.3.2.
func (c Comm) Group() (Group, error) {
	const op = "MPI_Comm_group"
	if err := c.usable(op); err != nil {
		return Group{}, err
	}
	g := Group{made: true}
	if err := check(op, C.MPI_Comm_group(c.handle, &g.handle)); err != nil {
		return Group{}, err
	}
	return g, nil
}

// RemoteGroup returns the processes in the other group of the intercommunicator
// c. Free it. Local. Does not block. MPI 6.6.1.
func (c Comm) RemoteGroup() (Group, error) {
	const op = "MPI_Comm_remote_group"
	if err := c.between(op); err != nil {
		return Group{}, err
	}
	g := Group{made: true}
	if err := check(op, C.MPI_Comm_remote_group(c.handle, &g.handle)); err != nil {
		return Group{}, err
	}
	return g, nil
}

func (g Group) usable(op string) error {
	if !g.made {
		return refuse(op, ErrGroup, "not a group")
	}
	return nil
}

// Size returns the number of processes in g. Local. Does not block. MPI 6.3.1.
func (g Group) Size() (int, error) {
	const op = "MPI_Group_size"
	if err := g.usable(op); err != nil {
		return 0, err
	}
	var n C.int
	err := check(op, C.MPI_Group_size(g.handle, &n))
	return int(n), err
}

// Rank returns the rank of the calling process in g, or [Undefined] if it is
// not in it. Local. Does not block. MPI 6.3.1.
func (g Group) Rank() (int, error) {
	const op = "MPI_Group_rank"
	if err := g.usable(op); err != nil {
		return 0, err
	}
	var n C.int
	err := check(op, C.goacp_mpi_group_rank(g.handle, &n))
	return int(n), err
}

// Translate returns, for each of the ranks in g, the rank of the same process in
// to, or [Undefined] if it is not in it. Local. Does not block. MPI 6.3.1.
func (g Group) Translate(ranks []int, to Group) ([]int, error) {
	const op = "MPI_Group_translate_ranks"
	if err := g.usable(op); err != nil {
		return nil, err
	}
	if err := to.usable(op); err != nil {
		return nil, err
	}
	if len(ranks) == 0 {
		return nil, nil
	}
	size, err := g.Size()
	if err != nil {
		return nil, err
	}
	in, out := make([]C.int, len(ranks)), make([]C.int, len(ranks))
	for i, r := range ranks {
		if r < 0 || r >= size {
			return nil, refuse(op, ErrRank, "rank %d in a group of %d", r, size)
		}
		in[i] = C.int(r)
	}
	err = check(op, C.goacp_mpi_translate(g.handle, C.int(len(in)), &in[0], to.handle, &out[0]))
	if err != nil {
		return nil, err
	}
	there := make([]int, len(out))
	for i, r := range out {
		there[i] = int(r)
	}
	return there, nil
}

// Free frees g. The program must not use copies of the value afterwards. Local. Does
// not block. MPI 6.3.3.
func (g Group) Free() error {
	const op = "MPI_Group_free"
	if err := g.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Group_free(&g.handle))
}
