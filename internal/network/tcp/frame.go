package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
)

// Version is the version of the protocol spoken between agents. Members of
// different versions refuse each other.
const Version = 8

// kind is the kind of a frame.
type kind uint8

const (
	kindHello    kind = iota + 1 // the member that dialled introduces itself
	kindWelcome                  // the answer to a hello
	kindPut                      // request: store these bytes
	kindGet                      // request: send these bytes
	kindAtomic                   // request: perform this atomic
	kindCopy                     // request: copy these bytes to a third member
	kindReply                    // outcome of a request, perhaps of several; of a call only if it failed
	kindData                     // bytes that a get of more than 8 bytes asked for
	kindNotify                   // a message for Owner.Notify, without a reply
	kindGoodbye                  // the sender has closed its transport; the last frame
	kindCall                     // request: Owner.Serve
	kindAnswer                   // outcome of a successful call
	kindDeferred                 // a call will be answered later and counts in the window no more
	kindSeries                   // request: perform these operations of one kind
	kindValues                   // outcome of a series of gets or atomics: what they have found
	kindFault                    // an item of a series has failed; the outcome of the series follows
	kindEnd                      // the first invalid kind
)

// request reports whether frames of this kind are answered.
func (k kind) request() bool {
	return k >= kindPut && k < kindReply || k == kindCall || k == kindSeries
}

// status is the outcome that a reply or a welcome carries.
type status uint8

const (
	statusOK       status = iota
	statusRange           // pos and size are not published memory
	statusInvalid         // fabric.ErrInvalid
	statusNoPath          // fabric.ErrNoPath
	statusPeerDead        // the third member of a copy, named in member, is dead
	statusClosed          // the owner's transport towards a third member is closed
	statusOther           // another error, described by the text that follows
	statusVersion         // welcome only: the versions differ
	statusStranger        // welcome only: the hello was for another member or run
	statusBusy            // welcome only: another socket serves this pair
	statusEnd             // the first invalid status
)

// header is the fixed part of every frame. On the wire it takes headerSize
// bytes, little endian:
//
//	 0     protocol version
//	 1     kind
//	 2     code: the fabric.Op of an atomic or of a series of atomics, the status of a reply, fault or
//	       welcome, the low byte of the number of a call or notify
//	 3     width of an atomic in bytes; put, get: 8 if the owner moves aligned words as a whole;
//	       call, notify: the high byte of the number; series: the fabric.SeriesKind
//	 4- 7  member: hello, welcome: the sender; copy: the destination;
//	       notify: the first argument; reply: the dead third member; series: the number of items;
//	       fault: the index of the item
//	 8-15  id: chosen by the initiator, repeated in the reply; hello and
//	       welcome: the word "GOACPtcp"
//	16-23  pos: position in the owner's memory, also in data; reply: the old value of an
//	       atomic or the bytes of a get of up to 8 bytes (in memory order from byte 16 on),
//	       or with statusRange the position; fault: the same; hello: the addressee
//	24-31  size: number of bytes; reply with statusOK: of further outcomes; series: of the payload; hello: the
//	       number of members of the run
//	32-39  arg: operand of an atomic, destination position of a copy, the most bytes
//	       that the answer to a call may have, the second argument of a notify, payload of a put of up
//	       to 8 bytes (in memory order from byte 32 on), length of the text of a reply
//	       without statusOK, bytes that each item of a series moves
//	40-47  compare: of an atomic
//
// Fields without a meaning for the kind are zero when sent and ignored when received. The payload follows the
// header: of a put of more than 8 bytes, of data, of a call or an answer, of a series or its values, size bytes; of
// a reply, arg bytes of text, or size bytes of further outcomes of requests that have succeeded. An outcome is
// outcomeSize bytes, the id and what the header of a reply has in pos. A series has a record for each item: the
// position, and then the bytes of a put, or the operand of an atomic and, of fabric.OpCas, the value to compare
// with, 8 bytes each. Values have the bytes of each get, or 8 bytes for each atomic. Data in a payload are valid only if the reply that
// follows reports success: the memory at their owner may have become inaccessible in the middle.
type header struct {
	kind    kind
	code    uint8
	width   uint8
	member  uint32
	id      uint64
	pos     uint64
	size    uint64
	arg     uint64
	compare uint64
}

