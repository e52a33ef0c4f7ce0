package named

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/network/am"
)

// The requests of processes to the owner of a value.
const (
	opPut    = am.OpNamed + iota // the value of a name; the answer has its version
	opGet                        // the answer has the value
	opWait                       // as opGet, when the value has a version or a later one
	opGiveUp                     // an end of the wait with a number
)

// request is a request to the owner of a name.
type request struct {
	number uint64 // of a wait: the version; of opGiveUp: the id of the wait
	id     uint64 // of a wait, different for all waits of one process
	name   string
	value  []byte // of opPut
}

// requestHead is the length of a request without name and value.
const requestHead = 8 + 8 + 1

// encode returns the request as a message.
func (r *request) encode() []byte {
	b := make([]byte, 0, requestHead+len(r.name)+len(r.value))
	b = binary.LittleEndian.AppendUint64(b, r.number)
	b = binary.LittleEndian.AppendUint64(b, r.id)
	b = append(b, byte(len(r.name)))
	return append(append(b, r.name...), r.value...)
}

// decodeRequest decodes a request. The value is a part of b. It fails with am.ErrMalformed.
func decodeRequest(b []byte) (r request, err error) {
	if len(b) < requestHead {
		return r, am.ErrMalformed
	}
	name, rest := int(b[16]), b[requestHead:]
	if name == 0 || name > len(rest) || len(rest)-name > MaxValue {
		return r, am.ErrMalformed
	}
	return request{
		number: binary.LittleEndian.Uint64(b), id: binary.LittleEndian.Uint64(b[8:]),
		name: string(rest[:name]), value: rest[name:],
	}, nil
}

// answerHead is the length of an answer before the bytes of the value: the version and the length of
// the value. The version is 0 if there is no value.
const answerHead = 8 + 8

// answer writes an answer to reply, with as many bytes of the value as fit, and returns its length.
func answer(reply []byte, version uint64, value []byte) int {
	binary.LittleEndian.PutUint64(reply, version)
	binary.LittleEndian.PutUint64(reply[8:], uint64(len(value)))
	return answerHead + copy(reply[answerHead:], value)
}

// decodeAnswer decodes an answer with capacity bytes for a value. The value is a part of b, and size its
// whole length. It fails with am.ErrMalformed.
func decodeAnswer(b []byte, capacity int) (version uint64, size int, value []byte, err error) {
	if len(b) < answerHead {
		return 0, 0, nil, am.ErrMalformed
	}
	version, value = binary.LittleEndian.Uint64(b), b[answerHead:]
	n := binary.LittleEndian.Uint64(b[8:])
	if n > MaxValue || len(value) != min(int(n), capacity) || version == 0 && n != 0 {
		return 0, 0, nil, am.ErrMalformed
	}
	return version, int(n), value, nil
}
