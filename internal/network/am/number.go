package am

// Op is the number of an operation. Messages carry it. The upper byte is the number of a range, the
// lower one that of the operation in it.
type Op uint16

// NoticeNumber is the number of a notice. Messages carry it. It is composed as an Op is.
type NoticeNumber uint16

// RangeSize is the size of a range.
const RangeSize = 1 << 8

// The ranges, which this table lists all. Each has RangeSize numbers for operations, and as many
// for notices. A range is for one package, or for one kind of structure, and begins with the number
// here. Within its range a package numbers its operations and notices in a list of its own. A
// number that has been in use never gets another meaning, so that processes that were built at
// different times agree on the numbers that both have: new numbers are appended.
const (
	OpHeap     Op = 0x0100 // blocks of a heap
	OpProgress Op = 0x0200 // collective functions and barriers, of package acp
	OpFabric   Op = 0x0300 // of a fabric in another process to the same one here
	OpNamed    Op = 0x0400 // named values
	OpVector   Op = 0x0500
	OpDeque    Op = 0x0600
	OpList     Op = 0x0700
	OpHash     Op = 0x0800 // sets, multisets and maps
	OpChannel  Op = 0x0900
	OpSegbuf   Op = 0x0a00

	// Extensions.
	OpMessage   Op = 0x4000 // messages of ARMCI
	OpARMCI     Op = 0x4100
	OpGP        Op = 0x4200
	OpCouple    Op = 0x4300
	OpDMI       Op = 0x4400 // pages of global memory
	OpDMIThread Op = 0x4500 // processes and threads of DMI

	// OpTest is the first range of the extensions of tests. All that follow are theirs, too.
	OpTest Op = 0xf000
)

// Range returns the first number of the range of an operation.
func (op Op) Range() Op { return op &^ (RangeSize - 1) }

// The notices of packages that are no extensions.
const (
	NoticeBarrier = NoticeNumber(OpProgress) // between leaders of a barrier
	NoticeFabric  = NoticeNumber(OpFabric)   // of a fabric in another process to the same one here
)
