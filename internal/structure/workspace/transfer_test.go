package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
)

// modes are those in which the memory of other ranks is mapped, and in which it is not.
var modes = []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP}

// TestTransferModel lets three ranks read and write parts of workspaces of random shapes. Each
// uses a third of the bytes, from and to its slices, its own memory and that of the next rank.
func TestTransferModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, mode := range modes {
		for shape := range uint64(8) {
			common := rand.New(rand.NewPCG(seed, shape))
			const third = 5000
			first, piece := common.IntN(3), uint64(1+common.IntN(third))
			forEachRank(t, mode, func(r rank) error {
				if err := r.SetParams(first, piece); err != nil {
					return err
				}
				w, err := r.Create(3 * third)
				if err != nil {
					return err
				}
				u := &user{r: r, w: w, from: uint64(r.Numbers.Own()) * third, model: make([]byte, third),
					rnd: rand.New(rand.NewPCG(seed, shape*10+uint64(r.Numbers.Own())))}
				if _, err := w.WriteAt(u.model, int64(u.from)); err != nil {
					return err
				}
				for i := range 200 {
					if err := u.step(); err != nil {
						return fmt.Errorf("step %d, pieces of %d bytes from rank %d on: %w", i, piece, first, err)
					}
				}
				return errors.Join(r.sync(), w.Destroy())
			})
		}
	}
}

// user is one rank of TestTransferModel.
type user struct {
	r     rank
	w     *Workspace
	from  uint64 // offset of its first byte
	model []byte
	rnd   *rand.Rand
}

// step reads or writes some of the bytes.
func (u *user) step() error {
	at := u.rnd.IntN(len(u.model))
	n := u.rnd.IntN(len(u.model) - at + 1)
	want, offset := u.model[at:at+n], u.from+uint64(at)
	read := u.rnd.IntN(2) == 0
	if !read {
		for i := range want {
			want[i] = byte(u.rnd.Uint32())
		}
	}
	if u.rnd.IntN(3) == 0 {
		return u.slice(want, offset, read)
	}
	return u.memory(want, offset, read)
}

// slice reads or writes by a slice.
func (u *user) slice(want []byte, offset uint64, read bool) error {
	if !read {
		n, err := u.w.WriteAt(want, int64(offset))
		if n != len(want) && err == nil {
			err = fmt.Errorf("wrote %d of %d bytes", n, len(want))
		}
		return err
	}
	got := make([]byte, len(want))
	if n, err := u.w.ReadAt(got, int64(offset)); n != len(want) || err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("%d bytes at %d: %d, %w", len(want), offset, n, err)
	}
	return nil
}

// memory reads or writes by memory of this rank, or of the next one.
func (u *user) memory(want []byte, offset uint64, read bool) error {
	r, n := u.r, uint64(len(want))
	owner := (r.Numbers.Own() + u.rnd.IntN(2)) % 3
	// Each rank has its own part of the starter memory of all.
	at := ga.Make(owner, ga.Pos(r.Starter(uint64(r.Numbers.Own())*globaltest.Starter/3)))
	if !read {
		return errors.Join(r.Mem.Put(at, want), u.w.Write(at, n, offset))
	}
	got := make([]byte, n)
	if err := errors.Join(u.w.Read(at, n, offset), r.Mem.Get(got, at)); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%d bytes at %d by memory of rank %d differ", n, offset, owner)
	}
	return nil
}

// TestTransferFails: a range that is not all in the workspace, or not all in memory, is an error, and no byte
// is moved.
func TestTransferFails(t *testing.T) {
	for _, mode := range modes {
		forEachRank(t, mode, func(r rank) error {
			w, err := r.Create(100)
			if err != nil {
				return err
			}
			own := r.Starter(0)
			for _, c := range []struct {
				at, size, offset uint64
				want             error
			}{
				{own, 101, 0, global.ErrOutOfRange}, {own, 1, 100, global.ErrOutOfRange}, {own, 0, 101, global.ErrOutOfRange},
				{own, math.MaxUint64, 2, global.ErrOutOfRange}, {own, 2, math.MaxUint64, global.ErrOutOfRange},
				{ga.Null, 1, 0, global.ErrBadAddress}, {ga.Make(3, 4096), 1, 0, global.ErrBadAddress},
				{own + globaltest.Starter - 1, 2, 0, global.ErrBadAddress}, {ga.Make(3, 0) - 8, 16, 0, global.ErrBadAddress},
				{ga.Null, 0, 100, nil}, {own + globaltest.Starter - 1, 1, 99, nil},
			} {
				read, write := w.Read(c.at, c.size, c.offset), w.Write(c.at, c.size, c.offset)
				if !errors.Is(read, c.want) || !errors.Is(write, c.want) {
					return fmt.Errorf("%+v: %v, %v", c, read, write)
				}
			}
			for i, b := range r.Space.Starter()[:globaltest.Starter-1] {
				if b != 0 {
					return fmt.Errorf("byte %d of starter memory has changed", i)
				}
			}
			return errors.Join(r.sync(), w.Destroy())
		})
	}
}

// TestEndOfFile: reading ends at the end of the workspace, and writing does not make it longer.
func TestEndOfFile(t *testing.T) {
	forEachRank(t, bridge.ModeSHM, func(r rank) error {
		w, err := r.Create(1234)
		if err != nil {
			return err
		}
		for _, c := range []struct {
			off   int64
			n     int
			read  int
			fail  error
			write error
		}{
			{1230, 4, 4, nil, nil}, {1230, 5, 4, io.EOF, global.ErrOutOfRange}, {1234, 1, 0, io.EOF, global.ErrOutOfRange},
			{math.MaxInt64, 1, 0, io.EOF, global.ErrOutOfRange}, {1234, 0, 0, nil, nil}, {-1, 1, 0, global.ErrOutOfRange, global.ErrOutOfRange},
		} {
			b := make([]byte, c.n)
			if n, err := w.ReadAt(b, c.off); n != c.read || !errors.Is(err, c.fail) {
				return fmt.Errorf("read %d bytes at %d: %d, %v", c.n, c.off, n, err)
			}
			if _, err := w.WriteAt(b, c.off); !errors.Is(err, c.write) {
				return fmt.Errorf("write %d bytes at %d: %v", c.n, c.off, err)
			}
		}
		return errors.Join(r.sync(), w.Destroy())
	})
}
