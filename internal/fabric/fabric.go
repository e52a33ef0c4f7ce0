package fabric

import (
	"time"
	"unsafe"
)

// Completion learns the outcome of one operation.
type Completion interface {
	// Complete is called exactly once, possibly before the call that started the
	// operation has returned and possibly from another goroutine. old is the value
	// that an atomic found; it is 0 for copies. When err is nil the last byte has
	// been written and is visible to the owner's CPU. Complete must not block.
	Complete(old uint64, err error)
}

// Op names an atomic operation.
type Op uint8

// The atomic operations. Each replaces the integer x at the target and yields
// the value x had before.
//
//goacp:c GOACP_
const (
	OpAdd  Op = iota + 1 // x + Operand, modulo 2^32 or 2^64
	OpCas                // Operand if x == Compare, otherwise x
	OpSwap               // Operand
	OpAnd                // x & Operand
	OpOr                 // x | Operand
	OpXor                // x ^ Operand
)

var opNames = [...]string{OpAdd: "add", OpCas: "cas", OpSwap: "swap", OpAnd: "and", OpOr: "or", OpXor: "xor"}

// String returns the name of the operation without its width, for example "add".
func (op Op) String() string {
	if op < OpAdd || op > OpXor {
		return "invalid"
	}
	return opNames[op]
}

// Atomic describes one atomic operation apart from its target.
type Atomic struct {
	Op      Op
	Width   uint8  // 4 or 8 bytes
	Operand uint64 // the low 32 bits count when Width is 4
	Compare uint64 // OpCas only
}

// Valid reports whether a can be performed on an integer at position pos: a known
// operation and width, and pos a multiple of the width.
func (a Atomic) Valid(pos uint64) bool {
	return a.Op >= OpAdd && a.Op <= OpXor && (a.Width == 4 || a.Width == 8) && pos&uint64(a.Width-1) == 0
}

// Abilities says what a transport can do, for the router that chooses among transports.
type Abilities struct {
	// Waits: Put, Get and Atomic may wait for the peer. A goroutine that serves peers does not
	// call them then.
	Waits bool

	// Immediate: each operation is complete when its call returns, without the peer's help.
	Immediate bool

	// Copies: Copy copies between two other members. Without it, Copy fails with ErrNoPath.
	Copies bool

	// Collective: Close returns when all members that have the transport have called it. Call
	// it when no operation is under way.
	Collective bool

	// Notices: copies of more than WordMax bytes go through system calls, so that memory of
	// this process which is not mapped any more is an error of the copy and not a fault.
	Notices bool

	// Atomics says which atomics the transport's own are atomic with.
	Atomics AtomicDomain
}

// AtomicDomain is a set of atomic operations that are atomic with each other, on one integer.
type AtomicDomain uint8

// The domains.
const (
	NoAtomics  AtomicDomain = iota // the transport must carry out no atomics
	CPUAtomics                     // instructions of the owner's CPU, by itself or by others
	AllAtomics                     // the transport carries out all atomics of the run, and no CPU does
)

// WordMax is the greatest number of bytes that are copied as one word if they are aligned.
const WordMax = 8

// Transport moves bytes between this member and others over one fabric. Several goroutines
// may call its methods at once.
//
// Put, Get, Atomic and Copy start an operation. They return without waiting for the peer,
// unless Abilities.Waits says that they may wait. The outcome goes to done, perhaps before
// the call returns: loads, stores and system calls complete at once. The owner carries out
// the operations of one initiator in the order of the calls.
//
// The memory behind src and dst pointers must stay valid and, where it is a
// source, unchanged until the operation has completed. It must not be movable by
// the Go runtime: mapped or C memory, or pinned Go memory.
type Transport interface {
	// Name is the name of the fabric, as -net and messages have it: "shm", "rma" or "tcp".
	Name() string

	// Abilities returns what the transport can do. It does not change. Does not block.
	Abilities() Abilities

	// Put copies n bytes from src to position pos of member peer.
	Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done Completion)

	// Get copies n bytes from position pos of member peer to dst.
	Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done Completion)

	// Atomic performs a on the integer at position pos of member peer, which is
	// aligned to the width, and passes the value found there to done.
	Atomic(peer int, pos uint64, a Atomic, done Completion)

	// Copy lets member src copy n bytes from its position srcPos to position
	// dstPos of member dst, without moving the data through this process.
	Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done Completion)

	// Close releases connections and mappings. Operations that have not completed, and those
	// started later, complete with ErrClosed. It may wait for other members if Abilities says
	// so. Further calls return nil.
	Close() error
}

