package acp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestWorkspaceModel lets three ranks read and write workspaces of random shapes at the
// same time. Each rank owns some stripes, which lie across the pieces, and writes them
// alone; between two synchronisations it reads them alone, too, and at the end of a
// phase everything. What it reads is compared with a slice.
func TestWorkspaceModel(t *testing.T) {
	const phases, operations = 12, 3000 // of each rank: 108 000 in all, and the reading of everything
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		var model []byte
		cfg := acp.Config{Mode: mode, StarterSize: 1 << 16}
		run(t, n, cfg, func(p *member) error {
			u := &workspaceUser{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
			common := rand.New(rand.NewPCG(seed, 1000))
			for phase := range phases {
				first, size := acp.Rank(common.IntN(n)), 1+common.IntN(40000)
				piece, stripe := 1+common.IntN(size+size/8), 1+common.IntN(700)
				if size/piece > 1000 {
					piece = 1 + size/1000
				}
				if err := p.SetWorkspaceParams(first, uint64(piece)); err != nil {
					return err
				}
				w, err := p.CreateWorkspace(uint64(size))
				if err != nil {
					return err
				}
				if p.Rank() == 0 {
					model = make([]byte, size)
				}
				if err := p.Sync(); err != nil {
					return err
				}
				u.w, u.model, u.stripe = w, model, stripe
				if err := u.phase(operations); err != nil {
					return fmt.Errorf("phase %d, %d bytes in pieces of %d on rank %d…: %w", phase, size, piece, first, err)
				}
				if err := p.Sync(); err != nil {
					return err
				}
				if err := u.compareAll(); err != nil {
					return fmt.Errorf("end of phase %d: %w", phase, err)
				}
				if err := w.Destroy(); err != nil {
					return err
				}
			}
			return wholeHeap(p)
		})
	})
}

// workspaceUser is one rank of TestWorkspaceModel.
type workspaceUser struct {
	p      *member
	rnd    *rand.Rand
	w      *acp.Workspace
	model  []byte // each rank touches its stripes only
	stripe int
}

func (u *workspaceUser) phase(operations int) error {
	n := u.p.Procs()
	var own []int // first bytes of the stripes of this rank
	for at := int(u.p.Rank()) * u.stripe; at < len(u.model); at += n * u.stripe {
		own = append(own, at)
		if err := u.write(at, min(u.stripe, len(u.model)-at)); err != nil {
			return err
		}
	}
	for len(own) > 0 && operations > 0 {
		operations--
		begin := own[u.rnd.IntN(len(own))]
		length := min(u.stripe, len(u.model)-begin)
		at := u.rnd.IntN(length + 1)
		size := u.rnd.IntN(length - at + 1)
		act := u.write
		if u.rnd.IntN(2) == 0 {
			act = u.read
		}
		if err := act(begin+at, size); err != nil {
			return fmt.Errorf("%d bytes at %d: %w", size, begin+at, err)
		}
	}
	return nil
}

// place returns memory of this rank for n bytes and its address.
func (u *workspaceUser) place(n int) ([]byte, acp.GA) {
	at := u.rnd.IntN(len(u.p.Starter()) - n)
	return u.p.Starter()[at : at+n], must(u.p.StarterGA(u.p.Rank())) + acp.GA(at)
}

func (u *workspaceUser) write(at, n int) error {
	want := u.model[at : at+n]
	for i := range want {
		want[i] = byte(u.rnd.Uint32())
	}
	if u.rnd.IntN(3) == 0 {
		_, err := u.w.WriteAt(want, int64(at))
		return err
	}
	mem, ga := u.place(n)
	copy(mem, want)
	if err := u.w.Write(ga, uint64(n), uint64(at)); err != nil {
		return err
	}
	clear(mem)
	return nil
}

func (u *workspaceUser) read(at, n int) error {
	var got []byte
	if u.rnd.IntN(3) == 0 {
		got = make([]byte, n)
		if _, err := u.w.ReadAt(got, int64(at)); err != nil {
			return err
		}
	} else {
		var ga acp.GA
		got, ga = u.place(n)
		for i := range got {
			got[i] = ^u.model[at+i]
		}
		if err := u.w.Read(ga, uint64(n), uint64(at)); err != nil {
			return err
		}
	}
	if !bytes.Equal(got, u.model[at:at+n]) {
		return fmt.Errorf("got %x, expected %x", got, u.model[at:at+n])
	}
	return nil
}

func (u *workspaceUser) compareAll() error {
	all := make([]byte, len(u.model))
	if _, err := u.w.ReadAt(all, 0); err != nil {
		return err
	}
	if !bytes.Equal(all, u.model) {
		return errors.New("the workspace differs from its model")
	}
	return nil
}

