package bridge

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// The rendezvous sends and receives frames over an authenticated connection. All numbers are little-endian
// and have a fixed width:
//
//	uint32 length of the payload
//	uint8  kind
//	uint8  version
//	uint16 zero
//	payload
//
// Length, kind and version are where they are in every version.

// MaxBlob is the largest size of a member's blob in one exchange, in bytes.
const MaxBlob = 64 << 10

const (
	wireVersion = 3
	frameHeader = 8
	maxText     = 4096
	maxHost     = 255
	helloSize   = 14 // without the host name
	maxHello    = helloSize + maxHost
	maxFrame    = math.MaxInt32
)

type frameKind uint8

const (
	// from a member
	frameHello    frameKind = 1 + iota // which process it is
	frameExchange                      // its blob
	frameAbort                         // reason; also from the server
	frameLeave                         // empty
	// from the server
	frameWelcome // its number
	frameReject  // reason
	frameResult  // all blobs
	frameBye     // empty, answers leave
	// from a member
	frameLost     // number of the lost member, and a Loss
	frameInformed // empty, answers an abort
	// from the server
	frameChange // a Change
	// from a member
	frameCatchUp // empty: the changes so far are to be sent
	// from the server
	frameCaughtUp // empty, follows them
	// from a member
	frameAdopt      // 1 if it stays, 0 if it leaves; the number of the epoch that ends
	frameAskLeave   // number of the member that is asked to leave
	frameAskJoin    // a JoinRequest
	frameRenumbered // empty: ranks are not the numbers of members any more
	// from the server
	frameAdopted // number of the epoch that begins, and of its members
	// from a member
	frameConfirm // number of an epoch whose beginning it has received
)

// beginFrame appends a header whose length endFrame sets.
func beginFrame(b []byte, kind frameKind) []byte {
	return append(b, 0, 0, 0, 0, byte(kind), wireVersion, 0, 0)
}

// endFrame sets the length of the only frame in b.
func endFrame(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-frameHeader))
	return b
}

func emptyFrame(kind frameKind) []byte { return endFrame(beginFrame(nil, kind)) }

// textFrame returns a frame with a reason, which is cut to the length that the receiver
// accepts.
func textFrame(kind frameKind, text string) []byte {
	return endFrame(append(beginFrame(nil, kind), cut(text, maxText)...))
}

// cut returns the beginning of text that has at most limit bytes and ends with a whole character.
func cut(text string, limit int) string {
	for len(text) > limit {
		_, n := utf8.DecodeLastRuneInString(text[:limit+1])
		text = text[:limit+1-n]
	}
	return text
}

// readFrame reads one frame of at most limit bytes of payload. It checks the length before it
// allocates memory, and then allocates not much more than has arrived. So a peer that
// announces a long frame must send it to use up memory.
func readFrame(r io.Reader, limit int) (frameKind, []byte, error) {
	var head [frameHeader]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	kind := frameKind(head[4])
	switch {
	case head[5] != wireVersion:
		return 0, nil, &versionError{head[5]}
	case head[6] != 0 || head[7] != 0:
		return 0, nil, fmt.Errorf("%w: malformed frame", ErrProtocol)
	case int64(n) > int64(limit):
		return 0, nil, fmt.Errorf("%w: frame of %d bytes, at most %d are allowed here", ErrProtocol, n, limit)
	}
	payload, err := readPayload(r, int(n))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return kind, payload, err
}

// versionError is the error of a frame of another version. It is an ErrProtocol.
type versionError struct{ there byte }

func (e *versionError) Error() string {
	return fmt.Sprintf("%v: version %d, expected %d", ErrProtocol, e.there, wireVersion)
}

func (e *versionError) Unwrap() error { return ErrProtocol }

