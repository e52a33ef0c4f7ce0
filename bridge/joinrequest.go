package bridge

import (
	"encoding/binary"
	"fmt"
)

// JoinRequest is what a member asks of the launcher: further processes of the run.
type JoinRequest struct {
	Count    int
	Near     int    // the member on whose host they run; -1: where the plan of the run has them
	HeapSize uint64 // bytes of the heap of each; 0: as for the other processes
}

// A request for processes is two numbers, the count and 1 + Near, and the size of the heap in 8 bytes.
const joinRequestNumbers = 8

func joinRequestFrame(q JoinRequest) []byte {
	b := beginFrame(nil, frameAskJoin)
	b = binary.LittleEndian.AppendUint32(b, uint32(q.Count))
	b = binary.LittleEndian.AppendUint32(b, uint32(q.Near+1))
	return endFrame(binary.LittleEndian.AppendUint64(b, q.HeapSize))
}

// decodeJoinRequest decodes a request for processes in a run whose members are less than residents.
func decodeJoinRequest(b []byte, residents int) (q JoinRequest, err error) {
	const what = "request for processes"
	if err := decodeNumbers(what, b[:min(len(b), joinRequestNumbers)], &q.Count, &q.Near); err != nil {
		return q, err
	}
	if len(b) != joinRequestNumbers+8 {
		return q, fmt.Errorf("%w: %s of %d bytes", ErrProtocol, what, len(b))
	}
	q.Near--
	if q.Near >= residents {
		return q, fmt.Errorf("%w: %s near rank %d of %d", ErrProtocol, what, q.Near, residents)
	}
	q.HeapSize = binary.LittleEndian.Uint64(b[joinRequestNumbers:])
	return q, nil
}
