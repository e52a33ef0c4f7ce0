package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

const (
	maxRegistered = 200 << 10
	publicSize    = 8 << 10
)

// registrations registers memory and unregisters it. It copies some of the memory to another rank
// and back. Other memory is public: other ranks write to it at any time until Unregister has
// returned. After that no byte may change.
type registrations struct {
	w      *world
	rnd    *rand.Rand
	key    acp.Key // of the public memory
	public []byte
	want   []byte // its contents since it is not public any more, nil before
}

func newRegistrations(w *world, rnd *rand.Rand) (actor, error) {
	return &registrations{w: w, rnd: rnd}, nil
}

func (r *registrations) step() error {
	if r.rnd.IntN(3) != 0 {
		return r.roundTrip()
	}
	if r.key == acp.NullKey {
		return r.publish()
	}
	return r.withdraw()
}

// register makes n bytes global memory. There is unregistered memory between registrations, since
// adjacent registrations would become one.
func (r *registrations) register(n int) ([]byte, acp.Key, acp.GA, error) {
	const guard = 16
	b := make([]byte, n+2*guard)[guard : guard+n]
	key, err := r.w.p.Register(b, acp.Color(r.rnd.IntN(r.w.p.Colors())))
	if err != nil {
		return nil, 0, 0, err
	}
	ga, err := r.w.p.QueryGA(key, unsafe.Pointer(&b[0]))
	return b, key, ga, err
}

// roundTrip copies registered memory to a block on another rank and back to memory
// that is registered elsewhere.
func (r *registrations) roundTrip() error {
	n := 1 + r.rnd.IntN(maxRegistered>>r.rnd.IntN(14))
	out, outKey, outGA, err := r.register(n)
	if err != nil {
		return err
	}
	back, backKey, backGA, err := r.register(n)
	if err != nil {
		return err
	}
	pattern(out, r.rnd.Uint64())
	block, err := r.w.p.Malloc(uint64(n), r.w.peer(r.rnd))
	if err != nil {
		return err
	}
	h, err := r.w.p.Copy(block, outGA, uint64(n), acp.HandleNull)
	if err != nil {
		return err
	}
	if err := r.w.complete(r.w.p.Copy(backGA, block, uint64(n), h)); err != nil {
		return err
	}
	if err := differ(back, out); err != nil {
		return fmt.Errorf("registered memory of %d bytes by way of %v: %w", n, block, err)
	}
	return errors.Join(r.w.p.Unregister(outKey), r.w.p.Unregister(backKey), r.w.p.Free(block))
}

// publish registers memory and sends its address to the other ranks.
func (r *registrations) publish() error {
	if err := r.intact(); err != nil {
		return err
	}
	var ga acp.GA
	var err error
	r.want = nil
	if r.public, r.key, ga, err = r.register(publicSize); err != nil {
		return err
	}
	atomic.StoreUint64(r.w.word(publicPlace), uint64(ga))
	return nil
}

// withdraw unregisters the public memory.
func (r *registrations) withdraw() error {
	atomic.StoreUint64(r.w.word(publicPlace), uint64(acp.NullGA))
	if err := r.w.p.Unregister(r.key); err != nil {
		return err
	}
	r.key = acp.NullKey
	r.want = make([]byte, publicSize)
	pattern(r.want, r.rnd.Uint64())
	copy(r.public, r.want)
	return nil
}

// intact checks memory that is not public any more.
func (r *registrations) intact() error {
	if r.want == nil {
		return nil
	}
	if err := differ(r.public, r.want); err != nil {
		return fmt.Errorf("memory was written after it had been unregistered: %w", err)
	}
	return nil
}

func (r *registrations) settle() error {
	if r.key != acp.NullKey {
		return r.withdraw()
	}
	return nil
}

func (r *registrations) check() error { return r.intact() }
func (r *registrations) close() error { return nil }

// trespasser writes to the public memory of other ranks, which may be unregistered at
// the same time. The copy then has no effect and fails.
type trespasser struct {
	w   *world
	rnd *rand.Rand
}

func newTrespasser(w *world, rnd *rand.Rand) (actor, error) { return &trespasser{w, rnd}, nil }

func (t *trespasser) step() error {
	of := t.rnd.IntN(t.w.procs)
	if err := t.w.complete(t.w.p.Copy(t.w.at(t.w.rank, wordPlace), t.w.at(of, publicPlace), 8, acp.HandleNull)); err != nil {
		return err
	}
	ga := acp.GA(*t.w.word(wordPlace))
	if ga == acp.NullGA {
		return nil
	}
	n := 1 + t.rnd.IntN(publicSize)
	out := t.w.here(trespassPlace, n)
	pattern(out, t.rnd.Uint64())
	t.w.doubtful.Store(ga, nil)
	return t.w.complete(t.w.p.Copy(ga, t.w.at(t.w.rank, trespassPlace), uint64(n), acp.HandleNull))
}

func (t *trespasser) settle() error { return nil }
func (t *trespasser) check() error  { return nil }
func (t *trespasser) close() error  { return nil }
