//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
)

// segmentMemory returns the count segments of size bytes at buf. Fails for NULL, for none, and for
// more than a process has.
func segmentMemory(buf unsafe.Pointer, size, count uint64) ([]byte, error) {
	high, total := bits.Mul64(size, count)
	if buf == nil || high != 0 || total == 0 || total > ring.MaxMessage || uint64(uintptr(buf)) > math.MaxUint64-total {
		return nil, fmt.Errorf("%w: %d segments of %d bytes at %p", acp.ErrBadSize, count, size, buf)
	}
	if err := fabric.CheckAddress(uintptr(buf)); err != nil {
		return nil, fmt.Errorf("%w: %d segments of %d bytes: %w", acp.ErrBadAddress, count, size, err)
	}
	return unsafe.Slice((*byte)(buf), total), nil
}

// goacp_create_segbuf is acp_create_src_segbuf, or acp_create_dst_segbuf if source is 0. It
// returns 0 if it fails.
//
//export goacp_create_segbuf
func goacp_create_segbuf(rank C.int, buf unsafe.Pointer, size, count C.size_t, source C.int) C.uintptr_t {
	return call(0, func(p *acp.Process) (C.uintptr_t, error) {
		b, err := segmentMemory(buf, uint64(size), uint64(count))
		if err != nil {
			return 0, err
		}
		open := p.NewSegBufDestination
		if source != 0 {
			open = p.NewSegBufSource
		}
		e, err := open(acp.Rank(rank), b, int(size))
		if err != nil {
			return 0, err
		}
		return lib.segbufs.add(e), nil
	})
}

// onSegbuf returns the result of f for the buffer with a number, or -1 if f fails.
func onSegbuf[T C.int | C.int64_t](number C.uintptr_t, f func(*acp.SegBuf) (T, error)) T {
	minusOne := T(0)
	minusOne--
	return call(minusOne, func(*acp.Process) (T, error) {
		e, err := lib.segbufs.existing(number, acp.ErrDestroyed)
		if err != nil {
			return 0, err
		}
		return f(e)
	})
}

// do is onSegbuf for functions without a result.
func do(number C.uintptr_t, f func(*acp.SegBuf) error) C.int {
	return onSegbuf(number, func(e *acp.SegBuf) (C.int, error) { return 0, f(e) })
}

// ask is onSegbuf for questions, whose answer is 0 for yes.
func ask(number C.uintptr_t, f func(*acp.SegBuf) (bool, error)) C.int {
	return onSegbuf(number, func(e *acp.SegBuf) (C.int, error) {
		yes, err := f(e)
		if yes {
			return 0, err
		}
		return 1, err
	})
}

// query is onSegbuf for the numbers of segments.
func query(number C.uintptr_t, f func(*acp.SegBuf) (int, error)) C.int64_t {
	return onSegbuf(number, func(e *acp.SegBuf) (C.int64_t, error) {
		i, err := f(e)
		return C.int64_t(i), err
	})
}

//export goacp_connect_segbuf
func goacp_connect_segbuf(number C.uintptr_t) C.int {
	return do(number, func(e *acp.SegBuf) error { return e.Connect() })
}

//export goacp_isconnected_segbuf
func goacp_isconnected_segbuf(number C.uintptr_t) C.int {
	return ask(number, (*acp.SegBuf).Connected)
}

//export goacp_ready_segbuf
func goacp_ready_segbuf(number C.uintptr_t) C.int { return do(number, (*acp.SegBuf).Ready) }

//export goacp_ack_segbuf
func goacp_ack_segbuf(number C.uintptr_t) C.int { return do(number, (*acp.SegBuf).Ack) }

//export goacp_isready_segbuf
func goacp_isready_segbuf(number C.uintptr_t) C.int { return ask(number, (*acp.SegBuf).IsReady) }

//export goacp_isacked_segbuf
func goacp_isacked_segbuf(number C.uintptr_t) C.int { return ask(number, (*acp.SegBuf).IsAcked) }

//export goacp_query_segbuf_head
func goacp_query_segbuf_head(number C.uintptr_t) C.int64_t { return query(number, (*acp.SegBuf).Head) }

//export goacp_query_segbuf_tail
func goacp_query_segbuf_tail(number C.uintptr_t) C.int64_t { return query(number, (*acp.SegBuf).Tail) }

//export goacp_query_segbuf_sent
func goacp_query_segbuf_sent(number C.uintptr_t) C.int64_t { return query(number, (*acp.SegBuf).Sent) }

//export goacp_disconnect_segbuf
func goacp_disconnect_segbuf(number C.uintptr_t) C.int { return do(number, (*acp.SegBuf).Disconnect) }

//export goacp_free_segbuf
func goacp_free_segbuf(number C.uintptr_t) C.int {
	return do(number, func(e *acp.SegBuf) error {
		err := e.Close()
		if err == nil {
			lib.segbufs.drop(number)
		}
		return err
	})
}
