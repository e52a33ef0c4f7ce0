package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// contribution is the message of a rank to the other ranks when they allocate an array. The ranks compare the shapes,
// and get the positions of the records of all.
type contribution struct {
	state  contributionState
	at     uint64   // of the records, 0 if there are none
	dims   []uint32 // places of each dimension
	chunk  []uint32 // least extents; 0 if the library chooses
	blocks []uint32 // along each dimension
	starts []uint64 // for each dimension, a digest of where the blocks begin
}

// contributionState is the state of the rank: whether it can take part.
type contributionState uint8

const (
	takesPart contributionState = iota
	heapFull
	badShape
	failedOtherwise
	contributionStates
)

// newContribution returns the contribution of a rank that has made its places, or has failed.
func newContribution(shape grid.Shape, p *placed, failed error) contribution {
	switch {
	case errors.Is(failed, global.ErrFull):
		return contribution{state: heapFull}
	case errors.Is(failed, grid.ErrShape):
		return contribution{state: badShape}
	case failed != nil:
		return contribution{state: failedOtherwise}
	}
	c := contribution{at: p.own}
	for d, n := range p.layout.Dims() {
		c.dims = append(c.dims, uint32(n))
		chunk := 0
		if shape.Chunk != nil && shape.Starts == nil {
			chunk = min(max(shape.Chunk[d], 0), n)
		}
		c.chunk = append(c.chunk, uint32(chunk))
		starts := p.layout.Starts(d)
		c.blocks = append(c.blocks, uint32(len(starts)))
		c.starts = append(c.starts, digest(starts))
	}
	return c
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

// Lengths of encoded contributions, in bytes.
const (
	contributionHead = 1 + 8
	contributionDim  = 3*4 + 8
)

func (c contribution) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(c.state)}, c.at)
	for d := range c.dims {
		b = binary.LittleEndian.AppendUint32(b, c.dims[d])
		b = binary.LittleEndian.AppendUint32(b, c.chunk[d])
		b = binary.LittleEndian.AppendUint32(b, c.blocks[d])
		b = binary.LittleEndian.AppendUint64(b, c.starts[d])
	}
	return b
}

func decodeContribution(b []byte) (contribution, error) {
	if len(b) < contributionHead || (len(b)-contributionHead)%contributionDim != 0 || (len(b)-contributionHead)/contributionDim > grid.MaxDims || b[0] >= byte(contributionStates) {
		return contribution{}, fmt.Errorf("%w: a contribution of %d bytes", global.ErrProtocol, len(b))
	}
	c := contribution{state: contributionState(b[0]), at: binary.LittleEndian.Uint64(b[1:])}
	for b = b[contributionHead:]; len(b) > 0; b = b[contributionDim:] {
		c.dims = append(c.dims, binary.LittleEndian.Uint32(b))
		c.chunk = append(c.chunk, binary.LittleEndian.Uint32(b[4:]))
		c.blocks = append(c.blocks, binary.LittleEndian.Uint32(b[8:]))
		c.starts = append(c.starts, binary.LittleEndian.Uint64(b[12:]))
	}
	return c, nil
}
