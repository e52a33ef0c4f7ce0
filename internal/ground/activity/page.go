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
	// CountersAt is the offset of the memory for the owner of a page.
	CountersAt = 28 * 4096

	// MaxAbout is the greatest number of bytes of the name of a wait's object that readers see.
	MaxAbout = 56

	maxWaits = 512
	maxCall  = 40 // bytes of the name of a function
	maxAt    = 40 // bytes of a file and a line

	headMagic   = 0x5354504341 // "ACPTS"
	headVersion = 7

	// memoryName is the name of the memfd in /proc.
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

// head is the beginning of a page. Readers of another version of the library read magic and
// version first.
type head struct {
	magic   uint64
	version uint32
	member  uint32
	run     Run
	procs   uint32
	pid     uint32 // in the process's own namespace
	// hidden counts threads that sleep without a wait here, because all waits are in use.
	hidden uint32
	used   uint32 // waits from this one on have never been in use
	begun  uint64 // when the page was made, as wait.since
	share  Share
}

// waitsAt is the offset of the waits.
const waitsAt = unsafe.Sizeof(head{})

// wait describes why a thread sleeps. The thread takes it out of Page.free before it is shown.
type wait struct {
	turn  uint32 // odd while the wait is shown; grows with each change
	kind  Kind
	other uint32
	_     uint32
	since uint64 // nanoseconds of CLOCK_MONOTONIC
	site  uint64 // as in caller
	call  [maxCall]byte
	at    [maxAt]byte
	about [MaxAbout]byte

	object Object
}

// The waits must fit in front of the holds.
var _ [holdsAt - waitsAt - maxWaits*unsafe.Sizeof(wait{})]byte

// waitSet is a set of waits, a bit for each.
type waitSet [maxWaits / 64]atomic.Uint64

// take removes the lowest wait of the set. It returns false if there is none. Not inlined, since frames with inlined functions
// take goCaller longer.
//
//go:noinline
func (s *waitSet) take() (i int, ok bool) {
	for k := range s {
		for word := s[k].Load(); word != 0; word = s[k].Load() {
			i := bits.TrailingZeros64(word)
			if s[k].CompareAndSwap(word, word&^(1<<i)) {
				return 64*k + i, true
			}
		}
	}
	return 0, false
}

// put adds a wait to the set.
func (s *waitSet) put(i int) { s[i/64].Or(1 << (i % 64)) }

// Page publishes the reasons why the threads of one process sleep. The methods of a nil Page do nothing. They
// may be called by several goroutines at once, apart from Hide.
type Page struct {
	fd   int // -1: readers do not see the page
	mem  []byte
	free waitSet

	began time.Time // time.Now and CLOCK_MONOTONIC at the same moment
	clock uint64

	woken func(Sleeper) // called for waits that have ended; nil: none is
}

// New makes the page of a member of a run of procs members, with counters bytes of memory at CountersAt, all
// 0. If the system does not provide memory that readers can open, no reader sees the page.
func New(run Run, member, procs int, counters uintptr) (*Page, error) {
	size := int(CountersAt + counters)
	p := &Page{began: time.Now()}
	for i := range maxWaits {
		p.free.put(i)
	}
	p.clock = monotonic()
	flags := unix.MAP_SHARED
	if p.fd = publicMemory(size); p.fd < 0 {
		flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	}
	mem, err := unix.Mmap(p.fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		p.Hide()
		return nil, fmt.Errorf("%d bytes for waits and counters: %w", size, err)
	}
	p.mem = mem
	seal(p.fd)
	h := p.head()
	h.version, h.member, h.run = headVersion, uint32(member), run
	h.procs, h.pid, h.begun = uint32(procs), uint32(os.Getpid()), p.clock
	atomic.StoreUint64(&h.magic, headMagic)
	return p, nil
}

