package gma

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/network/router"
)

// pipeline knows when a GMA may start although those that it has to follow are not complete: a
// transport that carries out operations for one member in the order of the calls keeps the order,
// too. The lock of the Engine guards it.
type pipeline struct {
	starting int          // GMAs that have been issued and that the router does not have yet
	track    router.Track // of all GMAs in flight from the handle first on, if starting is 0
	first    uint64
	get      uint64 // the newest get
	atomic   uint64 // the newest atomic
}

// started notes that the router has a GMA, or a series of them with handles up to newest, on a path. issued is the newest
// handle of all.
func (p *pipeline) started(handle, newest uint64, path router.Path, issued uint64) {
	p.starting--
	if path.Immediate() {
		return // it is complete
	}
	if track := path.Track(); track != p.track {
		p.track, p.first = track, issued+1
		if newest == issued {
			p.first = handle
		}
	}
	switch {
	case path.Gets():
		p.get = max(p.get, newest)
	case path.Atomics():
		p.atomic = max(p.atomic, newest)
	}
}

// keeps reports whether a GMA on a path, if it starts now, is carried out after all those in
// flight, the oldest of which is oldest. starting is 0. Gets and atomics store in memory of this
// process, each kind in order: a put may read from that memory, and the other kind may store there.
func (p *pipeline) keeps(path router.Path, oldest uint64) bool {
	track := path.Track()
	return track.Ordered() && track == p.track && oldest >= p.first &&
		(path.Gets() || oldest > p.get) && (path.Atomics() || oldest > p.atomic)
}

// mayStart reports whether g, which is the newest GMA and not in the queue yet, may start now.
func (e *Engine) mayStart(g *inFlight) bool {
	if e.queue.len() == 0 || e.queue.front().handle > g.after {
		return true
	}
	return e.pipeline.starting == 0 && e.pipeline.keeps(e.starter.path(&g.Access), e.queue.front().handle)
}

// issued returns the newest handle that has been given out.
func (e *Engine) issued() uint64 { return atomic.LoadUint64(&e.table.Issued) }
