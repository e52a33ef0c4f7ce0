package am

// Op is the number of an operation. Messages carry it.
type Op uint8

// The first operation of each package. The numbers of a package end before those of the next
// one. Some packages have a single operation.
const (
	OpHeap      Op = 0x01 // blocks of a heap
	OpNamed     Op = 0x10 // named values
	OpVector    Op = 0x20
	OpDeque     Op = 0x40
	OpList      Op = 0x60
	OpHash      Op = 0x80 // sets, multisets and maps
	OpChannel   Op = 0xc0
	OpExtension Op = 0xd0 // package extension gives out these numbers
	OpProgress  Op = 0xfd // collective calls
	OpFabric    Op = 0xfe // of a fabric in another process to the same one here
	OpSegbuf    Op = 0xff
)

// OpExtensionEnd is the end of the numbers that package extension gives out.
const OpExtensionEnd = OpProgress

// The notices. A number fits in noticeBits.
const (
	NoticeBarrier = iota // between leaders of a barrier
	NoticeFabric         // of a fabric in another process to the same one here
)

// NoticeExtension and NoticeEnd are the first and the end of the notices whose numbers package
// extension gives out.
const (
	NoticeExtension = 0x10
	NoticeEnd       = 1 << noticeBits
)

// noticeBits is the number of bits of a fabric's kind of notice that are the number of the
// notice. The other bits are its first argument.
const noticeBits = 8

// NoticeKind returns the kind with which a fabric's Notify sends a notice. arg has 24 bits.
func NoticeKind(number uint8, arg uint32) uint32 { return arg<<noticeBits | uint32(number) }

// Notified returns the number and the first argument of a notice that has arrived with kind.
func Notified(kind uint32) (number uint8, arg uint32) { return uint8(kind), kind >> noticeBits }
