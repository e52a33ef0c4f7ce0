//go:build !mpi

package mpi

// Available reports whether this build has MPI.
func Available() bool { return false }

// Vendor returns the empty [Library].
func Vendor() Library { return Library{} }

// LibraryVersion returns [ErrUnavailable].
func LibraryVersion() (string, error) { return "", ErrUnavailable }

// Initialized returns false.
func Initialized() bool { return false }

// Finalized returns false.
func Finalized() bool { return false }

// Owned returns false.
func Owned() bool { return false }

// InitThread returns [ErrUnavailable].
func InitThread(ThreadLevel) (ThreadLevel, error) { return 0, ErrUnavailable }

// QueryThread returns [ErrUnavailable].
func QueryThread() (ThreadLevel, error) { return 0, ErrUnavailable }

// Finalize returns [ErrUnavailable].
func Finalize() error { return ErrUnavailable }
