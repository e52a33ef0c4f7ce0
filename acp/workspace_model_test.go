package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestWorkspaceModel lets three ranks read and write workspaces of random shapes at the same time. Each rank
// owns some stripes, which lie across the pieces. Only the owner writes them, and only the owner reads them
// between two synchronisations. At the end of a phase each rank reads the whole workspace. The bytes read are
// compared with a slice.
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
				w, err := p.NewWorkspace(uint64(size))
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