// readPayload reads n bytes into a buffer that grows with the bytes that arrive.
func readPayload(r io.Reader, n int) ([]byte, error) {
	payload := make([]byte, min(n, 2*MaxBlob))
	for have := 0; ; {
		k, err := io.ReadFull(r, payload[have:])
		if have += k; err != nil {
			return nil, err
		}
		if have == n {
			return payload, nil
		}
		grown := make([]byte, min(n, 2*have))
		copy(grown, payload)
		payload = grown
	}
}

// maxResult is the greatest length of the result of an exchange among size members.
func maxResult(size int) int { return min(maxFrame, max(maxText, 8+size*(4+MaxBlob))) }

// hello is the first frame of a member.
type hello struct {
	job     uint32
	jobRank int32 // -1: let the server choose
	pid     uint32
	host    string
}

func (h hello) frame() []byte {
	host := h.host[:min(len(h.host), maxHost)]
	b := beginFrame(nil, frameHello)
	b = binary.LittleEndian.AppendUint32(b, h.job)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.jobRank))
	b = binary.LittleEndian.AppendUint32(b, h.pid)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(host)))
	return endFrame(append(b, host...))
}

func decodeHello(b []byte) (hello, error) {
	if len(b) < helloSize {
		return hello{}, fmt.Errorf("%w: hello of %d bytes", ErrProtocol, len(b))
	}
	h := hello{
		job:     binary.LittleEndian.Uint32(b),
		jobRank: int32(binary.LittleEndian.Uint32(b[4:])),
		pid:     binary.LittleEndian.Uint32(b[8:]),
	}
	host := b[helloSize:]
	if int(binary.LittleEndian.Uint16(b[12:])) != len(host) || len(host) > maxHost || h.jobRank < -1 {
		return hello{}, fmt.Errorf("%w: malformed hello", ErrProtocol)
	}
	h.host = string(host)
	return h, nil
}

// welcome gives a member its place.
type welcome struct {
	member, jobRank uint32
	seats           uint32 // of the run
	cohort          uint32 // number of its cohort
	first, size     uint32 // members of the cohort
	limit           uint32 // members that the cohort of the beginning can have; 0: it cannot grow or shrink
	mayLeave        bool   // the member may leave its epoch
}

const welcomeSize = 7*4 + 1

func (w welcome) frame() []byte {
	b := beginFrame(nil, frameWelcome)
	for _, v := range [...]uint32{w.member, w.jobRank, w.seats, w.cohort, w.first, w.size, w.limit} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return endFrame(append(b, flag(w.mayLeave)))
}

func decodeWelcome(b []byte) (w welcome, err error) {
	if len(b) != welcomeSize {
		return welcome{}, fmt.Errorf("%w: welcome of %d bytes", ErrProtocol, len(b))
	}
	for i, p := range [...]*uint32{&w.member, &w.jobRank, &w.seats, &w.cohort, &w.first, &w.size, &w.limit} {
		*p = binary.LittleEndian.Uint32(b[4*i:])
	}
	w.mayLeave = b[welcomeSize-1] == 1
	if w.limit > w.seats || w.limit > 0 && w.cohort == 0 && w.first+w.size > w.limit || b[welcomeSize-1] > 1 {
		return welcome{}, fmt.Errorf("%w: %d ranks from rank %d on, of %d and %d", ErrProtocol, w.size, w.first, w.limit, w.seats)
	}
	if w.seats > math.MaxInt32 || w.first > w.seats || w.size > w.seats-w.first || w.member < w.first || w.member-w.first >= w.size {
		return welcome{}, fmt.Errorf("%w: rank %d of %d from rank %d on, of %d", ErrProtocol, w.member, w.size, w.first, w.seats)
	}
	return w, nil
}

// flag returns 1 for true.
func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// numberFrame returns a frame with numbers.
func numberFrame(kind frameKind, numbers ...uint32) []byte {
	b := beginFrame(nil, kind)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return endFrame(b)
}