// wholeHeap checks that the heap of the next rank holds nothing.
func wholeHeap(p *member) error {
	if err := p.Sync(); err != nil {
		return err
	}
	next := acp.Rank((int(p.Rank()) + 1) % p.Procs())
	all, err := p.Malloc(acp.DefaultHeapSize, next)
	if err != nil {
		return fmt.Errorf("the heap of rank %d is not whole: %w", next, err)
	}
	return p.Free(all)
}

// TestWorkspacePieces checks where the bytes lie.
func TestWorkspacePieces(t *testing.T) {
	type shape struct {
		first       acp.Rank
		piece, size uint64
		ranks       []acp.Rank
		sizes       []uint64
	}
	shapes := []shape{
		{0, acp.DefaultPieceSize, 100, []acp.Rank{0}, []uint64{100}},
		{2, 10, 10, []acp.Rank{2}, []uint64{10}},
		{1, 10, 21, []acp.Rank{1, 2, 0}, []uint64{10, 10, 1}},
		{2, 7, 35, []acp.Rank{2, 0, 1, 2, 0}, []uint64{7, 7, 7, 7, 7}},
		{1, math.MaxUint64, 1, []acp.Rank{1}, []uint64{1}},
		{0, 1, 0, nil, nil},
	}
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for i, s := range shapes {
				if i > 0 { // the first has the default
					if err := p.SetWorkspaceParams(s.first, s.piece); err != nil {
						return err
					}
				}
				w, err := p.CreateWorkspace(s.size)
				if err != nil {
					return err
				}
				if w.Size() != s.size || w.Pieces() != len(s.ranks) {
					return fmt.Errorf("%+v: %d bytes in %d pieces", s, w.Size(), w.Pieces())
				}
				if err := checkPieces(p, w, s.ranks, s.sizes); err != nil {
					return fmt.Errorf("%+v: %w", s, err)
				}
				if err := w.Destroy(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// checkPieces has rank 0 write the workspace and every rank look at its pieces.
func checkPieces(p *member, w *acp.Workspace, ranks []acp.Rank, sizes []uint64) error {
	text := make([]byte, w.Size())
	for i := range text {
		text[i] = byte(i + 1)
	}
	if p.Rank() == 0 {
		if _, err := w.WriteAt(text, 0); err != nil {
			return err
		}
	}
	if err := p.Sync(); err != nil {
		return err
	}
	own := must(p.StarterGA(p.Rank()))
	for i, rank := range ranks {
		ga, size := w.Piece(i)
		if size != sizes[i] || must(p.QueryRank(ga)) != rank || ga%16 != 0 {
			return fmt.Errorf("piece %d: %d bytes at %v", i, size, ga)
		}
		h, err := p.Copy(own, ga, size, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := p.Complete(h); err != nil {
			return err
		}
		if !bytes.Equal(p.Starter()[:size], text[:size]) {
			return fmt.Errorf("piece %d holds %x, expected %x", i, p.Starter()[:size], text[:size])
		}
		text = text[size:]
	}
	return nil
}

// TestWorkspaceThirdParty reads into and writes from the memory of another rank, also
// registered memory.
func TestWorkspaceThirdParty(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		regions := make([]acp.GA, n)
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			me := int(p.Rank())
			region := foreign(t, 4096)
			key := must(p.Register(region, 0))
			regions[me] = must(p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(region))))
			for i := range region {
				region[i] = byte(me*50 + i%49)
			}
			if err := p.SetWorkspaceParams(1, 1000); err != nil {
				return err
			}
			w, err := p.CreateWorkspace(uint64(3 * 2500))
			if err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			next, from := (me+1)%n, (me+2)%n
			at := uint64(me * 2500)
			if err := w.Write(regions[next]+3, 2400, at); err != nil {
				return err
			}
			if err := w.Read(must(p.StarterGA(acp.Rank(next)))+5, 2400, at); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			// The rank before this one has brought this one's bytes here.
			if !bytes.Equal(p.Starter()[5:2405], region[3:2403]) || p.Starter()[4] != 0 || p.Starter()[2405] != 0 {
				return fmt.Errorf("rank %d did not bring what it should", from)
			}
			if err := p.Unregister(key); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if err := w.Read(regions[next], 8, at); !errors.Is(err, acp.ErrBadAddress) {
				return fmt.Errorf("read to memory that is not registered: %v", err)
			}
			return w.Destroy()
		})
	})
}

