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

// joinRequestFrame returns the frame: two numbers, the count and 1 + Near, and the size of the heap in 8 bytes.
func joinRequestFrame(q JoinRequest) []byte {
	b := beginFrame(nil, frameAskJoin)
	b = binary.LittleEndian.AppendUint32(b, uint32(q.Count))
	b = binary.LittleEndian.AppendUint32(b, uint32(q.Near+1))
	return endFrame(binary.LittleEndian.AppendUint64(b, q.HeapSize))
}

// decodeJoinRequest decodes the payload in a run that has so many residents at most.
func decodeJoinRequest(b []byte, residents int) (q JoinRequest, err error) {
	const what, numbers = "request for processes", 8
	if len(b) != numbers+8 {
		return q, fmt.Errorf("%w: %s of %d bytes", ErrProtocol, what, len(b))
	}
	if err := decodeNumbers(what, b[:numbers], &q.Count, &q.Near); err != nil {
		return q, err
	}
	q.Near--
	if q.Count < 1 || q.Count > residents || q.Near >= residents {
		return q, fmt.Errorf("%w: %s, %d near rank %d, in a run of %d", ErrProtocol, what, q.Count, q.Near, residents)
	}
	q.HeapSize = binary.LittleEndian.Uint64(b[numbers:])
	return q, nil
}
