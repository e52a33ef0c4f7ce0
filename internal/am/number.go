package am

// Op is the number of an operation. Messages carry it.
type Op uint8

// The first operation of each package, and the operations that are alone. A package has the
// numbers up to the next one.
const (
	OpHeap     Op = 0x01 // blocks of a heap
	OpVector   Op = 0x20
	OpDeque    Op = 0x40
	OpList     Op = 0x60
	OpHash     Op = 0x80 // sets, multisets and maps
	OpChannel  Op = 0xc0
	OpProgress Op = 0xfd // collective calls
	OpFabric   Op = 0xfe // of a fabric in another process to the same one here
	OpSegbuf   Op = 0xff
)

// The notices. A number fits in noticeBits.
const (
	NoticeBarrier = iota // between leaders of a barrier
	NoticeFabric         // of a fabric in another process to the same one here
)

// noticeBits is how much of the kind of a fabric's Notify is the number of the notice. The
// rest is its first argument.
const noticeBits = 8

// NoticeKind returns the kind with which a fabric's Notify sends a notice. arg has 24 bits.
func NoticeKind(number uint8, arg uint32) uint32 { return arg<<noticeBits | uint32(number) }

// Notified takes the kind of a notice apart that has arrived: the number and the first
// argument.
func Notified(kind uint32) (number uint8, arg uint32) { return uint8(kind), kind >> noticeBits }