// TestWorkspaceAsFile lets package iotest look at a workspace.
func TestWorkspaceAsFile(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		if err := p.SetWorkspaceParams(0, 100); err != nil {
			return err
		}
		w, err := p.CreateWorkspace(1234)
		if err != nil {
			return err
		}
		text := make([]byte, w.Size())
		for i := range text {
			text[i] = byte(i * 7)
		}
		if n, err := io.Copy(io.NewOffsetWriter(w, 0), bytes.NewReader(text)); n != 1234 || err != nil {
			return fmt.Errorf("wrote %d bytes: %w", n, err)
		}
		for _, c := range []struct {
			off  int64
			len  int
			n    int
			fail error
		}{
			{1230, 4, 4, nil}, {1230, 5, 4, io.EOF}, {1234, 1, 0, io.EOF}, {math.MaxInt64, 1, 0, io.EOF},
			{1234, 0, 0, nil}, {-1, 1, 0, acp.ErrOutOfRange},
		} {
			if n, err := w.ReadAt(make([]byte, c.len), c.off); n != c.n || !errors.Is(err, c.fail) {
				return fmt.Errorf("%d bytes at %d: %d, %v", c.len, c.off, n, err)
			}
		}
		return iotest.TestReader(io.NewSectionReader(w, 0, int64(w.Size())), text)
	})
}

func TestWorkspaceErrors(t *testing.T) {
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if err := errors.Join(
				expect(acp.ErrBadRank, p.SetWorkspaceParams(-1, 1)),
				expect(acp.ErrBadRank, p.SetWorkspaceParams(acp.Rank(n), 1)),
				expect(acp.ErrBadSize, p.SetWorkspaceParams(0, 0)),
			); err != nil {
				return err
			}
			w, err := p.CreateWorkspace(100)
			if err != nil {
				return err
			}
			own := must(p.StarterGA(p.Rank()))
			guard := slices.Clone(p.Starter())
			last := acp.GA(uint64(n)<<44 - 8)
			if err := errors.Join(
				expect(acp.ErrOutOfRange, w.Read(own, 101, 0)),
				expect(acp.ErrOutOfRange, w.Read(own, 1, 100)),
				expect(acp.ErrOutOfRange, w.Read(own, 0, 101)),
				expect(acp.ErrOutOfRange, w.Read(own, math.MaxUint64, 2)),
				expect(acp.ErrOutOfRange, w.Write(own, 2, math.MaxUint64)),
				expect(acp.ErrBadAddress, w.Read(acp.NullGA, 1, 0)),
				expect(acp.ErrBadAddress, w.Write(acp.GA(uint64(n)<<44+4096), 1, 0)),
				expect(acp.ErrBadAddress, w.Write(own+acp.DefaultStarterSize-1, 2, 0)),
				expect(acp.ErrBadAddress, w.Write(last, 16, 0)),
				expect(nil, w.Read(acp.NullGA, 0, 100)),
				expect(nil, w.Write(acp.NullGA, 0, 0)),
				expect(nil, w.Read(own+acp.DefaultStarterSize-1, 1, 99)),
			); err != nil {
				return err
			}
			if !bytes.Equal(guard[:acp.DefaultStarterSize-1], p.Starter()[:acp.DefaultStarterSize-1]) {
				return errors.New("starter memory has changed")
			}
			var op *acp.OpError
			if err := w.Read(own, 1, 100); !errors.As(err, &op) || op.Dst != own || op.Size != 1 {
				return fmt.Errorf("the error is %v", err)
			}
			if err := w.Destroy(); err != nil {
				return err
			}
			return errors.Join(
				expect(acp.ErrDestroyed, w.Read(own, 1, 0)),
				expect(acp.ErrDestroyed, w.Write(own, 1, 0)),
				expect(acp.ErrDestroyed, w.Destroy()),
			)
		})
	})
}

// expect returns nil if err is want.
func expect(want, err error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%v, expected %v", err, want)
}

// TestWorkspaceCreationFails on all ranks if it fails on one, without taking memory.
func TestWorkspaceCreationFails(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			me := uint64(p.Rank())
			var obstacle acp.GA
			for _, c := range []struct {
				what string
				set  func() error
				size uint64
				fail error
			}{
				{"sizes differ", func() error { return nil }, 100 + me, acp.ErrDisagree},
				{"starts differ", func() error { return p.SetWorkspaceParams(acp.Rank(me), 100) }, 1000, acp.ErrDisagree},
				{"pieces differ", func() error { return p.SetWorkspaceParams(0, 100+me/2) }, 1000, acp.ErrDisagree},
				{"more than there can be", func() error { return p.SetWorkspaceParams(0, 1) }, math.MaxUint64, acp.ErrHeapFull},
				{"small pieces", func() error { return p.SetWorkspaceParams(0, 1) }, 1 << 30, acp.ErrHeapFull},
				{"more than there is", func() error { return p.SetWorkspaceParams(0, acp.DefaultHeapSize) }, n1(n, acp.DefaultHeapSize), acp.ErrHeapFull},
				{"one rank is full", func() (err error) {
					if me == 1 {
						obstacle, err = p.Malloc(acp.DefaultHeapSize/2, 1)
					}
					return err
				}, acp.DefaultHeapSize * 5 / 2, acp.ErrHeapFull},
			} {
				if err := c.set(); err != nil {
					return err
				}
				if w, err := p.CreateWorkspace(c.size); w != nil || !errors.Is(err, c.fail) {
					return fmt.Errorf("%s: %v", c.what, err)
				}
			}
			if obstacle != acp.NullGA {
				if err := p.Free(obstacle); err != nil {
					return err
				}
			}
			if err := wholeHeap(p); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			// All of every heap, which is reserved and not touched.
			w, err := p.CreateWorkspace(uint64(n) * acp.DefaultHeapSize)
			if err != nil {
				return err
			}
			return w.Destroy()
		})
	})
}

