package tcp

import "unsafe"

// outFrame is a frame to be sent, or what is left of it.
type outFrame struct {
	head     [headerSize]byte
	headSent uint8
	lent     bool // payload is memory of this process that a get asked for
	owed     bool // the frame is a reply
	payload  unsafe.Pointer
	left     uint64 // bytes of the payload not sent yet
}

// overlaps tells whether the rest of the payload shares a byte with the n bytes
// at p.
func (f *outFrame) overlaps(p unsafe.Pointer, n uint64) bool {
	a, b := uint64(uintptr(f.payload)), uint64(uintptr(p))
	return a-b < n || b-a < f.left
}

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

// messages reports whether there is a frame that carries a message.
func (q *queue) messages() bool {
	for i := range q.n {
		if kind(q.at(i).head[1]) == kindNotify {
			return true
		}
	}
	return false
}

// pop removes the frame in front.
func (q *queue) pop() {
	q.at(0).payload = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
}

// gather adds the pieces of the frames in front to v, as many as fit.
func (q *queue) gather(v *vector) {
	for i := 0; i < q.n && v.n+2 <= vectorLen; i++ {
		f := q.at(i)
		if f.headSent < headerSize {
			v.add(unsafe.Pointer(&f.head[f.headSent]), uint64(headerSize-f.headSent))
		}
		if f.left > 0 {
			v.add(f.payload, f.left)
			if f.left > pieceMax {
				return // the rest of this payload comes before the next header
			}
		}
	}
}

// sent marks n bytes in front as sent. It returns the number of frames that are
// now sent completely; they are still in the queue.
func (q *queue) sent(n uint64) (frames int) {
	for n > 0 {
		f := q.at(frames)
		k := min(n, uint64(headerSize-f.headSent))
		f.headSent += uint8(k)
		n -= k
		k = min(n, f.left)
		f.left -= k
		n -= k
		if f.left == 0 {
			f.payload = nil
		} else {
			f.payload = unsafe.Add(f.payload, k)
		}
		if f.headSent < headerSize || f.left > 0 {
			break
		}
		frames++
	}
	return frames
}