// publicMemory returns a descriptor of memory that other processes may read, or -1.
func publicMemory(size int) int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || uint64(size) > limit.Cur {
		return -1 // the kernel would end the process by a signal
	}
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(memoryName, flags|unix.MFD_NOEXEC_SEAL)
	if err != nil { // older kernels do not have the last flag
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

// seal makes the mapping of this process the only writable one. Kernels before 5.1 cannot do that.
func seal(fd int) {
	const size = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
	if fd < 0 {
		return
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, size|unix.F_SEAL_FUTURE_WRITE); err != nil {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, size)
	}
}

func (p *Page) head() *head { return (*head)(unsafe.Pointer(unsafe.SliceData(p.mem))) }

// wait returns wait i of the page.
func (p *Page) wait(i int) *wait {
	return (*wait)(unsafe.Pointer(&p.mem[waitsAt+uintptr(i)*unsafe.Sizeof(wait{})]))
}

// Counters returns the memory at CountersAt. It stays valid after Hide, until Free.
func (p *Page) Counters() unsafe.Pointer { return unsafe.Pointer(&p.mem[CountersAt]) }

// Wait is a wait on a page. The zero Wait is none.
type Wait uint16

// Sleep publishes that the calling thread is about to sleep. The thread passes the result to Wake when it has
// woken up.
func (p *Page) Sleep(r Reason) Wait {
	if p == nil {
		return 0
	}
	i, ok := p.free.take()
	if !ok {
		atomic.AddUint32(&p.head().hidden, 1)
		return maxWaits + 1
	}
	p.show(i, r)
	return Wait(i + 1)
}

// use lets readers read the waits up to one that has been shown.
func (p *Page) use(i int) {
	used := &p.head().used
	for now := atomic.LoadUint32(used); int(now) <= i && !atomic.CompareAndSwapUint32(used, now, uint32(i+1)); {
		now = atomic.LoadUint32(used)
	}
}

// show fills a wait that the caller has taken, and shows it to readers.
func (p *Page) show(i int, r Reason) {
	w := p.wait(i)
	w.kind, w.other, w.object = r.kind, r.other, r.object
	w.since = p.clock + uint64(time.Since(p.began))
	c := findCaller()
	w.site = c.site
	put(w.call[:], c.call)
	put(w.at[:], c.at[max(0, len(c.at)-maxAt):]) // the line is at the end
	put(w.about[:], r.about)
	atomic.AddUint32(&w.turn, 1)
	p.use(i)
}

// put writes text to a field, and a 0 behind it if there is room.
func put(field []byte, text string) {
	if n := copy(field, text); n < len(field) {
		field[n] = 0
	}
}

// OnWake has woken called for each wait that has ended, on the thread that has slept. woken must not block.
// The owner of the page calls OnWake before any thread sleeps.
func (p *Page) OnWake(woken func(Sleeper)) { p.woken = woken }

// Wake ends the wait that Sleep has published.
func (p *Page) Wake(w Wait) {
	switch {
	case p == nil || w == 0:
	case w > maxWaits:
		atomic.AddUint32(&p.head().hidden, ^uint32(0))
	default:
		x := p.wait(int(w) - 1)
		if p.woken != nil {
			p.woken(x.decode(p.clock + uint64(time.Since(p.began))))
		}
		atomic.AddUint32(&x.turn, 1)
		p.free.put(int(w) - 1)
	}
}

// Hide hides the page from readers, also from those that have opened it. One goroutine may call it, several
// times.
func (p *Page) Hide() {
	if p == nil || p.fd < 0 {
		return
	}
	if p.mem != nil {
		atomic.StoreUint64(&p.head().magic, 0)
	}
	unix.Close(p.fd)
	p.fd = -1
}

// Free frees the memory of the page. Nothing may use it afterwards.
func (p *Page) Free() error {
	p.Hide()
	return unix.Munmap(p.mem)
}

// monotonic returns the nanoseconds of CLOCK_MONOTONIC, which all processes of a host share.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return uint64(t.Nano())
}