const (
	headerSize = 48
	inlineMax  = 8   // the largest payload that is sent in the header
	textMax    = 512 // the longest text of a reply

	outcomeSize = 16  // of an outcome in the payload of a reply
	outcomesMax = 255 // the most outcomes in the payload of a reply

	helloWord = 0x7063745043414f47 // "GOACPtcp" in memory order
)

// errVersion says that the header is of another version of the protocol. Bytes 0,
// 1, 2 and 4-15 of hello and welcome are the same in every version.
var errVersion = errors.New("another version of the agent protocol")

func (h *header) encode(b *[headerSize]byte) {
	b[0] = Version
	b[1] = byte(h.kind)
	b[2] = h.code
	b[3] = h.width
	binary.LittleEndian.PutUint32(b[4:], h.member)
	binary.LittleEndian.PutUint64(b[8:], h.id)
	binary.LittleEndian.PutUint64(b[16:], h.pos)
	binary.LittleEndian.PutUint64(b[24:], h.size)
	binary.LittleEndian.PutUint64(b[32:], h.arg)
	binary.LittleEndian.PutUint64(b[40:], h.compare)
}

// decode fills h from b. It accepts only headers that this version may send.
func (h *header) decode(b *[headerSize]byte) error {
	h.kind = kind(b[1])
	h.code = b[2]
	h.width = b[3]
	h.member = binary.LittleEndian.Uint32(b[4:])
	h.id = binary.LittleEndian.Uint64(b[8:])
	h.pos = binary.LittleEndian.Uint64(b[16:])
	h.size = binary.LittleEndian.Uint64(b[24:])
	h.arg = binary.LittleEndian.Uint64(b[32:])
	h.compare = binary.LittleEndian.Uint64(b[40:])
	switch {
	case b[0] != Version:
		return errVersion
	case h.kind == 0 || h.kind >= kindEnd:
		return fmt.Errorf("frame of unknown kind %d", h.kind)
	case h.kind == kindReply && status(h.code) >= statusEnd:
		return fmt.Errorf("reply with unknown status %d", h.code)
	case h.kind == kindCall && (h.size > fabric.CallMax || h.arg > fabric.CallMax), h.kind == kindAnswer && h.size > fabric.CallMax:
		return fmt.Errorf("call or answer of more than %d bytes", fabric.CallMax)
	case h.whole() && h.size > fabric.CallMax:
		return fmt.Errorf("words of more than %d bytes", fabric.CallMax)
	case h.failed() && h.arg > textMax:
		return fmt.Errorf("reply with a text of %d bytes, of which %d are allowed", h.arg, textMax)
	case h.kind == kindSeries:
		return h.checkSeries()
	case h.kind == kindValues && (h.size == 0 || h.size > fabric.CallMax):
		return fmt.Errorf("series has found %d bytes", h.size)
	case h.kind == kindFault && status(h.code) != statusRange && status(h.code) != statusInvalid:
		return fmt.Errorf("item of a series with status %d", h.code)
	case h.succeeded() && (h.size > outcomesMax*outcomeSize || h.size%outcomeSize != 0):
		return fmt.Errorf("reply with %d bytes of outcomes", h.size)
	}
	return nil
}

// setNumber sets the number of a call or notify.
func (h *header) setNumber(n uint16) { h.code, h.width = uint8(n), uint8(n>>8) }

// number returns the number of a call or notify.
func (h *header) number() uint16 { return uint16(h.code) | uint16(h.width)<<8 }

// whole reports whether the header is a request whose owner moves aligned words as a whole.
func (h *header) whole() bool { return (h.kind == kindPut || h.kind == kindGet) && h.width != 0 }

// failed reports whether the header is a reply to a request that has failed.
func (h *header) failed() bool { return h.kind == kindReply && status(h.code) != statusOK }

// succeeded reports whether the header is a reply to requests that have succeeded.
func (h *header) succeeded() bool { return h.kind == kindReply && status(h.code) == statusOK }

// payload returns the number of bytes that follow the header.
func (h *header) payload() uint64 {
	switch h.kind {
	case kindPut:
		if h.size > inlineMax {
			return h.size
		}
	case kindData, kindCall, kindAnswer, kindSeries, kindValues:
		return h.size
	case kindReply:
		if h.succeeded() {
			return h.size
		}
		return h.arg
	}
	return 0
}

// atomic returns the atomic that the header asks for.
func (h *header) atomic() fabric.Atomic {
	return fabric.Atomic{Op: fabric.Op(h.code), Width: h.width, Operand: h.arg, Compare: h.compare}
}
