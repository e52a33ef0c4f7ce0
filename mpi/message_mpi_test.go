//go:build mpi

package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"

	"github.com/goacp/goacp/mpi"
)

// messages go round the ring.
func messages(w world) error {
	for i, n := range []int{0, 1, 100, 200000} {
		buf, err := mpi.AllocMemory(n+1, mpi.Info{})
		if err != nil {
			return err
		}
		buf[n] = 99 // the guard
		source, tag := w.left(), i
		if i%2 == 1 {
			source, tag = mpi.AnySource, mpi.AnyTag
		}
		r, err := w.comm.Irecv(buf[:n], source, tag)
		if err != nil {
			return err
		}
		if err := w.comm.Send(pattern(w.rank, n), w.right(), i); err != nil {
			return err
		}
		if err := r.Wait(); err != nil {
			return err
		}
		if ended, err := r.Test(); err != nil || !ended {
			return fmt.Errorf("Test after Wait: %v, %v", ended, err)
		}
		if !bytes.Equal(buf[:n], pattern(w.left(), n)) || buf[n] != 99 {
			return fmt.Errorf("a message of %d bytes is wrong", n)
		}
		if err := mpi.FreeMemory(buf); err != nil {
			return err
		}
	}
	testAll := func(rs []mpi.Request) error {
		for {
			if ended, err := mpi.TestAll(rs); ended {
				return err
			}
			runtime.Gosched()
		}
	}
	return errors.Join(tooLong(w, mpi.WaitAll), w.comm.Barrier(), tooLong(w, testAll))
}

// tooLong sends a message that is longer than the receiver's buffer.
func tooLong(w world, complete func([]mpi.Request) error) error {
	buf, err := mpi.AllocMemory(2, mpi.Info{})
	if err != nil {
		return err
	}
	rs := make([]mpi.Request, 2)
	for i := range rs {
		if rs[i], err = w.comm.Irecv(buf[i:i+1], w.left(), i); err != nil {
			return err
		}
	}
	if err := w.comm.Send([]byte{1}, w.right(), 0); err != nil {
		return err
	}
	if err := w.comm.Send([]byte{1, 2, 3}, w.right(), 1); err != nil {
		return err
	}
	if err := expect("a message that is too long", complete(rs), mpi.ErrTruncate); err != nil {
		return err
	}
	return mpi.FreeMemory(buf)
}

func cancels(w world) error {
	for range 3 {
		r, err := w.comm.Irecv(nil, mpi.AnySource, 1234)
		if err != nil {
			return err
		}
		other, err := w.comm.Irecv(nil, mpi.AnySource, 1235)
		if err != nil {
			return err
		}
		if a, b := r.Fortran(), other.Fortran(); a == b {
			return fmt.Errorf("two requests have the number %d", a)
		}
		if err := other.Cancel(); err != nil {
			return err
		}
		if err := other.Wait(); !errors.Is(err, mpi.ErrCancelled) {
			return fmt.Errorf("the other cancelled receive: %v", err)
		}
		for range 100 {
			if ended, err := r.Test(); err != nil || ended {
				return fmt.Errorf("a receive without a message: %v, %v", ended, err)
			}
		}
		if err := r.Cancel(); err != nil {
			return err
		}
		if err := r.Wait(); !errors.Is(err, mpi.ErrCancelled) {
			return fmt.Errorf("the cancelled receive: %v", err)
		}
		if err := errors.Join(r.Wait(), r.Cancel()); err != nil {
			return err
		}
	}
	r, err := w.comm.Irecv(nil, mpi.AnySource, 1234)
	if err != nil {
		return err
	}
	if err := r.Cancel(); err != nil {
		return err
	}
	for {
		switch ended, err := r.Test(); {
		case !ended:
			runtime.Gosched()
		case !errors.Is(err, mpi.ErrCancelled):
			return fmt.Errorf("the cancelled receive: %v", err)
		default:
			return nil
		}
	}
}
