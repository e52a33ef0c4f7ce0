package tcp

import "unsafe"

// outFrame is a frame to be sent, or the rest of one.
type outFrame struct {
	head     [headerSize]byte
	headSent uint8
	zeroCopy bool    // payload is memory of this process that a get asked for
	filler   bool    // the payload was revoked: filling is sent instead
	owed     int32   // when the frame has been sent, link.owed decreases by this
	packet   *packet // to be reused when the frame has been sent, or nil
	buffer   *[]byte // holds the payload, and is free again when the frame has been sent; or nil
	payload  unsafe.Pointer
	left     uint64 // bytes of the payload not sent yet
}

// filling is sent in place of memory that must not be accessed any more. It is never written.
var filling [64 << 10]byte

// fill makes the rest of the payload filling.
func (f *outFrame) fill() { f.payload, f.filler = nil, true }

// drop marks the frame as completely sent.
func (f *outFrame) drop() { f.payload, f.left, f.headSent = nil, 0, headerSize }

// queue is a ring of frames. Its memory grows with the largest number of frames
// that it ever held.
type queue struct {
	ring []outFrame // length is a power of two, or 0
	head int
	n    int
}

// push appends an empty frame and returns it. The pointer is valid until the next
// push.
func (q *queue) push() *outFrame {
	if q.n == len(q.ring) {
		ring := make([]outFrame, max(8, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = *q.at(i)
		}
		q.ring, q.head = ring, 0
	}
	q.n++
	f := q.at(q.n - 1)
	*f = outFrame{}
	return f
}

// at returns the i-th frame from the front.
func (q *queue) at(i int) *outFrame {
	return &q.ring[(q.head+i)&(len(q.ring)-1)]
}

// notice reports whether the frame carries a message of Notify.
func (f *outFrame) notice() bool { return kind(f.head[1]) == kindNotify }

// messages reports whether there is a frame that carries a message of Notify.
func (q *queue) messages() bool {
	for i := range q.n {
		if q.at(i).notice() {
			return true
		}
	}
	return false
}

// pop removes the frame in front.
func (q *queue) pop() {
	q.at(0).payload, q.at(0).packet, q.at(0).buffer = nil, nil, nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
}

// gather adds the pieces of the frames in front to v, as many as fit.
func (q *queue) gather(v *vector) {
	for i := 0; i < q.n && v.n+2 <= vectorLen; i++ {
		f := q.at(i)
		if f.headSent < headerSize && !v.addCopy(f.head[f.headSent:]) {
			return
		}
		if f.left > 0 && !f.addPayload(v) {
			return // the rest of this payload comes before the next header
		}
	}
}

// addPayload adds the payload to v and reports whether that is all of it.
func (f *outFrame) addPayload(v *vector) bool {
	if f.filler {
		v.add(unsafe.Pointer(&filling), min(f.left, uint64(len(filling))))
		return f.left <= uint64(len(filling))
	}
	v.add(f.payload, f.left)
	return f.left <= pieceMax
}

// gatherOne adds only the piece in front, so that an error of sending concerns this piece.
func (q *queue) gatherOne(v *vector) {
	if q.n == 0 {
		return
	}
	f := q.at(0)
	if f.headSent < headerSize {
		v.add(unsafe.Pointer(&f.head[f.headSent]), uint64(headerSize-f.headSent))
	} else {
		f.addPayload(v)
	}
}

// sent marks n bytes in front as sent. It returns the number of frames in front that are completely sent;
// they are still in the queue.
func (q *queue) sent(n uint64) (frames int) {
	for frames < q.n {
		f := q.at(frames)
		k := min(n, uint64(headerSize-f.headSent))
		f.headSent += uint8(k)
		n -= k
		k = min(n, f.left)
		f.left -= k
		n -= k
		switch {
		case f.left == 0:
			f.payload = nil
		case !f.filler:
			f.payload = unsafe.Add(f.payload, k)
		}
		if f.headSent < headerSize || f.left > 0 {
			break
		}
		frames++
	}
	return frames
}
