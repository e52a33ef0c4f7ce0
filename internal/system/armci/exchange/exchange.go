package exchange

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// ErrMismatch: the processes do not call the same exchange, or a message is malformed.
var ErrMismatch = errors.New("processes do not agree on a collective function")

// Exchange is the part of one process in exchanges. Several goroutines may call its methods at
// once, but only one at a time may call Gather for the same members.
type Exchange struct {
	call func(member int, request, answer []byte) (int, error)
	most uint32 // members of an exchange

	mu     sync.Mutex
	calls  map[uint64]uint32 // by hash of the members: exchanges begun
	rounds map[key]*round    // that this process collects
	over   bool              // nothing comes any more
}

// key names an exchange: the members, and how many exchanges they have had before.
type key struct {
	members uint64 // hash
	number  uint32
}

// New returns an Exchange, which most members at most take part in. call lets Serve of a member
// answer a request, and waits for that.
func New(most int, call func(member int, request, answer []byte) (int, error)) *Exchange {
	return &Exchange{call: call, most: uint32(most), calls: make(map[uint64]uint32), rounds: make(map[key]*round)}
}

// Gather returns the blobs of all members, one after the other in the order of the list. All of
// them call it with the same list and with blobs of equal length; calls with the same list are
// in the same order on all members. index is the index of this process in the list. Blocks until
// all members have called it. Fails with ErrMismatch, and if the run is over.
func (e *Exchange) Gather(members []int, index int, blob []byte) ([]byte, error) {
	k := e.next(members)
	all := make([]byte, 0, len(members)*len(blob))
	if len(members) == 1 {
		return append(all, blob...), nil
	}
	for part := 0; part == 0 || len(all) < cap(all); part++ {
		h := head{key: k, size: uint32(len(members)), index: uint32(index), part: uint32(part), blob: uint32(len(blob))}
		answer := make([]byte, min(1+cap(all)-len(all), fabric.CallMax))
		n, err := e.call(members[0], h.request(blob), answer)
		if err != nil {
			return nil, err
		}
		if n != len(answer) || answer[0] != 0 {
			return nil, ErrMismatch
		}
		all = append(all, answer[1:]...)
	}
	return all, nil
}

// next returns the key of the next exchange of members.
func (e *Exchange) next(members []int) key {
	h := fnv.New64a()
	for _, m := range members {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(m)))
	}
	sum := h.Sum64()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls[sum]++
	return key{sum, e.calls[sum]}
}

// head is the fixed part of a request.
type head struct {
	key
	size  uint32 // number of members
	index uint32 // of the requesting member
	part  uint32 // of the answer
	blob  uint32 // bytes of a blob
}

const headBytes = 8 + 5*4

// request returns the request for a part. The request for the first part contains the blob.
func (h *head) request(blob []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, h.members)
	for _, x := range []uint32{h.number, h.size, h.index, h.part, h.blob} {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	if h.part > 0 {
		return b
	}
	return append(b, blob...)
}

// decode decodes a request. The blob is a part of b.
func decode(b []byte) (h head, blob []byte, err error) {
	if len(b) < headBytes {
		return h, nil, fmt.Errorf("%w: a request of %d bytes", ErrMismatch, len(b))
	}
	h.members = binary.LittleEndian.Uint64(b)
	for i, x := range []*uint32{&h.number, &h.size, &h.index, &h.part, &h.blob} {
		*x = binary.LittleEndian.Uint32(b[8+4*i:])
	}
	blob = b[headBytes:]
	if h.index >= h.size || h.part == 0 && uint32(len(blob)) != h.blob || h.part > 0 && len(blob) > 0 {
		return h, nil, ErrMismatch
	}
	return h, blob, nil
}
