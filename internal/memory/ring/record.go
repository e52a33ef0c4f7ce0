package ring

// Kind tells what a record is.
type Kind uint64

// The kinds of records.
//
//goacp:c GOACP_
const (
	None   Kind = iota // no record
	Eager              // a message
	Large              // at which position of the sender's registered memory a message is
	Last               // the sender has freed its end
	Direct             // at which address of the sender's process a message is
)

// kindBits is the width of a kind in the head of a record.
//
//goacp:c GOACP_
const kindBits = 3

// Record is the head of a record.
type Record uint64

// NewRecord returns the head of a record of a message of size bytes.
func NewRecord(k Kind, size uint64) Record { return Record(size<<kindBits | uint64(k)) }

// Kind returns what the record is.
func (r Record) Kind() Kind { return Kind(r & (1<<kindBits - 1)) }

// Size returns the bytes of the message.
func (r Record) Size() uint64 { return uint64(r >> kindBits) }

// Span returns the bytes that the record takes in a ring.
func (r Record) Span() uint64 {
	switch r.Kind() {
	case Eager:
		return EagerSpan(r.Size())
	case Large, Direct:
		return 16
	}
	return 8
}

// EagerSpan returns the bytes that an eager record of size bytes takes in a ring.
func EagerSpan(size uint64) uint64 { return 8 + (size+7)&^7 }

// MaxMessage is the longest message: more than the address space of a process holds.
//
//goacp:c GOACP_
const MaxMessage = 1 << 48

// MaxEager is the longest message that is carried in a ring of any size.
const MaxEager = 32 << 10
