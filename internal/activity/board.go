package activity

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// CountersAt is where the memory begins that the owner of a board has for itself.
	CountersAt = 4096

	maxWaits = 24
	maxCall  = 40 // bytes of the name of a function
	maxAt    = 40 // bytes of a file and a line

	headMagic   = 0x5354504341 // "ACPTS"
	headVersion = 1

	// memoryName is the name of the memfd, as /proc shows it.
	memoryName = "acp-activity"
)

// Run is the public identity of a run.
type Run [16]byte

// String returns the identity as hexadecimal digits.
func (r Run) String() string { return hex.EncodeToString(r[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (r Run) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Run) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(r) {
		return fmt.Errorf("identity of a run: %d characters, expected %d", len(text), hex.EncodedLen(len(r)))
	}
	_, err := hex.Decode(r[:], text)
	return err
}

// head is the beginning of a board. Readers of another version of the library read magic and
// version first.
type head struct {
	magic   uint64
	version uint32
	member  uint32
	run     Run
	procs   uint32
	pid     uint32 // as the process sees itself
	// hidden counts threads that sleep without a wait here, since all are in use.
	hidden uint32
	_      uint32
	begun  uint64 // when the board was made, as wait.since
	waits  [maxWaits]wait
}

// wait is why a thread sleeps. Before it is shown, its owner has taken it out of Board.free.
type wait struct {
	turn  uint32 // odd while the wait is shown; grows with each change
	kind  Kind
	other uint32
	_     uint32
	since uint64 // nanoseconds of CLOCK_MONOTONIC
	call  [maxCall]byte
	at    [maxAt]byte
}

// The head must fit in front of the counters.
var _ [CountersAt - unsafe.Sizeof(head{})]byte

// Board is where the threads of one process say why they sleep. The methods of a nil Board do
// nothing. They may be called by several goroutines at once, apart from Hide.
type Board struct {
	fd   int // -1: readers do not see the board
	mem  []byte
	free atomic.Uint32 // bit i: waits[i] is not in use

	began time.Time // time.Now and CLOCK_MONOTONIC at the same moment
	clock uint64
}

// New makes the board of a member of a run of procs members, with so many bytes of memory at
// CountersAt, all 0. If the system does not provide memory that readers can open, nobody sees the
// board.
func New(run Run, member, procs int, counters uintptr) (*Board, error) {
	size := int(CountersAt + counters)
	b := &Board{began: time.Now()}
	b.free.Store(1<<maxWaits - 1)
	b.clock = monotonic()
	flags := unix.MAP_SHARED
	if b.fd = publicMemory(size); b.fd < 0 {
		flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	}
	mem, err := unix.Mmap(b.fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		b.Hide()
		return nil, fmt.Errorf("%d bytes for waits and counters: %w", size, err)
	}
	b.mem = mem
	seal(b.fd)
	h := b.head()
	h.version, h.member, h.run = headVersion, uint32(member), run
	h.procs, h.pid, h.begun = uint32(procs), uint32(os.Getpid()), b.clock
	atomic.StoreUint64(&h.magic, headMagic)
	return b, nil
}

// publicMemory returns a descriptor of memory that others may read, or -1.
func publicMemory(size int) int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || uint64(size) > limit.Cur {
		return -1 // the kernel would end the process by a signal
	}
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(memoryName, flags|unix.MFD_NOEXEC_SEAL)
	if err != nil { // older kernels do not know the last flag
		fd, err = unix.MemfdCreate(memoryName, flags)
	}
	if err != nil {
		return -1
	}
	if unix.Ftruncate(fd, int64(size)) != nil {
		unix.Close(fd)
		return -1
	}
	return fd
}

// seal makes the mapping that this process has the only one that can be written. Kernels before 5.1
// cannot do that.
func seal(fd int) {
	const size = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
	if fd < 0 {
		return
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, size|unix.F_SEAL_FUTURE_WRITE); err != nil {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, size)
	}
}

func (b *Board) head() *head { return (*head)(unsafe.Pointer(unsafe.SliceData(b.mem))) }

// Counters returns the memory at CountersAt. It stays valid after Hide, until Free.
func (b *Board) Counters() unsafe.Pointer { return unsafe.Pointer(&b.mem[CountersAt]) }

// Wait is a wait on a board. The zero Wait is none.
type Wait uint8

// Sleep says that the calling thread is about to sleep. The thread gives the result to Wake when
// it has woken up.
func (b *Board) Sleep(r Reason) Wait {
	if b == nil {
		return 0
	}
	for {
		free := b.free.Load()
		if free == 0 {
			atomic.AddUint32(&b.head().hidden, 1)
			return maxWaits + 1
		}
		i := bits.TrailingZeros32(free)
		if b.free.CompareAndSwap(free, free&^(1<<i)) {
			b.show(&b.head().waits[i], r)
			return Wait(i + 1)
		}
	}
}

// show fills a wait that the caller has taken, and shows it to readers.
func (b *Board) show(w *wait, r Reason) {
	w.kind, w.other = r.kind, r.other
	w.since = b.clock + uint64(time.Since(b.began))
	c := findCaller()
	put(w.call[:], c.call)
	put(w.at[:], c.at[max(0, len(c.at)-maxAt):]) // the line is at the end
	atomic.AddUint32(&w.turn, 1)
}

// put writes text to a field, and a 0 behind it if there is room.
func put(field []byte, text string) {
	if n := copy(field, text); n < len(field) {
		field[n] = 0
	}
}

// Wake ends what Sleep has said.
func (b *Board) Wake(w Wait) {
	switch {
	case b == nil || w == 0:
	case w > maxWaits:
		atomic.AddUint32(&b.head().hidden, ^uint32(0))
	default:
		atomic.AddUint32(&b.head().waits[w-1].turn, 1)
		b.free.Or(1 << (w - 1))
	}
}

// Hide makes readers find the board no longer, also those that have opened it. One goroutine may
// call it, several times.
func (b *Board) Hide() {
	if b == nil || b.fd < 0 {
		return
	}
	if b.mem != nil {
		atomic.StoreUint64(&b.head().magic, 0)
	}
	unix.Close(b.fd)
	b.fd = -1
}

// Free frees the memory of the board. Nothing may use it afterwards.
func (b *Board) Free() error {
	b.Hide()
	return unix.Munmap(b.mem)
}

// monotonic returns the nanoseconds of CLOCK_MONOTONIC, which all processes of a host share.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return uint64(t.Nano())
}
