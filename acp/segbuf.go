package acp

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/structure/segbuf"
)

// SegBuf is one end of a segmented buffer: a ring of equally long segments in memory of the
// program at the source, and one of the same shape at the destination. The source fills its
// segments in turn and publishes each with Ack, which copies it to the destination. The
// destination uses them in turn and gives each back with Ready. Only Connect and Close wait for
// the other side.
//
// The methods of an end are called by one goroutine at a time.
type SegBuf struct {
	p   *Process
	end *segbuf.End
}

// NewSegBufSource makes the source of a segmented buffer whose destination is rank to. buf
// is cut into segments of segment bytes. It must not be on the stack of a goroutine and
// belongs to the library until Close, except for the segments that the program may fill.
//
// The n-th source towards a rank belongs to the n-th destination that the rank makes for
// this one. Both have the same shape; if not, Connect fails with ErrDisagree.
//
// Fails with ErrBadRank, with ErrBadSize if buf is empty or no multiple of segment, with
// ErrHeapFull, and with ErrPeerDead when the run is over. Any rank. Does not block.
func (p *Process) NewSegBufSource(to Rank, buf []byte, segment int) (*SegBuf, error) {
	return p.newSegBuf((*segbuf.Buffers).NewSource, to, buf, segment)
}

// NewSegBufDestination makes the destination of a segmented buffer whose source is rank from. Otherwise as
// NewSegBufSource. Memory of Malloc is faster than other memory, because all ranks of the host have mapped
// it. Any rank. Does not block.
func (p *Process) NewSegBufDestination(from Rank, buf []byte, segment int) (*SegBuf, error) {
	return p.newSegBuf((*segbuf.Buffers).NewDestination, from, buf, segment)
}

// WithContext returns the same end. When ctx ends, Connect and Close of the result return early; see
// Process.WithContext. Local. Does not block.
func (e *SegBuf) WithContext(ctx context.Context) *SegBuf {
	return &SegBuf{e.p.WithContext(ctx), e.end}
}

// newSegBuf makes an end with a method of Buffers. The other end is at peer.
func (p *Process) newSegBuf(method func(*segbuf.Buffers, int, []byte, int) (*segbuf.End, error), peer Rank, buf []byte, segment int) (*SegBuf, error) {
	end, err := method(p.segbufs, int(peer), buf, segment)
	if err != nil {
		return nil, p.lifeError(fmt.Sprintf("segmented buffer with rank %d", peer), err)
	}
	return &SegBuf{p, end}, nil
}

// publish makes memory of the program accessible to other ranks until withdraw is called. It is
// a segbuf.Publish.
func (p *Process) publish(b []byte) (at uint64, withdraw func() error, err error) {
	key, err := p.Register(b, 0)
	if err != nil {
		return 0, nil, err
	}
	ga, err := p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(b)))
	return uint64(ga), func() error { return p.Unregister(key) }, err
}

// failed returns the error of an operation of the end.
func (e *SegBuf) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return e.p.lifeError(what+" of a segmented buffer", err)
}

// Connect waits until the other end is there, too. Fails with ErrDisagree if it has another
// shape, with ErrDisconnected after Disconnect, with ErrRankGone if its process has left the run or is lost, with ErrDestroyed, and with
// ErrPeerDead when the run is over. Any rank. Blocks.
func (e *SegBuf) Connect() error { return e.failed("connect", e.end.Connect(e.p.ctx)) }

// Connected reports whether Connect would not wait. Errors as for Connect. Any rank. Does
// not block.
func (e *SegBuf) Connected() (bool, error) {
	yes, err := e.end.Connected()
	return yes, e.failed("connect", err)
}

// Ack publishes the segment at the tail: it copies the segment to the destination, which sees it when all its
// bytes are there. The program must not change the segment until Sent or Head is beyond it. Ack does not wait
// for the copy.
//
// Fails with ErrFull if no segment is free, with ErrNotEndpoint at a destination, with
// ErrNotConnected, and otherwise as Connect. Any rank. Does not block.
func (e *SegBuf) Ack() error { return e.failed("ack", e.end.Ack()) }

// Ready gives the segment at the head back to the source, which may then fill it anew.
//
// Fails with ErrEmpty if no segment is published, with ErrNotEndpoint at a source, and
// otherwise as Ack. Any rank. Does not block.
func (e *SegBuf) Ready() error { return e.failed("ready", e.end.Ready()) }

// IsReady reports whether a segment is free to be filled, as far as this end knows. Errors
// as for Ack. Any rank. Does not block.
func (e *SegBuf) IsReady() (bool, error) {
	yes, err := e.end.IsReady()
	return yes, e.failed("query", err)
}

// IsAcked reports whether a segment is published and not given back, as far as this end
// knows. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) IsAcked() (bool, error) {
	yes, err := e.end.IsAcked()
	return yes, e.failed("query", err)
}

// Head returns the number of the oldest segment that is published, 0 … len(buf)/segment-1.
// Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Head() (int, error) {
	head, err := e.end.Head()
	return head, e.failed("query", err)
}

// Tail returns the number of the segment that is published next. Errors as for Ack. Any
// rank. Does not block.
func (e *SegBuf) Tail() (int, error) {
	tail, err := e.end.Tail()
	return tail, e.failed("query", err)
}

// Sent returns the number of the first segment that is published and not yet copied, or of
// the tail if there is none. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Sent() (int, error) {
	sent, err := e.end.Sent()
	return sent, e.failed("query", err)
}

// Disconnect ends the use of this end. Segments that it has published still arrive. Only Close is allowed
// afterwards. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Disconnect() error { return e.failed("disconnect", e.end.Disconnect()) }

// Close waits until the other end has disconnected, too, or its process has left the run or is lost, and then frees the library's resources. buf belongs
// to the program again.
//
// Fails with ErrNotConnected before the other end is there, with ErrConnected before Disconnect, unless that process is gone,
// with ErrDestroyed after Close, and with ErrPeerDead when the run is over. Any rank. Blocks.
func (e *SegBuf) Close() error { return e.failed("close", e.end.Close(e.p.ctx)) }
