package array

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Put copies src, by entry, to the first bytes of elements. With exact the sizes have to be equal.
// If the size of an entry is wrong, the error is a *PlaceError about the entry. Blocks for one
// round trip, and for one more if there are many bytes.
func (a *Array) Put(sel grid.Selection, src [][]byte, exact bool) error {
	p, err := a.use()
	if err != nil {
		return err
	}
	u := &put{a: a, lookup: newLookup(a, p, sel.N), src: src, exact: exact, calls: calls{sys: a.sys}}
	if err := u.run(sel); err != nil {
		return err
	}
	u.lookup.release()
	return nil
}

// put is one call of Put.
type put struct {
	a      *Array
	lookup *lookup
	src    [][]byte
	exact  bool
	calls  calls
}

// run begins with the owners that need a message, so that it copies while they are at work.
func (u *put) run(sel grid.Selection) error {
	var near, many []grid.Part
	var failed error
	for _, part := range sel.Parts {
		here, err := u.lookup.near(u.a.sys.heapView(part.Rank), part)
		switch {
		case err != nil:
		case here:
			near = append(near, part)
		case u.fitsMessage(part):
			err = u.deposit(part)
		default:
			many = append(many, part)
			err = u.lookup.ask(part, false, nil)
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		failed = u.store(near)
	}
	for _, q := range []*calls{&u.lookup.calls, &u.calls} {
		if err := q.wait(); failed == nil {
			failed = err
		}
	}
	if failed == nil {
		failed = u.store(many)
	}
	return failed
}

// fitsMessage reports whether one message carries all bytes for a part.
func (u *put) fitsMessage(part grid.Part) bool {
	if part.N > maxPlaces {
		return false
	}
	left := maxInline
	for _, r := range part.Runs {
		for _, b := range u.src[r.Entry : r.Entry+r.N] {
			if len(b) > left {
				return false
			}
			left -= len(b)
		}
	}
	return true
}

// refuse returns the error about an entry whose bytes do not fit.
func (u *put) refuse(rank, entry int, have uint64) error {
	want := uint64(len(u.src[entry]))
	return &PlaceError{Entry: entry, Owner: rank, Want: want, Have: have, Err: mismatch{want, have}}
}

// store checks parts whose records are known, and copies the bytes of each part that fits.
func (u *put) store(parts []grid.Part) error {
	for _, part := range parts {
		for _, r := range part.Runs {
			pairs := u.lookup.pairs[r.Entry : r.Entry+r.N]
			for i, mem := range u.src[r.Entry:][:len(pairs)] {
				if have := pairs[i].size; !fits(uint64(len(mem)), have, u.exact) {
					return u.refuse(part.Rank, r.Entry+i, have)
				}
			}
		}
	}
	m := newMover(u.a.sys)
	for _, part := range parts {
		if err := m.send(u.lookup, part, u.src); err != nil {
			return errors.Join(err, m.wait())
		}
	}
	return m.wait()
}

// deposit sends all bytes for a part in one message.
func (u *put) deposit(part grid.Part) error {
	message, _ := cut(part.Runs, maxPlaces)
	message.array, message.flag = u.a.number, u.exact
	request := message.append(nil)
	var entries []int
	for _, r := range message.runs {
		for e := r.Entry; e < r.Entry+r.N; e++ {
			request = binary.LittleEndian.AppendUint32(request, uint32(len(u.src[e])))
			entries = append(entries, e)
		}
	}
	for _, e := range entries {
		request = append(request, u.src[e]...)
	}
	return u.calls.start(part.Rank, opDeposit, request, refusal, func(b []byte) error {
		bad, have, err := decodeRefusal(b, message.n)
		if err != nil {
			return fmt.Errorf("rank %d: %w", part.Rank, err)
		}
		if bad >= 0 {
			return u.refuse(part.Rank, entries[bad], have)
		}
		for _, e := range entries {
			u.a.sys.count(part.Rank, traffic.Put, traffic.TCP, len(u.src[e]))
		}
		return nil
	})
}
