package acp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// call is a collective function that a rank has called. All ranks call the same ones in
// the same order. Each of them begins with a barrier, to which every rank brings the mark
// of its call, so that all ranks learn there whether they have come for the same.
type call struct {
	function function
	number   uint64 // of the workspace that is destroyed, otherwise 0
}

// function is a collective function. The numbers travel between ranks.
type function uint8

const (
	callSync function = iota // is 0, so that C need not say it
	callFinalize
	callReset
	callCreateWorkspace
	callDestroyWorkspace
)

var functionNames = [...]string{
	callSync: "acp_sync", callFinalize: "acp_finalize", callReset: "acp_reset",
	callCreateWorkspace: "acp_create_ws", callDestroyWorkspace: "acp_destroy_ws",
}

// String returns the name of the function in C.
func (f function) String() string {
	if int(f) >= len(functionNames) {
		return fmt.Sprintf("function %d", uint8(f))
	}
	return functionNames[f]
}

// String says what the rank has called, as users know it.
func (c call) String() string {
	if c.number != 0 {
		return fmt.Sprintf("%v for workspace %d", c.function, c.number)
	}
	return c.function.String()
}

// mark returns the number that stands for the call at barriers: 0 for acp_sync, otherwise
// one that looks random. Sums of marks are compared; those of different calls are so
// unlikely to add up to n times the same mark that this never happens.
func (c call) mark() uint64 {
	if c.function == callSync {
		return 0
	}
	x := c.number<<8 | uint64(c.function)
	// The finalizer of SplitMix64.
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// progress is what a rank tells others about its collective calls.
type progress struct {
	call       call   // the one that it waits in, if it does
	barriers   uint64 // to which it has come
	finalizing bool   // MPI_Finalize has begun
}

const progressBytes = 18

func (g progress) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(g.call.function)}, g.call.number)
	b = binary.LittleEndian.AppendUint64(b, g.barriers)
	if g.finalizing {
		return append(b, 1)
	}
	return append(b, 0)
}

func decodeProgress(b []byte) (progress, error) {
	if len(b) != progressBytes || b[17] > 1 {
		return progress{}, fmt.Errorf("malformed answer of %d bytes about collective functions, expected %d", len(b), progressBytes)
	}
	c := call{function(b[0]), binary.LittleEndian.Uint64(b[1:])}
	return progress{c, binary.LittleEndian.Uint64(b[9:]), b[17] == 1}, nil
}

// meet waits until every rank has called a collective function. If they are not all c, the
// run is over and the error wraps ErrDisagree.
func (p *Process) meet(c call) error {
	if err := p.alive(); err != nil {
		return err
	}
	if c.function != callSync {
		called := c // so that a Sync allocates nothing
		p.called.Store(&called)
	}
	agreed, err := p.barrier.wait(c.mark())
	switch {
	case err != nil:
		return p.lossReason(err)
	case !agreed:
		return p.disagree(c)
	}
	if c.function != callSync {
		p.called.Store(nil)
	}
	return nil
}

// lossReason returns why the run is over where all that this rank knows is err: another
// rank cannot be reached. The others, or the launcher, are about to say more.
func (p *Process) lossReason(err error) error {
	if p.peerLost.Load() {
		<-p.running.Done() // PeerLost sees to it
	} else if p.barrier.lostErr() == nil {
		p.awaitReason()
	}
	if lost := p.barrier.lostErr(); lost != nil {
		return lost
	}
	return err
}

// disagreeLimit is how long a rank waits for the end of a run whose ranks have called
// different functions.
const disagreeLimit = 10 * time.Second

// disagree ends the run because not every rank has called c. Every rank comes here, and
// one of them, member 0, finds out which rank has called what and tells the launcher.
func (p *Process) disagree(c call) error {
	if p.self == 0 {
		reason := p.difference(c)
		p.end(reason)
		return fmt.Errorf("%w: %s", ErrDisagree, reason)
	}
	select {
	case <-p.boot.Lost():
		return fmt.Errorf("%w: %w", ErrDisagree, p.boot.Err())
	case <-time.After(disagreeLimit):
	}
	p.lose(ErrDisagree)
	return fmt.Errorf("%w: this one has called %v", ErrDisagree, c)
}

// difference says which other rank has called what in place of c.
func (p *Process) difference(c call) string {
	var failed error
	for m := range p.procs {
		if m == p.self {
			continue
		}
		other, err := p.askProgress(m)
		if err == nil && other.call != c {
			return fmt.Sprintf("rank %d called %v while rank %d called %v", p.rankOf(m), other.call, p.Rank(), c)
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return fmt.Sprintf("not every rank called %v as rank %d did: %v", c, p.Rank(), failed)
	}
	return fmt.Sprintf("not every rank called %v as rank %d did", c, p.Rank())
}

// askProgress asks member for its collective calls.
func (p *Process) askProgress(member int) (progress, error) {
	answer := make([]byte, progressBytes)
	n, err := p.call(member, serviceProgress, nil, answer)
	if err != nil {
		return progress{}, err
	}
	return decodeProgress(answer[:n])
}

// serveProgress answers askProgress of another member.
func (p *Process) serveProgress(answer []byte) (int, error) {
	if len(answer) < progressBytes {
		return 0, errors.New("no room for an answer about collective functions")
	}
	g := progress{barriers: atomic.LoadUint64(&p.barrier.here.Count), finalizing: p.finalizing.Load()}
	if called := p.called.Load(); called != nil {
		g.call = *called
	}
	return copy(answer, g.encode()), nil
}

// gather begins the collective function f and gives every rank the blobs of all, in order
// of members.
func (p *Process) gather(f function, blob []byte) ([][]byte, error) {
	if err := p.meet(call{function: f}); err != nil {
		return nil, err
	}
	return p.exchange(f, blob)
}

// exchange gives every rank the blobs of all, in order of members, or fails because the
// run is over. It is a part of the collective function f, which has begun on every rank.
func (p *Process) exchange(f function, blob []byte) ([][]byte, error) {
	blobs, err := p.boot.Exchange(p.running, append([]byte{byte(f)}, blob...))
	if err != nil {
		if lost := p.barrier.lostErr(); lost != nil {
			return nil, lost
		}
		return nil, fmt.Errorf("%w: %w", ErrPeerDead, err)
	}
	for m, b := range blobs {
		if len(b) == 0 || function(b[0]) != f {
			return nil, fmt.Errorf("%w: rank %d takes no part in %v", ErrDisagree, p.rankOf(m), f)
		}
		blobs[m] = b[1:]
	}
	return blobs, nil
}