// decodeNumbers decodes the payload of a frame with numbers that are less than 2^31. what names the frame in errors.
func decodeNumbers(what string, b []byte, numbers ...*int) error {
	if len(b) != 4*len(numbers) {
		return fmt.Errorf("%w: %s of %d bytes", ErrProtocol, what, len(b))
	}
	for i, p := range numbers {
		v := binary.LittleEndian.Uint32(b[4*i:])
		if v > math.MaxInt32 {
			return fmt.Errorf("%w: %s with the number %d", ErrProtocol, what, v)
		}
		*p = int(v)
	}
	return nil
}

// An exchange frame is the number of the exchange and the blob.
func exchangeFrame(seq uint32, blob []byte) []byte {
	b := make([]byte, 0, frameHeader+4+len(blob))
	b = binary.LittleEndian.AppendUint32(beginFrame(b, frameExchange), seq)
	return endFrame(append(b, blob...))
}

func decodeExchange(b []byte) (seq uint32, blob []byte, err error) {
	if len(b) < 4 || len(b) > 4+MaxBlob {
		return 0, nil, fmt.Errorf("%w: exchange of %d bytes", ErrProtocol, len(b))
	}
	return binary.LittleEndian.Uint32(b), b[4:], nil
}

// A lost frame is the number of a member and 1 if its process has ended, otherwise 0.
func lostFrame(member int, how Loss) []byte {
	return endFrame(append(binary.LittleEndian.AppendUint32(beginFrame(nil, frameLost), uint32(member)), byte(how)))
}

// decodeLost decodes a lost frame in a run of size members.
func decodeLost(b []byte, size int) (member int, how Loss, err error) {
	if len(b) != 5 || Loss(b[4]) > ProcessEnded {
		return 0, 0, fmt.Errorf("%w: malformed report of a lost rank, %d bytes", ErrProtocol, len(b))
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) >= int64(size) {
		return 0, 0, fmt.Errorf("%w: rank %d of %d was reported as lost", ErrProtocol, n, size)
	}
	return int(n), Loss(b[4]), nil
}

// A result frame is the number of the exchange, the number of blobs, their
// lengths, and the blobs one after the other.
func resultFrame(seq uint32, blobs [][]byte) ([]byte, error) {
	n := 8 + 4*len(blobs)
	for _, blob := range blobs {
		n += len(blob)
	}
	if n > maxFrame {
		return nil, fmt.Errorf("exchange: %d bytes in all, at most %d are allowed", n, maxFrame)
	}
	b := make([]byte, 0, frameHeader+n)
	b = beginFrame(b, frameResult)
	b = binary.LittleEndian.AppendUint32(b, seq)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(blobs)))
	for _, blob := range blobs {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(blob)))
	}
	for _, blob := range blobs {
		b = append(b, blob...)
	}
	return endFrame(b), nil
}

// decodeResult decodes a result. It returns slices of b.
func decodeResult(b []byte, size int) (seq uint32, blobs [][]byte, err error) {
	if len(b) < 8 {
		return 0, nil, fmt.Errorf("%w: result of %d bytes", ErrProtocol, len(b))
	}
	seq = binary.LittleEndian.Uint32(b)
	if n := binary.LittleEndian.Uint32(b[4:]); int64(n) != int64(size) || int64(len(b)) < 8+4*int64(n) {
		return 0, nil, fmt.Errorf("%w: result for %d ranks, expected %d", ErrProtocol, n, size)
	}
	lengths, data := b[8:8+4*size], b[8+4*size:]
	blobs = make([][]byte, size)
	for i := range blobs {
		n := binary.LittleEndian.Uint32(lengths[4*i:])
		if uint64(n) > uint64(len(data)) {
			return 0, nil, fmt.Errorf("%w: blob of rank %d is cut off", ErrProtocol, i)
		}
		blobs[i], data = data[:n:n], data[n:]
	}
	if len(data) != 0 {
		return 0, nil, fmt.Errorf("%w: %d bytes after the last blob", ErrProtocol, len(data))
	}
	return seq, blobs, nil
}
