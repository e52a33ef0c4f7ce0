package node

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/system/dmi/page"
)

// smallMax is the greatest number of bytes that travel in a request or an answer. More bytes are copied by the requester
// while the owner lends the page.
const smallMax = 32 << 10

// request is a request of one process to the owner of a page, without the bytes behind it. The fields are in the order of the message.
type request struct {
	base, page int64
	at, size   int64 // the range in the page
	grant      uint64
	room       uint32 // bytes that an operation may answer
	kind       page.Kind
	copy       page.CopyKind
	do         changeKind
	op         Builtin
	tag        int8
	flags      requestFlags
}

type requestFlags uint8

const (
	flagLong   requestFlags = 1 << iota // the requester copies the bytes that it reads
	flagApart                           // the requester copies the bytes that it changes
	flagWhole                           // a Take whose change sets all bytes of the page
	flagMove                            // a Take by a process of the same host, too
	flagWatch                           // a Fetch for which bytes on this host are not enough
	flagAtOnce                          // an answer that would come later is notNow
)

// has reports whether a flag is set.
func (r *request) has(f requestFlags) bool { return r.flags&f != 0 }

// long reports whether the owner lends the bytes to a request of a kind.
func (r *request) long(kind page.Kind) bool {
	if kind == page.Write {
		return r.has(flagApart) || r.do == function
	}
	return r.has(flagLong)
}

const requestHead = 5*8 + 4 + 6 + 2

// append appends the message, whose bytes follow.
func (r *request) append(b []byte) []byte {
	for _, x := range [...]uint64{uint64(r.base), uint64(r.page), uint64(r.at), uint64(r.size), r.grant} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	b = binary.LittleEndian.AppendUint32(b, r.room)
	return append(b, byte(r.kind), byte(r.copy), byte(r.do), byte(r.op), byte(r.tag), byte(r.flags), 0, 0)
}

// decodeRequest returns a request and the bytes behind it. It checks everything but the range, which needs the space.
func decodeRequest(b []byte) (r request, data []byte, err error) {
	if len(b) < requestHead {
		return r, nil, errMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	r = request{
		base: int64(word(0)), page: int64(word(1)), at: int64(word(2)), size: int64(word(3)), grant: word(4),
		room: binary.LittleEndian.Uint32(b[40:]),
		kind: page.Kind(b[44]), copy: page.CopyKind(b[45]), do: changeKind(b[46]), op: Builtin(b[47]), tag: int8(b[48]), flags: requestFlags(b[49]),
	}
	data = b[requestHead:]
	return r, data, r.check(data)
}

// check returns an error for a request that no correct process sends.
func (r *request) check(data []byte) error {
	ok := r.page >= 0 && r.at >= 0 && r.size >= 0
	switch r.kind {
	case page.Get:
	case page.Fetch:
		ok = ok && (r.copy == page.Invalidate || r.copy == page.Update)
	case page.Write, page.Take:
		ok = ok && r.do <= lastChange && (r.do != modify || builtins[r.op] != nil) && (r.do != store || r.has(flagApart) || int64(len(data)) == r.size)
	default:
		ok = false
	}
	if !ok || r.room > smallMax || len(data) > smallMax {
		return errMalformed
	}
	return nil
}

// status is the outcome of a request.
type status uint8

const (
	done      status = iota + 1 // the request is carried out; bytes follow
	lent                        // the requester copies the bytes
	untouched                   // no process has changed the page, and all bytes are zero
	fresh                       // the requester is the first owner of the page
	moved                       // the requester is the owner
	elsewhere                   // another process owns the page, or is its home
	again                       // the home moves to another process
	noSpace                     // the space has ended
	noMemory                    // the owner lacks memory
	crowded                     // too many processes have copies
	notNow                      // the request has flagAtOnce, and nothing has been done
)

// answer is the answer of an owner, without the bytes behind it.
type answer struct {
	owner      uint32
	generation uint64 // of the owner
	version    uint64 // of the bytes
	loan       uint64 // the number of a loan
	recordAt   uint64 // the record of the owner; 0: the process does not own the page
	recordUse  uint64 // its generation
	bytesAt    uint64 // the bytes of the page in the owner's heap
	status     status
	served     page.Kind // what the owner has carried out: perhaps less than the request was for
}

const answerHead = 6*8 + 4 + 4

// put puts the answer to the beginning of b, behind which its bytes are.
func (a *answer) put(b []byte) {
	for i, x := range [...]uint64{a.generation, a.version, a.loan, a.recordAt, a.recordUse, a.bytesAt} {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	binary.LittleEndian.PutUint32(b[48:], a.owner)
	b[52], b[53], b[54], b[55] = byte(a.status), byte(a.served), 0, 0
}

// decodeAnswer returns an answer and the bytes behind it.
func decodeAnswer(b []byte) (a answer, data []byte, err error) {
	if len(b) < answerHead {
		return a, nil, errMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	a = answer{
		generation: word(0), version: word(1), loan: word(2), recordAt: word(3), recordUse: word(4), bytesAt: word(5),
		owner: binary.LittleEndian.Uint32(b[48:]), status: status(b[52]), served: page.Kind(b[53]),
	}
	return a, b[answerHead:], nil
}

// appendHolders appends the processes with copies, for a new owner.
func appendHolders(b []byte, holders []page.Holder) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(holders)))
	for _, h := range holders {
		b = binary.LittleEndian.AppendUint32(b, uint32(h.Process)<<1|uint32(h.Kind-page.Invalidate))
		b = binary.LittleEndian.AppendUint64(b, h.Grant)
	}
	return b
}

