//go:build !mpi

package mpi

// Comm is a communicator; in a build without MPI there is none, and every
// method returns [ErrUnavailable].
type Comm struct{}

// World returns a communicator that has no processes.
func World() Comm { return Comm{} }

// Rank returns [ErrUnavailable].
func (c Comm) Rank() (int, error) { return 0, ErrUnavailable }

// Size returns [ErrUnavailable].
func (c Comm) Size() (int, error) { return 0, ErrUnavailable }

// Dup returns [ErrUnavailable].
func (c Comm) Dup() (Comm, error) { return Comm{}, ErrUnavailable }

// Free returns [ErrUnavailable].
func (c Comm) Free() error { return ErrUnavailable }

// Barrier returns [ErrUnavailable].
func (c Comm) Barrier() error { return ErrUnavailable }

// Allgather returns [ErrUnavailable].
func (c Comm) Allgather([]byte) ([]byte, error) { return nil, ErrUnavailable }

// Allgatherv returns [ErrUnavailable].
func (c Comm) Allgatherv([]byte, []int) ([]byte, error) { return nil, ErrUnavailable }

// Abort returns [ErrUnavailable].
func (c Comm) Abort(int) error { return ErrUnavailable }
