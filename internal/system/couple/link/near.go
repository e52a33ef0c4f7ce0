package link

import (
	"runtime"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// progress is what C changes, too, if the end is shared with C.
//
//goacp:c goacp_couple_progress
type progress struct {
	epochs     uint64 // of a receiver: how often it has shown its array
	epoch      uint64 // in which it shows it; 0: it does not
	zeroCopied uint64 // bytes that have come by zero copy
}

// Near is the data for C of an end whose partners all have mapped memory: C then sends and receives without a call
// into Go. Go handles long waits and errors.
//
//goacp:c goacp_couple_end
type Near struct {
	steps    *activity.LinkSteps `c:"struct goacp_link_steps *"`
	progress *progress
	data     *unsafe.Pointer `c:"void **"` // where the field keeps the address of its values
	over     *uint32         // not 0: the run is over
	flows    *nearFlow
	used     uint64 // flows
	levels   uint64
	every    int64
	size     uint64      // bytes of a point
	sends    uint64      // 1: the end sends
	ready    *flow.Ready // of a receiver; nil if all values are packed
	extent   uint64      // bytes of the array up to the last value that may go by zero copy
}

// nearFlow is a flow for C.
//
//goacp:c goacp_couple_flow
type nearFlow struct {
	slots     unsafe.Pointer `c:"char *"`
	slotBytes uint64
	word      *uint64          // of this process
	events    *wait.EventCount // of the partner
	runs      *uint8           // the positions, as package points keeps them
	runBytes  uint64
	size      uint64        // bytes of the values
	member    uint64        // the partner
	sent      *traffic.Sent `c:"struct goacp_sent *"` // of a sender that counts

	// Of a sender whose values may go by local zero copy.
	ready   *flow.Ready
	there   uint64 // address of position 0 of the receiver
	toRuns  *uint8
	toBytes uint64
	extent  uint64

	zeroCopy uint64 // 1: a receiver has sent its positions to the sender

	// Only C uses these.
	Reserved    uint64 // as Reserved, reservedFor and Array of flow.Destination
	ReservedFor uint64
	Array       unsafe.Pointer `c:"char *"`
	Unmapped    uint64         // position of an array that C did not find, and Go maps
	Counted     uint64         // in which epoch of the receiver the flow does not count as missing
}

// Share returns the data of the end for C, or nil if C cannot use the end. C may use it until pinner is unpinned, but
// not at the same time as a method of the end.
func (e *end) Share(pinner *runtime.Pinner) *Near {
	if len(e.flows) == 0 || e.field.data.Owner != nil || e.sums != nil || e.timed != nil || e.recorder != nil {
		return nil
	}
	flows := make([]nearFlow, 0, len(e.flows))
	for _, f := range e.flows {
		if f.slots == nil || f.toEvents == nil {
			return nil
		}
		runs, encoded := f.positions.Bytes(), f.to.Runs.Bytes()
		x := nearFlow{
			slots: f.slots, slotBytes: f.slotBytes(), word: f.word, events: f.toEvents,
			runs: unsafe.SliceData(runs), runBytes: uint64(len(runs)), size: f.size, member: uint64(f.member), sent: f.sent,
			ready: f.to.Ready, there: ga.Make(e.s.p.Ranks.Rank(f.member), 0),
			toRuns: unsafe.SliceData(encoded), toBytes: uint64(len(encoded)), extent: f.to.Extent,
		}
		if f.zeroCopy {
			x.zeroCopy = 1
		}
		flows = append(flows, x)
	}
	n := &Near{
		steps: e.LinkSteps, progress: &e.progress, data: &e.field.data.Base, over: &e.s.over, flows: unsafe.SliceData(flows), used: uint64(len(flows)),
		levels: e.levels, every: e.every, size: uint64(e.field.element.Size()), ready: e.ready, extent: e.extent,
	}
	if e.side == side.Sending {
		n.sends = 1
	}
	for _, p := range []any{n, n.steps, n.progress, n.data, n.over, n.flows} {
		pinner.Pin(p)
	}
	for i := range flows {
		pinner.Pin(flows[i].runs)
		if flows[i].toRuns != nil {
			pinner.Pin(flows[i].toRuns)
		}
	}
	return n
}
