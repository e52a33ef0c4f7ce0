package transfer

import "github.com/goacp/goacp/internal/ground/traffic"

// kinds are how requests are counted. An accumulate changes each element as an atomic does.
var kinds = [...]traffic.Kind{Put: traffic.Put, Get: traffic.Get, Accumulate: traffic.Atomic}

// count counts a request that has been checked, with all its bytes as one operation. lib/armci/count.h does so
// for transfers that C makes.
func (e *Engine) count(r *Request, path traffic.Path) {
	if !e.process.Memory.Counts() {
		return
	}
	var bytes int64
	if r.Vector == nil {
		bytes, _ = r.Shape.Bytes() // check has looked at it
	}
	for i := range r.Vector {
		bytes += r.Vector[i].N
	}
	e.countBytes(r.Proc, kinds[r.Kind], path, uint64(bytes))
}

// countBytes counts an operation on n bytes of a process.
func (e *Engine) countBytes(proc int, k traffic.Kind, path traffic.Path, n uint64) {
	e.process.Memory.CountAccess(e.world.Member(proc), k, path, n)
}
