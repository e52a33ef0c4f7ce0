package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// offer is what a rank brings to the allocation of an array. The ranks compare what they ask for,
// and learn where the records of the others are.
type offer struct {
	state  offerState
	at     uint64   // of the records, 0 if there are none
	dims   []uint32 // places of each dimension
	chunk  []uint32 // least extents; 0 if the library chooses
	blocks []uint32 // along each dimension
	starts []uint64 // for each dimension, a digest of where the blocks begin
}

// offerState is the state of the rank: whether it can take part.
type offerState uint8

const (
	takesPart offerState = iota
	noRoom
	badShape
	failedOtherwise
	offerStates
)

// newOffer returns the offer of a rank that has made its places, or has failed.
func newOffer(shape grid.Shape, p *placed, failed error) offer {
	switch {
	case errors.Is(failed, global.ErrFull):
		return offer{state: noRoom}
	case errors.Is(failed, grid.ErrShape):
		return offer{state: badShape}
	case failed != nil:
		return offer{state: failedOtherwise}
	}
	o := offer{at: p.own}
	for d, n := range p.layout.Dims() {
		o.dims = append(o.dims, uint32(n))
		chunk := 0
		if shape.Chunk != nil && shape.Starts == nil {
			chunk = min(max(shape.Chunk[d], 0), n)
		}
		o.chunk = append(o.chunk, uint32(chunk))
		starts := p.layout.Starts(d)
		o.blocks = append(o.blocks, uint32(len(starts)))
		o.starts = append(o.starts, digest(starts))
	}
	return o
}

// digest returns a hash of the begins of blocks.
func digest(starts []int32) uint64 {
	h := fnv.New64a()
	var b [4]byte
	for _, s := range starts {
		binary.LittleEndian.PutUint32(b[:], uint32(s))
		h.Write(b[:])
	}
	return h.Sum64()
}

// Lengths of encoded offers.
const (
	offerHead = 1 + 8
	offerDim  = 3*4 + 8
)

func (o offer) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(o.state)}, o.at)
	for d := range o.dims {
		b = binary.LittleEndian.AppendUint32(b, o.dims[d])
		b = binary.LittleEndian.AppendUint32(b, o.chunk[d])
		b = binary.LittleEndian.AppendUint32(b, o.blocks[d])
		b = binary.LittleEndian.AppendUint64(b, o.starts[d])
	}
	return b
}

func decodeOffer(b []byte) (offer, error) {
	if len(b) < offerHead || (len(b)-offerHead)%offerDim != 0 || (len(b)-offerHead)/offerDim > grid.MaxDims || b[0] >= byte(offerStates) {
		return offer{}, fmt.Errorf("%w: an offer of %d bytes", global.ErrProtocol, len(b))
	}
	o := offer{state: offerState(b[0]), at: binary.LittleEndian.Uint64(b[1:])}
	for b = b[offerHead:]; len(b) > 0; b = b[offerDim:] {
		o.dims = append(o.dims, binary.LittleEndian.Uint32(b))
		o.chunk = append(o.chunk, binary.LittleEndian.Uint32(b[4:]))
		o.blocks = append(o.blocks, binary.LittleEndian.Uint32(b[8:]))
		o.starts = append(o.starts, binary.LittleEndian.Uint64(b[12:]))
	}
	return o, nil
}