// holderBytes is the size of one holder of appendHolders.
const holderBytes = 4 + 8

// maxHolders is the greatest number of processes with copies of a page. Their list travels in one message with a small page. Further processes
// read at the owner.
const maxHolders = 2 << 10

// holdersRoom is the room for a list of holders. An owner that gives its page away may keep a copy.
const holdersRoom = 4 + (maxHolders+1)*holderBytes

// decodeHolders decodes what appendHolders appends, and returns the bytes behind it.
func decodeHolders(b []byte) (holders []page.Holder, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errMalformed
	}
	count := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if count > len(b)/holderBytes {
		return nil, nil, errMalformed
	}
	for range count {
		x := binary.LittleEndian.Uint32(b)
		holders = append(holders, page.Holder{Process: int(x >> 1), Kind: page.Invalidate + page.CopyKind(x&1), Grant: binary.LittleEndian.Uint64(b[4:])})
		b = b[holderBytes:]
	}
	return holders, b, nil
}

// copyMessage is the message of an owner about a copy, with the bytes behind it.
type copyMessage struct {
	base, page int64
	at         int64 // where bytes are in the page
	grant      uint64
	version    uint64
	do         page.Do // Drop, Hold, Bring or Release
	bytes      []byte
}

const copyHead = 5*8 + 8

// append appends the message.
func (m *copyMessage) append(b []byte) []byte {
	for _, x := range [...]uint64{uint64(m.base), uint64(m.page), uint64(m.at), m.grant, m.version} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	b = append(b, byte(m.do), 0, 0, 0, 0, 0, 0, 0)
	return append(b, m.bytes...)
}

// decodeCopy decodes a message about a copy. Its bytes are those of b.
func decodeCopy(b []byte) (m copyMessage, err error) {
	if len(b) < copyHead {
		return m, errMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	m = copyMessage{
		base: int64(word(0)), page: int64(word(1)), at: int64(word(2)), grant: word(3), version: word(4),
		do: page.Do(b[40]), bytes: b[copyHead:],
	}
	switch m.do {
	case page.Drop, page.Hold, page.Bring, page.Release:
		return m, nil
	}
	return m, errMalformed
}
