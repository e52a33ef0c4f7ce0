//go:build mpi

package mpi_test

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/goacp/goacp/mpi"
)

// requests puts to and gets from all processes at once.
func requests(w world) error {
	const n = 5000
	buf, err := mpi.AllocMemory(w.size*n, mpi.Info{})
	if err != nil {
		return err
	}
	err = withArea(w, func(a area) error {
		part := func(r int) []byte { return buf[r*n : (r+1)*n] }
		fill(buf, byte(w.rank+1))
		rs := make([]mpi.Request, w.size, w.size+1)
		for r := range rs {
			var err error
			if rs[r], err = a.win.Rput(part(r), r, a.bases[r]+w.rank*n); err != nil {
				return err
			}
		}
		if err := errors.Join(mpi.WaitAll(append(rs, mpi.Request{})), a.win.FlushAll(), w.comm.Barrier()); err != nil {
			return err
		}
		fill(buf, guard)
		for r := range rs {
			var err error
			if rs[r], err = a.win.Rget(part(r), r, a.bases[r]+w.left()*n); err != nil {
				return err
			}
		}
		if err := expect("cancelling a get", rs[0].Cancel(), mpi.ErrRequest); err != nil {
			return err
		}
		for {
			ended, err := mpi.TestAll(rs)
			if err != nil {
				return err
			}
			if ended {
				break
			}
			runtime.Gosched()
		}
		if err := holds(buf, 0, len(buf), byte(w.left()+1), 0); err != nil {
			return err
		}
		for r := range rs {
			if ended, err := rs[r].Test(); !ended || err != nil {
				return fmt.Errorf("Test after TestAll: %v, %v", ended, err)
			}
		}
		if ended, err := mpi.TestAll(rs); !ended || err != nil {
			return fmt.Errorf("TestAll after TestAll: %v, %v", ended, err)
		}
		return mpi.WaitAll(nil)
	})
	return errors.Join(err, mpi.FreeMemory(buf))
}
