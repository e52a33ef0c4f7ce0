package link

import (
	"runtime"
	"unsafe"

	"github.com/goacp/goacp/internal/wait"
)

// progress is how far an end has come. C changes it, too, if the end is shared with C.
//
//goacp:c goacp_couple_progress
type progress struct {
	count uint64 // messages sent or taken
	last  int64  // of a sender: the number of the last message
}

// Near is what C needs of an end whose partners have all mapped memory: C then sends and receives without a call into
// Go. Go does what has to wait for long, and what fails.
//
//goacp:c goacp_couple_end
type Near struct {
	progress *progress
	data     *unsafe.Pointer `c:"void **"` // where the field keeps the address of its values
	over     *uint32         // not 0: the run is over
	flows    *nearFlow
	used     uint64 // flows
	levels   uint64
	every    int64
	size     uint64 // bytes of a point
	sends    uint64 // 1: the end is one to send by
}

// nearFlow is a flow for C.
//
//goacp:c goacp_couple_flow
type nearFlow struct {
	slots     unsafe.Pointer `c:"char *"`
	slotBytes uint64
	word      *uint64    // of this process
	bell      *wait.Bell // of the partner
	runs      *uint8     // the positions, as package points keeps them
	runBytes  uint64
	size      uint64 // bytes of the values
	member    uint64 // the partner
}

// Share returns what C needs of the end, or nil if C cannot use the end. C may use it until pinner is unpinned, but not
// at the same time as a method of the end.
func (e *end) Share(pinner *runtime.Pinner) *Near {
	if len(e.flows) == 0 || e.field.data.Owner != nil || e.sums != nil {
		return nil
	}
	flows := make([]nearFlow, 0, len(e.flows))
	for _, f := range e.flows {
		if f.slots == nil || f.toBell == nil {
			return nil
		}
		runs := f.positions.Bytes()
		flows = append(flows, nearFlow{
			slots: f.slots, slotBytes: f.slotBytes(), word: f.word, bell: f.toBell,
			runs: unsafe.SliceData(runs), runBytes: uint64(len(runs)), size: f.size, member: uint64(f.member),
		})
	}
	n := &Near{
		progress: &e.progress, data: &e.field.data.Base, over: &e.s.over, flows: unsafe.SliceData(flows), used: uint64(len(flows)),
		levels: e.levels, every: e.every, size: uint64(e.field.element.Size()),
	}
	if e.side == sending {
		n.sends = 1
	}
	for _, p := range []any{n, n.progress, n.data, n.over, n.flows} {
		pinner.Pin(p)
	}
	for i := range flows {
		pinner.Pin(flows[i].runs)
	}
	return n
}