// n1 is n times size and one more.
func n1(n int, size uint64) uint64 { return uint64(n)*size + 1 }

// TestWorkspaceAfterReset: a reset forgets workspaces and parameters.
func TestWorkspaceAfterReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if err := p.SetWorkspaceParams(2, 10); err != nil {
				return err
			}
			old, err := p.CreateWorkspace(100)
			if err != nil {
				return err
			}
			if err := p.Reset(acp.Rank((int(p.Rank()) + 1) % n)); err != nil {
				return err
			}
			if _, err := old.ReadAt(make([]byte, 1), 0); !errors.Is(err, acp.ErrDestroyed) {
				return fmt.Errorf("read: %v", err)
			}
			if err := old.Destroy(); !errors.Is(err, acp.ErrDestroyed) {
				return fmt.Errorf("destroy: %v", err)
			}
			w, err := p.CreateWorkspace(100)
			if err != nil {
				return err
			}
			if ga, size := w.Piece(0); w.Pieces() != 1 || size != 100 || must(p.QueryRank(ga)) != 0 {
				return fmt.Errorf("%d pieces, the first at %v", w.Pieces(), ga)
			}
			return w.Destroy()
		})
	})
}

// TestWorkspaceLeavesGMAsAlone: reading and writing neither waits for a GMA nor takes
// its error.
func TestWorkspaceLeavesGMAsAlone(t *testing.T) {
	run(t, 2, acp.Config{Mode: bridge.ModeTCP}, func(p *member) error {
		own, other := must(p.StarterGA(p.Rank())), must(p.StarterGA(1-p.Rank()))
		if err := p.SetWorkspaceParams(0, 5); err != nil {
			return err
		}
		w, err := p.CreateWorkspace(16)
		if err != nil {
			return err
		}
		if err := p.Sync(); err != nil {
			return err
		}
		binary.NativeEndian.PutUint64(p.Starter(), 42)
		bad, err := p.Copy(own+8, other+acp.DefaultStarterSize, 8, acp.HandleNull)
		if err != nil {
			return err
		}
		later, err := p.Copy(own+16, other+24, 8, bad)
		if err != nil {
			return err
		}
		at := 8 * uint64(p.Rank())
		if err := errors.Join(w.Write(own, 8, at), w.Read(own+32, 8, at)); err != nil {
			return err
		}
		if got := binary.NativeEndian.Uint64(p.Starter()[32:]); got != 42 {
			return fmt.Errorf("read %d", got)
		}
		if err := p.Complete(later); !errors.Is(err, acp.ErrBadAddress) {
			return fmt.Errorf("the copy that fails: %v", err)
		}
		return w.Destroy()
	})
}

// TestLostRunEndsWorkspace ends the run while ranks create and destroy workspaces.
func TestLostRunEndsWorkspace(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		w := newWorld(t, n)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		errs := make([]error, n)
		var ready, ended sync.WaitGroup
		ready.Add(n)
		for rank := range n {
			ended.Go(func() {
				lost := make(chan error, 1)
				p, err := w.open(ctx, rank, acp.Config{Mode: mode, OnLost: func(err error) { lost <- err }})
				if err != nil {
					errs[rank] = err
					ready.Done()
					return
				}
				ws, err := p.CreateWorkspace(1 << 20)
				ready.Done()
				switch {
				case err != nil:
				case rank == 0:
					ready.Wait()
					w.server.Abort("a test wants it")
					<-lost // lest its Finalize meets the others
				case rank == 1:
					_, err = p.CreateWorkspace(100)
					err = expect(acp.ErrPeerDead, err)
				default:
					err = expect(acp.ErrPeerDead, ws.Destroy())
				}
				errs[rank] = errors.Join(err, expect(acp.ErrPeerDead, p.Finalize()))
			})
		}
		ended.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}