// CallMax is the greatest number of bytes of a request, and of an answer.
const CallMax = 64 << 10

// Messenger carries messages between the processes of members. All methods may be called by
// several goroutines at once, and none waits for a peer.
type Messenger interface {
	// Call lets the Owner of member peer Serve a request. done gets the length of the
	// answer, which is in reply. Neither slice is longer than CallMax, or touched by the
	// caller until then. A request is served after what was issued for the peer before.
	Call(peer int, service uint16, request, reply []byte, done Completion)

	// PutWords and GetWords are Put and Get of a Transport, of at most CallMax bytes. The owner
	// stores and loads each aligned word of 4 or 8 bytes as a whole, so that no thread that uses the
	// memory meanwhile sees half a word.
	PutWords(peer int, pos uint64, src unsafe.Pointer, n uint64, done Completion)
	GetWords(peer int, pos uint64, dst unsafe.Pointer, n uint64, done Completion)

	// Series carries out the items of s as Put, Get and Atomic of a Transport would: in order of the items, and in order
	// with other operations on peer, which is another process. An error of done is that of every item; without one,
	// s.Failed has those that have failed. s belongs to the messenger until then.
	Series(peer int, s *Series, done Completion)

	// Notify sends a small message to the Owner of member peer: the number of a notice and two arguments. It
	// arrives behind what was issued for the peer before. The error says that the peer is known to be gone.
	Notify(peer int, notice uint16, arg uint32, value uint64) error

	// Poll sends operations that were held back (Batched). Then it handles messages that have arrived for operations of this process, in place of the
	// goroutine that would have to be woken for them. It reports whether there were any. If
	// not, it yields the processor. PollPeer does so for one peer, also if no operation is
	// under way there.
	Poll() bool
	PollPeer(peer int) bool

	// PollInline receives what arrives from peer and sends what is queued for it, on the calling thread, until done
	// holds or until nothing has moved for as long as quiet. It may return earlier.
	PollInline(peer int, quiet time.Duration, done func() bool)

	// PollAllInline is PollInline for all peers with operations of this process under way. It calls done at least once, for
	// the first time when it polls them inline, and done may issue operations. If it can wait for no peer so, it returns
	// false at once.
	PollAllInline(quiet time.Duration, done func() bool) bool

	// Flush sends operations that were held back, and does nothing else.
	Flush()
}

// Request is the Call of a member as its Owner gets it.
type Request struct {
	From    int    // the member that has sent it
	Service uint16 // number of the operation
	Body    []byte // the request; the transport reuses it when Serve has returned
	Reply   []byte // room for the answer, as much as the caller has, with any contents
	Later   Deferrer
}

// Deferrer lets the answer to a Request come after Serve has returned.
type Deferrer interface {
	// Defer returns what ends the request: its Complete takes the length of the answer,
	// which is in Reply, or an error. It may be called on any goroutine, and does not wait for
	// the peer. If the peer is gone by then, nothing happens.
	//
	// Serve calls Defer once at most. The transport then ignores what Serve returns, and does
	// not touch Reply until Complete is called. Meanwhile it carries out later requests of the
	// same member: only the beginning of this one is in order.
	Defer() Completion
}

// Memory is the memory of this process as its agent reaches it on behalf of
// others.
type Memory interface {
	// Resolve returns the address of the n bytes at position pos, or a
	// *RangeError if they are not all published. It does not block.
	Resolve(pos, n uint64) (unsafe.Pointer, error)

	// Foreign reports whether the memory at position pos belongs to the program and not to the
	// library. The program may have unmapped it, although Resolve finds it.
	Foreign(pos uint64) bool
}

// Owner is what an agent needs of the process it serves.
type Owner interface {
	Memory

	// Forward copies n bytes from this process's position pos to position dstPos
	// of member dst by whatever route this process has to it. It carries out the
	// Copy of another member and does not block.
	Forward(pos uint64, dst int, dstPos, n uint64, done Completion)

	// Serve carries out the request of a Call. It writes the answer to r.Reply and returns
	// its length, or it calls r.Later.Defer and answers after it has returned. The layers
	// above define the services. It must not wait for other members.
	Serve(r Request) (int, error)

	// Notify delivers a small message sent by member from with a transport's Notify.
	// Messages of one sender arrive in order. It must not block.
	Notify(from int, notice uint16, arg uint32, value uint64)

	// PeerLost reports that a connection to member peer broke although the peer had not
	// closed its transport. err names the rank and says how. It must not block.
	PeerLost(peer int, err error)
}
