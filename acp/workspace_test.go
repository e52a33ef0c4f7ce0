package acp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

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
				w, err := p.NewWorkspace(s.size)
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
			w, err := p.NewWorkspace(uint64(3 * 2500))
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

// TestWorkspaceAsFile tests a workspace with package iotest.
func TestWorkspaceAsFile(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		if err := p.SetWorkspaceParams(0, 100); err != nil {
			return err
		}
		w, err := p.NewWorkspace(1234)
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

// TestWorkspaceErrors: reads and writes with invalid arguments fail.
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
			w, err := p.NewWorkspace(100)
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

// TestWorkspaceLeavesGMAsAlone: reading and writing a workspace neither waits for a GMA nor returns its
// error.
func TestWorkspaceLeavesGMAsAlone(t *testing.T) {
	run(t, 2, acp.Config{Mode: bridge.ModeTCP}, func(p *member) error {
		own, other := must(p.StarterGA(p.Rank())), must(p.StarterGA(1-p.Rank()))
		if err := p.SetWorkspaceParams(0, 5); err != nil {
			return err
		}
		w, err := p.NewWorkspace(16)
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
